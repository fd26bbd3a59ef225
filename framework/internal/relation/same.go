package relation

import (
	"database/sql"
	"maps"
	"reflect"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/sqldb"
)

// Same returns for each of some values of a column the first of them that is equal to it. The database compares texts, all
// by one statement: a column may ignore case, accents, or spaces at the end.
func Same(c *call.Call, table string, column *schema.Field, values []any) (map[any]any, error) {
	same, distinct := make(map[any]any, len(values)), []any{}
	for _, value := range values {
		if same[value] == nil {
			same[value], distinct = value, append(distinct, value)
		}
	}
	if column.IndirectType.Kind() != reflect.String || len(distinct) < 2 {
		return same, nil
	}
	q := bun.SafeQuery("SELECT n, earliest FROM (SELECT n, min(n) OVER (PARTITION BY value) AS earliest FROM ? AS each) AS each WHERE earliest < n",
		sqldb.Texts(table, column.Name, distinct))
	found, err := c.Session().Read(c, q)
	if err != nil {
		return nil, err
	}
	for i := range found.Len() {
		var n, earliest sql.Null[int64]
		for j, dest := range []sql.Scanner{&n, &earliest} {
			if err := dest.Scan(found.Row(i)[j]); err != nil {
				return nil, err
			}
		}
		same[distinct[n.V]] = distinct[earliest.V]
	}
	return same, nil
}

// Having returns those of some values that the rows of a query have in a column. The query has no columns yet.
func Having(c *call.Call, q *bun.SelectQuery, column *schema.Field, values []any) (map[any]bool, error) {
	stored, given := map[any]bool{}, map[any]bool{}
	for _, value := range values {
		given[value] = true
	}
	distinct := slices.Collect(maps.Keys(given))
	q = q.ColumnExpr("?TableAlias.?", bun.Ident(column.Name)).Where("?TableAlias.? IN (?)", bun.Ident(column.Name), sqldb.List(distinct))
	rows, err := Values(c, q, column)
	for _, row := range rows {
		stored[row[0]] = true
	}
	if err != nil || len(rows) == 0 || !slices.ContainsFunc(distinct, func(value any) bool { return !stored[value] }) {
		return stored, err
	}
	same, err := Same(c, q.GetTableName(), column, slices.Concat(slices.Collect(maps.Keys(stored)), distinct))
	for _, value := range distinct {
		stored[value] = stored[same[value]]
	}
	return stored, err
}
