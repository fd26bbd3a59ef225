package bulk

import (
	"reflect"
	"strings"

	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/rowset"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// locked reads the rows with some keys that the caller may change, by their keys. In a transaction on PostgreSQL it
// locks them, in the order of the primary key, so that requests for the same rows do not wait for each other.
func (b *Bulk) locked(c *call.Call, r *table.Request, keys []any) (map[any]reflect.Value, error) {
	found := map[any]reflect.Value{}
	if len(keys) == 0 {
		return found, nil
	}
	rows := reflect.New(reflect.SliceOf(reflect.PointerTo(b.Resource.Model)))
	q := c.DB.NewSelect().Model(bunmodel.NilModel(b.Resource.Model))
	b.Resource.NarrowTo(c, r, q.QueryBuilder())
	q = q.Model(rows.Interface()).Where("?TableAlias.? IN (?)", bun.Ident(b.Key.Column.Name), sqldb.List(keys)).
		OrderExpr("?TableAlias.?", bun.Ident(b.Resource.Pk.Name))
	if _, err := table.ScanModels(c, b.Resource.API.DB.Kind().ForUpdate(q), table.Window{}); err != nil {
		return nil, err
	}
	for i := range rows.Elem().Len() {
		row := rows.Elem().Index(i)
		b.Resource.Link(row.Elem())
		key := reflect.Indirect(b.Key.Column.Value(row.Elem())).Interface()
		if found[key].IsValid() {
			return nil, table.Only(2)
		}
		found[key] = row
	}
	return found, nil
}

// notYours returns the error not_yours, or 401 for an anonymous caller, if the caller sees a row with one of the
// keys and may not change it.
func (b *Bulk) notYours(c *call.Call, r *table.Request, keys []any) error {
	if len(keys) == 0 || !r.Changes {
		return nil
	}
	q := b.Resource.Keys(c).Where("?TableAlias.? IN (?)", bun.Ident(b.Key.Column.Name), sqldb.List(keys))
	b.Resource.NarrowTo(b.Resource.Looking(c), &table.Request{Above: r.Above}, q.QueryBuilder())
	switch visible, err := b.Resource.Any(c, q); {
	case err != nil || !visible:
		return err
	case c.Caller.Anonymous() && b.Resource.Writers.Kind != declare.ScopeWhere:
		return problem.Unauthenticated()
	}
	return problem.NotYours()
}

// ServeDelete answers a DELETE: it deletes the rows with the keys in the query string.
func (b *Bulk) ServeDelete(c *call.Call, r *table.Request) (*table.Response, error) {
	keys, err := b.keysIn(c, r)
	return b.Endpoint.Write(c, r, err, false, func(c *call.Call) (*table.Response, error) {
		if err := b.enter(c, r); err != nil {
			return nil, err
		}
		rows, err := b.all(c, r, keys)
		if err != nil {
			return nil, err
		}
		return &table.Response{Status: b.Endpoint.Status}, rowset.Delete(c, b.Resource, rows)
	})
}

// all reads and locks the rows with some keys. If one does not exist, the error is NotFound.
func (b *Bulk) all(c *call.Call, r *table.Request, keys []any) (rows []reflect.Value, err error) {
	found, err := b.locked(c, r, keys)
	if err != nil {
		return nil, err
	}
	var missing []any
	for _, key := range keys {
		if row := found[key]; row.IsValid() {
			rows = append(rows, row)
		} else {
			missing = append(missing, key)
		}
	}
	if err = b.notYours(c, r, missing); err == nil && len(missing) > 0 {
		err = problem.NotFound()
	}
	return rows, err
}

// keysIn reads the keys in the query string.
func (b *Bulk) keysIn(c *call.Call, r *table.Request) (keys []any, err error) {
	name := b.Endpoint.Params[0].Name
	values, err := b.Endpoint.ReadParams(c, r.Query)
	if err != nil {
		return nil, err
	}
	if values[name] == "" {
		return nil, problem.InvalidParameter(name, "is required: the keys of the rows to delete, separated by commas")
	}
	used := map[any]bool{}
	for text := range strings.SplitSeq(values[name], ",") {
		key, ok := datatype.ParseKey(b.Key.Column.IndirectType, strings.TrimSpace(text))
		if !ok {
			return nil, problem.NotFound()
		}
		if !used[key] {
			keys, used[key] = append(keys, key), true
		}
	}
	if len(keys) > b.Most {
		return nil, problem.InvalidParameter(name, tooMany(len(keys), b.Most))
	}
	return keys, nil
}
