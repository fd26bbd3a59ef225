package bulk

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/nested"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/rowset"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// A lookup has the rows of the keys that were sent. The database may take two texts for one key.
type lookup struct {
	rows  map[any]reflect.Value // by the keys that were sent
	again map[any]bool          // keys that are an earlier one in another spelling
}

// locked reads the rows with some keys that the caller may change. In a transaction on PostgreSQL it locks them, in
// the order of the primary key, so that requests for the same rows do not wait for each other.
func (b *Bulk) locked(c *call.Call, r *table.Request, keys []any) (found lookup, err error) {
	stored, err := b.stored(c, r, keys)
	if err != nil || !slices.ContainsFunc(keys, func(key any) bool { return !stored[key].IsValid() }) {
		return lookup{rows: stored}, err
	}
	same, err := relation.Same(c, b.Resource.Table.Name, b.Key.Column, slices.Concat(slices.Collect(maps.Keys(stored)), keys))
	if err != nil {
		return found, err
	}
	found, used := lookup{map[any]reflect.Value{}, map[any]bool{}}, map[any]bool{}
	for _, key := range keys {
		found.rows[key], found.again[key] = stored[same[key]], used[same[key]]
		used[same[key]] = true
	}
	return found, nil
}

// stored reads and locks rows, and returns them by their own keys.
func (b *Bulk) stored(c *call.Call, r *table.Request, keys []any) (map[any]reflect.Value, error) {
	stored := map[any]reflect.Value{}
	if len(keys) == 0 {
		return stored, nil
	}
	rows := reflect.New(reflect.SliceOf(reflect.PointerTo(b.Resource.Model)))
	q := b.changeable(c, r).Model(rows.Interface()).Where("?TableAlias.? IN (?)", bun.Ident(b.Key.Column.Name), sqldb.List(keys)).
		OrderExpr("?TableAlias.?", bun.Ident(b.Resource.Pk.Name))
	if _, err := scan.Models(c, b.Resource.API.DB.Kind().ForUpdate(q), scan.Window{}); err != nil {
		return nil, err
	}
	for i := range rows.Elem().Len() {
		row := rows.Elem().Index(i)
		b.Resource.Link(row.Elem())
		key := keyIn(b.Key.Column, row)
		if stored[key].IsValid() {
			return nil, scan.Only(2)
		}
		stored[key] = row
	}
	return stored, nil
}

// changeable starts a query of the rows that the caller may change.
func (b *Bulk) changeable(c *call.Call, r *table.Request) *bun.SelectQuery {
	q := c.DB.NewSelect().Model(bunmodel.NilModel(b.Resource.Model))
	b.Resource.NarrowTo(c, r, q.QueryBuilder())
	b.own(c, q)
	return q
}

// reserve waits until no other upsert inserts rows with those of some keys that the caller has no row of, so that two upserts
// of the same new rows do not both insert them. The keys of a viewset share 256 locks, which requests take in one order; keys
// that are unique among the rows of an owner share those of the owner. On SQLite a transaction is the only writer.
func (b *Bulk) reserve(c *call.Call, r *table.Request, keys []any) error {
	if len(keys) == 0 || b.Resource.API.DB.Kind() != sqldb.PostgreSQL {
		return nil
	}
	name, column := b.Resource.Table.Name, b.Key.Column.Name
	locks := name + " upsert"
	if b.Owned {
		locks += " " + c.Caller.IDText()
	}
	mine := b.changeable(c, r).ColumnExpr("1").Where("?TableAlias.? = sent.value", bun.Ident(column))
	_, err := c.Session().Exec(c, bun.SafeQuery("SELECT pg_advisory_xact_lock(hashtext(?), n) FROM ("+
		"SELECT DISTINCT hashtext(lower(value::text)) & 255 AS n FROM ? AS sent WHERE NOT EXISTS (?) ORDER BY n) AS locks",
		sqldb.Param(locks), sqldb.Texts(name, column, keys), mine))
	return err
}

// seen reads which of some keys are those of rows that the caller sees in lists and may not change.
func (b *Bulk) seen(c *call.Call, r *table.Request, keys []any) (map[any]bool, error) {
	if len(keys) == 0 || !r.Changes {
		return nil, nil
	}
	column := bun.Ident(b.Key.Column.Name)
	mine := b.changeable(c, r).ColumnExpr("?TableAlias.?", column).Where("?TableAlias.? IN (?)", column, sqldb.List(keys))
	q := c.DB.NewSelect().Model(bunmodel.NilModel(b.Resource.Model)).Where("?TableAlias.? NOT IN (?)", column, mine)
	b.Resource.NarrowTo(b.Resource.Looking(c), &table.Request{Above: r.Above}, q.QueryBuilder())
	b.own(c, q)
	return relation.Having(c, q, b.Key.Column, keys)
}

