package site

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"trestle.example/framework"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/sqldb"
)

// RequireMigrated returns an error if a migration is pending. The error says what to do, and
// has exit code 3.
func (s *Site) RequireMigrated(ctx context.Context) error {
	list, err := s.DB.MigrationStatus(ctx, s.Migrations...)
	if err != nil {
		return err
	}
	names := PendingNames(list)
	switch len(names) {
	case 0:
		return nil
	case 1:
		return exit.NeedsAction(s.Text("the database lacks the migration %s; run: {program} migrate up"), names[0])
	}
	return exit.NeedsAction(s.Text("the database lacks %d migrations (%s); run: {program} migrate up"), len(names), strings.Join(names, ", "))
}

// PendingNames returns the names of the migrations that are not applied.
func PendingNames(list []sqldb.Migration) (names []string) {
	for _, m := range list {
		if m.AppliedAt.IsZero() {
			names = append(names, m.String())
		}
	}
	return names
}

// RequireSchema returns an error if a migration is pending, or if a table or a column of the
// declarations of the APIs is missing. The error says what to do, and has exit code 3.
func (s *Site) RequireSchema(ctx context.Context, apis ...*framework.API) error {
	if err := s.RequireMigrated(ctx); err != nil {
		return err
	}
	missing, err := s.MissingColumns(ctx, apis...)
	if err != nil || len(missing) == 0 {
		return err
	}
	var lines []error
	for _, m := range missing {
		cure := s.CureMissing(ctx, m)
		if m.Nearest != "" { // the sentence ends with a question
			cure = " If not: " + cure
		} else {
			cure = "; " + cure
		}
		lines = append(lines, errors.New(strings.Join(m.For, ", ")+": "+m.String()+cure))
	}
	return exit.NeedsAction("%w", errors.Join(lines...))
}

// CureMissing says what to do about a missing table or column if no migration is pending. If another version of
// the program has applied migrations, that version is the cure.
func (s *Site) CureMissing(ctx context.Context, m framework.MissingColumn) string {
	list, err := s.DB.MigrationStatus(ctx, s.Migrations...)
	list = slices.DeleteFunc(list, func(m sqldb.Migration) bool { return !m.Unknown })
	if err != nil || len(list) == 0 {
		return s.cureMissing(m)
	}
	names := make([]string, len(list))
	for i, one := range list {
		names[i] = one.String()
	}
	return "another version of the program applied " + strings.Join(names, ", ") + ": run that version"
}

// cureMissing is the cure by the migrations of this version. If a
// migration created it, it must get its old name again or be restored from a backup. If a later one
// dropped or renamed it, or none created it, the model must change, or a migration must add it.
func (p Project) cureMissing(m framework.MissingColumn) string {
	switch created, removed := p.historyOf(m.Table, m.Column); {
	case removed != "":
		return p.Text("the migration " + removed + " drops or renames it: change the model, or write a migration that adds it again ({program} migrate new NAME)")
	case created != "":
		return "the migration " + created + " created it: if a later migration removed it, change the model; " + cureLost(m.Table, m.Column)
	}
	return p.Text("write a migration that adds it ({program} migrate new NAME), then run: {program} migrate up")
}

// historyOf returns the name of the last migration that creates a table or a view, or if column is not "",
// a column of it, by CREATE, ADD or RENAME TO, and that of the last one after it that drops or renames it. It
// skips files that cannot be read. A name is "" if there is no such migration.
func (p Project) historyOf(table, column string) (created, removed string) {
	creates, removes := historyPatterns(table, column)
	for _, set := range p.Migrations {
		files, _ := fs.Glob(set.FS, "*.up.sql")
		for _, file := range files {
			text, err := fs.ReadFile(set.FS, file)
			base, _, _ := strings.Cut(file, ".")
			switch name := set.Namespace + "/" + base; {
			case err != nil:
			case creates.Match(comments.ReplaceAll(text, nil)):
				created, removed = name, ""
			case removes.Match(comments.ReplaceAll(text, nil)):
				removed = name
			}
		}
	}
	return created, removed
}

