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

	Files []*BidFile `bun:"rel:has-many,join:id=bid_id"`
	Marks []*Mark    `bun:"m2m:bid_marks,join:Bid=Mark"`
}

// A BidFile is a part of a bid, which no viewset serves.
type BidFile struct {
	bun.BaseModel `bun:"table:bid_files"`

	ID    uuid.UUID `bun:",pk"`
	BidID uuid.UUID
	Name  string
}

// A Mark is a word of a catalogue, which a bid may make.
type Mark struct {
	bun.BaseModel `bun:"table:marks"`

	ID   uuid.UUID `bun:",pk"`
	Name string
}

type BidMark struct {
	bun.BaseModel `bun:"table:bid_marks"`

	BidID  uuid.UUID `bun:",pk"`
	Bid    *Bid      `bun:"rel:belongs-to,join:bid_id=id"`
	MarkID uuid.UUID `bun:",pk"`
	Mark   *Mark     `bun:"rel:belongs-to,join:mark_id=id"`
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

// A Demand refers to a firm, as bids do.
type Demand struct {
	bun.BaseModel `bun:"table:demands"`

	ID      uuid.UUID `bun:",pk"`
	OwnerID uuid.UUID
	FirmID  uuid.UUID
	Text    string
}

func (c *Demand) owner() *uuid.UUID { return &c.OwnerID }

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
CREATE TABLE bid_files ({{id}}, bid_id {{uuid}} NOT NULL REFERENCES bids (id) ON DELETE CASCADE, name {{text}} NOT NULL);
CREATE TABLE marks ({{id}}, name {{text}} NOT NULL UNIQUE);
CREATE TABLE bid_marks (bid_id {{uuid}} NOT NULL REFERENCES bids (id) ON DELETE CASCADE, mark_id {{uuid}} NOT NULL REFERENCES marks (id), PRIMARY KEY (bid_id, mark_id));
CREATE TABLE bid_notes ({{id}}, bid_id {{uuid}} NOT NULL REFERENCES bids (id) ON DELETE CASCADE, text {{text}} NOT NULL);
CREATE TABLE demands ({{id}}, owner_id {{uuid}} NOT NULL, firm_id {{uuid}} NOT NULL REFERENCES firms (id), text {{text}} NOT NULL);
CREATE TABLE stickers ({{id}}, owner_id {{uuid}} NOT NULL, name {{text}} NOT NULL, UNIQUE (owner_id, name))`)},
	"1_bids.tx.down.sql": {Data: []byte(`DROP TABLE stickers; DROP TABLE demands; DROP TABLE bid_notes; DROP TABLE bid_marks; DROP TABLE marks; DROP TABLE bid_files; DROP TABLE bids; DROP TABLE firms`)},
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
		Files  []named   `json:"files" to:"files"`
		Marks  []string  `json:"marks" to:"marks.name,create"`
	}
	type view struct {
		ID     uuid.UUID `json:"id"`
		FirmID uuid.UUID `json:"firm"`
		State  string    `json:"state"`
		Done   bool      `json:"done"`
		Phone  string    `json:"phone"`
		Code   string    `json:"code"`
		Files  []string  `json:"files" from:"files.name"`
		Marks  []string  `json:"marks" from:"marks.name"`
	}
	type note struct {
		Text string `json:"text" validate:"required,max=100"`
	}
	type demand struct {
		FirmID uuid.UUID `json:"firm" validate:"required"         ref:"firms"`
		Text   string    `json:"text" validate:"required,max=100"`
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
	// take puts files of other bids below the bid.
	take := framework.Post("take", func(c *framework.Call, b *Bid, in keys) (framework.None, error) {
		q := c.DB.NewUpdate().Table("bid_files").Set("bid_id = ?", b.ID).Where("id IN (?)", bun.List(append(in.IDs, uuid.Nil)))
		if !careless {
			q = q.Where("bid_id IN (?)", c.DB.NewSelect().Table("bids").Column("id").Where("owner_id = ?", c.Caller.ID))
		}
		_, err := q.Exec(c)
		return framework.None{}, err
	})
	dismiss := framework.Post("dismiss", func(c *framework.Call, f *Firm, _ framework.None) (framework.None, error) {
		q := c.DB.NewUpdate().Table("bids").Set("done = ?", true).Where("firm_id = ? AND NOT done", f.ID)
		own(c, q.QueryBuilder())
		_, err := q.Exec(c)
		return framework.None{}, err
	})
	settle := framework.Post("settle", func(c *framework.Call, b *Bid, _ framework.None) (framework.None, error) {
		q := c.DB.NewUpdate().Table("demands").Set("text = ?", "settled").Where("firm_id = ?", b.FirmID)
		own(c, q.QueryBuilder())
		_, err := q.Exec(c)
		return framework.None{}, err
	})
	withdraw := framework.Post("withdraw", func(c *framework.Call, b *Bid, _ framework.None) (framework.None, error) {
		if b.Done {
			return framework.None{}, framework.Conflict(framework.CodeConflict, "The bid is done.")
		}
		b.Done = true
		return framework.None{}, framework.Save(c, b)
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
		framework.ViewSet[Firm]{Name: "firms", Verbs: framework.CRUD[named, shownName](), Scope: framework.Public(), Permission: framework.OrReadOnly(framework.Holds("firms.edit")), Actions: []framework.Action[Firm]{dismiss.Permit(framework.Authenticated())}},
		framework.ViewSet[Mark]{Name: "marks", Verbs: framework.CRUD[named, shownName](), Scope: framework.Public(), Permission: framework.OrReadOnly(framework.Holds("marks.edit"))},
		framework.ViewSet[Bid]{
			Name: "bids", Verbs: framework.CRUD[input, view](), Scope: framework.Own((*Bid).owner), Permission: framework.Authenticated(),
			Actions:    []framework.Action[Bid]{closeOthers, merge, take, settle, withdraw, decide("accepted"), decide("declined")},
			Collection: []framework.CollectionAction{finish}, Models: []any{(*BidMark)(nil)},
			Relations: framework.Relations{"files": framework.OfRow, "marks": "marks"},
		},
		framework.ViewSet[BidNote]{Name: "notes", Parent: framework.Child("bid", "bids"), Scope: framework.Public(), Verbs: framework.CRUD[note, struct {
			ID   uuid.UUID `json:"id"`
			Text string    `json:"text"`
		}]()},
		framework.ViewSet[Demand]{Name: "demands", Scope: framework.Own((*Demand).owner), Permission: framework.Authenticated(), Verbs: framework.CRUD[demand, struct {
			ID   uuid.UUID `json:"id"`
			Text string    `json:"text"`
		}]()},
		framework.ViewSet[Sticker]{Name: "stickers", Verbs: framework.Verbs{List: framework.Shows[shownName](), Create: stick}, Scope: framework.Own((*Sticker).owner), Permission: framework.Authenticated()},
	}
}

// TestCarelessFunctions: functions that forget the owner of the rows that they find by a foreign key, by keys of the body or by
// a text. Without this mistake there is no finding, although the rules of two unique columns have no pattern, a word that bids
// use cannot be deleted, and an action rejects bids that their body has made done.
func TestCarelessFunctions(t *testing.T) {
	t.Parallel()
	for _, careless := range []bool{false, true} {
		onDatabases(t, bidSchema, func(t *testing.T, db *sqldb.DB) {
			report := prove(t, db, nil, bids(careless)...)
			if !careless {
				if found := slices.Concat(report.Findings, report.Unexercised); len(found) > 0 {
					t.Errorf("the findings are %v; want none", found)
				}
				return
			}
			finds(t, report, "POST /api/bids/{id}/close_others/", "it changes a row of bids that is not theirs")
			finds(t, report, "POST /api/firms/{id}/dismiss/", "it changes a row of bids that is not theirs")
			finds(t, report, "POST /api/bids/{id}/settle/", "it changes a row of demands that is not theirs")
			finds(t, report, "POST /api/bids/{id}/take/", "it changes a row of bid_files that is not theirs")
			finds(t, report, "POST /api/bids/finish/", "it changes a row of bids that is not theirs")
			finds(t, report, "POST /api/bids/{id}/merge/", "with the key of another's row of bids at /into")
			finds(t, report, "POST /api/stickers/", "which is of a row or a field that is not theirs")
		})
	}
}
