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
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// An Assignment is one column of an UPDATE and its new value.
type Assignment struct {
	Column string
	Value  schema.QueryAppender
}

// Stamp sets the times of a new row. It sets the owners of an Own in the scope and in Writers and a
// UUID key, only if they are zero, the first version, and the foreign key of a nested viewset. If an owner is zero and
// the caller is anonymous, the error is Unauthenticated.
func (r *Resource) Stamp(c *call.Call, m reflect.Value) error {
	for _, f := range []*schema.Field{r.Created, r.Updated} {
		if f != nil {
			f.Value(m).Set(FieldValue(f, c.Now))
		}
	}
	r.stampParent(c, m)
	for _, owner := range r.Owners() {
		if !owner.Value(m).IsZero() || r.generates(owner) {
			continue
		}
		if c.Caller.Anonymous() {
			return problem.Unauthenticated()
		}
		owner.Value(m).Set(FieldValue(owner, c.Caller.ID))
	}
	if count := r.Table.FieldMap[r.Counts()]; count != nil && count.Value(m).CanInt() && count.Value(m).IsZero() {
		count.Value(m).SetInt(c.Now.UnixMicro()) // not a version of an earlier row with this key
	}
	if key := r.Pk.Value(m); len(r.Table.PKs) == 1 && r.Pk.IndirectType == naming.UUIDType && key.IsZero() {
		key.Set(reflect.ValueOf(newID()))
	}
	return nil
}

// NeedsCaller reports whether a new row gets an owner from the caller, so that an anonymous one cannot create rows.
func (r *Resource) NeedsCaller() bool {
	return slices.ContainsFunc(r.Owners(), func(owner *schema.Field) bool { return !r.generates(owner) })
}

// generates reports whether an owner is the primary key, and a new row gets a key of its own: callers
// change the row with their id, and a new row is another caller's. With Own in the scope, the new row
// is the caller's.
func (r *Resource) generates(owner *schema.Field) bool {
	return owner == r.Pk && owner != r.Scope.Column && (owner.AutoIncrement || owner.IndirectType == naming.UUIDType)
}

// Touched assigns the time of change and the next version, for an UPDATE of a row that was not read.
// Without columns for them, it returns nil.
func (r *Resource) Touched(c *call.Call) (set []Assignment) {
	if r.Updated != nil {
		set = append(set, Assignment{r.Updated.Name, sqldb.Param(c.Now)})
	}
	if r.Counts() != "" {
		set = append(set, Assignment{r.Counts(), r.counted()})
	}
	return set
}

// Counts is the column that counts the changes of a row in every viewset of the table, "" for none.
func (r *Resource) Counts() string { return r.API.Counting[r.Table.Name] }

// counted is the next value of the column that counts changes.
func (r *Resource) counted() schema.QueryAppender {
	return bun.SafeQuery("coalesce(?, 0) + 1", bun.Ident(r.Counts()))
}

// CountUp counts the changes of a row one up, because related rows that belong to it have changed. In
// a viewset whose rows no column counts, it does nothing.
func (r *Resource) CountUp(c *call.Call, m reflect.Value) error {
	if r.Counts() == "" {
		return nil
	}
	return r.write(c, reflect.Value{}, m, nil)
}

// FieldValue returns a value of a field, which may be a pointer to the type of the value.
func FieldValue(f *schema.Field, of any) reflect.Value {
	v := reflect.ValueOf(of)
	if !f.IsPtr {
		return v
	}
	to := reflect.New(f.IndirectType)
	to.Elem().Set(v)
	return to
}

// Document sets the stored search document of a row, if the viewset has one.
func (r *Resource) Document(m reflect.Value) {
	if r.Search == nil || r.Search.StoredField == nil {
		return
	}
	r.Search.StoredField.Column.Value(m).SetString(r.Search.Document(m))
}

// Insert stores a new row, given as a pointer to its model, and records it, if the quota of its owner admits it. It reads the values
// back that the database generates: a key, or the default of a column. A reserved value is a
// [RowError]. Errors of constraints are as [Resource.OfRow] returns them.
func (r *Resource) Insert(c *call.Call, m reflect.Value) error {
	if err := r.CheckReserved(m.Elem(), r.Table.Fields); err != nil {
		return err
	}
	if err := r.Admit(c, m); err != nil {
		return err
	}
	if err := r.insertRow(c, m); err != nil {
		return r.OfRow(c, m.Elem(), r.Table.Fields, err)
	}
	return nil
}