// comments are those of SQL.
var comments = regexp.MustCompile(`(?s)--[^\n]*|/\*.*?\*/`)

// historyPatterns match the statements that create a table or a column, and those that drop or rename it.
func historyPatterns(table, column string) (creates, removes *regexp.Regexp) {
	const kinds, exists = `\s+(?:TABLE|(?:MATERIALIZED\s+)?VIEW)`, gap + `(?:IF\s+(?:NOT\s+)?EXISTS)?` + gap
	of := kinds + exists + `(?:ONLY\s+)?` + tablePattern(table)
	adds, drops := `\bCREATE(?:\s+OR\s+REPLACE)?`+of, `\bDROP`+of+`|\bALTER`+of+`[^;]*?\bRENAME\s+TO\b`
	if column == "" {
		adds += `|\bRENAME\s+TO\s+` + tablePattern(table)
	} else {
		named := `"?` + regexp.QuoteMeta(column) + `\b`
		adds += `[^;]*?\b` + named + `|\bALTER` + of + `[^;]*?\b(?:ADD(?:\s+COLUMN)?(?:\s+IF\s+NOT\s+EXISTS)?|TO)\s+` + named
		drops = `\bALTER` + of + `[^;]*?\b(?:DROP|RENAME)(?:\s+COLUMN)?(?:\s+IF\s+EXISTS)?\s+` + named
	}
	return regexp.MustCompile(`(?is)` + adds), regexp.MustCompile(`(?is)` + drops)
}

// gap matches space and actions of templates between the words of a statement, dot the dot after a schema.
const (
	gap = `(?:\s|\{\{[^}]*\}\})*`
	dot = "[\"`\\]]?" + gap + `\.` + gap
)

// tablePattern matches the name of a table in a statement, with any quotes. The schema may depend on the kind of
// database, and the default schemas of the databases may be absent.
func tablePattern(table string) string {
	const quote, defaults = "[\"`\\[]?", `(?:main|public)`
	space, name, ok := strings.Cut(table, ".")
	if !ok {
		space, name = "", table
	}
	before := `(?:` + quote + defaults + dot + `)?`
	if space != "" && !regexp.MustCompile(`(?i)^`+defaults+`$`).MatchString(space) {
		before += quote + regexp.QuoteMeta(space) + dot + before
	}
	return before + quote + regexp.QuoteMeta(name) + `\b`
}

// cureLost says what to do about a table or a column that was there before.
func cureLost(table, column string) string {
	return "if it was renamed, name it " + strings.TrimSuffix(table+"."+column, ".") + " again; if it is lost, restore the database from a backup"
}

// CountPending counts the migrations that a database lacks. A database without any applied
// migration is an error. Every error of reading the migrations gets a text that says that the
// database is of another version of the program, whatever the cause is.
func (p Project) CountPending(ctx context.Context, db *sqldb.DB) (int, error) {
	list, err := db.MigrationStatus(ctx, p.Migrations...)
	if err != nil {
		return 0, fmt.Errorf("it is of another version of this program: %w", err)
	}
	n := 0
	for _, m := range list {
		if m.AppliedAt.IsZero() {
			n++
		}
	}
	if n == len(list) {
		return 0, errors.New(p.Text("it is a SQLite database, but holds nothing of this program: {program} migrate up was never run on it"))
	}
	return n, nil
}

// CureRecord says what to do about an incomplete table of the records of migrations. The
// table of the lock holds no data, so migrate up makes it again if the whole table is missing.
func (p Project) CureRecord(m *sqldb.MissingRecordError) string {
	switch {
	case m.IsLock() && m.Column == "":
		return p.Text("run: {program} migrate up, which makes it again")
	case m.IsLock():
		return p.Text("DROP TABLE " + m.Table + "; then run: {program} migrate up, which makes it again")
	}
	return cureLost(m.Table, m.Column)
}
