package site

import (
	"context"
	"errors"
	"fmt"
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
	if sqldb.IsDenied(err) {
		return exit.NeedsAction("%s", s.Explain(err))
	}
	if err != nil || len(missing) == 0 {
		return err
	}
	var lines []error
	others := s.UnknownMigrations(ctx)
	for _, m := range missing {
		cure := s.CureMissing(m, others)
		if m.Nearest != "" { // the sentence ends with a question
			cure = " If not: " + cure
		} else {
			cure = "; " + cure
		}
		lines = append(lines, errors.New(strings.Join(m.For, ", ")+": "+m.String()+cure))
	}
	return exit.NeedsAction("%w", errors.Join(lines...))
}

// CureMissing says what to do about a missing table or column if no migration is pending. Only a person knows whether
// the model is ahead of the schema, or the schema has lost something; the text of migrations does not show it.
// others are the migrations of another version of the program.
func (s *Site) CureMissing(m framework.MissingColumn, others []string) string {
	cure := cureLost(m.Table, m.Column)
	switch {
	case m.Own: // its migrations are applied
	case m.Broken == "":
		cure += "; if it never was there, write a migration that adds it ({program} migrate new NAME), or change the model"
	default:
		cure = "write a migration that makes the view again ({program} migrate new NAME), or that gives what it reads the old name"
	}
	cure = s.Text(cure)
	if len(others) > 0 {
		return "another version of the program applied " + strings.Join(others, ", ") + ": run that version. Otherwise: " + cure
	}
	return cure
}

// UnknownMigrations returns the names of the migrations that another version of the program has applied.
func (s *Site) UnknownMigrations(ctx context.Context) (names []string) {
	list, err := s.DB.MigrationStatus(ctx, s.Migrations...)
	if err != nil {
		return nil
	}
	for _, m := range list {
		if m.Unknown {
			names = append(names, m.String())
		}
	}
	return names
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
