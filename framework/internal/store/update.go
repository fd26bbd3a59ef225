package store

import (
	"reflect"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/scan"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// Touched assigns the time of change and the next version, for an UPDATE of a row that was not read.
// Without columns for them, it returns nil.
func Touched(c *call.Call, r *table.Resource) (set []Assignment) {
	if r.Updated != nil {
		set = append(set, Assignment{r.Updated.Name, sqldb.Param(c.Now)})
	}
	if r.Counts() != "" {
		set = append(set, Assignment{r.Counts(), counted(r)})
	}
	return set
}

// counted is the next value of the column that counts changes.
func counted(r *table.Resource) schema.QueryAppender {
	return bun.SafeQuery("coalesce(?, 0) + 1", bun.Ident(r.Counts()))
}

// CountUp counts the changes of a row one up, because related rows that belong to it have changed. In
// a viewset whose rows no column counts, it does nothing.
func CountUp(c *call.Call, r *table.Resource, m reflect.Value) error {
	if r.Counts() == "" {
		return nil
	}
	return write(c, r, reflect.Value{}, m, nil)
}

// Update writes columns of a row back by its primary key, without the scope, counts its changes up,
// and records the change. Without columns it does nothing. If the row does not exist, the error is NotFound. A
// reserved value in any column of the row is a validation error, even if Update does not write
// this column. Errors of constraints are as [OfRow] returns them.
func Update(c *call.Call, r *table.Resource, m reflect.Value, columns []*schema.Field) error {
	return UpdateOver(c, r, reflect.Value{}, m, columns)
}

// UpdateOver is Update for a row that the transaction has read and locked: before is a copy of it as it was read, or invalid if it
// is not known.
func UpdateOver(c *call.Call, r *table.Resource, before, m reflect.Value, columns []*schema.Field) error {
	if len(columns) == 0 {
		return nil
	}
	return write(c, r, before, m, columns)
}

// write is UpdateOver that counts the changes of the row up even if no other column changes.
func write(c *call.Call, r *table.Resource, before, m reflect.Value, columns []*schema.Field) error {
	if err := CheckReserved(r, m, columns); err != nil {
		return err
	}
	if err := admitMoved(c, r, m, columns); err != nil {
		return err
	}
	if !before.IsValid() {
		var err error
		if before, err = recordedBefore(c, r, m); err != nil {
			return err
		}
	}
	q := c.DB.NewUpdate().Model(bunmodel.NilModel(r.Model))
	for _, f := range columns {
		if f.Name != r.Counts() {
			q = q.Set("? = ?", bun.Ident(f.Name), cell.Of(f, m))
		}
	}
	r.NarrowToKey(q.QueryBuilder(), m)
	if err := runUpdate(c, r, q, before, m); err != nil {
		return OfRow(c, r, m, columns, err)
	}
	return nil
}

// runUpdate runs the UPDATE of a row, which counts its changes up and reads the count back, and records the
// change. If the row does not exist, the error is NotFound.
func runUpdate(c *call.Call, r *table.Resource, q *bun.UpdateQuery, before, m reflect.Value) error {
	count := r.Table.FieldMap[r.Counts()]
	if r.Counts() != "" {
		q = q.Set("? = ?", bun.Ident(r.Counts()), counted(r))
	}
	switch {
	case r.Recorded():
		after, err := writeRecorded(c, r, q.Returning(columns(r)), nil, before)
		if err == nil && count != nil {
			count.Value(m).Set(count.Value(after))
		}
		return err
	case count == nil:
		return updateBlind(c, q)
	}
	rows, err := c.Session().Query(c, q.Returning("?", bun.Ident(count.Name)))
	if err == nil {
		err = cell.One(rows, &cell.Scanner{Column: count, Value: count.Value(m)})
	}
	return err
}

// updateBlind runs the UPDATE of a row. If the row does not exist, the error is NotFound.
func updateBlind(c *call.Call, q *bun.UpdateQuery) error {
	result, err := c.Session().Exec(c, q)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err == nil && n == 0 {
		err = problem.NotFound()
	}
	return err
}

// Changed lists the columns, except the primary key, in which a row differs from a copy that
// was made before. It always lists columns of pointers, slices, maps, interfaces and structs,
// except time.Time and files.File: the copy may share their contents with the row, so a
// comparison cannot show a change of them.
func Changed(r *table.Resource, before, after reflect.Value) []*schema.Field {
	var columns []*schema.Field
	for _, f := range r.Table.Fields {
		shared := f.IsPtr || !copies(f.IndirectType)
		if f != r.Pk && (shared || !reflect.DeepEqual(f.Value(before).Interface(), f.Value(after).Interface())) {
			columns = append(columns, f)
		}
	}
	return columns
}

// Updating is an UPDATE of the row that the path names, narrowed by the scope and by Writers.
// Without a key in the path, it is an UPDATE of every row in scope.
func Updating(c *call.Call, r *table.Resource, req *table.Request, set []Assignment) *bun.UpdateQuery {
	q := c.DB.NewUpdate().Model(bunmodel.NilModel(r.Model))
	for _, a := range set {
		q = q.Set("? = ?", bun.Ident(a.Column), a.Value)
	}
	r.NarrowTo(c, req, q.QueryBuilder())
	return q
}

// Within returns the error Forbidden if a Where scope leaves out a written row for the caller.
// For every other kind of scope it returns nil and runs no query.
func Within(c *call.Call, r *table.Resource, m reflect.Value) error {
	if r.Scope.Kind != declare.ScopeWhere {
		return nil
	}
	key := sqldb.Param(r.Pk.Value(m).Interface())
	n, err := scan.Number(c, r.Rows(c).ColumnExpr("count(*)").Where("?TableAlias.? = ?", bun.Ident(r.Pk.Name), key))
	if err == nil && n == 0 {
		err = problem.Forbidden()
	}
	return err
}

// copies reports whether an assignment copies a value of a type completely. It also returns
// false for every struct except time.Time and files.File, whatever its fields are.
func copies(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Map, reflect.Slice, reflect.Struct, reflect.Interface, reflect.Pointer:
		return t == naming.TimeType || t == table.FileType
	case reflect.Array:
		return copies(t.Elem())
	}
	return true
}
