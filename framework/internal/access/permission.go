package access

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/naming"
)

// Anyone permits every caller, anonymous ones included.
func Anyone() call.Permission {
	return permission{name: "anyone", permit: func(*call.Call) bool { return true }, takesKnown: true}
}

// Authenticated permits every identified caller.
func Authenticated() call.Permission {
	return permission{name: "authenticated", takesKnown: true, identified: true, permit: func(c *call.Call) bool { return !c.Caller.Anonymous() }}
}

// SignedIn permits the identified callers that p permits.
func SignedIn(p call.Permission) call.Permission {
	if TakesKnown(p) {
		return Authenticated()
	}
	return All(p, Authenticated())
}

// Staff permits callers that are staff.
func Staff() call.Permission {
	return permission{name: "staff", permit: func(c *call.Call) bool { return !c.Caller.Anonymous() && c.Caller.Staff }, identified: true}
}

// OrReadOnly permits every caller, anonymous ones included, to read: GET, HEAD and OPTIONS.
// Every other method requires p. A nil p permits only reading.
func OrReadOnly(p call.Permission) call.Permission {
	p = present([]call.Permission{p})[0]
	return permission{name: "reading, else " + p.String(), reading: "anyone", of: []call.Permission{p}, takesKnown: TakesKnown(p), permit: func(c *call.Call) bool {
		return c.Route.Reads() || p.Permit(c)
	}}
}

// Holds permits callers that have one permission, such as "patients.view". If
// [IsPermissionName] is false for the name, API.Check reports a mistake.
func Holds(name string) call.Permission {
	return permission{name: name, holds: []string{name}, identified: true, permit: func(c *call.Call) bool { return c.Caller.Holds(name) }}
}

// HoldsModel permits callers that have the model's permission for the action: model.view to
// read, model.add to create, model.delete to delete, and model.change to update and for
// actions that write.
func HoldsModel(model string) call.Permission {
	p := permission{name: model + ".view|add|change|delete", reading: model + ".view", holds: rightsOf(model), identified: true}
	p.permit = func(c *call.Call) bool { return c.Caller.Holds(model + "." + c.Route.Right()) }
	return p
}

// PerModel permits reading to every identified caller. A write requires model.add,
// model.change or model.delete, as for [HoldsModel].
func PerModel(model string) call.Permission {
	holds := HoldsModel(model)
	p := permission{name: model + ".add|change|delete to write", reading: "authenticated", holds: rightsOf(model)[1:], identified: true}
	p.permit = func(c *call.Call) bool { return holds.Permit(c) || c.Route.Reads() && !c.Caller.Anonymous() }
	return p
}

// All permits what all of ps permit. The first that does not permit ends the check. Without ps
// it permits everything. A nil in ps permits nothing.
func All(ps ...call.Permission) call.Permission {
	ps = present(ps)
	blocksKnown := slices.ContainsFunc(ps, func(p call.Permission) bool { return !TakesKnown(p) })
	name := func(of func(call.Permission) string) string { return joined(needed(flat(ps), of), " and ", "anyone") }
	all := permission{name: name(call.Permission.String), reading: name(Reading), of: ps, all: true, takesKnown: !blocksKnown}
	all.identified = slices.ContainsFunc(ps, identified)
	all.permit = func(c *call.Call) bool {
		for _, p := range ps {
			if !p.Permit(c) {
				return false
			}
		}
		return true
	}
	return all
}

// Any permits what at least one of ps permits. The first that permits ends the check. Without
// ps it permits nothing. A nil in ps permits nothing.
func Any(ps ...call.Permission) call.Permission {
	ps = present(ps)
	names := func(name func(call.Permission) string) string { return joined(namesOf(ps, name), " or ", "nobody") }
	either := permission{name: names(call.Permission.String), reading: names(Reading), of: ps, takesKnown: slices.ContainsFunc(ps, TakesKnown)}
	either.identified = !slices.ContainsFunc(ps, func(p call.Permission) bool { return !identified(p) })
	either.permit = func(c *call.Call) bool {
		for _, p := range ps {
			if p.Permit(c) {
				return true
			}
		}
		return false
	}
	return either
}

// Not permits what p does not permit. If p or a part of it is nil, it permits nothing.
func Not(p call.Permission) call.Permission {
	if p == nil || slices.ContainsFunc(Parts[permission](p), func(one permission) bool { return one.missing }) {
		return All(nil) // permits nothing, as a nil permission does
	}
	return permission{name: "not " + p.String(), reading: "not " + Reading(p), of: []call.Permission{p}, permit: func(c *call.Call) bool { return !p.Permit(c) }}
}

// present replaces each nil with a permission that permits nothing. API.Check reports it
// later, because a viewset is made before the API exists.
func present(ps []call.Permission) []call.Permission {
	ps = slices.Clone(ps)
	for i, p := range ps {
		if p == nil {
			ps[i] = permission{name: "nil", missing: true, permit: func(*call.Call) bool { return false }}
		}
	}
	return ps
}

// permission is a predicate with a name.
type permission struct {
	name       string
	reading    string // the name of what it requires of a request that reads, if that is not name
	permit     func(*call.Call) bool
	of         []call.Permission // its parts
	holds      []string          // the names of permissions that it requires
	takesKnown bool              // it permits every identified caller
	identified bool              // it permits identified callers alone
	all        bool              // it requires all of its parts
	missing    bool              // it replaces a nil permission
}

func (p permission) Permit(c *call.Call) bool { return p.permit(c) }

func (p permission) String() string { return p.name }

// Unwrap returns the parts of the permission, so that the API reference finds each
// [call.Refuser] and [call.Sender] among them.
func (p permission) Unwrap() []call.Permission { return p.of }

