package framework

import (
	"database/sql"
	"database/sql/driver"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// An assignment is one column of an UPDATE and what it becomes.
type assignment struct {
	column string
	value  schema.QueryAppender
}

// stamp fills what the framework sets on a new row: key, times and owner.
func (r *resource) stamp(c *Call, m reflect.Value) error {
	if key := r.pk.Value(m); r.pk.IndirectType == naming.UUIDType && key.IsZero() {
		key.Set(reflect.ValueOf(newID()))
	}
	for _, f := range []*schema.Field{r.created, r.updated} {
		if f != nil {
			f.Value(m).Set(timeValue(f, c.Now))
		}
	}
	if r.scope.kind != scopeOwn || !r.scope.column.Value(m).IsZero() {
		return nil
	}
	if c.Caller.Anonymous() {
		return problem.Unauthenticated()
	}
	r.scope.column.Value(m).Set(reflect.ValueOf(c.Caller.ID))
	return nil
}

// touched is the time of change, for an update that does not read the row.
func (r *resource) touched(c *Call) []assignment {
	if r.updated == nil {
		return nil
	}
	return []assignment{{column: r.updated.Name, value: sqldb.Param(c.Now)}}
}

func timeValue(f *schema.Field, at time.Time) reflect.Value {
	if f.IsPtr {
		return reflect.ValueOf(&at)
	}
	return reflect.ValueOf(at)
}

// document fills the stored search document of a row.
func (r *resource) document(m reflect.Value) {
	if r.search == nil || r.search.storedField == nil {
		return
	}
	r.search.storedField.Column.Value(m).SetString(r.search.document(m))
}

// document folds the searched fields of a row.
func (b *boundSearch) document(m reflect.Value) string {
	texts := make([]string, len(b.searched))
	for i, f := range b.searched {
		if v := reflect.Indirect(f.Column.Value(m)); v.IsValid() {
			texts[i] = v.String()
		}
	}
	return sqldb.Document(texts...)
}

// insert stores a new row; what the database fills, a key that it makes or a
// column's default, is read back.
func (r *resource) insert(c *Call, m reflect.Value) error {
	if err := r.unreserved(m.Elem()); err != nil {
		return err
	}
	return r.ofRow(c, m.Elem(), r.table.Fields, r.insertRow(c, m))
}

func (r *resource) insertRow(c *Call, m reflect.Value) error {
	if values, ok := r.values(m.Elem()); ok {
		_, err := c.Session().Write(c, r.inserting.With(values...), r.pk.Value(m.Elem()).Interface())
		return err
	}
	q := c.DB.NewInsert().Model(m.Interface())
	var back []any
	var names []string
	for _, f := range r.table.Fields {
		if !madeByDatabase(f, m.Elem()) {
			q = q.Value(f.Name, "?", column(f, m.Elem()))
			continue
		}
		names = append(names, naming.Quote(f.Name))
		back = append(back, &columnCell{column: f, value: f.Value(m.Elem())})
	}
	if len(back) == 0 {
		_, err := c.Session().Exec(c, q.Returning("NULL"))
		return err
	}
	rows, err := c.Session().Query(c, q.Returning(strings.Join(names, ", ")))
	if err != nil {
		return err
	}
	return one(rows, back...)
}

// values are those of a new row's columns; false if the database makes one of
// them, or bun stores one in a form of its own.
func (r *resource) values(m reflect.Value) ([]any, bool) {
	values := make([]any, len(r.table.Fields))
	for i, f := range r.table.Fields {
		v, plain := storable(f.Value(m), f)
		if !plain || madeByDatabase(f, m) {
			return nil, false
		}
		values[i] = v
	}
	return values, true
}

// insertWhole is the statement of a new row with all its values.
func (r *resource) insertWhole(v sqldb.Values) schema.QueryAppender {
	q := r.api.db.NewInsert().Model(reflect.New(r.model).Interface())
	for i, f := range r.table.Fields {
		q = q.Value(f.Name, "?", v.At(i))
	}
	return q.Returning("?", bun.Ident(r.pk.Name))
}

// madeByDatabase reports whether a new row leaves a column to the database.
func madeByDatabase(f *schema.Field, m reflect.Value) bool {
	return (f.IsPK && f.AutoIncrement || f.NullZero && f.SQLDefault != "") && f.HasZeroValue(m)
}

// store writes columns of a row back; a row that is gone is not found.
func (r *resource) store(c *Call, m reflect.Value, columns []*schema.Field) error {
	if len(columns) == 0 {
		return nil
	}
	if err := r.unreserved(m); err != nil {
		return err
	}
	q := c.DB.NewUpdate().Model(nilModel(r.model))
	for _, f := range columns {
		q = q.Set("? = ?", bun.Ident(f.Name), column(f, m))
	}
	result, err := c.Session().Exec(c, q.Where("?TableAlias.? = ?", bun.Ident(r.pk.Name), column(r.pk, m)))
	if err != nil {
		return r.ofRow(c, m, columns, err)
	}
	if n, err := result.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return problem.NotFound()
}

// changed are the columns in which a row differs from what was read. What a
// copy shares with its original, through a pointer, a slice or a map, may have
// changed unseen.
func (r *resource) changed(before, after reflect.Value) []*schema.Field {
	var columns []*schema.Field
	for _, f := range r.table.Fields {
		shared := f.IsPtr || !copies(f.IndirectType)
		if f != r.pk && (shared || !reflect.DeepEqual(f.Value(before).Interface(), f.Value(after).Interface())) {
			columns = append(columns, f)
		}
	}
	return columns
}

// updating is an UPDATE of the row that the path names, in scope.
func (r *resource) updating(c *Call, req *request, set []assignment) *bun.UpdateQuery {
	q := c.DB.NewUpdate().Model(nilModel(r.model))
	for _, a := range set {
		q = q.Set("? = ?", bun.Ident(a.column), a.value)
	}
	if req.key != nil {
		q = q.Where("?TableAlias.? = ?", bun.Ident(r.key.Name), sqldb.Param(req.key))
	}
	r.scope.narrow(c, q.QueryBuilder())
	return q
}

// one scans a single row; none is not found.
func one(rows *sql.Rows, dest ...any) error {
	defer rows.Close()
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return err
		}
		return problem.NotFound()
	}
	if err := rows.Scan(dest...); err != nil {
		return err
	}
	return rows.Close() // which is when a failure of the commit is told
}

