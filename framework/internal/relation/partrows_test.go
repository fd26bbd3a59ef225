package relation_test

import (
	"sync"
	"testing"
	"testing/fstest"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// A Shelf has boxes, and a box has things. Only shelves have a viewset.
type Shelf struct {
	bun.BaseModel `bun:"table:shelves"`

	ID    int64  `bun:",pk"`
	Boxes []*Box `bun:"rel:has-many,join:id=shelf_id"`
}

type Box struct {
	bun.BaseModel `bun:"table:boxes"`

	ID      int64 `bun:",pk"`
	ShelfID int64
	Things  []*Thing `bun:"rel:has-many,join:id=box_id"`
}

type Thing struct {
	bun.BaseModel `bun:"table:things"`

	ID    int64 `bun:",pk"`
	BoxID int64
	Name  string
}

// A Carton is a box whose marks are in a join table.
type Carton struct {
	bun.BaseModel `bun:"table:boxes"`

	ID      int64 `bun:",pk"`
	ShelfID int64
	Marks   []*Thing `bun:"m2m:carton_marks,join:Carton=Thing"`
}

// A Rack is a shelf of cartons.
type Rack struct {
	bun.BaseModel `bun:"table:shelves"`

	ID      int64     `bun:",pk"`
	Cartons []*Carton `bun:"rel:has-many,join:id=shelf_id"`
}

var store = sqldb.Migrations{Namespace: "store", FS: fstest.MapFS{
	"1_store.tx.up.sql": {Data: []byte(`
CREATE TABLE shelves (id {{bigint}} PRIMARY KEY);
CREATE TABLE boxes (id {{bigint}} PRIMARY KEY, shelf_id {{bigint}} NOT NULL);
CREATE TABLE things (id {{bigint}} PRIMARY KEY, box_id {{bigint}} NOT NULL, name {{text}} NOT NULL);`)},
	"1_store.tx.down.sql": {Data: []byte(``)},
}}

// TestPartsOfParts: rows that are part of a row have relations of their own, although no viewset serves
// their model. Views, filters and functions use them, also by concurrent first requests.
func TestPartsOfParts(t *testing.T) {
	type box struct {
		ID     int64    `json:"id"`
		Things []string `json:"things" from:"things.name,order=name"`
	}
	type shelf struct {
		ID    int64 `json:"id"`
		Boxes []box `json:"boxes" from:"boxes"`
		All   int64 `json:"all" from:"count(boxes.things)"`
	}
	apitest.Databases(t, store, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), framework.ViewSet[Shelf]{
			Name: "shelves", Scope: framework.Public(), Verbs: framework.ReadOnly[shelf](),
			Relations: framework.Relations{"boxes": framework.OfRow, "boxes.things": framework.OfRow},
			Filters:   []framework.Filter{filter.Exact("thing", "boxes.things.name")},
		})
		apitest.Insert(t, db, &Shelf{ID: 1}, &Shelf{ID: 2})
		for _, text := range []string{
			"INSERT INTO boxes (id, shelf_id) VALUES (1, 1), (2, 1), (3, 2)", "INSERT INTO things (id, box_id, name) VALUES (1, 1, 'pen'), (2, 1, 'ink'), (3, 3, 'pen')",
		} {
			if _, err := db.DB.DB.Exec(text); err != nil {
				t.Fatal(err)
			}
		}
		var requests sync.WaitGroup
		for range 4 {
			requests.Go(func() {
				c.Get("/api/shelves/1/").Expect(200).Contains(`{"id":1,"boxes":[{"id":1,"things":["ink","pen"]},{"id":2,"things":[]}],"all":2}`)
			})
		}
		requests.Wait()
		for thing, want := range map[string]string{"pen": "2: 1 2", "ink": "1: 1", "cap": "0: "} {
			if got := idsOf(c.Get("/api/shelves/?thing=" + thing)); got != want {
				t.Errorf("shelves with %s are %s; want %s", thing, got, want)
			}
		}
	})
}

// TestPartsWithoutJoinModel: a relation to rows whose own many-to-many relation has no model of its join
// table is a mistake at start.
func TestPartsWithoutJoinModel(t *testing.T) {
	type rack struct {
		ID int64 `json:"id"`
	}
	apitest.Databases(t, store, func(t *testing.T, db *sqldb.DB) {
		apitest.Mistake(t, config(db), `racks: relations: "cartons": the many-to-many relation Carton.Marks needs the model of its join table "carton_marks"; add that model to Models, such as (*CartonMark)(nil)`,
			framework.ViewSet[Rack]{Name: "racks", Scope: framework.Public(), Verbs: framework.ReadOnly[rack](), Relations: framework.Relations{"cartons": framework.OfRow}})
	})
}
