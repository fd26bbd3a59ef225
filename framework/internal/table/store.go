package table

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
	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// An Assignment is one column of an UPDATE and what it becomes.
type Assignment struct {
	Column string
	Value  schema.QueryAppender
}

// Stamp fills what the framework sets on a new row: key, times and owner.
func (r *Resource) Stamp(c *call.Call, m reflect.Value) error {
	if key := r.Pk.Value(m); r.Pk.IndirectType == naming.UUIDType && key.IsZero() {
		key.Set(reflect.ValueOf(newID()))
	}
	for _, f := range []*schema.Field{r.Created, r.Updated} {
		if f != nil {
			f.Value(m).Set(TimeValue(f, c.Now))
		}
	}
	if r.Scope.Kind != declare.ScopeOwn || !r.Scope.Column.Value(m).IsZero() {
		return nil
	}
	if c.Caller.Anonymous() {
		return problem.Unauthenticated()
	}
	r.Scope.Column.Value(m).Set(reflect.ValueOf(c.Caller.ID))
	return nil
}

// Touched is the time of change, for an update that does not read the row.
func (r *Resource) Touched(c *call.Call) []Assignment {
	if r.Updated == nil {
		return nil
	}
	return []Assignment{{Column: r.Updated.Name, Value: sqldb.Param(c.Now)}}
}

// TimeValue is a time as a column takes it.
func TimeValue(f *schema.Field, at time.Time) reflect.Value {
	if f.IsPtr {
		return reflect.ValueOf(&at)
	}
	return reflect.ValueOf(at)
}

// Document fills the stored search document of a row.
func (r *Resource) Document(m reflect.Value) {
	if r.Search == nil || r.Search.StoredField == nil {
		return
	}
	r.Search.StoredField.Column.Value(m).SetString(r.Search.Document(m))
}

// Document folds the searched fields of a row.
func (b *BoundSearch) Document(m reflect.Value) string {
	texts := make([]string, len(b.Searched))
	for i, f := range b.Searched {
		if v := reflect.Indirect(f.Column.Value(m)); v.IsValid() {
			texts[i] = v.String()
		}
	}
	return sqldb.Document(texts...)
}

// Insert stores a new row; what the database fills, a key that it makes or a
// column's default, is read back.
func (r *Resource) Insert(c *call.Call, m reflect.Value) error {
	if err := r.unreserved(m.Elem()); err != nil {
		return err
	}
	if err := r.insertRow(c, m); err != nil {
		return r.OfRow(c, m.Elem(), r.Table.Fields, err)
	}
	return r.recordStored(c, reflect.Value{}, m.Elem())
}

func (r *Resource) insertRow(c *call.Call, m reflect.Value) error {
	if values, ok := r.values(m.Elem()); ok {
		_, err := c.Session().Write(c, r.Inserting.With(values...), r.Pk.Value(m.Elem()).Interface())
		return err
	}
	q := c.DB.NewInsert().Model(m.Interface())
	var back []any
	var names []string
	for _, f := range r.Table.Fields {
		if !madeByDatabase(f, m.Elem()) {
			q = q.Value(f.Name, "?", Column(f, m.Elem()))
			continue
		}
		names = append(names, naming.Quote(f.Name))
		back = append(back, &ColumnCell{Column: f, Value: f.Value(m.Elem())})
	}
	if len(back) == 0 {
		_, err := c.Session().Exec(c, q.Returning("NULL"))
		return err
	}
	rows, err := c.Session().Query(c, q.Returning(strings.Join(names, ", ")))
	if err != nil {
		return err
	}
	return One(rows, back...)
}

// values are those of a new row's columns; false if the database makes one of
// them, or bun stores one in a form of its own.
func (r *Resource) values(m reflect.Value) ([]any, bool) {
	values := make([]any, len(r.Table.Fields))
	for i, f := range r.Table.Fields {
		v, plain := storable(f.Value(m), f)
		if !plain || madeByDatabase(f, m) {
			return nil, false
		}
		values[i] = v
	}
	return values, true
}

// InsertWhole is the statement of a new row with all its values.
func (r *Resource) InsertWhole(v sqldb.Values) schema.QueryAppender {
	q := r.API.DB.NewInsert().Model(reflect.New(r.Model).Interface())
	for i, f := range r.Table.Fields {
		q = q.Value(f.Name, "?", v.At(i))
	}
	return q.Returning("?", bun.Ident(r.Pk.Name))
}