// within refuses a row that was written outside of a Where scope.
func (r *resource) within(c *Call, m reflect.Value) error {
	if r.scope.kind != scopeWhere {
		return nil
	}
	key := sqldb.Param(r.pk.Value(m).Interface())
	n, err := number(c, r.rows(c).ColumnExpr("count(*)").Where("?TableAlias.? = ?", bun.Ident(r.pk.Name), key))
	if err == nil && n == 0 {
		err = problem.Forbidden()
	}
	return err
}

// column is a row's value as a parameter.
func column(f *schema.Field, m reflect.Value) schema.QueryAppender {
	return param(f.Value(m), f)
}

// param makes a Go value a parameter of the type that its column takes. What
// bun stores in a form of its own, such as JSON, bun appends.
func param(v reflect.Value, f *schema.Field) schema.QueryAppender {
	if plain, ok := storable(v, f); ok {
		return sqldb.Param(plain)
	}
	if defaults(v, f) {
		return bun.SafeQuery(f.SQLDefault)
	}
	return bunValue{f, reflect.Indirect(v)}
}

// defaults reports whether a column takes its default in place of a value.
func defaults(v reflect.Value, f *schema.Field) bool {
	return f.NullZero && f.IsZero(v) && f.NotNull && f.SQLDefault != ""
}

// storable is a value in a form that [sqldb.Param] takes; false where there is
// none.
func storable(v reflect.Value, f *schema.Field) (any, bool) {
	switch {
	case defaults(v, f):
		return nil, false
	case f.IsPtr && v.IsNil() || f.NullZero && f.IsZero(v):
		return nil, true
	}
	v = reflect.Indirect(v)
	switch x := v.Interface().(type) {
	case time.Time, uuid.UUID, []byte, driver.Valuer:
		return x, true
	}
	switch v.Kind() {
	case reflect.String:
		return v.String(), true
	case reflect.Bool:
		return v.Bool(), true
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int(), true
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return int64(v.Uint()), true //nolint:gosec // the decoder takes no more than 63 bits
	case reflect.Float32, reflect.Float64:
		return v.Float(), true
	}
	return nil, false
}

// bunValue lets bun append a value in the form it stores it in.
type bunValue struct {
	field *schema.Field
	value reflect.Value
}

func (b bunValue) AppendQuery(gen schema.QueryGen, to []byte) ([]byte, error) {
	v := b.value
	if b.field.IsPtr {
		v = b.value.Addr()
	}
	return b.field.Append(gen, to, v), nil
}

// copies reports whether assigning a value copies all of it.
func copies(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Map, reflect.Slice, reflect.Struct, reflect.Interface, reflect.Pointer:
		return t == naming.TimeType
	case reflect.Array:
		return copies(t.Elem())
	}
	return true
}

// faultColumns are the client's names of a database fault's columns.
func (r *resource) faultColumns(columns []string) []problem.Fault {
	var faults []problem.Fault
	for _, column := range columns {
		if name := r.clientName(column); name != "" {
			faults = append(faults, problem.Fault{Pointer: naming.PointerTo(name), Code: problem.CodeUnique, Detail: "must be unique"})
		}
	}
	return faults
}

// unique finds the declaration's own words for a unique constraint.
func (r *resource) unique(columns []string) (boundUnique, bool) {
	sorted := slices.Sorted(slices.Values(columns))
	for _, u := range r.uniques {
		if slices.Equal(u.columns, sorted) {
			return u, true
		}
	}
	return boundUnique{}, false
}
