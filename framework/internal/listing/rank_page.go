package listing

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/counting"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// ranked reads a page of a ranked search. If the search finds nothing and the ranking has an
// alternative, such as a search with corrected spelling, it reads a page of the alternative.
func (l *List) ranked(c *call.Call, parsed *listed, page *query.Page) (scan.SentRows, error) {
	rows, found, err := l.best(c, parsed, page)
	if err != nil || found > 0 || parsed.ranking.Instead == nil {
		return rows, err
	}
	instead, err := parsed.ranking.Instead(c)
	if err != nil || instead == nil {
		return rows, err
	}
	parsed.ranking = instead
	rows, _, err = l.best(c, parsed, page)
	return rows, err
}

// best reads one window of the rows that a ranking finds, and returns how many it finds in
// total. It reads the keys of the window first, so that it reads the other columns only for the
// rows of the window. It sets the rows of the page, and the total if the counting permits it.
func (l *List) best(c *call.Call, parsed *listed, page *query.Page) (rows scan.SentRows, found int64, err error) {
	w := parsed.window
	keys, found, err := l.keys(c, parsed)
	if err != nil {
		return rows, 0, err
	}
	keys, page.More = atMost(w.Limit, keys)
	switch all := !page.More && (len(keys) > 0 || w.Offset == 0); {
	case all || counting.KindOf(w.Counting) != counting.Capped && counting.KindOf(w.Counting) != counting.None:
		page.Total = query.Total{Count: found, Known: true}
	case counting.KindOf(w.Counting) == counting.Capped:
		page.Total = query.Total{Count: min(found, counting.LimitOf(w.Counting)), Known: true, AtLeast: found > counting.LimitOf(w.Counting)}
	}
	if len(keys) == 0 {
		return rows, found, nil
	}
	pk := bun.Ident(l.Resource.Pk.Name)
	q := l.where(c, parsed, nil).Where("?TableAlias.? IN (?)", pk, sqldb.List(keys)).OrderExpr("CASE ?TableAlias.?? END", pk, inPlace(keys))
	rows, err = parsed.shown.Write(c, q, scan.Window{})
	page.Rows = rows.Rows
	return rows, found, err
}

// atMost returns the first keys, at most the given number, and whether there are more.
func atMost[K any](most int64, keys []K) (some []K, more bool) {
	if int64(len(keys)) > most {
		return keys[:most], true
	}
	return keys, false
}

// keys returns the keys of one window in order, one key more if rows follow, and how many rows
// match in total. The statement searches once. It sorts nothing if the page is past the end.
func (l *List) keys(c *call.Call, parsed *listed) (keys []any, found int64, err error) {
	matched := joinRanking(l.matching(c, parsed), l.Resource, parsed.ranking)
	matched, order := l.keyed(c, matched.ColumnExpr(`? AS "rank"`, rankOf(l.Resource)), parsed)
	if parsed.order.Relevance {
		order = `"rank" DESC, ` + order
	}
	by, w := bun.Safe(order), parsed.window
	rows, err := c.Session().Query(c, bun.SafeQuery("WITH trestle_matched AS MATERIALIZED (?),"+
		" trestle_total AS MATERIALIZED (SELECT count(*) AS found FROM trestle_matched)"+
		` SELECT trestle_total.found, listed."key" FROM trestle_total LEFT JOIN (SELECT * FROM trestle_matched ORDER BY ?`+
		" LIMIT (SELECT CASE WHEN found > ? THEN ? ELSE 0 END FROM trestle_total) OFFSET ?) AS listed ON 1 = 1 ORDER BY ?",
		matched, by, sqldb.Param(w.Offset), sqldb.Param(w.Limit+1), sqldb.Param(w.Offset), by))
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		key := keyCell{column: l.Resource.Pk}
		if err := rows.Scan(&found, &key); err != nil {
			return nil, 0, err
		}
		if key.value.IsValid() {
			keys = append(keys, key.value.Interface())
		}
	}
	return keys, found, rows.Err()
}

// keyed selects the key of each row and the columns of the order. It returns the ORDER BY of
// the selected columns.
func (l *List) keyed(c *call.Call, q *bun.SelectQuery, parsed *listed) (*bun.SelectQuery, string) {
	q = l.Endpoint.Ordering.Join(c, q, parsed.order.Terms).ColumnExpr(`?TableAlias.? AS "key"`, bun.Ident(l.Resource.Pk.Name))
	var order []string
	for n, t := range l.Endpoint.Ordering.Settled(parsed.order.Terms) {
		name := `"key"`
		if !l.Endpoint.Ordering.IsKey(t) {
			name = fmt.Sprintf(`"order_%d"`, n)
			q = q.ColumnExpr("? AS ?", t.Field.SQL(c), bun.Safe(name))
		}
		order = append(order, name+" "+t.Direction())
	}
	return q, strings.Join(order, ", ")
}

// A keyCell scans a primary key. Its value stays invalid for NULL.
type keyCell struct {
	column *schema.Field
	value  reflect.Value
}

// Scan implements [sql.Scanner].
func (k *keyCell) Scan(src any) error {
	if src == nil {
		return nil
	}
	k.value = reflect.New(k.column.StructField.Type).Elem()
	return k.column.ScanWithCheck(k.value, src)
}

// inPlace writes the cases of a CASE that sorts rows in the order of the keys. It pads them as
// [sqldb.Padded] does.
type inPlace []any

// AppendQuery implements [schema.QueryAppender].
func (p inPlace) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	for n, key := range sqldb.Padded(p) {
		var err error
		if b, err = bun.SafeQuery(" WHEN ? THEN ?", sqldb.Param(key), n).AppendQuery(gen, b); err != nil {
			return nil, err
		}
	}
	return b, nil
}
