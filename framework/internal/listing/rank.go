package listing

import (
	"github.com/uptrace/bun"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/query"
)

// BindRanker binds the ranked search of the viewset, and notes which fields it uses. It sets no
// ranker if the viewset declares none, or if it reported a mistake.
func (l *List) BindRanker(fault func(error)) {
	r := l.Resource
	if r.Declaration.Ranked == nil {
		return
	}
	used := relation.NewRecorder(r)
	bound, err := r.Declaration.Ranked.Bind(query.NewFacts(used, r.API.Config.Case))
	switch {
	case err != nil:
		fault(err)
	case bound.Param.Name == "":
		fault(naming.Sentence("its parameter has no name"))
	case bound.Read == nil:
		fault(naming.Sentence("it has no function that reads %q", bound.Param.Name))
	default:
		l.Ranker = &bound
		l.Guard([]query.Param{bound.Param}, used.Fields())
	}
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
