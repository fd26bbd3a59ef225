package listing

import (
	"encoding/json"
	"reflect"
	"slices"

	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/counting"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/ordering"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// foundOnce limits the rows of a list that are found once for the count and the page: the database
// keeps all found keys in memory.
const foundOnce = 100_000

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
// [sqldb.Session.CountText] describes. If there are more than foundOnce rows, page reads the page
// instead.
func (l *List) gathered(c *call.Call, parsed *listed, page *query.Page) (table.SentRows, error) {
	found, keys, err := l.found(c, parsed)
	switch {
	case err != nil:
		return table.SentRows{}, err
	case found > foundOnce:
		return l.page(c, parsed, page)
	}
	page.Total = query.Total{Count: found, Known: true}
	if keys, page.More = atMost(page.Window.Limit, keys); len(keys) == 0 {
		return table.SentRows{}, nil
	}
	// The second statement checks every condition again: a row may have changed since. Its condition
	// of the search uses no index, which would find the rows of all pages.
	conditions := append(slices.Clip(parsed.narrow), parsed.searchInRow)
	q := l.where(c, parsed, conditions).Where("?TableAlias.? IN (?)", bun.Ident(l.Resource.Pk.Name), sqldb.List(keys))
	rows, err := l.Shown.Write(c, l.Endpoint.Ordering.Apply(c, q, parsed.order.Terms), table.Window{})
	page.Rows = rows.Rows
	return rows, err
}

// found returns how many rows match, at most foundOnce+1, and the keys of one window as
// text, one key more if rows follow. PostgreSQL evaluates a WITH that the statement uses twice
// once; SQLite does so only with MATERIALIZED.
func (l *List) found(c *call.Call, parsed *listed) (found int64, keys []string, err error) {
	matched, order := l.keyed(c, l.matching(c, parsed), parsed)
	statement := `WITH trestle_matched AS (?)` +
		` SELECT json_build_array((SELECT count(*) FROM trestle_matched), ARRAY(SELECT "key"::text AS listed FROM trestle_matched ORDER BY ? LIMIT ? OFFSET ?))::text`
	if l.Resource.API.DB.Kind() == sqldb.SQLite {
		statement = `WITH trestle_matched AS MATERIALIZED (?)` +
			` SELECT json_array((SELECT count(*) FROM trestle_matched), (SELECT json_group_array(cast("key" AS text))` +
			` FROM (SELECT "key" FROM trestle_matched ORDER BY ? LIMIT ? OFFSET ?)))`
	}
	text, err := c.Session().CountText(c, bun.SafeQuery(statement,
		matched.Limit(foundOnce+1), bun.Safe(order), sqldb.Param(parsed.window.Limit+1), sqldb.Param(parsed.window.Offset)))
	if err != nil {
		return 0, nil, err
	}
	err = json.Unmarshal([]byte(text), &[]any{&found, &keys})
	return found, keys, err
}
