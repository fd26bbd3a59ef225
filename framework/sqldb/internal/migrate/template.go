package migrate

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"trestle.example/framework/sqldb/internal/dialect"
)

// words are the column types of a database.
type words struct {
	ID, UUID, Text, Timestamp, Bool, Bigint, Bytes, JSON string
}

func wordsOf(k dialect.Kind) words {
	if k == dialect.PostgreSQL {
		return words{
			ID: "id uuid PRIMARY KEY", UUID: "uuid", Text: `text COLLATE "C"`, Timestamp: "timestamptz",
			Bool: "boolean", Bigint: "bigint", Bytes: "bytea", JSON: "jsonb",
		}
	}
	// An explicit integer key keeps its values in a VACUUM, which the search
	// index needs. The driver returns a time for a column that is declared
	// TIMESTAMP; it returns a boolean as 0 or 1, which can be scanned into a bool.
	return words{
		ID: "_row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE", UUID: "TEXT", Text: "TEXT", Timestamp: "TIMESTAMP",
		Bool: "BOOLEAN", Bigint: "INTEGER", Bytes: "BLOB", JSON: "TEXT",
	}
}

func templateFuncs(k dialect.Kind) template.FuncMap {
	w := wordsOf(k)
	word := func(s string) func() string { return func() string { return s } }
	return template.FuncMap{
		"postgres": func() bool { return k == dialect.PostgreSQL },
		"sqlite":   func() bool { return k == dialect.SQLite },
		"id":       word(w.ID), "uuid": word(w.UUID), "text": word(w.Text), "timestamp": word(w.Timestamp),
		"bool": word(w.Bool), "bigint": word(w.Bigint), "bytes": word(w.Bytes), "json": word(w.JSON),
		"searchIndex": func(table, column string, method ...string) (string, error) {
			return searchIndex(k, table, column, method...)
		},
		"dropSearchIndex": func(table, column string) (string, error) { return dropSearchIndex(k, table, column) },
	}
}

var splitLine = regexp.MustCompile(`(?m)^[ \t]*--bun:split[^\n]*$`)

// unknownWord matches the errors of package template for {{word}} and for {{.word}}.
var unknownWord = regexp.MustCompile(`function "[^"]*" not defined|nil data; no entry for key`)

// Render returns the text of a file for one database.
func Render(file, source string, k dialect.Kind) (string, error) {
	funcs := templateFuncs(k)
	t, err := template.New(file).Option("missingkey=error").Funcs(funcs).Parse(source)
	var out strings.Builder
	if err == nil {
		err = t.Execute(&out, nil)
	}
	switch {
	case err != nil && unknownWord.MatchString(err.Error()):
		return "", fmt.Errorf("the template of a migration has an unknown word: %w; the words are %s", err, strings.Join(slices.Sorted(maps.Keys(funcs)), ", "))
	case err != nil:
		return "", fmt.Errorf("the template of a migration is wrong: %w", err)
	}
	return out.String(), nil
}

// Split splits a rendered file at its lines --bun:split. It omits parts that are empty or have
// only line comments; the result is never nil.
func Split(text string) []string {
	statements := []string{}
	for _, s := range splitLine.Split(text, -1) {
		if hasSQL(s) {
			statements = append(statements, strings.TrimSpace(s))
		}
	}
	return statements
}

// ownLine is a line of a migration that is a mark for Trestle: --trestle:NAME.
var ownLine = regexp.MustCompile(`(?m)^[ \t]*--[ \t]*trestle:([^\s]*)`)

// isBreaking reports whether a file has the line --trestle:breaking. That line in a down
// file, and any other line that begins with --trestle:, is an error.
func isBreaking(file, text string, up bool) (breaking bool, err error) {
	for _, found := range ownLine.FindAllStringSubmatch(text, -1) {
		switch {
		case found[1] != "breaking":
			return false, fmt.Errorf("the file %s has the line --trestle:%s; the one line of this kind is --trestle:breaking", file, found[1])
		case !up:
			return false, fmt.Errorf("the file %s has the line --trestle:breaking, which belongs into the up file", file)
		}
		breaking = true
	}
	return breaking, nil
}

// hasSQL reports whether a text is more than blank lines and line comments.
func hasSQL(s string) bool {
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "--") {
			return true
		}
	}
	return false
}

var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

func checkNames(table, column string) error {
	for _, name := range []string{table, column} {
		if !plainName.MatchString(name) {
			return fmt.Errorf("the name %q of a search index must be lower-case letters, digits and underscores", name)
		}
	}
	return nil
}

// searchIndex returns the statements that make Kind.Contains fast: a trigram index on
// PostgreSQL, or on SQLite a full-text table with the triggers that keep it up to date, in place of what
// is left of them: SQLite drops triggers with their table, and not the full-text table. method
// is that of PostgreSQL's index, gin or gist; the default is gin.
func searchIndex(k dialect.Kind, table, column string, method ...string) (string, error) {
	if err := checkNames(table, column); err != nil {
		return "", err
	}
	const gin, gist = "gin ({c} gin_trgm_ops)", "gist ({c} gist_trgm_ops(siglen=256))"
	by, known := map[string]string{"": gin, "gin": gin, "gist": gist}[strings.Join(method, " ")]
	switch {
	case !known:
		return "", fmt.Errorf(`a search index has the method "gin", which is the usual one, or "gist", and not %q`, method)
	case k == dialect.PostgreSQL:
		return expand("CREATE EXTENSION IF NOT EXISTS pg_trgm;\nCREATE INDEX IF NOT EXISTS {t}_{c}_trgm ON {t} USING "+by+";", table, column), nil
	}
	return expand(`DROP TRIGGER IF EXISTS {fts}_insert;
DROP TRIGGER IF EXISTS {fts}_delete;
DROP TRIGGER IF EXISTS {fts}_update;
DROP TABLE IF EXISTS {fts};
CREATE VIRTUAL TABLE {fts} USING fts5({c}, content='{t}', content_rowid='_row', tokenize='trigram case_sensitive 1');
CREATE TRIGGER {fts}_insert AFTER INSERT ON {t} BEGIN
	INSERT INTO {fts} (rowid, {c}) VALUES (new._row, new.{c});
END;
CREATE TRIGGER {fts}_delete AFTER DELETE ON {t} BEGIN
	INSERT INTO {fts} ({fts}, rowid, {c}) VALUES ('delete', old._row, old.{c});
END;
CREATE TRIGGER {fts}_update AFTER UPDATE OF {c} ON {t} BEGIN
	INSERT INTO {fts} ({fts}, rowid, {c}) VALUES ('delete', old._row, old.{c});
	INSERT INTO {fts} (rowid, {c}) VALUES (new._row, new.{c});
END;
INSERT INTO {fts} ({fts}) VALUES ('rebuild');`, table, column), nil
}

func dropSearchIndex(k dialect.Kind, table, column string) (string, error) {
	if err := checkNames(table, column); err != nil {
		return "", err
	}
	if k == dialect.PostgreSQL {
		return expand(`DROP INDEX IF EXISTS {t}_{c}_trgm;`, table, column), nil
	}
	return expand(`DROP TRIGGER IF EXISTS {fts}_insert;
DROP TRIGGER IF EXISTS {fts}_delete;
DROP TRIGGER IF EXISTS {fts}_update;
DROP TABLE IF EXISTS {fts};`, table, column), nil
}

func expand(statement, table, column string) string {
	return strings.NewReplacer("{t}", table, "{c}", column, "{fts}", dialect.SearchTable(table, column)).Replace(statement)
}
