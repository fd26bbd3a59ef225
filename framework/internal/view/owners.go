package view

import (
	"reflect"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/sqldb"
)

// addSpellings adds to the rows of each key those of the keys that the database compares as equal to it, as text in a
// column that ignores case. keys are those that related rows have in the column foreign. It reads nothing if the owners
// have the same texts.
func addSpellings(c *call.Call, rows map[any][]reflect.Value, related *relation.Relation, foreign *schema.Field, keys []any) error {
	var known, unknown []any
	for _, key := range keys {
		if rows[key] == nil && reflect.ValueOf(key).Kind() == reflect.String && !slices.Contains(unknown, key) {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	for key := range rows {
		if key != nil {
			known = append(known, key)
		}
	}
	base := related.Schema.BasePKs[0]
	q := c.DB.NewSelect().TableExpr("? AS related", bun.Ident(foreign.Table.Name)).
		Join("JOIN ? AS owner", bun.Ident(related.Holder().Name)).JoinOn("related.? = owner.?", bun.Ident(foreign.Name), bun.Ident(base.Name)).
		ColumnExpr("related.?, owner.?", bun.Ident(foreign.Name), bun.Ident(base.Name)).
		Where("related.? IN (?)", bun.Ident(foreign.Name), sqldb.List(unknown)).
		Where("owner.? IN (?)", bun.Ident(base.Name), sqldb.List(known))
	pairs, err := relation.Values(c, q, foreign, base)
	if err != nil {
		return err
	}
	added := map[[2]any]bool{}
	for _, pair := range pairs {
		if both := [2]any{pair[0], pair[1]}; !added[both] && slices.Contains(unknown, pair[0]) {
			added[both] = true
			rows[pair[0]] = append(slices.Clip(rows[pair[0]]), rows[pair[1]]...)
		}
	}
	return nil
}
