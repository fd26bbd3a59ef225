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

// RequireMigrated returns an error with exit code 3 that says what to do if a migration is
// pending.
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

// RequireSchema returns an error that says what to do if a migration is pending, or if a
// table or a column of the declarations is missing.
func (s *Site) RequireSchema(ctx context.Context, api *framework.API) error {
	if err := s.RequireMigrated(ctx); err != nil {
		return err
	}
	missing, err := api.MissingColumns(ctx)
	if err != nil || len(missing) == 0 {
		return err
	}
	var lines []error
	for _, m := range missing {
		cure := "; " + s.Text(AddMigration)
		if m.Nearest != "" { // the sentence ends with a question
			cure = " If not, " + s.Text(AddMigration)
		}
		lines = append(lines, errors.New(strings.Join(m.For, ", ")+": "+m.String()+cure))
	}
	return exit.NeedsAction("%w", errors.Join(lines...))
}

// AddMigration says what to do about a missing table or column if no migration is pending.
const AddMigration = "write a migration that adds it ({program} migrate new NAME), then run: {program} migrate up"

// CountPending counts the migrations that a database lacks. A database without any applied
// migration, or with those of another version of the program, is an error. Its error calls
// every fault of reading the migrations another version.
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
// lock holds nothing, so migrate up makes it again.
func (p Project) CureRecord(m *sqldb.MissingRecordError) string {
	switch {
	case m.IsLock() && m.Column == "":
		return p.Text("run: {program} migrate up, which makes it again")
	case m.IsLock():
		return p.Text("DROP TABLE " + m.Table + "; then run: {program} migrate up, which makes it again")
	}
	return "if it was renamed, name it " + strings.TrimSuffix(m.Table+"."+m.Column, ".") + " again; if it is lost, restore the database from a backup"
}
