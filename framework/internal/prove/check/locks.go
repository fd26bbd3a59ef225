package check

import (
	"maps"
	"slices"

	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/prove/places"
	"trestle.example/framework/internal/table"
)

// checkLocks checks that a write which succeeded has not written a field that the person may not write.
func (c *Checker) checkLocks(e *exchange.Endpoint, got *exchange.Answer, on *fixture.Row) {
	if len(e.Locks) == 0 || !got.OK() {
		return
	}
	for _, body := range places.Items(e, got.Request) {
		if e.Bulk != nil {
			on = c.rowOf(e, got.By, body)
		}
		c.checkLocksOf(e, got, body, on)
	}
}

// checkLocksOf is [Checker.checkLocks] of a body for one row, nil for a new one.
func (c *Checker) checkLocksOf(e *exchange.Endpoint, got *exchange.Answer, body map[string]any, on *fixture.Row) {
	for _, name := range slices.Sorted(maps.Keys(e.Locks)) {
		value, sent := body[name]
		rule := c.Lock(e, got.By, name)
		switch {
		case rule == nil:
		case sent && (on == nil && !places.IsDefault(e.Input, name, value) || on != nil && c.changedAt(e.Resource, on, name)):
			c.Find(e, got.By, got.Curl(), "it writes %s, which needs %s", name, rule.Permission)
		case !sent && e.Fills() && on != nil && c.changedAt(e.Resource, on, name):
			c.Find(e, got.By, got.Curl(), "it changes %s, which the body does not have and which needs %s", name, rule.Permission)
		}
	}
}

// rowOf returns the row whose key, or natural key, an item of a request for several rows has; nil for a new one.
func (c *Checker) rowOf(e *exchange.Endpoint, who *exchange.Person, item map[string]any) *fixture.Row {
	key := e.Bulk.Key
	if key.Column == nil {
		key = e.Bulk.Natural
	}
	if key.Column == nil {
		return nil
	}
	rows := c.RowsOf(e.Resource)
	at := slices.IndexFunc(rows, func(one *fixture.Row) bool {
		return one.Values[key.Column.Name] == places.Text(item[key.Name]) && (!e.Bulk.Owned || one.By == who)
	})
	if at < 0 {
		return nil
	}
	return rows[at]
}

// Lock returns a rule by which a person may not write a field of a body; nil if there is none.
func (c *Checker) Lock(e *exchange.Endpoint, who *exchange.Person, name string) *fieldrule.Rule {
	as := c.CallOf(who, e.Route)
	for _, rule := range e.Locks[name] {
		if !rule.Permission.Permit(as) {
			return rule
		}
	}
	return nil
}

// changedAt reports whether the stored value of a field is no longer that of a row.
func (c *Checker) changedAt(r *table.Resource, one *fixture.Row, name string) bool {
	column, key := r.Names[name].Column, c.KeysOf(one.Table)
	if column == nil {
		return false
	}
	for _, now := range c.Contents()[one.Table] {
		if now.At(key) == one.Values.At(key) {
			return now[column.Name] != one.Values[column.Name]
		}
	}
	return false
}
