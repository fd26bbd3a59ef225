package shown

import (
	"slices"

	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
)

// Meets reports whether a person may see a row: by a viewset or, if none serves its table, as a part of a row to which it refers.
func (c Views) Meets(who *exchange.Person, one *fixture.Row) bool { return c.meets(who, one, 3) }

// meets is [Views.Meets] for parts that are some levels below the row of a viewset at most, 3 at first.
func (c Views) meets(who *exchange.Person, one *fixture.Row, levels int) bool {
	if c.Served(one) || levels == 0 {
		return levels > 0 && !c.HiddenFrom(who, one)
	}
	wholes, linked := c.wholes(one)
	seen := slices.DeleteFunc(slices.Clone(wholes), func(whole *fixture.Row) bool { return !c.meets(who, whole, levels-1) })
	return len(seen) > 0 && (len(seen) == len(wholes) || levels == 3 && !linked)
}

// wholes lists the rows to which a row refers. If relations of viewsets lead from some of them to its table, it is a part of
// these rows alone: a line is a part of its order, and not of the product that it names. linked reports that rows of the table
// only link the rows of two viewsets: each relation over them is narrowed by the scope of the viewset to which it leads, and
// no viewset shows them as parts of its rows.
func (c Views) wholes(one *fixture.Row) (wholes []*fixture.Row, linked bool) {
	var tables []string
	for _, r := range c.Registry.Resources {
		holders, links := r.Relations.Holders(one.Table)
		tables, linked = append(tables, holders...), linked || links
	}
	var holding []*fixture.Row
	for _, whole := range c.ReferredBy(one) {
		if whole == one || slices.Contains(wholes, whole) {
			continue
		}
		if wholes = append(wholes, whole); slices.Contains(tables, whole.Table) {
			holding = append(holding, whole)
		}
	}
	if len(holding) > 0 {
		wholes = holding
	}
	return wholes, linked && len(tables) == 0
}
