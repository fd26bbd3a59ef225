package framework

import "trestle.example/framework/query"

// The names of package [trestle.example/framework/query]. Their contracts are in that
// package.
type (
	// A Pagination is a pagination class: see [query.Pagination].
	Pagination = query.Pagination
	// A Window is the part of a list that a request wants: see [query.Window].
	Window = query.Window
	// A Keyset is the request for a page that begins at a cursor: see [query.Keyset].
	Keyset = query.Keyset
	// Counting is the strategy that finds the number of matching rows: see [query.Counting].
	Counting = query.Counting
	// A Total is the number of matching rows, as far as it was counted: see [query.Total].
	Total = query.Total
	// A Page is a window and the rows that were found in it: see [query.Page].
	Page = query.Page
	// An Envelope is the body of a list's answer, member by member: see [query.Envelope].
	Envelope = query.Envelope
	// A Member is a name and a value of an [Envelope]: see [query.Member].
	Member = query.Member
	// Items stands for the rows in an [Envelope]: see [query.Items].
	Items = query.Items
	// A Filter is a filter backend: it narrows a list by query parameters: see [query.Filter].
	Filter = query.Filter
	// A BoundFilter is a filter that has found its columns: see [query.BoundFilter].
	BoundFilter = query.BoundFilter
	// A Narrow adds conditions to a query: see [query.Narrow].
	Narrow = query.Narrow
	// A Param describes a query parameter to clients: see [query.Param].
	Param = query.Param
	// Values are the query parameters of a request that the endpoint has: see [query.Values].
	Values = query.Values
	// Facts describe the resource that a filter or a ranking is bound to: see [query.Facts].
	Facts = query.Facts
	// A Field is one column of a model under its client's name: see [query.Field].
	Field = query.Field
	// RelatedRows are the rows that relations lead to: see [query.RelatedRows].
	RelatedRows = query.RelatedRows
	// A Target is a resource that another resource refers to: see [query.Target].
	Target = query.Target
	// A Ranker is a search that ranks its matches, so that a list shows the best first: see [query.Ranker].
	Ranker = query.Ranker
	// A BoundRanker is a search that has found its columns: see [query.BoundRanker].
	BoundRanker = query.BoundRanker
	// A NeededTable is a table that no model describes: see [query.NeededTable].
	NeededTable = query.NeededTable
	// A Ranking is the result of a search: see [query.Ranking].
	Ranking = query.Ranking
)

// ExactCount counts every matching row: see [query.ExactCount].
func ExactCount() Counting { return query.ExactCount() }

// CappedCount counts up to limit rows: see [query.CappedCount].
func CappedCount(limit int64) Counting { return query.CappedCount(limit) }

// EstimatedCount uses the estimate of the database's planner: see [query.EstimatedCount].
func EstimatedCount() Counting { return query.EstimatedCount() }

// NoCount counts nothing: see [query.NoCount].
func NoCount() Counting { return query.NoCount() }
