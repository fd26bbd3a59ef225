// Package fieldrule has rules about fields by permission: which callers see a field of a viewset,
// and which write it. It removes the fields that a caller may not see from answers.
package fieldrule

import (
	"reflect"
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/files"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
)

// A Rule is a rule about one field of a viewset. It does not change once it is bound.
type Rule struct {
	Name       string          // of the field, for clients
	Permission call.Permission // of the callers that see or write it
	Effective  bool            // a verb writes the field
	viewset    string
	writes     bool          // it is about writing
	column     *schema.Field // nil for an expression
	expression string        // its text or, for a declared expression, its name
	unasked    bool          // no permission decides: the request did not choose the field
}

// Unasked is a rule that hides a field of a viewset from every caller, because the request did not choose it.
func Unasked(viewset string) *Rule { return &Rule{viewset: viewset, unasked: true} }

// Sentence says which answers have the field.
func (r *Rule) Sentence() string {
	if r.unasked {
		return "Rows of " + r.viewset + " have it if the parameter expand names it."
	}
	return "Only callers with this permission see it: " + r.Permission.String() + "."
}

// Hides reports whether the caller may not see the field. The permission decides as for a caller
// that lists the viewset, whatever the request is.
func (r *Rule) Hides(c *call.Call) bool {
	return r.unasked || !r.writes && !r.Permission.Permit(access.ForList(c, r.viewset))
}

// Locks reports whether the caller may not write the field.
func (r *Rule) Locks(c *call.Call) bool { return r.writes && !r.Permission.Permit(c) }

// A Set has the rules of a viewset.
type Set []*Rule

// Bind finds the fields of declared rules, and reports each mistake. find finds a field, an
// expression or a function of the viewset by its name. fixed are the columns that each caller
// must see.
func Bind(viewset string, declared []declare.FieldRule, find func(string) (query.Field, error), fixed []*schema.Field, fault func(error)) (bound Set) {
	for _, d := range declared {
		f, err := find(d.Field)
		if err == nil {
			err = check(d, f, fixed, bound)
		}
		if err != nil {
			fault(err)
			continue
		}
		access.CheckPermission(d.Permission, fault)
		r := &Rule{Name: d.Field, Permission: d.Permission, viewset: viewset, writes: d.Writes, column: f.Column}
		if f.Column == nil {
			r.expression = f.GoName
		}
		bound = append(bound, r)
	}
	return bound
}

// check returns the mistake in a rule about a field.
func check(d declare.FieldRule, f query.Field, fixed []*schema.Field, bound Set) error {
	what := map[bool]string{false: "Sees", true: "Writes"}[d.Writes]
	switch {
	case d.Permission == nil:
		return naming.Sentence("%s(%q) has no permission; name one, such as framework.Holds(\"patients.contact\")", what, d.Field)
	case f.Related != nil:
		return naming.Sentence("%q is a field of another viewset; give the rule to that viewset", d.Field)
	case f.Column != nil && f.Type == reflect.TypeFor[files.File]():
		return naming.Sentence("%q is a file, which has a path of its own; it has no rules", d.Field)
	case f.Column == nil && d.Writes:
		return naming.Sentence("%q is computed, so no caller writes it; leave Writes out", d.Field)
	}
	if f.Column != nil && slices.Contains(fixed, f.Column) {
		return naming.Sentence("%q is the key of rows and in their paths, which every caller sees; leave the rule out", d.Field)
	}
	for _, r := range bound {
		if r.writes == d.Writes && r.is(f) {
			return naming.Sentence("%q has two rules of %s; join their permissions by framework.Any or framework.All", d.Field, what)
		}
	}
	return nil
}

// is reports whether the rule is about a field of the viewset's own rows.
func (r *Rule) is(f query.Field) bool {
	if f.Column != nil {
		return f.Column == r.column
	}
	return f.GoName == r.expression
}

// Seeing lists the rules about seeing a field of the viewset's own rows: a column, or an expression.
func (s Set) Seeing(f query.Field) []*Rule {
	return s.where(func(r *Rule) bool { return !r.writes && r.is(f) })
}

// SeeingMember lists the rules about seeing a field of a type that a function computes from rows:
// the field has the Go name of a column, or the member has the name of a rule.
func (s Set) SeeingMember(goName, name string) []*Rule {
	return s.where(func(r *Rule) bool {
		return !r.writes && (r.Name == name || r.column != nil && r.column.GoName == goName)
	})
}

// Writing lists the rules about writing a column.
func (s Set) Writing(column *schema.Field) []*Rule {
	return s.where(func(r *Rule) bool { return r.writes && r.column == column })
}

// Ineffective lists the fields with a rule about writing that no verb writes.
func (s Set) Ineffective() (names []string) {
	for _, r := range s.where(func(r *Rule) bool { return r.writes && !r.Effective }) {
		names = append(names, r.Name)
	}
	return names
}

func (s Set) where(is func(*Rule) bool) (rules []*Rule) {
	for _, r := range s {
		if is(r) {
			rules = append(rules, r)
		}
	}
	return rules
}

// AnyHides reports whether the caller may not see the field of one of the rules.
func AnyHides(c *call.Call, rules []*Rule) bool {
	return slices.ContainsFunc(rules, func(r *Rule) bool { return r.Hides(c) })
}

// AnyLocks reports whether the caller may not write the field of one of the rules.
func AnyLocks(c *call.Call, rules []*Rule) bool {
	return slices.ContainsFunc(rules, func(r *Rule) bool { return r.Locks(c) })
}

// FaultCode is the code of a fault at a parameter or a member that uses a field without its
// permission.
//
//nolint:gochecknoglobals // nothing changes it
var FaultCode = problem.CodeInfo{Code: problem.CodeForbidden, Text: "It uses a field, or changes a row, for which the caller has no permission."}

// Forbid returns the error of a request that uses fields without their permissions: 403, or 401 for an
// anonymous caller. Without faults it is nil.
func Forbid(c *call.Call, faults []problem.Fault) error {
	if len(faults) == 0 {
		return nil
	}
	e := problem.Forbidden()
	e.Detail = "You are signed in but have no permission to use these fields."
	if c.Caller.Anonymous() {
		e = problem.Unauthenticated()
	}
	e.Faults = faults
	return e
}

// Permissions lists the permissions of the rules.
func (s Set) Permissions() (all []call.Permission) {
	for _, r := range s {
		all = append(all, r.Permission)
	}
	return all
}
