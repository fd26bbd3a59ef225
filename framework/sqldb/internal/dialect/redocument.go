package dialect

import (
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// Redocument returns the value of a document column (see [Document]) whose parts change: a
// nil part stays as it is stored, any other part is folded. So one UPDATE can set columns
// and their document without reading the row first.
func (k Kind) Redocument(column string, parts []*string) schema.QueryAppender {
	keep, join := `trestle_part(?, ?)`, `char(31)`
	if k == PostgreSQL {
		keep, join = `split_part(?, chr(31), ?)`, `chr(31)`
	}
	var texts []string
	var args []any
	for i, part := range parts {
		if part == nil {
			texts = append(texts, keep)
			args = append(args, bun.Ident(column), i+1)
			continue
		}
		texts = append(texts, textParam(k))
		args = append(args, Fold(*part))
	}
	return bun.SafeQuery(strings.Join(texts, " || "+join+" || "), args...)
}

// textParam returns a parameter for a text. PostgreSQL cannot infer its type, so it has a
// cast there.
func textParam(k Kind) string {
	if k == PostgreSQL {
		return "?::text"
	}
	return "?"
}
