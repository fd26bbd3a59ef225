// Package filter has the usual filter backends: query parameters that narrow a
// list.
//
//	Filters: []framework.Filter{
//		filter.Exact("city"),
//		filter.Contains("name"),
//		filter.Choice("status", "booked", "completed"),
//		filter.Min("min_fee", "fee"),
//		filter.Range("starts_at"),
//		filter.Reference("doctor", "doctors"),
//	}
//
// Fields are named as clients name them; a name that is wrong, or a field that
// a backend cannot compare, stops the program at registration with a sentence.
// What a client sends always becomes an argument of the statement and never a
// part of its text. A value that cannot be read is 400 invalid_parameter with
// the parameter's name; an empty one is as absent. Rows whose field is null
// match no comparison, as in SQL.
//
// A Backend does not change after it was made: it may be shared by viewsets
// and used by many requests at once.
package filter
