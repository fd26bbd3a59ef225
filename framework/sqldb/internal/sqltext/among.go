package sqltext

import (
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/dialect"
)

// Among returns the condition that a column has one of the values that a query finds,
// `Where("?", sqldb.Among(column, query))`. It is for few values: the database finds them
// first. With IN and a LIMIT in a parameter, PostgreSQL would not know that they are few,
// and would plan for a tenth of the table.
func Among(column, query schema.QueryAppender) schema.QueryAppender { return among{column, query} }

type among struct{ column, query schema.QueryAppender }

// AppendQuery implements [schema.QueryAppender].
func (a among) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	form := "? = ANY (ARRAY(?))"
	if dialect.Of(gen.Dialect()) == dialect.SQLite {
		form = "? IN (?)"
	}
	return bun.SafeQuery(form, a.column, a.query).AppendQuery(gen, b)
}
