package listing

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/counting"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/ordering"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// foundOnce limits the rows of a list that are found once for the count and the page: the database
// keeps all found keys in memory.
const foundOnce int64 = 100_000

// lookedUp limits the rows of a list whose related rows are looked up one by one for the order.
// Beyond it, a join of the whole related table takes less time.
const lookedUp int64 = 10_000

// gathers reports whether one statement is to find both the count and the keys of the page, because
// the count costs as much as the page: the search index finds the rows, a filter is about related
// rows, or an order by related rows sorts all rows of a filter. The statement returns keys as text,
// by which SQLite does not find keys of other types, such as bytes.
func (l *List) gathers(a *listed) bool {
	key := l.Resource.Pk.IndirectType
	return (key == naming.UUIDType || key.Kind() == reflect.String || naming.IsInteger(key.Kind())) &&
		counting.KindOf(a.window.Counting) == counting.Exact &&
		(a.indexed || a.related || len(a.narrow) > 0 && ordering.Joins(a.order.Terms))
}

// gathered reads a page by two statements. The first one finds the number of rows and the keys of
// the page; a count of its own would find all rows once more. Its result may be cached, as
// [sqldb.Session.CountText] describes. If there are too many rows, page reads the page instead.
func (l *List) gathered(c *call.Call, parsed *listed, page *query.Page) (scan.SentRows, error) {
	most, matched, keyed := l.found(c, parsed)
	found, keys, err := l.countAndKeys(c, parsed.window, matched.Limit(most+1), keyed)
	switch {
	case err != nil:
		return scan.SentRows{}, err
	case found > most:
		return l.page(c, parsed, page)
	}
	page.Total = query.Total{Count: found, Known: true}
	if keys, page.More = atMost(page.Window.Limit, keys); len(keys) == 0 {
		return scan.SentRows{}, nil
	}
	// The second statement checks every condition again: a row may have changed since. Its condition
	// of the search uses no index, which would find the rows of all pages.
	conditions := append(slices.Clip(parsed.narrow), parsed.searchInRow)
	q := l.where(c, parsed, conditions).Where("?TableAlias.? IN (?)", bun.Ident(l.Resource.Pk.Name), sqldb.List(keys))
	rows, err := parsed.shown.Write(c, l.Endpoint.Ordering.Apply(c, q, parsed.order.Terms), scan.Window{})
	page.Rows = rows.Rows
	return rows, err
}

// found returns the query of the rows that match, how many of them one statement may find, and the
// query of their keys in order, as text. The second one reads the rows of the first one, which the
// statement names trestle_matched.
func (l *List) found(c *call.Call, parsed *listed) (most int64, matched, keyed *bun.SelectQuery) {
	matched = l.matching(c, parsed)
	if ordering.Joins(parsed.order.Terms) {
		return lookedUp, matched.ColumnExpr("?TableAlias.*"), l.lookUp(c, parsed)
	}
	matched, order := l.keyed(c, matched, parsed)
	keyed = c.DB.NewSelect().ColumnExpr(`CAST("key" AS text) AS "trestle_listed"`).TableExpr("trestle_matched").OrderExpr("?", bun.Safe(order))
	return foundOnce, matched, keyed
}

// lookUp is the query of the keys of the found rows, ordered by related rows. It reads no row if
// there are more than lookedUp. PostgreSQL cannot know the value of this LIMIT when it plans the
// statement, and then expects a tenth of the rows; so it looks up each related row by its key. By
// the real number it would often read the whole related table, even for 2,000 rows. The found rows have every column of the table,
// because an expression may name one that the model lacks.
func (l *List) lookUp(c *call.Call, parsed *listed) *bun.SelectQuery {
	q := c.DB.NewSelect().Model(bunmodel.NilModel(l.Resource.Model)).ModelTableExpr(
		"(SELECT * FROM trestle_matched LIMIT (SELECT CASE WHEN count(*) > ? THEN 0 ELSE count(*) END FROM trestle_matched)) AS ?TableAlias", lookedUp).
		ColumnExpr(`CAST(?TableAlias.? AS text) AS "trestle_listed"`, bun.Ident(l.Resource.Pk.Name))
	if l.Resource.Table.SoftDeleteField != nil {
		q = q.WhereAllWithDeleted() // the found rows are those that the list has
	}
	return l.Endpoint.Ordering.Apply(c, q, parsed.order.Terms)
}

// countAndKeys returns how many rows match, at most the limit of matched, and the keys of one
// window, one key more if rows follow.
func (l *List) countAndKeys(c *call.Call, w query.Window, matched, keyed *bun.SelectQuery) (found int64, keys []string, err error) {
	statement := "WITH trestle_matched AS MATERIALIZED (?)" +
		" SELECT json_build_array((SELECT count(*) FROM trestle_matched), ARRAY(? LIMIT ? OFFSET ?))::text"
	if l.Resource.API.DB.Kind() == sqldb.SQLite {
		statement = "WITH trestle_matched AS MATERIALIZED (?)" +
			` SELECT json_array((SELECT count(*) FROM trestle_matched), (SELECT json_group_array("trestle_listed") FROM (? LIMIT ? OFFSET ?)))`
	}
	text, err := c.Session().CountText(c, bun.SafeQuery(statement, matched, keyed, sqldb.Param(w.Limit+1), sqldb.Param(w.Offset)))
	if err != nil {
		return 0, nil, err
	}
	err = json.Unmarshal([]byte(text), &[]any{&found, &keys})
	return found, keys, err
}
