package prove_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A ticket has a code that its owner chooses, and a number that is unique too.
type ticket struct {
	bun.BaseModel `bun:"table:tickets"`

	Code    string `bun:",pk"`
	OwnerID uuid.UUID
	Number  int64
	Open    bool
}

func (t *ticket) owner() *uuid.UUID { return &t.OwnerID }

var ticketSchema = sqldb.Migrations{Namespace: "tickets", FS: fstest.MapFS{
	"0001_tickets.tx.up.sql": {Data: []byte(`CREATE TABLE tickets (code {{text}} PRIMARY KEY, owner_id {{uuid}} NOT NULL, number {{bigint}} NOT NULL UNIQUE,
open {{if postgres}}boolean{{else}}BOOLEAN{{end}} NOT NULL);`)},
	"0001_tickets.tx.down.sql": {Data: []byte(`DROP TABLE tickets;`)},
}}

// TestBulkOfManyScopes checks that requests for several rows are exercised, without a finding, for keys that clients
// choose and for scopes of several kinds.
func TestBulkOfManyScopes(t *testing.T) {
	t.Parallel()
	type input struct {
		Code   string `json:"code" validate:"required,line,max=20"`
		Number int64  `json:"number" validate:"required"`
		Open   bool   `json:"open"`
	}
	own := framework.Own((*ticket).owner)
	open := framework.Where(func(c *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
		return q.Where("?TableAlias.open OR ?TableAlias.owner_id = ?", c.Caller.ID)
	})
	for _, c := range []struct {
		name, upsert   string
		scope, writers framework.Scope
	}{
		{"own rows by the key", "code", own, framework.Scope{}},
		{"own rows by a number", "number", own, framework.Scope{}},
		{"own rows, and all for the staff", "number", own.Unless(framework.Staff()), framework.Scope{}},
		{"rows that are open or one's own", "number", open, own},
		{"public rows that their owners change", "code", framework.Public(), own},
		{"public rows that their owners and the staff change", "number", framework.Public(), own.Unless(framework.Staff())},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			apitest.Databases(t, ticketSchema, func(t *testing.T, db *sqldb.DB) {
				report := prove(t, db, nil, framework.ViewSet[ticket]{
					Name: "tickets", Verbs: framework.CRUD[input, input](), Scope: c.scope, Writers: c.writers, Permission: framework.Authenticated(),
					Bulk:     framework.Bulk{Create: true, Patch: true, Upsert: c.upsert, Delete: true},
					Uniques:  []framework.Unique{{Fields: []string{"number"}, Code: "number_taken", Detail: "Another ticket has this number."}},
					Reserved: []string{"bulk"},
				})
				if found := slices.Concat(report.Findings, report.Unexercised); len(found) > 0 {
					t.Errorf("the findings are %v; want none", found)
				}
			})
		})
	}
}