// insertRow inserts a row, reads back the values that the database generates, and records the row.
func (r *Resource) insertRow(c *call.Call, m reflect.Value) error {
	key := r.Pk.Value(m.Elem()).Interface()
	values, whole := r.values(m.Elem())
	switch {
	case whole && r.Recorded():
		_, err := r.writeRecorded(c, r.Inserting.With(values...), key, reflect.Value{})
		return err
	case whole:
		_, err := c.Session().Write(c, r.Inserting.With(values...), key)
		return err
	}
	q, back, names := r.Insertion(c, m)
	if len(names) == 0 && !r.Recorded() {
		_, err := c.Session().Exec(c, q.Returning("NULL"))
		return err
	}
	returned := strings.Join(names, ", ")
	if r.Recorded() {
		returned = r.columns()
	}
	var insert schema.QueryAppender = q.Returning(returned)
	if len(names) == len(r.Table.Fields) { // bun would write an INSERT without columns, which SQLite rejects
		insert = bun.SafeQuery("INSERT INTO ? DEFAULT VALUES RETURNING ?", r.Table.SQLName, bun.Safe(returned))
	}
	if r.Recorded() {
		return r.insertRecorded(c, insert, m)
	}
	rows, err := c.Session().Query(c, insert)
	if err == nil {
		err = One(rows, back...)
	}
	return err
}

// insertRecorded is insertRow for a recorded row some of whose values the database generates.
func (r *Resource) insertRecorded(c *call.Call, insert schema.QueryAppender, m reflect.Value) error {
	after, err := r.writeRecorded(c, insert, nil, reflect.Value{})
	if err != nil {
		return err
	}
	for _, f := range r.Table.Fields {
		if madeByDatabase(f, m.Elem()) {
			f.Value(m.Elem()).Set(f.Value(after))
		}
	}
	return nil
}

// Insertion is the INSERT of a new row, without the columns whose values the database generates:
// it also returns their names, and where to scan them.
func (r *Resource) Insertion(c *call.Call, m reflect.Value) (q *bun.InsertQuery, back []any, names []string) {
	q = c.DB.NewInsert().Model(m.Interface())
	for _, f := range r.Table.Fields {
		if !madeByDatabase(f, m.Elem()) {
			q = inserted(q, f, Column(f, m.Elem()))
			continue
		}
		names = append(names, naming.Quote(f.Name))
		back = append(back, &ColumnCell{Column: f, Value: f.Value(m.Elem())})
	}
	return q, back, names
}

// values returns the values of a new row's columns. It returns false if the database generates
// one of them, if a column's default replaces one, or if only bun can encode one.
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

// InsertWhole is the INSERT of a row with a value for every column.
func (r *Resource) InsertWhole(v sqldb.Values) schema.QueryAppender {
	q := r.API.DB.NewInsert().Model(reflect.New(r.Model).Interface())
	for i, f := range r.Table.Fields {
		q = inserted(q, f, v.At(i))
	}
	if r.Recorded() {
		return q.Returning(r.columns())
	}
	return q.Returning("?", bun.Ident(r.Pk.Name))
}

// inserted adds a column and its value to an INSERT. On SQLite, bun leaves out a column with the tag
// notnull if the statement does not name it and the model has its zero value.
func inserted(q *bun.InsertQuery, f *schema.Field, value any) *bun.InsertQuery {
	return q.Column(f.Name).Value(f.Name, "?", value)
}

// madeByDatabase reports whether the database generates the value of a new row's column: the
// value is zero, and the column is an auto-increment key or has a default that replaces it.
func madeByDatabase(f *schema.Field, m reflect.Value) bool {
	return (f.IsPK && f.AutoIncrement || Defaults(f)) && f.HasZeroValue(m)
}

// Defaults reports whether the default of a column replaces the zero value of a new row: the column
// is nullzero, or a pointer that is notnull.
func Defaults(f *schema.Field) bool {
	return f.SQLDefault != "" && (f.NullZero || f.NotNull && f.IsPtr)
}

// Store writes columns of a row back by its primary key, without the scope, counts its changes up,
// and records the change. Without columns it does nothing. If the row does not exist, the error is NotFound. A
// reserved value in any column of the row is a validation error, even if Store does not write
// this column. Errors of constraints are as [Resource.OfRow] returns them.
func (r *Resource) Store(c *call.Call, m reflect.Value, columns []*schema.Field) error {
	return r.StoreOver(c, reflect.Value{}, m, columns)
}

// StoreOver is Store for a row that the transaction has read and locked: before is a copy of it as it was read, or invalid if it
// is not known.
func (r *Resource) StoreOver(c *call.Call, before, m reflect.Value, columns []*schema.Field) error {
	if len(columns) == 0 {
		return nil
	}
	return r.write(c, before, m, columns)
}

