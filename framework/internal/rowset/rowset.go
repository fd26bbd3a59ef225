package rowset

import (
	"errors"
	"reflect"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/attachment"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rowslug"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/internal/store"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// Keys lists the primary keys of rows.
func Keys(r *table.Resource, rows []reflect.Value) []any {
	keys := make([]any, len(rows))
	for i, row := range rows {
		keys[i] = r.Pk.Value(row.Elem()).Interface()
	}
	return keys
}

// amongRows narrows a statement to some rows, which have one parent if their key has two columns.
func amongRows(q bun.QueryBuilder, r *table.Resource, rows []reflect.Value) {
	q.Where("?TableAlias.? IN (?)", bun.Ident(r.Pk.Name), sqldb.List(Keys(r, rows)))
	for _, key := range r.Table.PKs {
		if key != r.Pk {
			q.Where("?TableAlias.? = ?", bun.Ident(key.Name), cell.Of(key, rows[0].Elem()))
		}
	}
}

// Among narrows a query to the rows with some primary keys.
func Among(q *bun.SelectQuery, r *table.Resource, keys []any) *bun.SelectQuery {
	return q.Where("?TableAlias.? IN (?)", bun.Ident(r.Pk.Name), sqldb.List(keys))
}

// Delete deletes rows by one statement, or marks them as deleted, and records each. After the
// commit it deletes the files of rows that are not deleted softly.
func Delete(c *call.Call, r *table.Resource, rows []reflect.Value) error {
	if len(rows) == 0 {
		return nil
	}
	keys := sqldb.List(Keys(r, rows))
	if err := store.LockAll(c, r, keys); err != nil {
		return err
	}
	q := c.DB.NewDelete().Model(bunmodel.NilModel(r.Model))
	amongRows(q.QueryBuilder(), r, rows)
	if _, err := c.Session().Exec(c, q); err != nil {
		return store.Referred(c, r, keys, err)
	}
	if err := store.Unreferenced(c, r, keys); err != nil {
		return err
	}
	for _, row := range rows {
		if err := store.RecordDeleted(c, r, row); err != nil {
			return err
		}
	}
	if len(r.Files) > 0 && r.Table.SoftDeleteField == nil {
		c.AfterCommit(func(c *call.Call) error {
			for _, row := range rows {
				attachment.DiscardAll(c, r, row.Elem())
			}
			return nil
		})
	}
	return nil
}

// An itemError is the error of one of several rows.
type itemError struct {
	index int
	err   error
}

// Error describes the error for a log.
func (e itemError) Error() string { return e.err.Error() }

// Unwrap returns the error itself.
func (e itemError) Unwrap() error { return e.err }

// changesAtOnce is the number of rows that one UPDATE changes at most. For each row the database compares the keys of the
// others, so the time grows with the square of their number.
const changesAtOnce = 512

// Update writes columns of rows by one statement, or by several if they are more than 512 or their values are too many for
// one, with their time of change and their search document. If the rows are recorded, have slugs that are renewed or may get
// another owner, or for [state.Progress.OneByOne], it writes one row after the other. An error of a single row names its
// columns on both databases.
func Update(c *call.Call, r *table.Resource, rows []reflect.Value, columns []*schema.Field) error {
	if len(rows) == 0 {
		return nil
	}
	if r.Search != nil && r.Search.StoredField != nil {
		columns = append(slices.Clip(columns), r.Search.StoredField.Column)
	}
	for _, row := range rows {
		if r.Updated != nil {
			r.Updated.Value(row.Elem()).Set(cell.Value(r.Updated, c.Now))
		}
		store.Document(r, row.Elem())
	}
	if len(rows) == 1 || r.Recorded() || r.Slug != nil && r.Slug.Renew || store.Moves(r, columns) || state.Of(c).Progress.OneByOne {
		return updateEach(c, r, rows, columns)
	}
	if err := checkReserved(r, rows, columns); err != nil {
		return err
	}
	for some := range slices.Chunk(rows, min(changesAtOnce, atOnce(r, 4*len(columns)+1))) {
		if _, err := c.Session().Exec(c, updating(c, r, some, columns)); err != nil {
			return err
		}
	}
	return nil
}

// updateEach writes columns of one row after the other.
func updateEach(c *call.Call, r *table.Resource, rows []reflect.Value, columns []*schema.Field) error {
	for i, row := range rows {
		if err := updateOne(c, r, row.Elem(), columns); err != nil {
			return itemError{i, err}
		}
	}
	return nil
}

func updateOne(c *call.Call, r *table.Resource, row reflect.Value, columns []*schema.Field) error {
	if err := rowslug.Renew(c, r, row); err != nil {
		return err
	}
	for _, more := range []*schema.Field{r.Updated, slugColumn(r)} {
		if more != nil {
			columns = append(slices.Clip(columns), more)
		}
	}
	return store.Update(c, r, row, columns)
}

// slugColumn is the column of the slug that a change renews, nil without one.
func slugColumn(r *table.Resource) *schema.Field {
	if r.Slug == nil || !r.Slug.Renew {
		return nil
	}
	return r.Slug.Field.Column
}

// updating is one UPDATE of several rows, which have different values.
func updating(c *call.Call, r *table.Resource, rows []reflect.Value, columns []*schema.Field) *bun.UpdateQuery {
	keys := Keys(r, rows)
	byKey := make(map[any]reflect.Value, len(rows))
	for i, row := range rows {
		byKey[keys[i]] = row
	}
	q := c.DB.NewUpdate().Model(bunmodel.NilModel(r.Model))
	amongRows(q.QueryBuilder(), r, rows)
	for _, column := range columns {
		q = q.Set("? = ?", bun.Ident(column.Name), sqldb.Choose(column.Name, r.Pk.Name, keys, func(key any) any {
			return cell.Of(column, byKey[key].Elem())
		}))
	}
	for _, a := range store.Touched(c, r) {
		q = q.Set("? = ?", bun.Ident(a.Column), a.Value)
	}
	return q
}

// Insert stores new rows by one statement, or by several if the values are too many for one, and returns their
// keys, which the rows have then too. The rows are stamped. If the
// rows are recorded or have slugs, or for [state.Progress.OneByOne], it stores one row after the
// other. An error of a single row names its columns on both databases.
func Insert(c *call.Call, r *table.Resource, rows []reflect.Value) (keys []any, err error) {
	if len(rows) == 0 {
		return nil, nil
	}
	if err := store.Admit(c, r, rows...); err != nil { // all of them, before the first is stored
		return nil, err
	}
	single := len(rows) == 1 || r.Recorded() || r.Slug != nil || state.Of(c).Progress.OneByOne || mixed(r, rows)
	for i, row := range rows {
		store.Document(r, row.Elem())
		if !single {
			continue
		}
		err := rowslug.Fill(c, r, row.Elem())
		if err == nil {
			err = store.Insert(c, r, row)
		}
		if err != nil {
			return nil, itemError{i, err}
		}
	}
	if single {
		return Keys(r, rows), nil
	}
	if err := checkReserved(r, rows, r.Table.Fields); err != nil {
		return nil, err
	}
	for some := range slices.Chunk(rows, atOnce(r, len(r.Table.Fields))) {
		added, err := insertedKeys(c, r.Pk, Insertion{Table: r.Table, Rows: some, End: bun.SafeQuery(" RETURNING ?", bun.Ident(r.Pk.Name))})
		if err != nil {
			return nil, err
		}
		setKeys(r, some, added)
		keys = append(keys, added...)
	}
	return keys, nil
}

// atOnce is the number of rows with some values each that one statement writes. PostgreSQL accepts 65,535 values. The
// driver of SQLite takes time with the square of their number, and its statements have no round trip.
func atOnce(r *table.Resource, values int) int {
	most := 60_000
	if r.API.DB.Kind() == sqldb.SQLite {
		most = 1_000
	}
	return max(1, most/values)
}

// checkReserved returns the error of the first row that has a reserved value in the columns that are written.
func checkReserved(r *table.Resource, rows []reflect.Value, written []*schema.Field) error {
	for i, row := range rows {
		if err := store.CheckReserved(r, row.Elem(), written); err != nil {
			return itemError{i, err}
		}
	}
	return nil
}

// mixed reports whether some of the rows have a key, and the database generates that of the others.
func mixed(r *table.Resource, rows []reflect.Value) bool {
	first := r.Pk.HasZeroValue(rows[0].Elem())
	return slices.ContainsFunc(rows, func(row reflect.Value) bool { return r.Pk.HasZeroValue(row.Elem()) != first })
}

// setKeys sets the keys of new rows that the database has generated: it returns them in the order of the rows.
func setKeys(r *table.Resource, rows []reflect.Value, keys []any) {
	for i, row := range rows {
		if i < len(keys) && r.Pk.HasZeroValue(row.Elem()) {
			r.Pk.Value(row.Elem()).Set(reflect.ValueOf(keys[i]))
		}
	}
}

// insertedKeys runs an INSERT that returns the keys of the rows.
func insertedKeys(c *call.Call, pk *schema.Field, q Insertion) (keys []any, err error) {
	rows, err := c.Session().Query(c, q)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		key := reflect.New(pk.StructField.Type).Elem()
		if err := rows.Scan(&cell.Scanner{Column: pk, Value: key}); err != nil {
			return nil, err
		}
		keys = append(keys, key.Interface())
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return keys, rows.Close()
}

// An Insertion is the INSERT of several rows of a model.
type Insertion struct {
	Table *schema.Table
	Rows  []reflect.Value
	End   schema.QueryAppender // what follows the values
}

// AppendQuery implements [schema.QueryAppender].
func (q Insertion) AppendQuery(gen schema.QueryGen, b []byte) (_ []byte, err error) {
	write := func(text string, part schema.QueryAppender) {
		if b = append(b, text...); err == nil && part != nil {
			b, err = part.AppendQuery(gen, b)
		}
	}
	columns := q.columns()
	write("INSERT INTO ", q.Table.SQLName)
	for i, f := range columns {
		write(mark(i, " (", ", "), bun.Ident(f.Name))
	}
	write(") VALUES ", nil)
	for i, row := range q.Rows {
		write(mark(i, "", ", "), nil)
		for j, f := range columns {
			write(mark(j, "(", ", "), newValue(f, row.Elem()))
		}
		write(")", nil)
	}
	write("", q.End)
	return b, err
}

// mark returns what precedes an element of a list.
func mark(index int, first, next string) string {
	if index == 0 {
		return first
	}
	return next
}

// columns lists the columns of the rows, without a key that the database generates.
func (q Insertion) columns() (columns []*schema.Field) {
	for _, f := range q.Table.Fields {
		if !f.IsPK || !f.AutoIncrement || !f.HasZeroValue(q.Rows[0].Elem()) {
			columns = append(columns, f)
		}
	}
	return columns
}

// newValue is a new row's value of a column. A zero value may be the default of the column.
func newValue(f *schema.Field, m reflect.Value) schema.QueryAppender {
	if cell.Defaults(f) && f.HasZeroValue(m) {
		return bun.SafeQuery(f.SQLDefault)
	}
	return cell.Of(f, m)
}

// RowError returns an error of a constraint and the index of its row, -1 if it is not known. It
// returns nil for any other error.
func RowError(r *table.Resource, err error) (of *store.RowError, which int) {
	which = -1
	if one, ok := errors.AsType[itemError](err); ok {
		which = one.index
	}
	if known, ok := errors.AsType[*store.RowError](err); ok {
		c := *known
		return &c, which
	}
	fault, ok := store.Classify(r, err)
	if !ok || fault.Kind != sqldb.Unique && fault.Kind != sqldb.Check && fault.Kind != sqldb.ForeignKey {
		return nil, which
	}
	return &store.RowError{Resource: r, Fault: fault, Err: err}, which
}

// Blame gives an error of a constraint its faults: at the members of an item that write the columns of the
// constraint, or else at the item itself. at is the pointer of the item.
func Blame(of *store.RowError, at string, memberOf func(*schema.Field) string) *store.RowError {
	columns := of.Fault.Columns
	for _, k := range of.Resource.Checks {
		if k.Constraint == of.Fault.Constraint {
			columns = k.Columns
		}
	}
	blamed := problem.Fault{Code: problem.CodeUnique, Detail: "must be unique"}
	if of.Fault.Kind == sqldb.ForeignKey {
		blamed = problem.Fault{Code: problem.CodeInvalidReference, Detail: "refers to nothing"}
	}
	if of.Reserved != nil {
		blamed = *of.Reserved
	}
	for _, f := range of.Resource.Table.Fields {
		if name := memberOf(f); name != "" && slices.Contains(columns, f.Name) {
			blamed.Pointer = at + naming.PointerTo(name)
			of.Faults = append(of.Faults, blamed)
		}
	}
	if of.Faults == nil {
		blamed.Pointer = at
		of.Faults = []problem.Fault{blamed}
	}
	return of
}
