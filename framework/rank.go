package framework

import (
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
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
	Read func(c *Call, text string) (*Ranking, error)
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
	Instead func(c *Call) (*Ranking, error)
}

// bindRanker binds the search of a viewset that has one.
func bindRanker(r *resource, fault func(error)) *BoundRanker {
	if r.declaration.ranked == nil {
		return nil
	}
	bound, err := r.declaration.ranked.Bind(&Facts{r: r})
	switch {
	case err != nil:
		fault(err)
	case bound.Param.Name == "":
		fault(naming.Sentence("its parameter has no name"))
	case bound.Read == nil:
		fault(naming.Sentence("it has no function that reads %q", bound.Param.Name))
	default:
		return &bound
	}
	return nil
}

// join narrows a query to the rows that match. The columns get names that no
// model has, so that a condition which does not qualify its own stays clear.
// Those rows come first, and CROSS JOIN has SQLite look them up in the table:
// it would begin with an index of any filter, however many rows that leaves.
func (k *Ranking) join(q *bun.SelectQuery, r *resource) *bun.SelectQuery {
	key, rank := rankNames(r)
	return q.ModelTableExpr(`(SELECT "key" AS ?, "rank" AS ? FROM (?) AS found) AS ? CROSS JOIN ? AS ?`,
		key, rank, k.Rows, bun.Ident(r.table.Alias+"__ranking"), r.table.SQLNameForSelects, bun.Ident(r.table.Alias)).
		Where("? = ?TableAlias.?", key, bun.Ident(r.pk.Name))
}

// rankOf is the rank in a query that a ranking has joined.
func rankOf(r *resource) bun.Ident {
	_, rank := rankNames(r)
	return rank
}

func rankNames(r *resource) (key, rank bun.Ident) {
	return bun.Ident(r.table.Alias + "__key"), bun.Ident(r.table.Alias + "__rank")
}

// Self is the resource that is being bound, as another refers to it.
func (f *Facts) Self() Target { return Target{f.r} }

// Has is a condition: key, a column of another table, is that of a row of the
// target that the caller has.
func (t Target) Has(c *Call, key schema.QueryAppender) schema.QueryAppender {
	return bun.SafeQuery("EXISTS (?)", t.Rows(c).Where("?TableAlias.? = ?", bun.Ident(t.r.pk.Name), key))
}
