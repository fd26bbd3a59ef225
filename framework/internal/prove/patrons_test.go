package prove_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A Patron is a user: its key is the id of a caller.
type Patron struct {
	ID   uuid.UUID `bun:",pk"`
	Name string
	Mail string
}

func (m *Patron) self() *uuid.UUID { return &m.ID }

var patronSchema = sqldb.Migrations{Namespace: "patrons", FS: fstest.MapFS{
	"0001_patrons.tx.up.sql":   {Data: []byte(`CREATE TABLE patrons ({{id}}, name {{text}} NOT NULL, mail {{text}} NOT NULL);`)},
	"0001_patrons.tx.down.sql": {Data: []byte(`DROP TABLE patrons;`)},
}}

// TestRowsOfTheCallers: no request makes the rows of the users, which the viewsets only show. Each caller but the first has one.
func TestRowsOfTheCallers(t *testing.T) {
	t.Parallel()
	type entry struct {
		ID   uuid.UUID `json:"id"`
		Name string    `json:"name"`
	}
	type whole struct {
		ID   uuid.UUID `json:"id"`
		Name string    `json:"name"`
		Mail string    `json:"mail"`
	}
	for name, careless := range map[string]bool{"the server": false, "a server whose action shows the mail of each member": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onDatabases(t, patronSchema, func(t *testing.T, db *sqldb.DB) {
				g := &guests{}
				signIn := func(ctx context.Context, k framework.ProofCaller) (http.Header, *framework.Caller, error) {
					header, caller, err := g.signIn(ctx, k)
					if err == nil && k.Name != "owner" {
						id := framework.IDOf[uuid.UUID](&framework.Call{Caller: caller})
						_, err = db.Session().IDB().NewInsert().Model(&Patron{id, "member " + id.String(), id.String() + "@example.com"}).Exec(ctx)
					}
					return header, caller, err
				}
				show := framework.Get("contact", func(c *framework.Call, m *Patron, _ framework.None) (whole, error) {
					if !careless && m.ID != framework.IDOf[uuid.UUID](c) {
						return whole{}, framework.NotFound()
					}
					return whole(*m), nil
				})
				report := proveWith(t, db, g, signIn, nil,
					framework.ViewSet[Patron]{Name: "directory", Verbs: framework.ReadOnly[entry](), Scope: framework.Public(), Actions: []framework.Action[Patron]{show.Permit(framework.Authenticated())}},
					framework.ViewSet[Patron]{Name: "me", Verbs: framework.ReadOnly[whole](), Scope: framework.Own((*Patron).self), Permission: framework.Authenticated()},
				)
				if careless {
					finds(t, report, "GET /api/directory/{id}/contact/", "which is of a row or a field that is not theirs")
				} else if found := slices.Concat(report.Findings, report.Unexercised); len(found) > 0 {
					t.Errorf("the findings are %v; want none", found)
				}
			})
		})
	}
}
