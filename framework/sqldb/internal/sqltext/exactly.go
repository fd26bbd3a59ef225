package sqltext

import (
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/dialect"
)

// Exactly is described in package sqldb.
func Exactly(text schema.QueryAppender) schema.QueryAppender { return exactly{text} }

type exactly struct{ text schema.QueryAppender }

// AppendQuery implements [schema.QueryAppender].
func (e exactly) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	form := `CAST(? AS text) COLLATE "C"`
	if dialect.Of(gen.Dialect()) == dialect.SQLite {
		form = "CAST(? AS BLOB)"
	}
	return bun.SafeQuery(form, e.text).AppendQuery(gen, b)
}
