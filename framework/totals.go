package framework

import "trestle.example/framework/internal/declare"

// Totals lets clients request totals of the rows of the verb List at GET {path}/totals/: their number, and the sums, the least
// and the greatest values of fields, for each group of rows with the same values of other fields:
//
//	?group=status,patient.city&sum=fee&max=starts_at
//
//	{"totals": [
//	  {"group": {"status": "booked", "patient.city": "Pune"}, "count": 12, "sum": {"fee": "120.00"}, "max": {"starts_at": "2026-01-31T09:00:00Z"}},
//	  {"group": {"status": "booked", "patient.city": null}, "count": 1, "sum": {"fee": "10.00"}, "max": {"starts_at": null}}
//	]}
//
// Without group, there is one row of totals. The rows that count are those of the list, on all its pages: its scope, filters,
// search, expression and deleted=true apply. The groups are in the order of their values, null last. A sum is exact for whole
// numbers and decimals, and 0 without a value; min and max are then null. Values look as in views.
//
// The names are those of filters: fields, named [ViewSet.Expressions], members of views with functions of related rows, and
// paths over to-one [Relations], such as "patient.city". A related row that the caller may not see is like a missing one. A
// caller who uses a field that [Sees] hides from them is answered 403.
type Totals struct {
	// By lists the fields by which clients may group. Defaults to none.
	By []string
	// Sum lists the fields of numbers that clients may add up. Defaults to none.
	Sum []string
	// Min lists the fields whose least values clients may request: numbers, times, dates and decimals. Defaults to none.
	Min []string
	// Max lists the fields whose greatest values clients may request. Defaults to none.
	Max []string
	// Param is the query parameter with the fields of the groups. It must not be a parameter of List. Defaults to "group".
	Param string
	// MaxGroups is the greatest number of groups of one answer. More groups are 400 invalid_parameter. Defaults to 1,000.
	MaxGroups int
	// Permission is the permission to read totals. Defaults to that of List.
	Permission Permission
}

func (t Totals) declare() declare.Totals { return declare.Totals(t) }
