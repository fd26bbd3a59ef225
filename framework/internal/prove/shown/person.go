package shown

import (
	"net/http"
	"slices"

	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// Show reports whether a viewset shows a column of a row to a person.
func (c Views) Show(who *exchange.Person, one *fixture.Row, column string) bool {
	return slices.ContainsFunc(c.viewsets(who, one), func(r *table.Resource) bool { return !c.hides(who, r, column) })
}

// Mask reports whether a person sees a row, and each viewset that shows it hides a column of it.
func (c Views) Mask(who *exchange.Person, one *fixture.Row, column string) bool {
	return len(c.viewsets(who, one)) > 0 && !c.Show(who, one, column)
}

// viewsets lists the viewsets whose scope leaves a person a row. If the person may read one viewset of its table, it omits those
// that the person may not read.
func (c Views) viewsets(who *exchange.Person, one *fixture.Row) []*table.Resource {
	var all, read []*table.Resource
	reads := false
	for _, r := range c.Registry.Resources {
		if r.Table.Name != one.Table {
			continue
		}
		may, sees := c.mayRead(who, r), c.Sees(who, r, one)
		reads = reads || may
		if sees {
			all = append(all, r)
		}
		if sees && may {
			read = append(read, r)
		}
	}
	if reads {
		return read
	}
	return all
}

// mayRead reports whether the declarations permit a person a GET of a viewset.
func (c Views) mayRead(who *exchange.Person, r *table.Resource) bool {
	return slices.ContainsFunc(c.Endpoints, func(e *exchange.Endpoint) bool {
		return e.Resource == r && e.Info.Method == http.MethodGet && e.Access(who) != spec.AccessRefused
	})
}

// hides reports whether a viewset hides a column of its rows from a person: by its views, or by a rule.
func (c Views) hides(who *exchange.Person, r *table.Resource, column string) bool {
	field := r.Table.FieldMap[column]
	if field == nil || !c.has(r, column) {
		return field != nil
	}
	listing := c.CallOf(who, fixture.Listing(r))
	return slices.ContainsFunc(r.Fields.Seeing(r.FieldOf(column, field)), func(rule *fieldrule.Rule) bool { return !rule.Permission.Permit(listing) })
}
