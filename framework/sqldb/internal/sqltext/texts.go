package sqltext

import (
	"encoding/json"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/dialect"
)

// Texts is described in package sqldb.
func Texts(table, column string, values []string) schema.QueryAppender {
	return texts{bun.Ident(table), bun.Ident(column), values}
}

type texts struct {
	table, column bun.Ident
	values        []string
}

// AppendQuery implements [schema.QueryAppender].
func (t texts) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	if dialect.Of(gen.Dialect()) == dialect.SQLite {
		list, err := json.Marshal(append([]string{}, t.values...))
		if err != nil {
			return nil, err
		}
		// With a LIMIT, SQLite reads the list once and makes an index of it, if the column has none.
		return bun.SafeQuery("(SELECT key AS n, value FROM json_each(?) LIMIT -1)", Param(string(list))).AppendQuery(gen, b)
	}
	// The array has the type and the collation of the column, which is not read. COALESCE leaves out the checks of a domain.
	typed := bun.SafeQuery("array_cat((SELECT array_agg(COALESCE(?, NULL)) FROM ? WHERE FALSE), ?)", t.column, t.table, Param(t.array()))
	return bun.SafeQuery("(SELECT n, value FROM unnest(?) WITH ORDINALITY AS each (value, n))", typed).AppendQuery(gen, b)
}

// array is the text of an array of PostgreSQL.
func (t texts) array() string {
	quoted := make([]string, len(t.values))
	for i, value := range t.values {
		quoted[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
	}
	return "{" + strings.Join(quoted, ",") + "}"
}