// own narrows a query to the caller's own rows, if the key is unique among those alone: the scope of some callers has
// the rows of all.
func (b *Bulk) own(c *call.Call, q *bun.SelectQuery) {
	if b.Owned {
		b.Resource.Scope.OwnedBy(c, q.QueryBuilder(), sqldb.Param(c.Caller.ID))
	}
}

// keyIn is the value of a column in a row, given as a pointer to its model.
func keyIn(column *schema.Field, row reflect.Value) any {
	return reflect.Indirect(column.Value(row.Elem())).Interface()
}

// notYourRow is the error of a row that the caller sees and may not change.
func (b *Bulk) notYourRow(c *call.Call) *problem.Error {
	if c.Caller.Anonymous() && b.Resource.Writers.Kind != declare.ScopeWhere {
		return problem.Unauthenticated()
	}
	return problem.NotYours()
}

// ServeDelete answers a DELETE: it deletes the rows with the keys in the query string.
func (b *Bulk) ServeDelete(c *call.Call, r *table.Request) (*table.Response, error) {
	keys, err := b.keysIn(c, r, true)
	return b.Endpoint.Write(c, r, err, false, func(c *call.Call) (*table.Response, error) {
		if err := nested.Enter(c, b.Resource, r); err != nil {
			return nil, err
		}
		rows, err := b.all(c, r, keys)
		if err != nil {
			return nil, err
		}
		return &table.Response{Status: b.Endpoint.Status}, rowset.Delete(c, b.Resource, rows)
	})
}

// all reads and locks the rows with some keys. The error lists the keys of rows that do not exist.
func (b *Bulk) all(c *call.Call, r *table.Request, keys []any) (rows []reflect.Value, err error) {
	found, err := b.locked(c, r, keys)
	if err != nil {
		return nil, err
	}
	var missing []any
	for _, key := range keys {
		switch row := found.rows[key]; {
		case !row.IsValid():
			missing = append(missing, key)
		case !found.again[key]:
			rows = append(rows, row)
		}
	}
	seen, err := b.seen(c, r, missing)
	switch {
	case err != nil:
		return nil, err
	case len(seen) > 0:
		missing = slices.DeleteFunc(missing, func(key any) bool { return !seen[key] })
		refusal := b.notYourRow(c)
		refusal.Faults = b.faultsOf(missing, problem.CodeForbidden, "is the key of a row that is not yours to change")
		return nil, refusal
	case len(missing) > 0:
		return nil, fault.InvalidParameters(b.faultsOf(missing, problem.CodeInvalidParameter, "refers to nothing that you may use"))
	}
	return rows, nil
}

// faultsOf returns a fault of the parameter for each key.
func (b *Bulk) faultsOf(keys []any, code, detail string) (faults []problem.Fault) {
	for _, key := range keys {
		faults = append(faults, problem.Fault{Parameter: b.Key.Name, Code: code, Detail: naming.Clip(fmt.Sprint(key)) + " " + detail})
	}
	return faults
}

// keysIn reads the keys in the query string. With once, a key counts once.
func (b *Bulk) keysIn(c *call.Call, r *table.Request, once bool) (keys []any, err error) {
	name := b.Key.Name
	values, err := b.Endpoint.ReadParams(c, r.Query)
	if err != nil {
		return nil, err
	}
	if values[name] == "" {
		return nil, problem.InvalidParameter(name, "is required: the keys of the rows to delete, separated by commas")
	}
	used := map[any]bool{}
	for _, text := range b.split(r, name, values[name]) {
		key, ok := datatype.ParseKey(b.Key.Column.IndirectType, text)
		if !ok {
			return nil, problem.InvalidParameter(name, naming.Clip(text)+" is not a key of such a row")
		}
		if !once || !used[key] {
			keys, used[key] = append(keys, key), true
		}
	}
	if len(keys) > b.Most {
		return nil, problem.InvalidParameter(name, tooMany(len(keys), b.Most))
	}
	return keys, nil
}

// split splits a list of keys at its commas. A text may have commas, which are percent-encoded then: only a comma that
// is not encoded separates texts.
func (b *Bulk) split(r *table.Request, name, decoded string) (texts []string) {
	if b.Key.Column.IndirectType.Kind() != reflect.String {
		for text := range strings.SplitSeq(decoded, ",") {
			texts = append(texts, strings.TrimSpace(text))
		}
		return texts
	}
	for pair := range strings.SplitSeq(r.HTTP.URL.RawQuery, "&") {
		key, list, _ := strings.Cut(pair, "=")
		if sent, err := url.QueryUnescape(key); err != nil || sent != name {
			continue
		}
		for raw := range strings.SplitSeq(list, ",") {
			text, _ := url.QueryUnescape(raw) // it is valid: the query string was parsed
			texts = append(texts, text)
		}
	}
	return texts
}
