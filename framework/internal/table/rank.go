package table

import (
	"github.com/uptrace/bun"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/query"
)

// BindRanker binds the search of a viewset that has one.
func BindRanker(r *Resource, fault func(error)) *query.BoundRanker {
	if r.Declaration.Ranked == nil {
		return nil
	}
	bound, err := r.Declaration.Ranked.Bind(query.NewFacts(r))
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

// JoinRanking narrows a query to the rows that match. The columns get names that no
// model has, so that a condition which does not qualify its own stays clear.
// Those rows come first, and CROSS JOIN has SQLite look them up in the table:
// it would begin with an index of any filter, however many rows that leaves.
func JoinRanking(q *bun.SelectQuery, r *Resource, k *query.Ranking) *bun.SelectQuery {
	key, rank := rankNames(r)
	return q.ModelTableExpr(`(SELECT "key" AS ?, "rank" AS ? FROM (?) AS found) AS ? CROSS JOIN ? AS ?`,
		key, rank, k.Rows, bun.Ident(r.Table.Alias+"__ranking"), r.Table.SQLNameForSelects, bun.Ident(r.Table.Alias)).
		Where("? = ?TableAlias.?", key, bun.Ident(r.Pk.Name))
}

// RankOf is the rank in a query that a ranking has joined.
func RankOf(r *Resource) bun.Ident {
	_, rank := rankNames(r)
	return rank
}

func rankNames(r *Resource) (key, rank bun.Ident) {
	return bun.Ident(r.Table.Alias + "__key"), bun.Ident(r.Table.Alias + "__rank")
}
