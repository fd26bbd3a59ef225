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

// TestForgetReads: history forget removes the paths of reads from a resource that has a record of reads and no history, and explains
// which resources it rejects.
func TestForgetReads(t *testing.T) {
	t.Parallel()
	type row struct {
		bun.BaseModel `bun:"table:marks"`

		ID string `bun:",pk"`
	}
	type view struct {
		ID string `json:"id"`
	}
	p := usersAlone()
	register := p.Register
	p.Register = func(api *framework.API, site *Site) {
		register(api, site)
		api.Register(framework.ViewSet[row]{
			Name: "marks", Verbs: framework.ReadOnly[view](), Scope: framework.Public(), Audit: framework.Reads{Permission: framework.Staff()},
		})
	}
	p.Migrations = append(p.Migrations, sqldb.Migrations{Namespace: "marks", FS: fstest.MapFS{
		"0001_marks.tx.up.sql": {Data: []byte(`CREATE TABLE marks (id {{text}} PRIMARY KEY);
INSERT INTO row_reads (request, at, caller, route, method, path)
VALUES ('0198c2f1-04bf-7c55-9a11-0f1e2d3c4b5a', '2026-11-29 09:30:00', 'ada', 'marks.list', 'GET', '/api/marks/?name=ann');
INSERT INTO row_read_keys (viewset, row_key, request) VALUES ('marks', 'a', '0198c2f1-04bf-7c55-9a11-0f1e2d3c4b5a');`)},
		"0001_marks.tx.down.sql": {Data: []byte("DROP TABLE marks")},
	}})
	onBothEmpty(t, func(t *testing.T, database string) {
		if code, said := run(t, p, "migrate up", "DATABASE_URL="+database); code != exit.OK {
			t.Fatalf("migrate up ends with %d: %s", code, said)
		}
		for _, c := range []struct {
			name, command string
			code          int
			says          string
		}{
			{"a resource that records nothing", "history forget users a", exit.Usage, `no resource "users" has a history or a record of reads; these do: marks`},
			{"a key without entries", "history forget marks b", exit.Usage, `no entry of marks has values of the key "b"`},
			{"a row that was read", "history forget marks a", exit.OK, "Removed the values from 1 entry of marks a."},
			{"the same row again", "history forget marks a", exit.Usage, `no entry of marks has values of the key "a"`},
		} {
			if code, said := run(t, p, c.command, "DATABASE_URL="+database); code != c.code || !strings.Contains(said, c.says) {
				t.Errorf("%s: %s ends with %d and says %q; want %d and %q", c.name, c.command, code, said, c.code, c.says)
			}
		}
	})
}
