package program

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

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

// TestDoctorOfSoftDeletion: doctor reports a unique index that has deleted rows too, with the index that leaves them out. After that
// migration it reports nothing.
func TestDoctorOfSoftDeletion(t *testing.T) {
	t.Parallel()
	type row struct {
		bun.BaseModel `bun:"table:marks"`

		ID        string `bun:",pk"`
		Name      string
		DeletedAt time.Time `bun:",soft_delete,nullzero"`
	}
	type view struct {
		Name string `json:"name"`
	}
	p := usersAlone()
	register := p.Register
	p.Register = func(api *framework.API, site *Site) {
		register(api, site)
		api.Register(framework.ViewSet[row]{
			Name: "marks", Verbs: framework.Verbs{Retrieve: framework.Shows[view](), Delete: framework.Deletes()}, Scope: framework.Public(),
			SoftDelete: framework.SoftDelete{Restore: framework.Authenticated()},
		})
	}
	files := fstest.MapFS{
		"0001_marks.tx.up.sql":   {Data: []byte("CREATE TABLE marks (id {{text}} PRIMARY KEY, name {{text}} NOT NULL, deleted_at {{timestamp}});\nCREATE UNIQUE INDEX marks_name ON marks (name);")},
		"0001_marks.tx.down.sql": {Data: []byte("DROP TABLE marks")},
	}
	p.Migrations = append(p.Migrations, sqldb.Migrations{Namespace: "marks", FS: files})
	const create = `CREATE UNIQUE INDEX IF NOT EXISTS "marks_name_present" ON "marks" ("name") WHERE "deleted_at" IS NULL;`
	onBothEmpty(t, func(t *testing.T, database string) {
		p := p
		for _, c := range []struct {
			name  string
			code  int
			says  []string
			lacks string
		}{
			{"an index of all rows", exit.Failure, []string{
				`marks: the unique index "marks_name" of "marks" (name) has deleted rows too, so their values cannot be used again`, "fix: write a migration that drops it and makes another one: " + create,
			}, ""},
			{"the index of that migration", exit.OK, nil, "deleted rows"},
		} {
			if c.code == exit.OK {
				later := maps.Clone(files)
				later["0002_present.tx.up.sql"] = &fstest.MapFile{Data: []byte("DROP INDEX marks_name;\n" + create)}
				later["0002_present.tx.down.sql"] = &fstest.MapFile{Data: []byte("DROP INDEX marks_name_present;")}
				p.Migrations = append(slices.Clone(p.Migrations[:len(p.Migrations)-1]), sqldb.Migrations{Namespace: "marks", FS: later})
			}
			if code, said := run(t, p, "migrate up", "DATABASE_URL="+database); code != exit.OK {
				t.Fatalf("%s: migrate up ends with %d: %s", c.name, code, said)
			}
			code, said := run(t, p, "doctor", "DATABASE_URL="+database)
			if code != c.code || c.lacks != "" && strings.Contains(said, c.lacks) {
				t.Errorf("%s: doctor ends with %d, want %d: %s", c.name, code, c.code, said)
			}
			for _, want := range c.says {
				if !strings.Contains(said, want) {
					t.Errorf("%s: doctor says %q; want %q", c.name, said, want)
				}
			}
		}
	})
}