// write is StoreOver that counts the changes of the row up even if no other column changes.
func (r *Resource) write(c *call.Call, before, m reflect.Value, columns []*schema.Field) error {
	if err := r.CheckReserved(m, columns); err != nil {
		return err
	}
	if err := r.admitMoved(c, m, columns); err != nil {
		return err
	}
	if !before.IsValid() {
		var err error
		if before, err = r.recordedBefore(c, m); err != nil {
			return err
		}
	}
	q := c.DB.NewUpdate().Model(bunmodel.NilModel(r.Model))
	for _, f := range columns {
		if f.Name != r.Counts() {
			q = q.Set("? = ?", bun.Ident(f.Name), Column(f, m))
		}
	}
	r.narrowToKey(q.QueryBuilder(), m)
	if err := r.update(c, q, before, m); err != nil {
		return r.OfRow(c, m, columns, err)
	}
	return nil
}

// update runs the UPDATE of a row, which counts its changes up and reads the count back, and records the
// change. If the row does not exist, the error is NotFound.
func (r *Resource) update(c *call.Call, q *bun.UpdateQuery, before, m reflect.Value) error {
	count := r.Table.FieldMap[r.Counts()]
	if r.Counts() != "" {
		q = q.Set("? = ?", bun.Ident(r.Counts()), r.counted())
	}
	switch {
	case r.Recorded():
		after, err := r.writeRecorded(c, q.Returning(r.columns()), nil, before)
		if err == nil && count != nil {
			count.Value(m).Set(count.Value(after))
		}
		return err
	case count == nil:
		return r.updateBlind(c, q)
	}
	rows, err := c.Session().Query(c, q.Returning("?", bun.Ident(count.Name)))
	if err == nil {
		err = One(rows, &ColumnCell{Column: count, Value: count.Value(m)})
	}
	return err
}

// updateBlind runs the UPDATE of a row. If the row does not exist, the error is NotFound.
func (r *Resource) updateBlind(c *call.Call, q *bun.UpdateQuery) error {
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

// narrowToKey narrows a statement to a row by its primary key, which has several columns for some
// rows without a viewset.
func (r *Resource) narrowToKey(q bun.QueryBuilder, m reflect.Value) {
	for _, key := range r.Table.PKs {
		q.Where("?TableAlias.? = ?", bun.Ident(key.Name), Column(key, m))
	}
}

// Changed lists the columns, except the primary key, in which a row differs from a copy that
// was made before. It always lists columns of pointers, slices, maps, interfaces and structs,
// except time.Time and files.File: the copy may share their contents with the row, so a
// comparison cannot show a change of them.
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

// Updating is an UPDATE of the row that the path names, narrowed by the scope and by Writers.
// Without a key in the path, it is an UPDATE of every row in scope.
func (r *Resource) Updating(c *call.Call, req *Request, set []Assignment) *bun.UpdateQuery {
	q := c.DB.NewUpdate().Model(bunmodel.NilModel(r.Model))
	for _, a := range set {
		q = q.Set("? = ?", bun.Ident(a.Column), a.Value)
	}
	r.NarrowTo(c, req, q.QueryBuilder())
	return q
}

// One scans the first row and closes the rows. Without a row, the error is NotFound.
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
	return rows.Close() // an error of the commit appears here
}

// Within returns the error Forbidden if a Where scope leaves out a written row for the caller.
// For every other kind of scope it returns nil and runs no query.
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

// Column makes a row's value of a column a parameter.
func Column(f *schema.Field, m reflect.Value) schema.QueryAppender {
	return Param(f.Value(m), f)
}

// Param makes a Go value a parameter of its column's type. A zero value that stands for the
// column's default becomes the SQL of the default. A value that only bun can encode, such as
// JSON, becomes text of the statement.
func Param(v reflect.Value, f *schema.Field) schema.QueryAppender {
	if plain, ok := storable(v, f); ok {
		return sqldb.Param(plain)
	}
	if defaults(v, f) {
		return bun.SafeQuery(f.SQLDefault)
	}
	return bunValue{f, reflect.Indirect(v)}
}

// defaults reports whether a value stands for the column's default: the value is zero, and the
// column is NOT NULL and has a default that replaces it.
func defaults(v reflect.Value, f *schema.Field) bool {
	return Defaults(f) && f.NotNull && f.IsZero(v)
}

// storable converts a value to a type that [sqldb.Param] accepts; nil is NULL. It returns false
// if there is no such type, or if the value stands for the column's default.
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
		return int64(v.Uint()), true //nolint:gosec // the decoder accepts at most 63 bits
	case reflect.Float32, reflect.Float64:
		return v.Float(), true
	}
	return nil, false
}

// bunValue is a value that bun encodes.
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

// copies reports whether an assignment copies a value of a type completely. It also returns
// false for every struct except time.Time and files.File, whatever its fields are.
func copies(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Map, reflect.Slice, reflect.Struct, reflect.Interface, reflect.Pointer:
		return t == naming.TimeType || t == FileType
	case reflect.Array:
		return copies(t.Elem())
	}
	return true
}
