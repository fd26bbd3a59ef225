package view

import (
	"database/sql/driver"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/sqldb"
)

// Related rows belong to the owner whose key equals theirs. For texts, the database says what is equal: a column may
// ignore case, accents, or spaces at the end. That is rare, so related rows are read by the texts of their owners first.
// Only if rows have other texts, one more statement reads them, which joins the key of their owner.

// ownerAlias is the alias of the keys of the owners that joinOwners joins.
const ownerAlias = "owner of the row"

// isText reports whether the keys of a relation are texts.
func isText(base, foreign *schema.Field) bool {
	return base.IndirectType.Kind() == reflect.String && foreign.IndirectType.Kind() == reflect.String
}

// mayDiffer reports whether the database may compare keys as equal that differ: related rows have a text that no owner
// has, or two owners have texts that differ in case or in spaces at the end at most. Keys that are not stored as texts
// have one spelling.
func mayDiffer(found, owners []any) bool {
	if len(found) == 0 {
		return false
	}
	if reflect.ValueOf(driverValue(found[0])).Kind() != reflect.String {
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

// joinOwners joins to related rows the keys of their owners, as the database compares them with the column foreign of the
// table of.
func joinOwners(q *bun.SelectQuery, of *schema.Table, foreign *schema.Field, keys []any) *bun.SelectQuery {
	var texts []any
	known := map[any]bool{nil: true}
	for _, key := range keys {
		if !known[key] {
			texts, known[key] = append(texts, key), true
		}
	}
	return q.Join("JOIN ? AS ?", sqldb.Texts(of.Name, foreign.Name, texts), bun.Ident(ownerAlias)).
		JoinOn("?.? = ?.value", bun.Ident(of.Alias), bun.Ident(foreign.Name), bun.Ident(ownerAlias))
}

// compareOwners returns the keys of the owners of each of some related rows, which are pointers to models, as the
// database compares them. They are by the text that identify returns for the primary key of the row.
func compareOwners(c *call.Call, r *relation.Relation, rows reflect.Value, keys []any) (map[string][]any, error) {
	foreign, base, joined, pks := r.Schema.JoinPKs[0], r.Schema.BasePKs[0], r.Schema.JoinTable, r.Schema.JoinTable.PKs
	alias := bun.Ident(joined.Alias)
	q := c.DB.NewSelect().TableExpr("? AS ?", bun.Ident(joined.Name), alias)
	first := make([]any, rows.Len())
	for i := range first {
		first[i] = keyOf(pks[0].Value(rows.Index(i).Elem()))
	}
	for _, pk := range pks {
		q = q.ColumnExpr("?.?", alias, bun.Ident(pk.Name))
	}
	q = q.ColumnExpr("?.value", bun.Ident(ownerAlias)).Where("?.? IN (?)", alias, bun.Ident(pks[0].Name), sqldb.List(first))
	found, err := relation.Values(c, joinOwners(q, joined, foreign, keys), append(slices.Clip(pks), base)...)
	owners := map[string][]any{}
	for _, row := range found {
		one := identify(row[:len(pks)])
		owners[one] = append(owners[one], row[len(pks)])
	}
	return owners, err
}

// identify returns one text for the values of a primary key.
func identify(key []any) string {
	values := make([]any, len(key))
	for i := range key {
		values[i] = driverValue(key[i])
		if t, is := values[i].(time.Time); is {
			values[i] = t.UTC()
		}
	}
	return fmt.Sprintf("%#v", values)
}

// driverValue is what the driver stores for a value. For a text of any type, it is a string.
func driverValue(value any) any {
	if of, is := value.(driver.Valuer); is {
		if stored, err := of.Value(); err == nil {
			return stored
		}
	}
	if v := reflect.ValueOf(value); v.Kind() == reflect.String {
		return v.String()
	}
	return value
}
