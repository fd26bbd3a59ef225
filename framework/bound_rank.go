package framework

import (
	"github.com/uptrace/bun"

	"trestle.example/framework/internal/naming"
)

// bindRanker binds the search of a viewset that has one.
func bindRanker(r *resource, fault func(error)) *BoundRanker {
	if r.declaration.ranked == nil {
		return nil
	}
	bound, err := r.declaration.ranked.Bind(newFacts(r))
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

// joinRanking narrows a query to the rows that match. The columns get names that no
// model has, so that a condition which does not qualify its own stays clear.
// Those rows come first, and CROSS JOIN has SQLite look them up in the table:
// it would begin with an index of any filter, however many rows that leaves.
func joinRanking(q *bun.SelectQuery, r *resource, k *Ranking) *bun.SelectQuery {
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
