package framework

import "trestle.example/framework/query"

// A Pagination is a pagination class: it reads which part of a list is asked for and shapes the
// answer.
type Pagination = query.Pagination

// A Window is the part of a list that a request asks for.
type Window = query.Window

// Counting is a strategy for the number of matching rows, nearly the whole cost of a list on a
// large table.
type Counting = query.Counting

// A Total is the number of matching rows, as far as it was counted.
type Total = query.Total

// A Page is a window with what was found in it.
type Page = query.Page

// An Envelope is the answer's object, member by member.
type Envelope = query.Envelope

// A Member is one name and value of an [Envelope].
type Member = query.Member

// Items stands for the rows in an [Envelope].
type Items = query.Items

// A Filter is a filter backend: it narrows a list by query parameters.
type Filter = query.Filter

// A BoundFilter is a filter that knows its columns.
type BoundFilter = query.BoundFilter

// A Narrow adds conditions to a query.
type Narrow = query.Narrow

// A Param describes one query parameter to clients.
type Param = query.Param

// Values are the query parameters of one request that an endpoint knows, each with one value
// that is not empty.
type Values = query.Values

// Facts is what a filter may ask about the resource it narrows.
type Facts = query.Facts

// A Field is one column of a model under its client's name.
type Field = query.Field

// A Target is another resource that a reference leads to.
type Target = query.Target

// A Ranker is a search whose matches have ranks, so that a list has the best of them first.
type Ranker = query.Ranker

// A BoundRanker is a search that knows its resource.
type BoundRanker = query.BoundRanker

// A NeededTable is a table that no model describes, with the columns that are used.
type NeededTable = query.NeededTable

// A Ranking is what a search finds.
type Ranking = query.Ranking

// ExactCount counts every matching row.
func ExactCount() Counting {
	return query.ExactCount()
}

// CappedCount counts up to limit rows; a [Total] that reached it says so.
func CappedCount(limit int64) Counting {
	return query.CappedCount(limit)
}

// EstimatedCount asks the database's planner, which is fast and rough; where it has no estimate
// (SQLite) the count is exact.
func EstimatedCount() Counting {
	return query.EstimatedCount()
}

// NoCount counts nothing; whether there are more rows is still known.
func NoCount() Counting {
	return query.NoCount()
}