// Reading names what a permission requires of a request that reads.
func Reading(p call.Permission) string {
	if one, ok := p.(permission); ok && one.reading != "" {
		return one.reading
	}
	return p.String()
}

// namesOf returns the name of each permission.
func namesOf(ps []call.Permission, name func(call.Permission) string) (names []string) {
	for _, p := range ps {
		names = append(names, name(p))
	}
	return names
}

// needed returns the names of permissions that are all required, each once. It leaves out "anyone", and "authenticated"
// beside a permission that permits identified callers alone.
func needed(ps []call.Permission, name func(call.Permission) string) (names []string) {
	known := slices.ContainsFunc(ps, func(p call.Permission) bool { return identified(p) && name(p) != Authenticated().String() })
	for _, p := range ps {
		if one := name(p); one != Anyone().String() && (one != Authenticated().String() || !known) && !slices.Contains(names, one) {
			names = append(names, one)
		}
	}
	return names
}

// identified reports whether a permission is known to permit identified callers alone.
func identified(p call.Permission) bool {
	one, ok := p.(permission)
	return ok && one.identified
}

// flat replaces each permission that requires all of its parts by these parts.
func flat(ps []call.Permission) (all []call.Permission) {
	for _, p := range ps {
		if one, ok := p.(permission); ok && one.all {
			all = append(all, flat(one.of)...)
			continue
		}
		all = append(all, p)
	}
	return all
}

// Needed lists the names of all that a permission requires. The parameter name is [call.Permission.String] or [Reading].
func Needed(p call.Permission, name func(call.Permission) string) []string {
	if names := needed(flat([]call.Permission{p}), name); len(names) > 0 {
		return names
	}
	return []string{name(p)}
}

// permissionName matches the name of a permission: a resource and a right.
var permissionName = regexp.MustCompile(`^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*$`)

// IsPermissionName reports whether name is a valid name of a permission: a resource and a
// right, as in "patients.view", in lower case, of at most 200 characters. It is safe for
// concurrent use.
func IsPermissionName(name string) bool {
	return len(name) <= 200 && permissionName.MatchString(name)
}

func rightsOf(model string) []string {
	return []string{model + ".view", model + ".add", model + ".change", model + ".delete"}
}

// ForList returns a copy of the call as a request to list a viewset. The copy shares the state
// of the call.
func ForList(c *call.Call, viewset string) *call.Call {
	listing := *c
	listing.Route = call.Route{ViewSet: viewset, Name: call.VerbList, Method: http.MethodGet}
	return &listing
}

// PermitsListing permits the callers that the permission list permits to list a viewset,
// whatever endpoint the call is for.
func PermitsListing(list call.Permission, viewset string) call.Permission {
	return reads(list, func(c *call.Call) bool { return list.Permit(ForList(c, viewset)) })
}

// PermitsRetrieval permits the callers that the permission retrieve permits to retrieve a row of a
// viewset, whatever endpoint the call is for.
func PermitsRetrieval(retrieve call.Permission, viewset string) call.Permission {
	return reads(retrieve, func(c *call.Call) bool {
		retrieving := *c
		retrieving.Route = call.Route{ViewSet: viewset, Name: call.VerbRetrieve, Method: http.MethodGet}
		return retrieve.Permit(&retrieving)
	})
}

// reads is a permission that requires of every request what p requires of one that reads.
func reads(p call.Permission, permit func(*call.Call) bool) call.Permission {
	return permission{name: Reading(p), of: []call.Permission{p}, takesKnown: TakesKnown(p), identified: identified(p), permit: permit}
}

// PermitsAll reports whether a permission is that of [Anyone].
func PermitsAll(p call.Permission) bool {
	one, ok := p.(permission)
	return ok && one.name == Anyone().String() && len(one.of) == 0
}

// HeldNames lists the names of permissions that a permission and its parts check, those inside
// of Any and Not included.
func HeldNames(p call.Permission) (names []string) {
	for _, one := range Parts[permission](p) {
		names = append(names, one.holds...)
	}
	return names
}

// CheckPermission reports each nil part of a permission, and for each part the first name
// that is not valid. A nil permission has no faults.
func CheckPermission(p call.Permission, fault func(error)) {
	for _, one := range Parts[permission](p) {
		if one.missing {
			fault(naming.Sentence("a permission in it is nil"))
		}
		for _, name := range one.holds {
			if !IsPermissionName(name) {
				fault(naming.Sentence("%q is no name of a permission, which is a resource and a right, as in \"patients.view\"", name))
				break
			}
		}
	}
}

// TakesKnown reports whether a permission is known to permit every identified caller. It also
// looks inside a permission that wraps one other. It returns false for any other permission of
// a program.
func TakesKnown(p call.Permission) bool {
	for {
		switch one := p.(type) {
		case permission:
			return one.takesKnown
		case interface{ Unwrap() call.Permission }:
			p = one.Unwrap()
		default:
			return false
		}
	}
}

// joined names a combination of permissions: their names without duplicates, joined by with.
// The name of one permission has no parentheses. Without permissions, the name is the parameter
// empty.
func joined(all []string, with, empty string) string {
	var names []string // without duplicates
	for _, name := range all {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	switch len(names) {
	case 0:
		return empty
	case 1:
		return names[0]
	}
	return "(" + strings.Join(names, with) + ")"
}

// CheckListed reports each authenticator or throttle of a list that is nil.
func CheckListed[T any](list []T, what string, fault func(error)) {
	for i, one := range list {
		if any(one) == nil {
			fault(naming.Sentence("the %s at place %d is nil", what, i+1))
		}
	}
}
