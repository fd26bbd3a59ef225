package listing

import (
	"github.com/uptrace/bun"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/query"
)

// BindRanker binds the ranked search of a viewset. It returns nil if the viewset declares none,
// or if it reported a mistake.
func BindRanker(r *table.Resource, fault func(error)) *query.BoundRanker {
	if r.Declaration.Ranked == nil {
		return nil
	}
	bound, err := r.Declaration.Ranked.Bind(query.NewFacts(r, r.API.Config.Case))
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

// joinRanking narrows a query to the rows that a ranking found. The columns of the ranking get
// names with the alias of the table, so that an unqualified column in a condition is not
// ambiguous. CROSS JOIN makes SQLite start with the found rows. Without it, SQLite may start
// with the index of a filter that leaves many rows.
func joinRanking(q *bun.SelectQuery, r *table.Resource, k *query.Ranking) *bun.SelectQuery {
	key, rank := rankNames(r)
	return q.ModelTableExpr(`(SELECT "key" AS ?, "rank" AS ? FROM (?) AS found) AS ? CROSS JOIN ? AS ?`,
		key, rank, k.Rows, bun.Ident(r.Table.Alias+"__ranking"), r.Table.SQLNameForSelects, bun.Ident(r.Table.Alias)).
		Where("? = ?TableAlias.?", key, bun.Ident(r.Pk.Name))
}

// rankOf is the column of the rank in a query of joinRanking.
func rankOf(r *table.Resource) bun.Ident {
	_, rank := rankNames(r)
	return rank
}

func rankNames(r *table.Resource) (key, rank bun.Ident) {
	return bun.Ident(r.Table.Alias + "__key"), bun.Ident(r.Table.Alias + "__rank")
}
