package store

import (
	"reflect"
	"slices"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// insert stores rows in one statement whose values are all parameters. bun
// itself would write numbers into the text, and every sale would be another
// statement to prepare.
func insert[M any](c *framework.Call, rows ...*M) error {
	_, err := insertUnless(c, "id", rows...)
	return err
}

// insertUnless is insert for rows that may be there already: those that
// conflict in a column are left out. It returns how many were stored.
func insertUnless[M any](c *framework.Call, conflict string, rows ...*M) (int64, error) {
	table := c.Session().DB().Table(reflect.TypeFor[M]())
	result, err := c.Session().Exec(c, c.DB.NewRaw("INSERT INTO ? (?) VALUES ? ON CONFLICT (?) DO NOTHING", bun.Ident(table.Name), columns{fields: table.Fields}, tuples[M]{table, padded(rows)}, bun.Ident(conflict)))
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// padded repeats the last row until their number is a power of two, so that
// there are few statements to prepare. A repeat conflicts with its row.
func padded[M any](rows []*M) []*M {
	for rows = slices.Clip(rows); len(rows)&(len(rows)-1) != 0; {
		rows = append(rows, rows[len(rows)-1])
	}
	return rows
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
