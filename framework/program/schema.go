package program

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"trestle.example/framework"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/sqldb"
)

// requireSchema is an error that names what to do if a migration is pending, or if
// a table or a column of the declarations is missing all the same.
func (s *site) requireSchema(ctx context.Context, api *framework.API) error {
	if err := s.requireMigrated(ctx); err != nil {
		return err
	}
	missing, err := api.MissingColumns(ctx)
	if err != nil || len(missing) == 0 {
		return err
	}
	var lines []error
	for _, m := range missing {
		cure := "; " + s.text(addingMigration)
		if m.Nearest != "" { // the sentence ends with a question
			cure = " If not, " + s.text(addingMigration)
		}
		lines = append(lines, errors.New(strings.Join(m.For, ", ")+": "+m.String()+cure))
	}
	return exit.NeedsAction("%w", errors.Join(lines...))
}

// addingMigration is what to do about a table or a column that is missing when no
// migration is pending.
const addingMigration = "write a migration that adds it ({program} migrate new NAME), then run: {program} migrate up"

// recordCure is what to do about a table of the records of migrations that is incomplete.
// The lock holds nothing, so migrate up makes it again.
func (p Program) recordCure(m *sqldb.MissingRecord) string {
	switch {
	case m.IsLock() && m.Column == "":
		return p.text("run: {program} migrate up, which makes it again")
	case m.IsLock():
		return p.text("DROP TABLE " + m.Table + "; then run: {program} migrate up, which makes it again")
	}
	return "if it was renamed, name it " + strings.TrimSuffix(m.Table+"."+m.Column, ".") + " again; if it is lost, restore the database from a backup"
}

// missingColumns are the findings about tables and columns that the declarations
// need. Without its tables nothing else can be looked at.
func (s *site) missingColumns(ctx context.Context, api *framework.API) (complete bool, found []finding) {
	missing, err := api.MissingColumns(ctx)
	if err != nil {
		return false, s.unasked(err)
	}
	complete = true
	for _, m := range missing {
		place := m.Table
		if m.Column != "" {
			place += "." + m.Column
		} else {
			complete = false
		}
		fix := s.text(addingMigration)
		if m.Nearest != "" {
			fix = fmt.Sprintf("use %q in the model, or %s", m.Nearest, fix)
		}
		found = append(found, finding{problem, place, strings.Join(m.For, ", ") + ": " + m.String(), fix})
	}
	return complete, found
}
