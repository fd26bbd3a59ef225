package view

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/sqldb"
)

// Related rows belong to the owner whose key equals theirs. For texts, the database says what is equal: a column may
// ignore case, accents, or spaces at the end. That is rare, so related rows are read by the texts of their owners first.
// Only if these may not be all, one more statement reads them, which joins the key of their owner.

// ownerAlias is the alias of the keys of the owners that joinOwners joins.
const ownerAlias = "owner of the row"

// isText reports whether the keys of a relation are texts.
func isText(base, foreign *schema.Field) bool {
	return base.IndirectType.Kind() == reflect.String && foreign.IndirectType.Kind() == reflect.String
}

// mayDiffer reports whether the database may compare keys as equal that differ: related rows have a text that no owner
// has, or two owners have texts that differ in case or in spaces at the end at most.
func mayDiffer(found, owners []any) bool {
	if len(found) == 0 {
		return false
	}
	known, folded := map[any]bool{}, map[string]bool{}
	for _, key := range owners {
		if known[key] || key == nil {
			continue
		}
		fold := sqldb.Fold(strings.TrimRight(reflect.ValueOf(key).String(), " "))
		if folded[fold] {
			return true
		}
		known[key], folded[fold] = true, true
	}
	return slices.ContainsFunc(found, func(key any) bool { return !known[key] })
}

// spelled returns keys and, for each text with spaces at the end, the text without them: PostgreSQL adds the spaces to a
// char(n), and a reference in another type lacks them.
func spelled(keys []any) []any {
	all := keys
	for _, key := range keys {
		v := reflect.ValueOf(key)
		if v.Kind() != reflect.String {
			return keys
		}
		if short := strings.TrimRight(v.String(), " "); short != v.String() {
			all = append(slices.Clip(all), reflect.ValueOf(short).Convert(v.Type()).Interface())
		}
	}
	return all
}

// joinOwners joins to related rows the keys of their owners, as the database compares them with the column foreign. It
// joins each text once, however many owners have it.
func joinOwners(c *call.Call, q *bun.SelectQuery, r *relation.Relation, foreign *schema.Field, keys []any) *bun.SelectQuery {
	key := bun.Ident(r.Schema.BasePKs[0].Name)
	owners := c.DB.NewSelect().TableExpr("?", bun.Ident(r.Holder().Name)).ColumnExpr("?", key).
		ColumnExpr("row_number() OVER (PARTITION BY ?) AS ?", sqldb.Exactly(key), bun.Ident(placeColumn)).
		Where("? IN (?)", key, sqldb.List(keys))
	return q.Join("JOIN (?) AS ?", owners, bun.Ident(ownerAlias)).
		JoinOn("?.? = ?.?", bun.Ident(foreign.Table.Alias), bun.Ident(foreign.Name), bun.Ident(ownerAlias), key).
		JoinOn("?.? = 1", bun.Ident(ownerAlias), bun.Ident(placeColumn))
}

// compareOwners returns the keys of the owners of each of some related rows, which are pointers to models, as the
// database compares them. They are by the text that identify returns for the primary key of the row.
func compareOwners(c *call.Call, r *relation.Relation, rows reflect.Value, keys []any) (map[string][]any, error) {
	foreign, base, pks := r.Schema.JoinPKs[0], r.Schema.BasePKs[0], r.Schema.JoinTable.PKs
	alias := bun.Ident(foreign.Table.Alias)
	q := c.DB.NewSelect().TableExpr("? AS ?", bun.Ident(foreign.Table.Name), alias)
	first := make([]any, rows.Len())
	for i := range first {
		first[i] = keyOf(pks[0].Value(rows.Index(i).Elem()))
	}
	for _, pk := range pks {
		q = q.ColumnExpr("?.?", alias, bun.Ident(pk.Name))
	}
	q = q.ColumnExpr("?.?", bun.Ident(ownerAlias), bun.Ident(base.Name)).Where("?.? IN (?)", alias, bun.Ident(pks[0].Name), sqldb.List(first))
	found, err := relation.Values(c, joinOwners(c, q, r, foreign, keys), append(slices.Clip(pks), base)...)
	owners := map[string][]any{}
	for _, row := range found {
		one := identify(row[:len(pks)])
		owners[one] = append(owners[one], row[len(pks)])
	}
	return owners, err
}

// identify returns one text for the values of a primary key.
func identify(key []any) string { return fmt.Sprintf("%#v", key) }
