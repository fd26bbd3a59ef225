package conditional

import (
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/naming"
)

// A Version is how the rows of a viewset are versioned: by a column that counts the changes of a
// row, or by a hash of columns. It does not change once the API is bound.
type Version struct {
	Column   *schema.Field   // counts the changes; nil for a hash
	Hashed   []*schema.Field // the columns of the hash; none with Column
	Required bool            // PUT, PATCH and DELETE need If-Match
}

// CheckColumn returns an error for a column that cannot count changes: it must be an integer that is
// not null, and not the primary key.
func CheckColumn(column *schema.Field) error {
	switch {
	case column.StructField.Type.Kind() != reflect.Int64 && column.StructField.Type.Kind() != reflect.Int:
		return naming.Sentence("%s is %s; a column that counts changes is an int64 that is not null", column.GoName, column.StructField.Type)
	case column.IsPK:
		return naming.Sentence("%s is the primary key, which no change counts up; add an integer column with the default 0", column.GoName)
	case column.NullZero:
		return naming.Sentence("%s is nullzero; a column that counts changes is never null, so leave that out of its tag", column.GoName)
	}
	return nil
}

// columns are the columns whose values make the version.
func (v *Version) columns() []*schema.Field {
	if v.Column != nil {
		return []*schema.Field{v.Column}
	}
	return v.Hashed
}

// Select adds the columns of the version to a query of rows. A nil Version adds none.
func (v *Version) Select(q *bun.SelectQuery) *bun.SelectQuery {
	if v == nil {
		return q
	}
	for _, column := range v.columns() {
		q = q.ColumnExpr("?TableAlias.?", bun.Ident(column.Name))
	}
	return q
}

// Returning adds the column that counts changes to the columns of a RETURNING.
func (v *Version) Returning(columns string) string {
	if v == nil {
		return columns
	}
	return columns + ", " + naming.Quote(v.Column.Name)
}

// OfColumns returns the version of a row, given the values of the columns of [Version.Select], or
// more values after them. It is "" for a nil Version.
func (v *Version) OfColumns(values []driver.Value) string {
	switch {
	case v == nil:
		return ""
	case v.Column != nil:
		return text(values[0])
	}
	sum := sha256.New()
	for _, value := range values[:len(v.Hashed)] {
		add(sum, value)
	}
	return short(sum)
}

// OfRow returns the version of a row, given the values of the columns of its table in the order of the
// model. It is "" for a nil Version.
func (v *Version) OfRow(all []*schema.Field, row []driver.Value) string {
	if v == nil {
		return ""
	}
	var values []driver.Value
	for _, column := range v.columns() {
		values = append(values, row[slices.Index(all, column)])
	}
	return v.OfColumns(values)
}

// OfModel returns the version of a row, given its model. It returns false for a hash, which is of
// the values as the database has them.
func (v *Version) OfModel(m reflect.Value) (string, bool) {
	switch {
	case v == nil:
		return "", true
	case v.Column == nil:
		return "", false
	}
	return strconv.FormatInt(v.Column.Value(m).Int(), 10), true
}

// text is a number of the database as text. NULL, which another program may have stored, is 0, as in
// the model.
func text(value driver.Value) string {
	n, _ := value.(int64)
	return strconv.FormatInt(n, 10)
}

// add adds a value to a hash: its kind, its length and its bytes, so that no two lists of values are
// the same bytes.
func add(sum hash.Hash, value driver.Value) {
	var b []byte
	kind := byte('-')
	switch v := value.(type) {
	case int64:
		kind, b = 'i', binary.BigEndian.AppendUint64(nil, uint64(v)) //nolint:gosec // its bits
	case float64:
		kind, b = 'f', binary.BigEndian.AppendUint64(nil, math.Float64bits(v))
	case bool:
		kind, b = 'b', strconv.AppendBool(nil, v)
	case time.Time:
		kind, b = 't', binary.BigEndian.AppendUint64(nil, uint64(v.UnixMicro())) // #nosec G115 -- it is hashed: only its bits count
	case string:
		kind, b = 's', []byte(v)
	case []byte: // nil is an empty value: only a driver.Value of nil is NULL
		kind, b = 's', v
	}
	sum.Write(append(binary.BigEndian.AppendUint64([]byte{kind}, uint64(len(b))), b...))
}

// hashBytes is how many bytes of a SHA-256 a tag has.
const hashBytes = 16

// short is the beginning of a hash as text for a tag.
func short(sum hash.Hash) string { return hex.EncodeToString(sum.Sum(nil)[:hashBytes]) }
