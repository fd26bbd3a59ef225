package query

import (
	"github.com/uptrace/bun/schema"
	"trestle.example/framework/call"
)

// A Ranker is a search whose matches have ranks, so that a list has the best
// of them first. It is bound once, at registration, and used by many requests
// at once. Package ranked has one.
type Ranker interface {
	// Bind resolves what the search must know of the resource. Its error is a
	// sentence without a prefix, as that of a [Filter].
	Bind(f *Facts) (BoundRanker, error)
}

// A BoundRanker is a search that knows its resource.
type BoundRanker struct {
	// Param is the parameter that the search reads.
	Param Param
	// Read turns its text, which is not empty, into a ranking. A nil Ranking
	// leaves the list alone; an error is best made by [InvalidParameter].
	Read func(c *call.Call, text string) (*Ranking, error)
	// Tables are those that the search reads beside the model's, for
	// [API.MissingColumns]. Defaults to none.
	Tables []NeededTable
}

// A NeededTable is a table that no model describes, with the columns that are used.
type NeededTable struct {
	Name    string
	Columns []string
}

// A Ranking is what a search finds. It need not know who asks: the list leaves
// out what scope and filters leave out.
type Ranking struct {
	// Rows is a subquery of two columns: "key", the primary key of a row that
	// matches, each once, and "rank", a number, greater for a better match.
	// Values of the request are arguments in it, never its text.
	Rows schema.QueryAppender
	// Instead is called once where the list would be empty, and returns what
	// the text was probably meant to be, or nil. What it decides must not rest
	// on rows that the caller does not have; [Target.Has] tells which those
	// are. Defaults to none.
	Instead func(c *call.Call) (*Ranking, error)
}
