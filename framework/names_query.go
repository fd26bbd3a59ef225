package framework

import "trestle.example/framework/query"

// The names of package [trestle.example/framework/query], which describes them in full.
type (
	// A Pagination is a pagination class: it reads the requested window of a list and builds
	// the body of the answer.
	Pagination = query.Pagination
	// A Window is the part of a list that a request wants.
	Window = query.Window
	// Counting is the strategy that finds the number of matching rows.
	Counting = query.Counting
	// A Total is the number of matching rows, as far as it was counted.
	Total = query.Total
	// A Page is a window and the rows that were found in it.
	Page = query.Page
	// An Envelope is the body of a list's answer, member by member.
	Envelope = query.Envelope
	// A Member is a name and a value of an [Envelope].
	Member = query.Member
	// Items stands for the rows in an [Envelope].
	Items = query.Items
	// A Filter is a filter backend: it narrows a list by query parameters.
	Filter = query.Filter
	// A BoundFilter is a filter that has found its columns.
	BoundFilter = query.BoundFilter
	// A Narrow adds conditions to a query.
	Narrow = query.Narrow
	// A Param describes a query parameter to clients.
	Param = query.Param
	// Values are the query parameters of a request that the endpoint has.
	Values = query.Values
	// Facts describe the resource that a filter or a ranking is bound to.
	Facts = query.Facts
	// A Field is one column of a model under its client's name.
	Field = query.Field
	// A Target is a resource that another resource refers to.
	Target = query.Target
	// A Ranker is a search that ranks its matches, so that a list shows the best first.
	Ranker = query.Ranker
	// A BoundRanker is a search that has found its columns.
	BoundRanker = query.BoundRanker
	// A NeededTable is a table that no model describes, with the columns that are used.
	NeededTable = query.NeededTable
	// A Ranking is the result of a search.
	Ranking = query.Ranking
)

// ExactCount counts every matching row. The zero [Counting] is exact.
func ExactCount() Counting { return query.ExactCount() }

// CappedCount counts up to limit rows. If the count reaches the limit, [Total] says so.
func CappedCount(limit int64) Counting { return query.CappedCount(limit) }

// EstimatedCount uses the estimate of the database's planner, which is fast and rough. If
// there is no estimate, as in SQLite, the count is exact.
func EstimatedCount() Counting { return query.EstimatedCount() }

// NoCount counts nothing. The list still finds out whether more rows follow.
func NoCount() Counting { return query.NoCount() }
