package verb

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
	"trestle.example/framework/call"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// ranked is a page of what a search finds or, where that is nothing, of what
// it was probably meant to be.
func (l *Listing) ranked(c *call.Call, asked *listed, page *query.Page) (table.SentRows, error) {
	rows, found, err := l.best(c, asked, page)
	if err != nil || found > 0 || asked.ranking.Instead == nil {
		return rows, err
	}
	instead, err := asked.ranking.Instead(c)
	if err != nil || instead == nil {
		return rows, err
	}
	asked.ranking = instead
	rows, _, err = l.best(c, asked, page)
	return rows, err
}

// best reads one window of what a ranking finds, and tells how much that is in
// all. First come the keys alone: whatever else is shown of a row is read for
// those of the window, and not for all that are put in order.
func (l *Listing) best(c *call.Call, asked *listed, page *query.Page) (rows table.SentRows, found int64, err error) {
	w := asked.window
	keys, found, err := l.keys(c, asked)
	if err != nil {
		return rows, 0, err
	}
	keys, page.More = upTo(w.Limit, keys)
	switch all := !page.More && (len(keys) > 0 || w.Offset == 0); {
	case all || w.Counting.Kind != query.CountCapped && w.Counting.Kind != query.CountNone:
		page.Total = query.Total{Count: found, Known: true}
	case w.Counting.Kind == query.CountCapped:
		page.Total = query.Total{Count: min(found, w.Counting.Cap), Known: true, AtLeast: found > w.Counting.Cap}
	}
	if len(keys) == 0 {
		return rows, found, nil
	}
	pk := bun.Ident(l.Resource.Pk.Name)
	q := l.Resource.Rows(c).Where("?TableAlias.? IN (?)", pk, sqldb.List(keys)).OrderExpr("CASE ?TableAlias.?? END", pk, inPlace(keys))
	rows, err = l.Shown.Write(c, q, table.Window{})
	page.Rows = rows.Rows
	return rows, found, err
}

// upTo are so many keys at most, and whether there are more.
func upTo[K any](most int64, keys []K) (some []K, more bool) {
	if int64(len(keys)) > most {
		return keys[:most], true
	}
	return keys, false
}

// keys are those of the rows of one window in their order, one more if others
// follow, and how many rows match in all. What matches is looked for once: a
// page past the end is not put in order.
func (l *Listing) keys(c *call.Call, asked *listed) (keys []any, found int64, err error) {
	matched := table.JoinRanking(l.matching(c, asked), l.Resource, asked.ranking)
	matched, order := l.keyed(matched.ColumnExpr(`? AS "rank"`, table.RankOf(l.Resource)), asked)
	if asked.order.Relevance {
		order = `"rank" DESC, ` + order
	}
	by, w := bun.Safe(order), asked.window
	rows, err := c.Session().Query(c, bun.SafeQuery("WITH matched AS MATERIALIZED (?), total AS MATERIALIZED (SELECT count(*) AS found FROM matched)"+
		` SELECT total.found, listed."key" FROM total LEFT JOIN (SELECT * FROM matched ORDER BY ?`+
		" LIMIT (SELECT CASE WHEN found > ? THEN ? ELSE 0 END FROM total) OFFSET ?) AS listed ON 1 = 1 ORDER BY ?",
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

// keyed selects the key of each row and what the order needs of it, and writes the
// order by those.
func (l *Listing) keyed(q *bun.SelectQuery, asked *listed) (*bun.SelectQuery, string) {
	q = q.ColumnExpr(`?TableAlias.? AS "key"`, bun.Ident(l.Resource.Pk.Name))
	var order []string
	for n, t := range l.Resource.Ordering.Settled(asked.order.Terms) {
		name := `"key"`
		if t.Field.Column != l.Resource.Pk {
			name = fmt.Sprintf(`"order_%d"`, n)
			q = q.ColumnExpr("? AS ?", t.Field.Ident(), bun.Safe(name))
		}
		order = append(order, name+" "+t.Direction())
	}
	return q, strings.Join(order, ", ")
}

// A keyCell takes a primary key; its value stays invalid where there is none.
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

// inPlace are the cases that keep keys in their order, as many as
// [sqldb.Padded] makes of them.
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
