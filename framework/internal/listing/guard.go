package listing

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/expression"
	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/ordering"
	"trestle.example/framework/internal/search"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
)

// Guard notes that parameters use fields, which callers need to see.
func (l *List) Guard(params []query.Param, fields []query.Field) {
	for _, f := range fields {
		if rules := l.Resource.Relations.Base().Seeing(f); len(rules) > 0 {
			for _, p := range params {
				l.guard(p.Name, rules)
			}
		}
	}
}

func (l *List) guard(param string, rules []*fieldrule.Rule) {
	if l.guards == nil {
		l.guards = map[string][]*fieldrule.Rule{}
	}
	l.guards[param] = naming.AddNew(l.guards[param], rules)
}

// GuardSearch notes which fields the search uses.
func (l *List) GuardSearch(s *search.Bound) {
	l.Guard([]query.Param{s.Parameter()}, slices.Concat(s.Searched, s.Related))
}

// GuardOrders notes which fields the orders use, and reports mistakes as [CheckDefault] does.
func (l *List) GuardOrders(fault func(place string, err error)) {
	o := l.Endpoint.Ordering
	for name, f := range o.AllowedFields {
		l.Guard([]query.Param{{Name: o.Param + "=" + name}}, []query.Field{f})
	}
	for name, named := range o.Orders {
		l.Guard([]query.Param{{Name: o.Param + "=" + name}}, fieldsOf(named.Terms))
	}
	CheckDefault(l.Resource, o, fault)
}

// CheckDefault reports a default order by a field that only some callers see.
func CheckDefault(r *table.Resource, o *ordering.Bound, fault func(place string, err error)) {
	for _, f := range fieldsOf(o.Fallback) {
		if rules := r.Relations.Base().Seeing(f); len(rules) > 0 {
			fault("ordering default", naming.Sentence("it shows values of %q, which only some callers see; choose another default", rules[0].Name))
		}
	}
}

func fieldsOf(terms []ordering.Term) (fields []query.Field) {
	for _, t := range terms {
		fields = append(fields, t.Field)
	}
	return fields
}

// GuardExpression notes the fields that expressions may use and that only some callers see.
func (l *List) GuardExpression(b *expression.Bound) {
	l.named = map[string][]*fieldrule.Rule{}
	for _, f := range b.Fields {
		if rules := l.Resource.Relations.Base().Seeing(f.Field); len(rules) > 0 {
			l.named[f.Name] = rules
		}
	}
}

// Guarded reports whether a request may be rejected because the caller does not see a field.
func (l *List) Guarded() bool { return len(l.guards)+len(l.named) > 0 }

// refuses returns the error of a request whose parameters use fields that the caller does not see. used are the fields
// of its expression.
func (l *List) refuses(c *call.Call, values query.Values, used []string) error {
	if !l.Guarded() {
		return nil
	}
	var rules []*fieldrule.Rule
	for _, name := range used {
		rules = naming.AddNew(rules, l.named[name])
	}
	var faults []problem.Fault
	for _, r := range rules {
		if r.Hides(c) {
			faults = append(faults, unseen(l.Resource.Expression.Param, r))
		}
	}
	for _, param := range slices.Sorted(maps.Keys(l.guards)) {
		name, term, ordered := strings.Cut(param, "=")
		if values[name] == "" || ordered && !orders(values[name], term) {
			continue
		}
		for _, r := range l.guards[param] {
			if r.Hides(c) {
				faults = append(faults, unseen(name, r))
			}
		}
	}
	return fieldrule.Forbid(c, faults)
}

// unseen is the fault of a parameter that uses a field which the caller does not see.
func unseen(param string, r *fieldrule.Rule) problem.Fault {
	return problem.Fault{Parameter: param, Code: problem.CodeForbidden, Detail: "needs a permission to see " + strconv.Quote(r.Name)}
}

// orders reports whether the text of the parameter names a term, in either direction.
func orders(text, term string) bool {
	return slices.ContainsFunc(naming.SplitList(text), func(one string) bool { return one == term || strings.TrimPrefix(one, "-") == term })
}
