package sqltext

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/dialect"
)

// Texts is described in package sqldb.
func Texts[T any](table, column string, values []T) schema.QueryAppender {
	return texts[T]{bun.Ident(table), bun.Ident(column), values}
}

type texts[T any] struct {
	table, column bun.Ident
	values        []T
}

// AppendQuery implements [schema.QueryAppender].
func (t texts[T]) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	list := make([]string, len(t.values))
	for i, value := range t.values {
		stored, _, err := driverValue(value)
		if err != nil {
			return nil, err
		}
		list[i] = fmt.Sprint(stored)
	}
	if dialect.Of(gen.Dialect()) == dialect.SQLite {
		list, err := json.Marshal(list)
		if err != nil {
			return nil, err
		}
		// The values have the collation of the column, which is not read. With a LIMIT, SQLite reads the list once and makes an
		// index of it, if the column has none.
		return bun.SafeQuery("(SELECT NULL AS n, ? AS value FROM ? WHERE FALSE UNION ALL SELECT key, value FROM json_each(?) LIMIT -1)",
			t.column, t.table, Param(string(list))).AppendQuery(gen, b)
	}
	// The array has the type and the collation of the column, which is not read. COALESCE leaves out the checks of a domain.
	typed := bun.SafeQuery("array_cat((SELECT array_agg(COALESCE(?, NULL)) FROM ? WHERE FALSE), ?)", t.column, t.table, Param(array(list)))
	return bun.SafeQuery("(SELECT n - 1 AS n, value FROM unnest(?) WITH ORDINALITY AS each (value, n))", typed).AppendQuery(gen, b)
}

// array is the text of an array of PostgreSQL.
func array(values []string) string {
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
	}
	return "{" + strings.Join(quoted, ",") + "}"
}
