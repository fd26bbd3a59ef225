package candidates

import (
	"slices"

	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/table"
)

// Referred lists rows of a viewset like one, by the same person: for each table whose rows refer to such a
// row, the newest. It is one itself if there is none, and empty for nil.
func Referred(f *fixture.Fixture, r *table.Resource, one *fixture.Row) (all []*fixture.Row) {
	if one == nil {
		return nil
	}
	all = referredOf(f, r, one.By, map[string]bool{})
	if all == nil {
		all = []*fixture.Row{one}
	}
	return all
}

// ReferredOfAll lists rows of a viewset by any person: for each table whose rows refer to such a row, the newest of the first person
// with one. It begins with the rows of one person.
func ReferredOfAll(f *fixture.Fixture, r *table.Resource, first *exchange.Person) (all []*fixture.Row) {
	from := map[string]bool{}
	for _, who := range append([]*exchange.Person{first}, f.People...) {
		all = append(all, referredOf(f, r, who, from)...)
	}
	return all
}

// referredOf lists the rows of a viewset by a person to which a row of a table refers that is not among some tables, and adds the table.
func referredOf(f *fixture.Fixture, r *table.Resource, who *exchange.Person, from map[string]bool) (all []*fixture.Row) {
	for _, like := range f.RowsOf(r) {
		if key := f.KeyOf(like); key != "" && like.By == who && f.Sees(who, r, like) && addReferring(f, from, like, key) {
			all = append(all, like)
		}
	}
	return all
}

// addReferring adds the other tables that have a row which refers to a row by its key, and reports whether
// one is new.
func addReferring(f *fixture.Fixture, tables map[string]bool, to *fixture.Row, key string) (added bool) {
	for _, other := range f.Made {
		if !tables[other.Table] && other.Table != to.Table && other.RefersTo(key) {
			tables[other.Table], added = true, true
		}
	}
	return added
}

// Referring lists the tables that have a value, except for those whose key it is.
func Referring(f *fixture.Fixture) map[string][]string {
	tables := map[string][]string{}
	for _, one := range f.Made {
		for column, value := range one.Values {
			if at, known := slices.BinarySearch(tables[value], one.Table); !known && !slices.Contains(f.KeysOf(one.Table), column) {
				tables[value] = slices.Insert(tables[value], at, one.Table)
			}
		}
	}
	return tables
}
