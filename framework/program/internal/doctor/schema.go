package doctor

import (
	"context"
	"fmt"
	"strings"

	"trestle.example/framework"
	"trestle.example/framework/program/internal/site"
)

// findMissingColumns returns the findings about missing tables and columns. It reports
// whether all tables exist.
func findMissingColumns(ctx context.Context, s *site.Site, apis []*framework.API) (complete bool, found []Finding) {
	missing, err := s.MissingColumns(ctx, apis...)
	if err != nil {
		return false, describeUnchecked(s.Project, err)
	}
	complete = true
	others := s.UnknownMigrations(ctx)
	for _, m := range missing {
		place := m.Table
		if m.Column != "" {
			place += "." + m.Column
		} else {
			complete = false
		}
		fix := s.CureMissing(m, others)
		if m.Nearest != "" {
			fix = fmt.Sprintf("use %q in the model; if not: %s", m.Nearest, fix)
		}
		found = append(found, Finding{problem, place, strings.Join(m.For, ", ") + ": " + m.String(), fix})
	}
	return complete, found
}

// findMissingChecks returns the findings about constraints that the declarations name.
func findMissingChecks(ctx context.Context, s *site.Site, apis []*framework.API) (found []Finding) {
	for _, api := range apis {
		missing, err := api.MissingChecks(ctx)
		if err != nil {
			return append(found, describeUnchecked(s.Project, err)...)
		}
		for _, m := range missing {
			fix := "name the constraint in Checks as the schema does, or write a migration that adds it: CONSTRAINT " + m.Constraint + " CHECK (...)"
			found = append(found, Finding{problem, m.Table, m.For + ": " + m.String(), fix})
		}
	}
	return found
}

// findWideUniques returns the findings about unique indexes that have deleted rows too.
func findWideUniques(ctx context.Context, s *site.Site, apis []*framework.API) (found []Finding) {
	for _, api := range apis {
		wide, err := api.WideUniques(ctx)
		if err != nil {
			return append(found, describeUnchecked(s.Project, err)...)
		}
		for _, w := range wide {
			found = append(found, Finding{problem, w.Table, w.For + ": " + w.String(), "write a migration that drops it and makes another one: " + w.Create})
		}
	}
	return found
}
