package check

import (
	"slices"

	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/table"
)

// KeptFrom reports whether a person may not change a row by any viewset that writes its table or limits who
// does. A row that no viewset serves is a part of the rows to which it refers: the person may change one
// of them.
func (c *Checker) KeptFrom(who *exchange.Person, one *fixture.Row) bool {
	if c.limited(one) {
		return !c.mayChange(who, one)
	}
	if c.Served(one) {
		return false
	}
	kept := false
	for _, whole := range c.ReferredBy(one) {
		if !c.limited(whole) {
			continue
		}
		if kept = !c.mayChange(who, whole); !kept {
			return false
		}
	}
	return kept
}

// ofAnother reports whether a row that no viewset serves refers to rows of the table of a row, and not to
// the row itself.
func (c *Checker) ofAnother(one, of *fixture.Row) bool {
	if of == nil || c.Served(one) {
		return false
	}
	key := c.KeyOf(of)
	if key == "" || one.RefersTo(key) {
		return false
	}
	return slices.ContainsFunc(c.ReferredBy(one), func(whole *fixture.Row) bool { return whole.Table == of.Table })
}

// limited reports whether a viewset writes rows of the table, or limits by Writers who does.
func (c *Checker) limited(one *fixture.Row) bool {
	return slices.ContainsFunc(c.Registry.Resources, func(r *table.Resource) bool { return r.Table.Name == one.Table && limits(r) })
}

// limits reports whether the declarations of a viewset say which rows a caller changes.
func limits(r *table.Resource) bool {
	return r.HasWriters() || slices.ContainsFunc(r.Endpoints, func(e *table.Endpoint) bool { return e.IsWrite() })
}

// mayChange reports whether a viewset lets a person change a row.
func (c *Checker) mayChange(who *exchange.Person, one *fixture.Row) bool {
	return slices.ContainsFunc(c.Registry.Resources, func(r *table.Resource) bool {
		return r.Table.Name == one.Table && limits(r) && c.Sees(who, r, one) && c.Changes(who, r, one, fixture.Updating(r))
	})
}
