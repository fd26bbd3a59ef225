package rows

import (
	"bytes"
	"cmp"
	"context"
	"reflect"
	"slices"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// Read runs a query in the call's transaction and scans its rows into models: a
// pointer to a slice of structs, or of pointers to structs.
func Read(c *framework.Call, q schema.QueryAppender, models any) error {
	return ReadIn(c, c.Session(), q, models)
}

// ReadIn is Read for a program that has a session and no call.
func ReadIn(ctx context.Context, s *sqldb.Session, q schema.QueryAppender, models any) error {
	result, err := s.Query(ctx, q)
	if err != nil {
		return err
	}
	defer func() { _ = result.Close() }()
	return s.DB().ScanRows(ctx, result, models)
}

// Insert stores models in one statement whose values are all parameters. Bun
// itself writes numbers into the text, so that every sale would be another
// statement to prepare.
func Insert[M any](c *framework.Call, models ...*M) error {
	_, err := InsertUnless(c, "id", models...)
	return err
}

// InsertUnless is Insert for models that may be stored already: a model that
// conflicts in a column is left out. It returns how many were stored.
func InsertUnless[M any](c *framework.Call, conflict string, models ...*M) (int64, error) {
	table := c.Session().DB().Table(reflect.TypeFor[M]())
	result, err := c.Session().Exec(c, c.DB.NewRaw("INSERT INTO ? (?) VALUES ? ON CONFLICT (?) DO NOTHING", bun.Ident(table.Name), columns{fields: table.Fields}, tuples[M]{table, padded(models)}, bun.Ident(conflict)))
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// insertedAtOnce is how many rows a statement of InsertIn stores: SQLite takes
// long to bind many values.
const insertedAtOnce = 64

// InsertIn stores any number of models, for a program that has a session and no
// call. onConflict, if not empty, is the clause for rows that are stored already:
// " ON CONFLICT DO NOTHING".
func InsertIn[M any](ctx context.Context, s *sqldb.Session, onConflict string, models ...*M) error {
	table := s.DB().Table(reflect.TypeFor[M]())
	for some := range slices.Chunk(models, insertedAtOnce) {
		q := bun.SafeQuery("INSERT INTO ? (?) VALUES ?"+onConflict, bun.Ident(table.Name), columns{fields: table.Fields}, tuples[M]{table, some})
		if _, err := s.Exec(ctx, q); err != nil {
			return err
		}
	}
	return nil
}

// padded repeats the last row until their number is a power of two, so that
// there are few statements to prepare. A repeat conflicts with its row.
func padded[M any](rows []*M) []*M {
	for rows = slices.Clip(rows); len(rows)&(len(rows)-1) != 0; {
		rows = append(rows, rows[len(rows)-1])
	}
	return rows
}

// Columns lists the columns of a model's table, with a prefix such as "v.". It
// names them one by one: a column that a later version of the program added could
// not be scanned.
func Columns[M any](db *sqldb.DB, prefix string) schema.QueryAppender {
	return columns{db.Table(reflect.TypeFor[M]()).Fields, prefix}
}

// columns are the names of columns, as a statement lists them.
type columns struct {
	fields []*schema.Field
	prefix string // the alias of the table with its dot, or nothing
}

// AppendQuery implements [schema.QueryAppender].
func (c columns) AppendQuery(_ schema.QueryGen, b []byte) ([]byte, error) {
	for i, f := range c.fields {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(append(b, c.prefix...), f.SQLName...)
	}
	return b, nil
}

// tuples are the values of rows, as VALUES lists them.
type tuples[M any] struct {
	table *schema.Table
	rows  []*M
}

// AppendQuery implements [schema.QueryAppender].
func (t tuples[M]) AppendQuery(gen schema.QueryGen, b []byte) (_ []byte, err error) {
	for i, row := range t.rows {
		if i > 0 {
			b = append(b, ", "...)
		}
		for j, f := range t.table.Fields {
			before := ", "
			if j == 0 {
				before = "("
			}
			value := sqldb.Param(f.Value(reflect.ValueOf(row).Elem()).Interface())
			if b, err = value.AppendQuery(gen, append(b, before...)); err != nil {
				return nil, err
			}
		}
		b = append(b, ')')
	}
	return b, nil
}

// NewID returns a new UUIDv7: ids are in the order in which they are drawn.
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// CompareIDs compares ids by their bytes, as both databases do.
func CompareIDs(a, b uuid.UUID) int { return bytes.Compare(a[:], b[:]) }

// OrBlank is the text that a pointer names, and a blank one for nil.
func OrBlank(text *string) string { return *cmp.Or(text, new(string)) }
