package index

import (
	"context"
	"fmt"
	"slices"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/store"
)

// A MissingCheck is a constraint that a viewset gives a code, and that the database lacks.
type MissingCheck struct {
	// For is the path of the viewset.
	For        string
	Code       string
	Table      string
	Constraint string
	// Nearest is the name of a constraint of the table that was probably meant, "" for none.
	Nearest string
}

// String describes what is missing: `the table "books" has no constraint "pages_san" (too_long); did you mean
// "pages_sane"?`. The question is absent if Nearest is "".
func (m MissingCheck) String() string {
	text := fmt.Sprintf("the table %q has no constraint %q (%s)", m.Table, m.Constraint, m.Code)
	if m.Nearest == "" {
		return text
	}
	return text + fmt.Sprintf("; did you mean %q?", m.Nearest)
}

// MissingChecks lists the constraints that the declarations give codes and the database lacks.
func (a Indexer) MissingChecks(ctx context.Context) (missing []MissingCheck, err error) {
	for _, r := range a.Resources {
		if len(r.Checks) == 0 {
			continue
		}
		names, err := a.DB.Checks(ctx, r.Table.Name)
		if err != nil {
			return nil, err
		}
		for _, k := range r.Checks {
			if !slices.ContainsFunc(names, func(name string) bool { return store.SameName(a.DB.Kind(), name, k.Constraint) }) {
				missing = append(missing, MissingCheck{r.Path, k.Code, r.Table.Name, k.Constraint, naming.Nearest(k.Constraint, names)})
			}
		}
	}
	return missing, nil
}
