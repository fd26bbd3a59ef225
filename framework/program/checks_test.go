package program

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/sqldb"
)

// TestDoctorOfConstraints: doctor reports a constraint of Checks that the schema does not have.
func TestDoctorOfConstraints(t *testing.T) {
	t.Parallel()
	type row struct {
		bun.BaseModel `bun:"table:marks"`

		ID   string `bun:",pk"`
		Name string
	}
	type view struct {
		Name string `json:"name"`
	}
	p := usersAlone()
	register := p.Register
	p.Register = func(api *framework.API, site *Site) {
		register(api, site)
		api.Register(framework.ViewSet[row]{
			Name: "marks", Verbs: framework.ReadOnly[view](), Scope: framework.Public(),
			Checks: []framework.Check{
				{Constraint: "marks_name", Code: "bad_name", Detail: "The name is reserved."},
				{Constraint: "marks_nam", Code: "no_name", Detail: "A name is needed."},
			},
		})
	}
	p.Migrations = append(p.Migrations, sqldb.Migrations{Namespace: "marks", FS: fstest.MapFS{
		"0001_marks.tx.up.sql":   {Data: []byte("CREATE TABLE marks (id {{text}} PRIMARY KEY, name {{text}} CONSTRAINT marks_name CHECK (name <> 'none'))")},
		"0001_marks.tx.down.sql": {Data: []byte("DROP TABLE marks")},
	}})
	onBothEmpty(t, func(t *testing.T, database string) {
		if code, said := run(t, p, "migrate up", "DATABASE_URL="+database); code != exit.OK {
			t.Fatalf("migrate up ends with %d: %s", code, said)
		}
		code, said := run(t, p, "doctor", "DATABASE_URL="+database)
		for _, want := range []string{`marks: the table "marks" has no constraint "marks_nam" (no_name); did you mean "marks_name"?`, "CONSTRAINT marks_nam CHECK (...)"} {
			if code != exit.Failure || !strings.Contains(said, want) {
				t.Errorf("doctor ends with %d and says %q; want %q", code, said, want)
			}
		}
		if strings.Contains(said, "marks_name\" (") {
			t.Errorf("doctor reports a constraint that is there: %q", said)
		}
	})
}
