package view

import (
	"reflect"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/sqldb"
)

// addSpellings adds to the rows of each key those of keys that the database compares as equal to it, as text in a
// column that ignores case. keys are those that rows of the column foreign have for the column base.
func addSpellings(c *call.Call, rows map[any][]reflect.Value, base, foreign *schema.Field, keys []any) error {
	var unknown []any
	for _, key := range keys {
		if _, known := rows[key]; !known && reflect.ValueOf(key).Kind() == reflect.String {
			rows[key] = nil
			unknown = append(unknown, key)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	q := c.DB.NewSelect().TableExpr("? AS related", bun.Ident(foreign.Table.Name)).
		Join("JOIN ? AS owner", bun.Ident(base.Table.Name)).JoinOn("related.? = owner.?", bun.Ident(foreign.Name), bun.Ident(base.Name)).
		ColumnExpr("related.?, owner.?", bun.Ident(foreign.Name), bun.Ident(base.Name)).
		Where("related.? IN (?)", bun.Ident(foreign.Name), sqldb.List(unknown))
	pairs, err := relation.Values(c, q, foreign, base)
	for _, pair := range pairs {
		if rows[pair[0]] == nil {
			rows[pair[0]] = rows[pair[1]]
		}
	}
	return err
}
