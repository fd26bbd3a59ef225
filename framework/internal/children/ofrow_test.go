package children_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A kit has pieces without a viewset. The program makes each of their values.
type kit struct {
	bun.BaseModel `bun:"table:kits"`

	ID     uuid.UUID `bun:",pk"`
	Name   string
	Pieces []*piece `bun:"rel:has-many,join:id=kit_id"`
}

type piece struct {
	bun.BaseModel `bun:"table:pieces"`

	ID      uuid.UUID `bun:",pk"`
	KitID   uuid.UUID
	SKU     string
	ShelfID *int64
	Amount  int64
}

type kitInput struct {
	Name   string       `json:"name"`
	Pieces []pieceInput `json:"pieces" to:"pieces"`
}

type pieceInput struct {
	SKU     string `json:"sku" validate:"required"`
	ShelfID *int64 `json:"shelf"`
	Amount  int64  `json:"amount" default:"1"`
}

var kitTables = sqldb.Migrations{Namespace: "kits", FS: fstest.MapFS{
	"1_kits.tx.up.sql": {Data: []byte(`
CREATE TABLE kits ({{id}}, name {{text}} NOT NULL);
CREATE TABLE shelves (id {{bigint}} PRIMARY KEY);
CREATE TABLE pieces ({{id}}, kit_id {{uuid}} NOT NULL REFERENCES kits (id), sku {{text}} NOT NULL UNIQUE,
	shelf_id {{bigint}} REFERENCES shelves (id), amount {{bigint}} NOT NULL CONSTRAINT pieces_some CHECK (amount > 0));`)},
	"1_kits.tx.down.sql": {Data: []byte(``)},
}}

func kits() framework.ViewSet[kit] {
	return framework.ViewSet[kit]{
		Name: "kits", Verbs: framework.CRUD[kitInput, named](), Scope: framework.Public(),
		Relations: framework.Relations{"pieces": framework.OfRow},
	}
}

// TestConstraintsOfRows: an error of a constraint names the item, also if no viewset serves the
// rows, and whether one row is new or several are.
func TestConstraintsOfRows(t *testing.T) {
	apitest.Databases(t, kitTables, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, apitest.Config(db), kits())
		ada := apitest.As(c, "ada")
		ada.Post("/api/kits/", `{"name":"first","pieces":[{"sku":"a"}]}`).Expect(201)
		for name, test := range map[string]struct{ pieces, want, detail string }{
			"the value of another kit":             {`[{"sku":"a"}]`, "409 not_unique /pieces/0/sku not_unique", ""},
			"the value of another kit, of several": {`[{"sku":"b"},{"sku":"a"}]`, "409 not_unique /pieces/1/sku not_unique", ""},
			"a value twice":                        {`[{"sku":"b"},{"sku":"c"},{"sku":"b"}]`, "409 not_unique /pieces/2/sku not_unique", ""},
			"a reference":                          {`[{"sku":"b","shelf":7}]`, "409 conflict /pieces/0/shelf invalid_reference", ""},
			"a reference, of several":              {`[{"sku":"b"},{"sku":"c","shelf":7}]`, "409 conflict /pieces/1/shelf invalid_reference", ""},
			"a check":                              {`[{"sku":"b","amount":0}]`, "409 conflict", "the values of /pieces/0 together"},
			"a check, of several":                  {`[{"sku":"b"},{"sku":"c","amount":0}]`, "409 conflict", "the values of /pieces/1 together"},
		} {
			t.Run(name, func(t *testing.T) {
				r := ada.On(t).Post("/api/kits/", `{"name":"second","pieces":`+test.pieces+`}`).Contains(test.detail)
				if got := outcome(t, r); got != test.want {
					t.Errorf("got  %s\nwant %s", got, test.want)
				}
				if n := apitest.Count(t, db, "kits"); n != 1 {
					t.Errorf("the rejected request left %d kits; want 1", n)
				}
			})
		}
	})
}

// TestConstraintsOfRowsInAMember: with Wrap, the place of the item begins with the member.
func TestConstraintsOfRowsInAMember(t *testing.T) {
	apitest.Databases(t, kitTables, func(t *testing.T, db *sqldb.DB) {
		wrapped := kits()
		wrapped.Wrap = "kit"
		_, c := apitest.Serve(t, apitest.Config(db), wrapped)
		apitest.As(c, "ada").Post("/api/kits/", `{"kit":{"name":"first","pieces":[{"sku":"b"},{"sku":"c","amount":0}]}}`).Expect(409).
			Contains("the values of /kit/pieces/1 together")
	})
}

// TestRecorderOfRows: rows without a viewset are recorded one by one.
func TestRecorderOfRows(t *testing.T) {
	apitest.Databases(t, kitTables, func(t *testing.T, db *sqldb.DB) {
		var recorded []string
		settings := apitest.Config(db)
		settings.Observers = []framework.Observer{frameworktest.RecordChanges(func(_ *framework.Call, change frameworktest.Change) error {
			recorded = append(recorded, change.Verb+" "+change.ViewSet)
			return nil
		})}
		_, c := apitest.Serve(t, settings, kits())
		apitest.As(c, "ada").Post("/api/kits/", `{"name":"first","pieces":[{"sku":"a"},{"sku":"b"}]}`).Expect(201)
		if got, want := strings.Join(recorded, ", "), "create kits, create kits.pieces, create kits.pieces"; got != want {
			t.Errorf("recorded %s\nwant %s", got, want)
		}
	})
}