// madeByDatabase reports whether a new row leaves a column to the database.
func madeByDatabase(f *schema.Field, m reflect.Value) bool {
	return (f.IsPK && f.AutoIncrement || f.NullZero && f.SQLDefault != "") && f.HasZeroValue(m)
}

// Store writes columns of a row back; a row that is gone is not found.
func (r *Resource) Store(c *call.Call, m reflect.Value, columns []*schema.Field) error {
	if len(columns) == 0 {
		return nil
	}
	if err := r.unreserved(m); err != nil {
		return err
	}
	before, err := r.recordedBefore(c, m)
	if err != nil {
		return err
	}
	q := c.DB.NewUpdate().Model(NilModel(r.Model))
	for _, f := range columns {
		q = q.Set("? = ?", bun.Ident(f.Name), Column(f, m))
	}
	result, err := c.Session().Exec(c, q.Where("?TableAlias.? = ?", bun.Ident(r.Pk.Name), Column(r.Pk, m)))
	if err != nil {
		return r.OfRow(c, m, columns, err)
	}
	switch n, err := result.RowsAffected(); {
	case err != nil:
		return err
	case n == 0:
		return problem.NotFound()
	}
	return r.recordStored(c, before, m)
}

// Changed are the columns in which a row differs from what was read. What a
// copy shares with its original, through a pointer, a slice or a map, may have
// changed unseen.
func (r *Resource) Changed(before, after reflect.Value) []*schema.Field {
	var columns []*schema.Field
	for _, f := range r.Table.Fields {
		shared := f.IsPtr || !copies(f.IndirectType)
		if f != r.Pk && (shared || !reflect.DeepEqual(f.Value(before).Interface(), f.Value(after).Interface())) {
			columns = append(columns, f)
		}
	}
	return columns
}

// Updating is an UPDATE of the row that the path names, in scope.
func (r *Resource) Updating(c *call.Call, req *Request, set []Assignment) *bun.UpdateQuery {
	q := c.DB.NewUpdate().Model(NilModel(r.Model))
	for _, a := range set {
		q = q.Set("? = ?", bun.Ident(a.Column), a.Value)
	}
	if req.Key != nil {
		q = q.Where("?TableAlias.? = ?", bun.Ident(r.Key.Name), sqldb.Param(req.Key))
	}
	r.Scope.Narrow(c, q.QueryBuilder())
	return q
}

// One scans a single row; none is not found.
func One(rows *sql.Rows, dest ...any) error {
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

// Within refuses a row that was written outside of a Where scope.
func (r *Resource) Within(c *call.Call, m reflect.Value) error {
	if r.Scope.Kind != declare.ScopeWhere {
		return nil
	}
	key := sqldb.Param(r.Pk.Value(m).Interface())
	n, err := Number(c, r.Rows(c).ColumnExpr("count(*)").Where("?TableAlias.? = ?", bun.Ident(r.Pk.Name), key))
	if err == nil && n == 0 {
		err = problem.Forbidden()
	}
	return err
}

// Column is a row's value as a parameter.
func Column(f *schema.Field, m reflect.Value) schema.QueryAppender {
	return Param(f.Value(m), f)
}

// Param makes a Go value a parameter of the type that its column takes. What
// bun stores in a form of its own, such as JSON, bun appends.
func Param(v reflect.Value, f *schema.Field) schema.QueryAppender {
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

// FaultColumns are the client's names of a database fault's columns.
func (r *Resource) FaultColumns(columns []string) []problem.Fault {
	var faults []problem.Fault
	for _, column := range columns {
		if name := r.clientName(column); name != "" {
			faults = append(faults, problem.Fault{Pointer: naming.PointerTo(name), Code: problem.CodeUnique, Detail: "must be unique"})
		}
	}
	return faults
}

// Unique finds the declaration's own words for a unique constraint.
func (r *Resource) Unique(columns []string) (BoundUnique, bool) {
	sorted := slices.Sorted(slices.Values(columns))
	for _, u := range r.Uniques {
		if slices.Equal(u.Columns, sorted) {
			return u, true
		}
	}
	return BoundUnique{}, false
}
