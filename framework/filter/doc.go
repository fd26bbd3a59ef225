// Package filter has the usual filter backends: query parameters that narrow a list.
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
// Fields have the names that clients use. A field may be an expression of [framework.ViewSet],
// or a path over relations that the viewset lists in [framework.Relations], such as
// "author.name" or "tags.name". A filter over a path keeps each row that has a related row which
// matches and which the caller may see. [Together] keeps each row that has one related row which
// meets several filters, and [Not] keeps the rows that a filter leaves out.
//
// If a name is wrong, or a backend cannot compare a field, API.Check reports it in a sentence. A
// value from a client is always an argument of the statement, never part of its text. A value
// that cannot be read is answered 400 invalid_parameter with the name of the parameter; an empty
// value counts as absent. Rows whose field is null match no comparison, as in SQL, and [Not] keeps them.
//
// A Backend never changes. Viewsets may share it, and it is safe for concurrent use.
package filter
