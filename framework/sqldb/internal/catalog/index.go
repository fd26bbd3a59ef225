package catalog

import (
	"context"
	"fmt"
	"regexp"
	"slices"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb/internal/dialect"
	"trestle.example/framework/sqldb/internal/sqltext"
)

// An Index is an index of a table, as the database has it.
type Index struct {
	Name string
	// Columns are those that it is ordered by, the first one first. On SQLite
	// the key of a table that is declared INTEGER PRIMARY KEY ends every index
	// that is not unique, as it does in the file.
	Columns []dialect.IndexColumn
	// Unique means that no two rows that it contains have the same values in all columns,
	// unless one is NULL.
	Unique bool
	// Where is the condition of the rows that are in it, as the database stores it; "" for
	// every row.
	Where string
	// Search means that it is the search index of its one column, which serves
	// only Kind.Contains.
	Search bool
	// Unfinished means that PostgreSQL did not finish building it, and does not use it.
	// Drop it and create it again.
	Unfinished bool
}

// Indexes lists the indexes of a table, by name, with those of a primary key and of unique
// constraints. It omits kinds that are neither ordered nor a search index, such as
// PostgreSQL's hash. On SQLite a primary key that is the number of the row is listed as the
// unique index rowid. On PostgreSQL the name may begin with a schema: "app.patients". A table that
// does not exist is an error; a table without indexes is not.
func (c Catalog) Indexes(ctx context.Context, table string) ([]Index, error) {
	exists, query, name := postgresTable, postgresIndexes, quotedName(table)
	if c.Kind == dialect.SQLite {
		exists, query, name = sqliteTable, sqliteIndexes, inMain(table)
	}
	found, err := c.Read(ctx, bun.SafeQuery(exists, sqltext.Param(name)))
	if err != nil {
		return nil, err
	}
	if found.Len() == 0 {
		return nil, fmt.Errorf("sqldb: there is no table %q in this database", table)
	}
	columns, err := c.Read(ctx, bun.SafeQuery(query, sqltext.Param(name)))
	if err != nil {
		return nil, err
	}
	var list []Index
	for i := range columns.Len() {
		var of Index
		var column dialect.IndexColumn
		if err := columns.Scan(i, &of.Name, &of.Unique, &of.Where, &of.Search, &of.Unfinished,
			&column.Name, &column.Descending, &column.NullsFirst); err != nil {
			return nil, err
		}
		if c.Kind == dialect.SQLite {
			of.Where = conditionOf(of.Where)
		}
		at := slices.IndexFunc(list, func(known Index) bool { return known.Name == of.Name })
		if at < 0 {
			at, list = len(list), append(list, of)
		}
		list[at].Columns = append(list[at].Columns, column)
	}
	return list, nil
}

// HasIndexes reports whether a table can have indexes. A view cannot, nor can a foreign or virtual table; a materialized view can.
// A table that does not exist cannot.
func (c Catalog) HasIndexes(ctx context.Context, table string) (bool, error) {
	query, name := postgresIndexed, quotedName(table)
	if c.Kind == dialect.SQLite {
		query, name = sqliteIndexed, inMain(table)
	}
	found, err := c.Read(ctx, bun.SafeQuery(query, sqltext.Param(name)))
	return err == nil && found.Len() > 0, err
}

const (
	postgresIndexed = `SELECT 1 FROM pg_catalog.pg_class WHERE oid = to_regclass(?) AND relkind IN ('r', 'p', 'm')`
	sqliteIndexed   = `SELECT 1 FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND lower(name) = lower(?)`
)

const postgresTable = `SELECT 1 FROM pg_catalog.pg_class WHERE oid = to_regclass(?)`

// The first bit of indoption means descending, the second means nulls first.
const postgresIndexes = `
SELECT named.relname, x.indisunique, coalesce(pg_get_expr(x.indpred, x.indrelid), ''), kind.amname <> 'btree', NOT (x.indisvalid AND x.indisready),
	coalesce(a.attname, ''), x.indoption[n - 1] & 1 = 1, x.indoption[n - 1] & 2 = 2
FROM pg_catalog.pg_index AS x
JOIN pg_catalog.pg_class AS named ON named.oid = x.indexrelid
JOIN pg_catalog.pg_am AS kind ON kind.oid = named.relam
CROSS JOIN LATERAL generate_series(1, x.indnkeyatts) AS n
JOIN pg_catalog.pg_opclass AS class ON class.oid = x.indclass[n - 1]
LEFT JOIN pg_catalog.pg_attribute AS a ON a.attrelid = x.indrelid AND a.attnum = x.indkey[n - 1] AND a.attnum > 0
WHERE x.indrelid = to_regclass(?) AND (kind.amname = 'btree' OR class.opcname IN ('gin_trgm_ops', 'gist_trgm_ops') AND x.indnkeyatts = 1)
ORDER BY named.relname, n`

const sqliteTable = `SELECT 1 FROM sqlite_master WHERE type IN ('table', 'view') AND lower(name) = lower(?)`

// A primary key without an index is the number of the row, by which the table is ordered. A
// search index is listed only if the three triggers that its migration made exist.
const sqliteIndexes = `
WITH input (t) AS (SELECT ?),
listed AS (SELECT i.* FROM input, pragma_index_list(t) AS i),
rowkey AS (SELECT c.name FROM input, pragma_table_info(t) AS c WHERE c.pk > 0 AND NOT EXISTS (SELECT 1 FROM listed WHERE origin = 'pk')),
fts AS (SELECT m.name, c.name AS column_name FROM input, pragma_table_info(t) AS c
	JOIN sqlite_master AS m ON m.type = 'table' AND lower(m.name) = lower(t || '_' || c.name || '_fts')
	WHERE (SELECT count(*) FROM sqlite_master AS g WHERE g.type = 'trigger' AND lower(g.tbl_name) = lower(t)
		AND lower(g.name) IN (lower(m.name) || '_insert', lower(m.name) || '_delete', lower(m.name) || '_update')) = 3)
SELECT name, is_unique, made_by, search, 0, column_name, descending, 0 FROM (
	SELECT i.name, i."unique" AS is_unique, CASE WHEN i.partial THEN m.sql ELSE '' END AS made_by, 0 AS search,
		coalesce(c.name, CASE c.cid WHEN -1 THEN (SELECT name FROM rowkey) END, '') AS column_name, c."desc" AS descending, c.seqno
	FROM listed AS i JOIN pragma_index_xinfo(i.name) AS c LEFT JOIN sqlite_master AS m ON m.type = 'index' AND m.name = i.name
	WHERE c.key OR c.cid = -1 AND NOT i."unique" AND EXISTS (SELECT 1 FROM rowkey)
	UNION ALL SELECT 'rowid', 1, '', 0, name, 0, 0 FROM rowkey
	UNION ALL SELECT name, 0, '', 1, column_name, 0, 0 FROM fts)
ORDER BY name, seqno`

// afterColumns matches what follows the columns of a CREATE INDEX of a partial index. The
// columns contain no query, so they contain no WHERE.
var afterColumns = regexp.MustCompile(`(?is)\)\s*WHERE\s+(.*)$`)

// conditionOf returns the condition in the statement that created a partial index. SQLite
// stores the condition only there. conditionOf returns a text without a condition
// unchanged.
func conditionOf(statement string) string {
	if found := afterColumns.FindStringSubmatch(statement); found != nil {
		return found[1]
	}
	return statement
}
