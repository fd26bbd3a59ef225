package store

import (
	"reflect"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// stampParent sets the foreign key of a new row to the parent that the path of the request names,
// unless a function has set it.
func stampParent(c *call.Call, r *table.Resource, m reflect.Value) {
	parent := state.Of(c).Progress.Parent
	if r.Above == nil || parent == nil || c.Route.ViewSet != r.Path {
		return
	}
	if key := r.Above.Column.Value(m); key.IsZero() {
		key.Set(cell.Value(r.Above.Column, parent))
	}
}

// An Assignment is one column of an UPDATE and its new value.
type Assignment struct {
	Column string
	Value  schema.QueryAppender
}

// Stamp sets the times of a new row. It sets the owners of an Own in the scope and in Writers and a
// UUID key, only if they are zero, the first version, and the foreign key of a nested viewset. If an owner is zero and
// the caller is anonymous, the error is Unauthenticated.
func Stamp(c *call.Call, r *table.Resource, m reflect.Value) error {
	for _, f := range []*schema.Field{r.Created, r.Updated} {
		if f != nil {
			f.Value(m).Set(cell.Value(f, c.Now))
		}
	}
	stampParent(c, r, m)
	for _, owner := range r.Owners() {
		if !owner.Value(m).IsZero() || r.Generates(owner) {
			continue
		}
		if c.Caller.Anonymous() {
			return problem.Unauthenticated()
		}
		owner.Value(m).Set(cell.Value(owner, c.Caller.ID))
	}
	if count := r.Table.FieldMap[r.Counts()]; count != nil && count.Value(m).CanInt() && count.Value(m).IsZero() {
		count.Value(m).SetInt(c.Now.UnixMicro()) // not a version of an earlier row with this key
	}
	if key := r.Pk.Value(m); len(r.Table.PKs) == 1 && r.Pk.IndirectType == naming.UUIDType && key.IsZero() {
		key.Set(reflect.ValueOf(table.NewID()))
	}
	return nil
}

// Document sets the stored search document of a row, if the viewset has one.
func Document(r *table.Resource, m reflect.Value) {
	if r.Search == nil || r.Search.StoredField == nil {
		return
	}
	r.Search.StoredField.Column.Value(m).SetString(r.Search.Document(m))
}

// Insert stores a new row, given as a pointer to its model, and records it, if the quota of its owner admits it. It reads the values
// back that the database generates: a key, or the default of a column. A reserved value is a
// [RowError]. Errors of constraints are as [OfRow] returns them.
func Insert(c *call.Call, r *table.Resource, m reflect.Value) error {
	if err := CheckReserved(r, m.Elem(), r.Table.Fields); err != nil {
		return err
	}
	if err := Admit(c, r, m); err != nil {
		return err
	}
	if err := insertRow(c, r, m); err != nil {
		return OfRow(c, r, m.Elem(), r.Table.Fields, err)
	}
	return nil
}

// insertRow inserts a row, reads back the values that the database generates, and records the row.
func insertRow(c *call.Call, r *table.Resource, m reflect.Value) error {
	key := r.Pk.Value(m.Elem()).Interface()
	values, whole := values(r, m.Elem())
	switch {
	case whole && r.Recorded():
		_, err := writeRecorded(c, r, r.Inserting.With(values...), key, reflect.Value{})
		return err
	case whole:
		_, err := c.Session().Write(c, r.Inserting.With(values...), key)
		return err
	}
	q, back, names := Insertion(c, r, m)
	if len(names) == 0 && !r.Recorded() {
		_, err := c.Session().Exec(c, q.Returning("NULL"))
		return err
	}
	returned := strings.Join(names, ", ")
	if r.Recorded() {
		returned = columns(r)
	}
	var insert schema.QueryAppender = q.Returning(returned)
	if len(names) == len(r.Table.Fields) { // bun would write an INSERT without columns, which SQLite rejects
		insert = bun.SafeQuery("INSERT INTO ? DEFAULT VALUES RETURNING ?", r.Table.SQLName, bun.Safe(returned))
	}
	if r.Recorded() {
		return insertRecorded(c, r, insert, m)
	}
	rows, err := c.Session().Query(c, insert)
	if err == nil {
		err = cell.One(rows, back...)
	}
	return err
}

// insertRecorded is insertRow for a recorded row some of whose values the database generates.
func insertRecorded(c *call.Call, r *table.Resource, insert schema.QueryAppender, m reflect.Value) error {
	after, err := writeRecorded(c, r, insert, nil, reflect.Value{})
	if err != nil {
		return err
	}
	for _, f := range r.Table.Fields {
		if cell.MadeByDatabase(f, m.Elem()) {
			f.Value(m.Elem()).Set(f.Value(after))
		}
	}
	return nil
}

// Insertion is the INSERT of a new row, without the columns whose values the database generates:
// it also returns their names, and where to scan them.
func Insertion(c *call.Call, r *table.Resource, m reflect.Value) (q *bun.InsertQuery, back []any, names []string) {
	q = c.DB.NewInsert().Model(m.Interface())
	for _, f := range r.Table.Fields {
		if !cell.MadeByDatabase(f, m.Elem()) {
			q = inserted(q, f, cell.Of(f, m.Elem()))
			continue
		}
		names = append(names, naming.Quote(f.Name))
		back = append(back, &cell.Scanner{Column: f, Value: f.Value(m.Elem())})
	}
	return q, back, names
}

// values returns the values of a new row's columns. It returns false if the database generates
// one of them, if a column's default replaces one, or if only bun can encode one.
func values(r *table.Resource, m reflect.Value) ([]any, bool) {
	values := make([]any, len(r.Table.Fields))
	for i, f := range r.Table.Fields {
		v, plain := cell.Storable(f.Value(m), f)
		if !plain || cell.MadeByDatabase(f, m) {
			return nil, false
		}
		values[i] = v
	}
	return values, true
}

// InsertWhole is the INSERT of a row with a value for every column.
func InsertWhole(r *table.Resource, v sqldb.Values) schema.QueryAppender {
	q := r.API.DB.NewInsert().Model(reflect.New(r.Model).Interface())
	for i, f := range r.Table.Fields {
		q = inserted(q, f, v.At(i))
	}
	if r.Recorded() {
		return q.Returning(columns(r))
	}
	return q.Returning("?", bun.Ident(r.Pk.Name))
}

// inserted adds a column and its value to an INSERT. On SQLite, bun leaves out a column with the tag
// notnull if the statement does not name it and the model has its zero value.
func inserted(q *bun.InsertQuery, f *schema.Field, value any) *bun.InsertQuery {
	return q.Column(f.Name).Value(f.Name, "?", value)
}
