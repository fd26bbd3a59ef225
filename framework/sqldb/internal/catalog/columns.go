// Package catalog reads what the catalogue of a database lists: tables, columns, indexes and
// foreign keys.
package catalog

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/dialect"
	"trestle.example/framework/sqldb/internal/fault"
	"trestle.example/framework/sqldb/internal/sqltext"
)

// A Catalog is that of one database.
type Catalog struct {
	Kind dialect.Kind
	Read func(ctx context.Context, q schema.QueryAppender) (*connection.Result, error)
}

// A BrokenViewError is an error of [Catalog.Columns]: a view of SQLite reads a table or a column that is deleted. On
// PostgreSQL there is no such view.
type BrokenViewError struct {
	View string
	Err  error
}

// Error returns a sentence: `the view "low" cannot be read: SQL logic error: no such table: main.stock (1)`.
func (b *BrokenViewError) Error() string {
	return fmt.Sprintf("the view %q cannot be read: %v", b.View, b.Err)
}

// Unwrap returns the error of the database.
func (b *BrokenViewError) Unwrap() error { return b.Err }

// Columns lists the columns of a table or a view as the database's catalogue has
// them: those that it declares, then those that the database adds by itself
// (rowid, xmin and so on). A table that does not exist has none. The name may
// begin with a schema: "app.patients". A view that cannot be read is a [BrokenViewError].
func (c Catalog) Columns(ctx context.Context, table string) ([]string, error) {
	space, name := split(table)
	if c.Kind == dialect.SQLite {
		if space == "" {
			space = "main"
		}
		names, err := c.names(ctx, bun.SafeQuery(sqliteColumns, sqltext.Param(name), sqltext.Param(space), sqltext.Param(name), sqltext.Param(space)))
		if err == nil && len(names) > 0 { // the list of columns hides that a table of the view has other columns now
			_, err = c.Read(ctx, bun.SafeQuery("SELECT 1 FROM ?.? LIMIT 0", bun.Ident(space), bun.Ident(name)))
		}
		if fault.SQLiteCode(err) == sqliteError {
			return nil, c.explain(ctx, space, table, err)
		}
		return names, err
	}
	return c.names(ctx, bun.SafeQuery(postgresColumns, sqltext.Param(quotedTable(space, name))))
}

// explain returns the error of a table of SQLite whose columns cannot be listed: nil if the table does not exist, because
// no database of its schema is attached; otherwise the table is a view, because the statement itself has no fault.
func (c Catalog) explain(ctx context.Context, space, table string, err error) error {
	attached, attachedErr := c.names(ctx, bun.SafeQuery("SELECT name FROM pragma_database_list"))
	switch {
	case attachedErr != nil:
		return attachedErr
	case !slices.ContainsFunc(attached, func(name string) bool { return strings.EqualFold(name, space) }):
		return nil
	}
	return &BrokenViewError{table, err}
}

// Tables lists, by name, the tables and views that a statement finds without a schema. It
// omits those that the database keeps for itself, such as pg_class and sqlite_sequence.
func (c Catalog) Tables(ctx context.Context) ([]string, error) {
	if c.Kind == dialect.SQLite {
		return c.names(ctx, bun.SafeQuery(sqliteTables))
	}
	return c.names(ctx, bun.SafeQuery(postgresTables))
}

// TakenNames lists the names that a new index of a table cannot have, because a table, a view, an
// index or a sequence has them. On PostgreSQL these are the names in the schemas of the search path.
func (c Catalog) TakenNames(ctx context.Context) ([]string, error) {
	if c.Kind == dialect.SQLite {
		return c.names(ctx, bun.SafeQuery(sqliteTaken))
	}
	return c.names(ctx, bun.SafeQuery(postgresTaken))
}

func (c Catalog) names(ctx context.Context, q schema.QueryAppender) ([]string, error) {
	found, err := c.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	names := make([]string, found.Len())
	for i := range names {
		if err := found.Scan(i, &names[i]); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// quotedName quotes the name of a table, which may begin with a schema.
func quotedName(table string) string { return quotedTable(split(table)) }

// split returns the schema, "" without one, and the name of a table.
func split(table string) (space, name string) {
	space, name, ok := strings.Cut(table, ".")
	if !ok {
		return "", table
	}
	return space, name
}

// inMain returns the name of a table of SQLite without the schema main, which its database has.
func inMain(table string) string {
	if space, name := split(table); strings.EqualFold(space, "main") {
		return name
	}
	return table
}

func quotedTable(space, name string) string {
	quote := func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
	if space == "" {
		return quote(name)
	}
	return quote(space) + "." + quote(name)
}

// sqliteError is the code of SQLite for a fault in a statement.
const sqliteError = 1

const (
	postgresColumns = `SELECT a.attname FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid
	WHERE c.oid = to_regclass(?) AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT a.attisdropped ORDER BY a.attnum < 0, a.attnum`
	postgresTables = `SELECT relname FROM pg_catalog.pg_class WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND pg_table_is_visible(oid)
	AND relnamespace NOT IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace) ORDER BY relname`
	postgresTaken = `SELECT DISTINCT c.relname FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
	WHERE n.nspname = ANY (current_schemas(false)) ORDER BY c.relname`

	// sqliteColumns lists generated columns too, and rowid for a table that has it.
	sqliteColumns = `SELECT name FROM pragma_table_xinfo(?, ?)
	UNION ALL SELECT 'rowid' FROM pragma_table_list WHERE lower(name) = lower(?) AND lower(schema) = lower(?) AND type = 'table' AND NOT wr`
	sqliteTables = `SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
	AND name NOT IN (SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow') ORDER BY name`
	sqliteTaken = `SELECT name FROM sqlite_master WHERE type <> 'trigger' ORDER BY name`
)
