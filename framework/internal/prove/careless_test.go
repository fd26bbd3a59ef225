package prove_test

import (
	"net/http"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A Firm receives bids of several callers.
type Firm struct {
	bun.BaseModel `bun:"table:firms"`

	ID   uuid.UUID `bun:",pk"`
	Name string
}

type Bid struct {
	bun.BaseModel `bun:"table:bids"`

	ID      uuid.UUID `bun:",pk"`
	OwnerID uuid.UUID
	FirmID  uuid.UUID
	Phone   string
	Code    string
	Done    bool
	State   string
}

func (b *Bid) owner() *uuid.UUID { return &b.OwnerID }

// A BidNote is below a bid.
type BidNote struct {
	bun.BaseModel `bun:"table:bid_notes"`

	ID    uuid.UUID `bun:",pk"`
	BidID uuid.UUID
	Text  string

	Bid *Bid `bun:"rel:belongs-to,join:bid_id=id"`
}

type Sticker struct {
	bun.BaseModel `bun:"table:stickers"`

	ID      uuid.UUID `bun:",pk"`
	OwnerID uuid.UUID
	Name    string
}

func (s *Sticker) owner() *uuid.UUID { return &s.OwnerID }

var bidSchema = sqldb.Migrations{Namespace: "bids", FS: fstest.MapFS{
	"1_bids.tx.up.sql": {Data: []byte(`CREATE TABLE firms ({{id}}, name {{text}} NOT NULL);
CREATE TABLE bids ({{id}}, owner_id {{uuid}} NOT NULL, firm_id {{uuid}} NOT NULL REFERENCES firms (id), phone {{text}} NOT NULL UNIQUE,
	code {{text}} NOT NULL UNIQUE, done {{bool}} NOT NULL, state {{text}} NOT NULL);
CREATE TABLE bid_notes ({{id}}, bid_id {{uuid}} NOT NULL REFERENCES bids (id) ON DELETE CASCADE, text {{text}} NOT NULL);
CREATE TABLE stickers ({{id}}, owner_id {{uuid}} NOT NULL, name {{text}} NOT NULL, UNIQUE (owner_id, name))`)},
	"1_bids.tx.down.sql": {Data: []byte(`DROP TABLE stickers; DROP TABLE bid_notes; DROP TABLE bids; DROP TABLE firms`)},
}}

// bids serves bids, with functions that keep to the rows of the caller unless they are careless.
func bids(careless bool) []framework.Resource {
	type named struct {
		Name string `json:"name" validate:"required,max=100"`
	}
	type shownName struct {
		ID   uuid.UUID `json:"id"`
		Name string    `json:"name"`
	}
	type input struct {
		FirmID uuid.UUID `json:"firm"  validate:"required"                                ref:"firms"`
		Phone  string    `json:"phone" validate:"required,e164"`
		Code   string    `json:"code"  validate:"required,startswith=DE,len=12,uppercase" example:"DEABCDEFGHIJ"`
		Done   bool      `json:"done"`
	}
	type view struct {
		ID    uuid.UUID `json:"id"`
		State string    `json:"state"`
		input
	}
	type note struct {
		Text string `json:"text" validate:"required,max=100"`
	}
	type keys struct {
		IDs []uuid.UUID `json:"ids" validate:"max=5"`
	}
	type into struct {
		Into uuid.UUID `json:"into" validate:"required"`
	}
	own := func(c *framework.Call, q bun.QueryBuilder) {
		if !careless {
			q.Where("owner_id = ?", c.Caller.ID)
		}
	}
	closeOthers := framework.Post("close_others", func(c *framework.Call, b *Bid, _ framework.None) (framework.None, error) {
		q := c.DB.NewUpdate().Table("bids").Set("state = ?", "closed").Where("id <> ? AND firm_id = ?", b.ID, b.FirmID)
		own(c, q.QueryBuilder())
		_, err := q.Exec(c)
		return framework.None{}, err
	})
	merge := framework.Post("merge", func(c *framework.Call, b *Bid, in into) (framework.None, error) {
		if !careless {
			if _, err := framework.FindOne[view](c, "bids", in.Into); err != nil {
				return framework.None{}, framework.NotFound()
			}
		}
		_, err := c.DB.NewUpdate().Table("bid_notes").Set("bid_id = ?", in.Into).Where("bid_id = ?", b.ID).Exec(c)
		return framework.None{}, err
	})
	decide := func(state string) framework.Action[Bid] {
		return framework.Post(state, func(c *framework.Call, b *Bid, _ framework.None) (framework.None, error) {
			if b.State == "accepted" || b.State == "declined" {
				return framework.None{}, framework.Conflict(framework.CodeConflict, "The bid is decided.")
			}
			b.State = state
			return framework.None{}, framework.Save(c, b)
		})
	}
	finish := framework.OnCollection(http.MethodPost, "finish", func(c *framework.Call, in keys) (framework.None, error) {
		q := c.DB.NewUpdate().Table("bids").Set("done = ?", true).Where("id IN (?)", bun.List(append(in.IDs, uuid.Nil)))
		own(c, q.QueryBuilder())
		_, err := q.Exec(c)
		return framework.None{}, err
	})
	stick := framework.Does(func(c *framework.Call, in named) (shownName, error) {
		one := Sticker{Name: in.Name}
		q := c.DB.NewSelect().Model(&one).Where("name = ?", in.Name).Limit(1)
		own(c, q.QueryBuilder())
		if err := q.Scan(c); err == nil {
			return shownName{one.ID, one.Name}, nil
		}
		if err := framework.Insert(c, &one); err != nil {
			return shownName{}, err
		}
		return shownName{one.ID, one.Name}, nil
	})
	return []framework.Resource{
		framework.ViewSet[Firm]{Name: "firms", Verbs: framework.CRUD[named, shownName](), Scope: framework.Public(), Permission: framework.OrReadOnly(framework.Holds("firms.edit"))},
		framework.ViewSet[Bid]{
			Name: "bids", Verbs: framework.CRUD[input, view](), Scope: framework.Own((*Bid).owner), Permission: framework.Authenticated(),
			Actions:    []framework.Action[Bid]{closeOthers, merge, decide("accepted"), decide("declined")},
			Collection: []framework.CollectionAction{finish},
		},
		framework.ViewSet[BidNote]{Name: "notes", Parent: framework.Child("bid", "bids"), Scope: framework.Public(), Verbs: framework.CRUD[note, struct {
			ID   uuid.UUID `json:"id"`
			Text string    `json:"text"`
		}]()},
		framework.ViewSet[Sticker]{Name: "stickers", Verbs: framework.Verbs{List: framework.Shows[shownName](), Create: stick}, Scope: framework.Own((*Sticker).owner), Permission: framework.Authenticated()},
	}
}

// TestCarelessFunctions: functions that forget the owner of the rows that they find by a foreign key, by keys of the body or by
// a text. Without this mistake there is no finding, although the rules of two unique columns have no pattern.
func TestCarelessFunctions(t *testing.T) {
	for _, careless := range []bool{false, true} {
		apitest.Databases(t, bidSchema, func(t *testing.T, db *sqldb.DB) {
			report := prove(t, db, nil, bids(careless)...)
			if !careless {
				if found := slices.Concat(report.Findings, report.Unexercised); len(found) > 0 {
					t.Errorf("the findings are %v; want none", found)
				}
				return
			}
			finds(t, report, "POST /api/bids/{id}/close_others/", "it changes a row of bids that is not theirs")
			finds(t, report, "POST /api/bids/finish/", "it changes a row of bids that is not theirs")
			finds(t, report, "POST /api/bids/{id}/merge/", "with the key of another's row of bids at /into")
			finds(t, report, "POST /api/stickers/", "which is of a row or a field that is not theirs")
		})
	}
}
