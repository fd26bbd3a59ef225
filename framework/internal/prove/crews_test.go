package prove_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A Crew is seen by those who have a seat in it.
type Crew struct {
	bun.BaseModel `bun:"table:crews"`

	ID   uuid.UUID `bun:",pk"`
	Name string
}

// A Seat is that of a user in a crew. Who may see the crew sees its seats.
type Seat struct {
	bun.BaseModel `bun:"table:seats"`

	ID     uuid.UUID `bun:",pk"`
	CrewID uuid.UUID
	UserID uuid.UUID
	Task   string

	Crew *Crew `bun:"rel:belongs-to,join:crew_id=id"`
}

type crewInput struct {
	Name string `json:"name" validate:"required,max=60"`
}

type crewView struct {
	ID uuid.UUID `json:"id"`
	crewInput
}

type seatInput struct {
	Task string `json:"task" validate:"required,max=60"`
}

type seatView struct {
	ID uuid.UUID `json:"id"`
	seatInput
}

var crewSchema = sqldb.Migrations{Namespace: "crews", FS: fstest.MapFS{
	"1_crews.tx.up.sql": {Data: []byte(`
CREATE TABLE crews ({{id}}, name {{text}} NOT NULL);
CREATE TABLE seats ({{id}}, crew_id {{uuid}} NOT NULL REFERENCES crews (id) ON DELETE CASCADE, user_id {{uuid}} NOT NULL, task {{text}} NOT NULL);
`)},
	"1_crews.tx.down.sql": {Data: []byte("DROP TABLE seats;\nDROP TABLE crews;\n")},
}}

// aboard are the crews in which the caller has a seat.
func aboard(c *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
	return q.Where("?TableAlias.id IN (?)", c.DB.NewSelect().Table("seats").Column("crew_id").Where("user_id = ?", c.Caller.ID))
}

// crews is a program whose rows below rows of a Where end with a row above, or with the caller's own seat.
// The action leave deletes seats in the crew by a condition.
func crews(condition string) []framework.Resource {
	seat := func(c *framework.Call, made *Crew, _ crewInput) error {
		return framework.Insert(c, &Seat{CrewID: made.ID, UserID: framework.IDOf[uuid.UUID](c), Task: "captain"})
	}
	own := func(c *framework.Call, made *Seat, _ seatInput) error {
		made.UserID = framework.IDOf[uuid.UUID](c)
		return nil
	}
	leave := func(c *framework.Call, from *Crew, _ framework.None) (framework.None, error) {
		_, err := c.DB.NewDelete().Table("seats").Where(condition, from.ID, c.Caller.ID).Exec(c)
		return framework.None{}, err
	}
	signedIn, byID := framework.Authenticated(), framework.Ordering{Default: "id"}
	return []framework.Resource{
		framework.ViewSet[Crew]{
			Name: "crews", Scope: framework.Where(aboard), Permission: signedIn, Ordering: byID,
			Verbs: framework.Verbs{
				List: framework.Shows[crewView](), Retrieve: framework.Shows[crewView](), Create: framework.FillsThen[crewView](nil, seat), Delete: framework.Deletes(),
			},
			Actions: []framework.Action[Crew]{framework.Post("leave", leave)},
		},
		framework.ViewSet[Seat]{
			Name: "seats", Parent: framework.Child("crew", "crews"), Scope: framework.Public(), Permission: signedIn, Ordering: byID,
			Verbs: framework.Verbs{List: framework.Shows[seatView](), Create: framework.Fills[seatView](own), Delete: framework.Deletes()},
		},
	}
}

// TestCrews: callers who end their membership, or the row that it is about, change rows that they see. A
// function that also ends those of other crews changes rows that they do not see.
func TestCrews(t *testing.T) {
	t.Parallel()
	onDatabases(t, crewSchema, func(t *testing.T, db *sqldb.DB) {
		report := prove(t, db, nil, crews("crew_id = ? AND user_id = ?")...)
		for _, f := range append(report.Findings, report.Unexercised...) {
			t.Errorf("%s", f)
		}
	})
	onDatabases(t, crewSchema, func(t *testing.T, db *sqldb.DB) {
		report := prove(t, db, nil, crews("crew_id <> ? AND user_id <> ?")...)
		finds(t, report, "POST /api/crews/{id}/leave/", "it changes a row of seats that is not theirs")
	})
}

// finds fails unless a report has a finding with a text at an endpoint.
func finds(t *testing.T, report *framework.Proof, where, what string) {
	t.Helper()
	for _, f := range report.Findings {
		if f.Method+" "+f.Path == where && strings.Contains(f.What, what) {
			return
		}
	}
	t.Errorf("no finding is %q at %s; there are %d: %v", what, where, len(report.Findings), report.Findings)
}
