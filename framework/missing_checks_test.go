package framework_test

import (
	"fmt"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// TestMissingChecks lists the constraints that Checks names and the table lacks.
func TestMissingChecks(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		script(t, db, `CREATE TABLE racks ({{id}}, name {{text}} NOT NULL UNIQUE, smallest {{bigint}} NOT NULL,
			largest {{bigint}} NOT NULL CONSTRAINT racks_not_huge CHECK (largest < 1000), CONSTRAINT "in order" CHECK (smallest <= largest));
			CREATE TABLE boards ({{id}}, mark {{text}} CONSTRAINT boards_mark CHECK (mark <> ''))`)
		api := framework.New(config(db))
		api.Register(framework.ViewSet[Rack]{
			Name: "racks", Scope: framework.Public(), Verbs: framework.ReadOnly[RackView](),
			Checks: []framework.Check{
				{Constraint: "in order", Code: "not_in_order", Detail: "Smallest must be at most largest."},
				{Constraint: "racks_not_huge", Code: "too_huge", Detail: "It is too large."},
				{Constraint: "racks_not_hug", Code: "too_large", Detail: "It is too large."},
				{Constraint: "boards_mark", Code: "bad_mark", Detail: "This mark is reserved."},
			},
		})
		if err := api.Check(); err != nil {
			t.Fatal(err)
		}
		missing, err := api.MissingChecks(t.Context())
		want := `[the table "racks" has no constraint "racks_not_hug" (too_large); did you mean "racks_not_huge"? ` +
			`the table "racks" has no constraint "boards_mark" (bad_mark)]`
		if got := fmt.Sprint(missing); err != nil || got != want {
			t.Errorf("%s, %v; want %s", got, err, want)
		}
	})
}
