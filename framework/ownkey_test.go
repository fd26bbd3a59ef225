package framework_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

func (t *Ticket) key() *int64 { return &t.ID }

// A Badge has the id of its owner as its key.
type Badge struct {
	bun.BaseModel `bun:"table:badges"`

	ID   uuid.UUID `bun:",pk"`
	Text string
}

func (b *Badge) key() *uuid.UUID { return &b.ID }

type BadgeInput struct {
	Text string `json:"text"`
}

type BadgeView struct {
	ID uuid.UUID `json:"id"`
	BadgeInput
}

var badgeSchema = sqldb.Migrations{Namespace: "badges", FS: fstest.MapFS{
	"1_badges.tx.up.sql":   {Data: []byte(`CREATE TABLE badges (id {{uuid}} PRIMARY KEY, text {{text}} NOT NULL);`)},
	"1_badges.tx.down.sql": {Data: []byte(``)},
}}

// TestWritersOfTheKey: if callers change the row whose key is their id, a new row has a key of its
// own.
func TestWritersOfTheKey(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		if err := db.Migrate(t.Context(), nil, badgeSchema); err != nil {
			t.Fatal(err)
		}
		numbers := framework.ViewSet[Ticket]{
			Name: "tickets", Verbs: framework.CRUD[TicketInput, TicketView](), Scope: framework.Public(), Writers: framework.Own((*Ticket).key),
		}
		first := desk(t, db, func(*framework.Config) {}, numbers).user("Number 1")
		for i, title := range []string{"one", "two"} {
			path := fmt.Sprintf("/api/tickets/%v/", first.post("/api/tickets/", fields{"title": title}).is(201).says(`"title":"` + title).object()["id"])
			first.get(path).is(200).says(`"title":"` + title)
			first.patch(path, fields{"title": title}).is([]int{200, 403}[i])
		}

		badges := framework.ViewSet[Badge]{
			Name: "badges", Verbs: framework.CRUD[BadgeInput, BadgeView](), Scope: framework.Public(), Writers: framework.Own((*Badge).key),
		}
		ada := serve(t, config(db), badges).as("ada")
		path := "/api/badges/" + ada.post("/api/badges/", fields{"text": "new"}).is(201).id() + "/"
		ada.patch(path, fields{"text": "mine"}).refuses(403, "not_yours")
	})
}

// TestScopeOfTheKey: if the caller's row is the one whose key is the caller's id, a new row has this
// key.
func TestScopeOfTheKey(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		if err := db.Migrate(t.Context(), nil, badgeSchema); err != nil {
			t.Fatal(err)
		}
		v := framework.ViewSet[Badge]{Name: "badge", Single: true, Scope: framework.Own((*Badge).key)}
		v.Verbs.Retrieve, v.Verbs.Update = framework.Shows[BadgeView](), framework.Accepts[BadgeInput, BadgeView]()
		api := serve(t, config(db), v)
		ada, bob := api.as("ada"), api.as("bob")
		ada.put("/api/badge/", fields{"text": "first"}).is(201)
		ada.put("/api/badge/", fields{"text": "second"}).is(200)
		ada.get("/api/badge/").is(200).says("second")
		bob.get("/api/badge/").refuses(404, "not_found")
		api.put("/api/badge/", fields{"text": "x"}).refuses(401, "authentication_required")
	})
}
