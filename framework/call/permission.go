package call

import (
	"regexp"
	"slices"
	"strings"

	"trestle.example/framework/internal/naming"
)

// A Permission decides whether a caller may use an endpoint, before any object
// is known: which objects a caller has is the business of [Scope].
// Implementations are used by many requests at once.
//
// frameworktest.TestPermission checks an implementation of your own.
type Permission interface {
	// Permit reports whether the call may go on. It reads c.Caller and
	// c.Route; it does not touch the database.
	Permit(c *Call) bool
	// String says what it asks for, as in "staff" or "doctors.add": the
	// listing of routes and the reference show it.
	String() string
}

// Anyone permits everybody, anonymous callers too.
func Anyone() Permission {
	return permission{name: "anyone", permit: func(*Call) bool { return true }, takesKnown: true}
}

// Authenticated permits every caller who is known.
func Authenticated() Permission {
	return permission{name: "authenticated", permit: func(c *Call) bool { return !c.Caller.Anonymous() }, takesKnown: true}
}

// Staff permits callers who are staff.
func Staff() Permission {
	return permission{name: "staff", permit: func(c *Call) bool { return !c.Caller.Anonymous() && c.Caller.Staff }}
}

// OrReadOnly permits reading to everybody; anything else needs p.
func OrReadOnly(p Permission) Permission {
	p = present([]Permission{p})[0]
	return permission{name: "reading, else " + p.String(), of: []Permission{p}, takesKnown: TakesKnown(p), permit: func(c *Call) bool {
		return c.Route.Reads() || p.Permit(c)
	}}
}

// Holds permits callers who hold one permission, such as "patients.view": a name
// for which [IsPermissionName] holds, or [API.Check] refuses it.
func Holds(name string) Permission {
	return permission{name: name, holds: []string{name}, permit: func(c *Call) bool { return c.Caller.Holds(name) }}
}

// HoldsModel permits callers who hold the model's permission that the action
// needs: model.view to read, model.add to create, model.change to update and
// for actions that write, model.delete to delete.
func HoldsModel(model string) Permission {
	return permission{name: model + ".view|add|change|delete", holds: rightsOf(model), permit: func(c *Call) bool {
		return c.Caller.Holds(model + "." + c.Route.Right())
	}}
}

// PerModel permits reading to every caller who is known, and writing to those
// who hold model.add, model.change or model.delete, whichever the action needs.
func PerModel(model string) Permission {
	holds := HoldsModel(model)
	return permission{name: model + ".add|change|delete to write", holds: rightsOf(model)[1:], permit: func(c *Call) bool {
		return holds.Permit(c) || c.Route.Reads() && !c.Caller.Anonymous()
	}}
}

// All permits what every one of ps permits; without any, everything.
func All(ps ...Permission) Permission {
	ps = present(ps)
	blocksKnown := slices.ContainsFunc(ps, func(p Permission) bool { return !TakesKnown(p) })
	return permission{name: joined(ps, " and ", "anyone"), of: ps, takesKnown: !blocksKnown, permit: func(c *Call) bool {
		for _, p := range ps {
			if !p.Permit(c) {
				return false
			}
		}
		return true
	}}
}

// Any permits what at least one of ps permits; without any, nothing.
func Any(ps ...Permission) Permission {
	ps = present(ps)
	return permission{name: joined(ps, " or ", "nobody"), of: ps, takesKnown: slices.ContainsFunc(ps, TakesKnown), permit: func(c *Call) bool {
		for _, p := range ps {
			if p.Permit(c) {
				return true
			}
		}
		return false
	}}
}

// Not permits what p refuses.
func Not(p Permission) Permission {
	if p == nil || slices.ContainsFunc(Parts[permission](p), func(one permission) bool { return one.missing }) {
		return All(nil) // permits nothing: it must not be the opposite of that
	}
	return permission{name: "not " + p.String(), of: []Permission{p}, permit: func(c *Call) bool { return !p.Permit(c) }}
}

// present puts a permission that permits nothing in the place of each that is nil,
// of which [API.Check] tells: viewsets are made before anything can be reported.
func present(ps []Permission) []Permission {
	ps = slices.Clone(ps)
	for i, p := range ps {
		if p == nil {
			ps[i] = permission{name: "nil", missing: true, permit: func(*Call) bool { return false }}
		}
	}
	return ps
}

// permission is a predicate with a name.
type permission struct {
	name       string
	permit     func(*Call) bool
	of         []Permission // what it is made of
	holds      []string     // the names of which it asks whether the caller holds them
	takesKnown bool         // it refuses no caller who is known
	missing    bool         // it stands for one that is nil
}

func (p permission) Permit(c *Call) bool { return p.permit(c) }

func (p permission) String() string { return p.name }

// Unwrap returns what the permission is made of, so that the reference tells
// what a [Refuser] and a [Sender] among them do.
func (p permission) Unwrap() []Permission { return p.of }

// permissionName is the form of a permission: a resource and a right.
var permissionName = regexp.MustCompile(`^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*$`)

// IsPermissionName reports whether a permission can have a name: a resource and a
// right, as in "patients.view", in lower case and of at most 200 characters. It is
// safe for concurrent use.
func IsPermissionName(name string) bool {
	return len(name) <= 200 && permissionName.MatchString(name)
}

func rightsOf(model string) []string {
	return []string{model + ".view", model + ".add", model + ".change", model + ".delete"}
}

// PermitsListing permits the callers whom a permission permits to list a viewset, whatever
// the call asks for.
func PermitsListing(list Permission, viewset string) Permission {
	return permission{name: list.String(), of: []Permission{list}, takesKnown: TakesKnown(list), permit: func(c *Call) bool {
		return list.Permit(ForList(c, viewset))
	}}
}

// HeldNames lists the names of permissions for which a permission asks whether the caller
// holds them.
func HeldNames(p Permission) (names []string) {
	for _, one := range Parts[permission](p) {
		names = append(names, one.holds...)
	}
	return names
}

// CheckPermission reports each name in a permission that no caller can hold, and each part
// that is nil. A nil permission has no faults. One fault for each of the names that one
// declaration makes is enough.
func CheckPermission(p Permission, fault func(error)) {
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

// TakesKnown reports whether a permission is known to refuse no caller who is
// known, whatever it is wrapped in.
func TakesKnown(p Permission) bool {
	for {
		switch one := p.(type) {
		case permission:
			return one.takesKnown
		case interface{ Unwrap() Permission }:
			p = one.Unwrap()
		default:
			return false
		}
	}
}

// joined names a combination; none is what it says without parts.
func joined(ps []Permission, with, none string) string {
	if len(ps) == 0 {
		return none
	}
	var names []string // each once
	for _, p := range ps {
		if name := p.String(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 1 {
		return names[0]
	}
	return "(" + strings.Join(names, with) + ")"
}
