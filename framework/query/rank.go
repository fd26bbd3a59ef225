package query

import (
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
)

// A Ranker is a search that ranks its matches, so that a list shows the best first. It is
// bound once, when the API is checked. Implementations must be safe for concurrent use.
// Package ranked has one.
type Ranker interface {
	// Bind finds the fields and resources that the search uses. Its error is a sentence
	// without a prefix, as that of a [Filter].
	Bind(f *Facts) (BoundRanker, error)
}

// A BoundRanker is a search that has found its columns.
type BoundRanker struct {
	// Param is the query parameter that the search reads.
	Param Param
	// Read turns the value of Param, which is not empty, into a ranking. A nil Ranking
	// leaves the list unchanged. An error is best made by problem.InvalidParameter.
	Read func(c *call.Call, text string) (*Ranking, error)
	// Tables lists the tables that the search reads beside the model's, for
	// API.MissingColumns. Defaults to none.
	Tables []NeededTable
}

// A NeededTable is a table that no model describes, with the columns that are used.
type NeededTable struct {
	Name    string
	Columns []string
}

// A Ranking is the result of a search. It may contain rows that the caller may not see: the
// scope and the filters of the list remove them.
type Ranking struct {
	// Rows is a subquery with two columns. The column key is the primary key of a matching
	// row; each row occurs once. The column rank is a number, which is greater for a better
	// match. Pass values of the request as arguments, never as text of the query.
	Rows schema.QueryAppender
	// Instead is called once if the list would be empty. It returns a ranking for what the
	// caller probably meant, or nil. Its decision must use only rows that the caller may
	// see, as [Target.Has] selects them. Defaults to none.
	Instead func(c *call.Call) (*Ranking, error)
}
