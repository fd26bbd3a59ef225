package catalog

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb/internal/dialect"
	"trestle.example/framework/sqldb/internal/sqltext"
)

// Checks lists the names of the constraints that limit the values of a table's rows, by name: those of CHECK, on
// PostgreSQL also those of EXCLUDE and of all domains. A constraint without a name has that of PostgreSQL, and
// none on SQLite. On PostgreSQL the name of the table may begin with a schema: "app.patients". A table that does not
// exist has no constraints of its own.
func (c Catalog) Checks(ctx context.Context, table string) ([]string, error) {
	if c.Kind != dialect.SQLite {
		return c.names(ctx, bun.SafeQuery(postgresChecks, sqltext.Param(quotedName(table))))
	}
	made, err := c.names(ctx, bun.SafeQuery(sqliteMade, sqltext.Param(inMain(table))))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, match := range sqliteCheck.FindAllStringSubmatch(strings.Join(made, "\n"), -1) {
		names = append(names, unquoted(match[1]))
	}
	slices.Sort(names)
	return names, nil
}

// unquoted returns a name without the quotes of SQLite around it, if it has any.
func unquoted(name string) string {
	switch quote := name[:1]; quote {
	case `"`, "`":
		return strings.ReplaceAll(name[1:len(name)-1], quote+quote, quote)
	case "[":
		return name[1 : len(name)-1]
	}
	return name
}

// sqliteCheck finds the name of a constraint in the statement that made a table.
var sqliteCheck = regexp.MustCompile("(?i)\\bCONSTRAINT\\s+(\"(?:[^\"]|\"\")+\"|`(?:[^`]|``)+`|\\[[^\\]]+\\]|[\\w$]+)\\s+CHECK\\b")

const (
	postgresChecks = `SELECT conname FROM pg_catalog.pg_constraint
	WHERE contype IN ('c', 'x') AND (conrelid = to_regclass(?) OR conrelid = 0 AND connamespace <> 'information_schema'::regnamespace)
	ORDER BY conname`
	sqliteMade = `SELECT sql FROM sqlite_master WHERE type = 'table' AND lower(name) = lower(?)`
)
