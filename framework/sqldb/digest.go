package sqldb

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/sqltext"
)

// digested is how many tables one statement of [DB.Digests] reads: SQLite permits 500 parts of a UNION.
const digested = 100

// Digests returns a text for each table or view that changes when its rows or their values do. If it changes, the rows may
// still be the same in another order. It reads the given columns on SQLite, and all columns on PostgreSQL. On SQLite the text
// is as long as the values. It is for tests and small tables: it reads every row.
func (db *DB) Digests(ctx context.Context, columns map[string][]string) (map[string]string, error) {
	all := map[string]string{}
	for names := range slices.Chunk(slices.Sorted(maps.Keys(columns)), digested) {
		parts := make([]any, len(names))
		for i, name := range names {
			parts[i] = db.digestOf(name, columns[name])
		}
		found, err := db.Session().Read(ctx, bun.SafeQuery(strings.TrimSuffix(strings.Repeat("? UNION ALL ", len(parts)), " UNION ALL "), parts...))
		if err != nil {
			return nil, err
		}
		for i := range found.Len() {
			var name, digest string
			if err := found.Scan(i, &name, &digest); err != nil {
				return nil, err
			}
			all[name] = digest
		}
	}
	return all, nil
}

// digestOf selects the name and the digest of a table.
func (db *DB) digestOf(name string, columns []string) schema.QueryAppender {
	if db.Kind() == PostgreSQL {
		return bun.SafeQuery("SELECT ?, coalesce(md5(string_agg((t.*)::text, ',')), '') FROM ? AS t", sqltext.Param(name), bun.Ident(name))
	}
	quoted := make([]any, len(columns))
	for i, column := range columns {
		quoted[i] = bun.Ident(column)
	}
	// Quote would write the values too, in twice the time. No text has the bytes fe and ff.
	row := bun.SafeQuery(strings.TrimSuffix(strings.Repeat("ifnull(?, x'ff') || x'fe' || ", len(quoted)), " || "), quoted...)
	return bun.SafeQuery("SELECT ?, coalesce(group_concat(?), '') FROM ?", sqltext.Param(name), row, bun.Ident(name))
}
