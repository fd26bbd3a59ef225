package framework_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

type defaultsInput struct {
	Title string `json:"title"`
	Rank  int64  `json:"rank"`
	Color string `json:"color"`
	Mood  string `json:"mood"`
}

// TestDefaultsOfTheDatabase: what the database fills is in the answer, as a
// later GET has it; what is tagged nullzero without a default is zero.
func TestDefaultsOfTheDatabase(t *testing.T) {
	type made struct {
		Card cardView `json:"card"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		cardsIn(t, db)
		v, same := cards(), framework.ViewSet[Card]{Name: "computed", Scope: framework.Public(), Verbs: framework.Verbs{
			Create: framework.Accepts[defaultsInput, made](),
			Retrieve: framework.Computes(func(_ *framework.Call, m *Card) (made, error) {
				return made{cardView{Rank: m.Rank, Color: m.Color}}, nil
			}),
		}}
		v.Verbs = framework.CRUD[defaultsInput, cardView]()
		v.Collection = []framework.CollectionAction{framework.OnCollection("POST", "insert", func(c *framework.Call, in defaultsInput) (cardView, error) {
			m := Card{Title: in.Title}
			err := framework.Insert(c, &m)
			return cardView{ID: m.ID, Title: m.Title, Rank: m.Rank, Color: m.Color}, err
		})}
		ada := serve(t, config(db), v, same).as("ada")
		for _, c := range []struct {
			name string
			body fields
			says string
		}{
			{"both are left out", fields{}, `"rank":7,"color":"red","mood":""`},
			{"one is given", fields{"rank": 3}, `"rank":3,"color":"red","mood":""`},
			{"both are given", fields{"rank": 3, "color": "blue", "mood": "sad"}, `"rank":3,"color":"blue","mood":"sad"`},
			{"zero is no value of such a column", fields{"rank": 0, "color": ""}, `"rank":7,"color":"red","mood":""`},
		} {
			t.Run(c.name, func(t *testing.T) {
				a := ada.in(t).post("/api/cards/", c.body).is(201).says(c.says)
				if again := ada.in(t).get("/api/cards/" + a.id() + "/").is(200); again.body != a.body {
					t.Errorf("POST answers %s, GET %s", a.body, again.body)
				}
			})
		}
		ada.post("/api/cards/insert/", fields{"title": "x"}).is(200).says(`"rank":7,"color":"red"`)
		ada.post("/api/computed/", fields{}).is(201).says(`"rank":7,"color":"red"`)
		id := ada.post("/api/cards/", fields{"rank": 3}).is(201).id()
		emptied := ada.patch("/api/cards/"+id+"/", fields{"rank": 0}).is(200).says(`"rank":0`)
		if again := ada.get("/api/cards/" + id + "/"); again.body != emptied.body {
			t.Errorf("PATCH answers %s, GET %s", emptied.body, again.body)
		}
	})
}

// Shelf has arrays, which PostgreSQL alone has columns for.
type Shelf struct {
	bun.BaseModel `bun:"table:shelves"`

	ID      uuid.UUID `bun:",pk"`
	Labels  []string  `bun:",array"`
	Numbers []int64   `bun:",array"`
}

type shelfInput struct {
	Labels  []string `json:"labels"`
	Numbers []int64  `json:"numbers"`
}

type shelfView struct {
	ID uuid.UUID `json:"id"`
	shelfInput
}

// TestArrays are written, answered and shown alike by every verb.
func TestArrays(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		if db.Kind() != sqldb.PostgreSQL {
			return
		}
		if _, err := db.ExecContext(context.Background(), `CREATE TABLE shelves (id uuid PRIMARY KEY, labels text[], numbers bigint[])`); err != nil {
			t.Fatal(err)
		}
		computed := framework.ViewSet[Shelf]{Name: "computed", Scope: framework.Public(), Verbs: framework.Verbs{
			Retrieve: framework.Computes(func(_ *framework.Call, m *Shelf) (shelfInput, error) { return shelfInput{m.Labels, m.Numbers}, nil }),
		}}
		ada := serve(t, config(db), framework.ViewSet[Shelf]{
			Name: "shelves", Verbs: framework.CRUD[shelfInput, shelfView](), Scope: framework.Public(),
			Actions: []framework.Action[Shelf]{framework.Post("add", func(c *framework.Call, m *Shelf, in shelfInput) (shelfView, error) {
				m.Labels = append(m.Labels, in.Labels...)
				return shelfView{m.ID, shelfInput{m.Labels, m.Numbers}}, framework.Save(c, m)
			})},
		}, computed).as("ada")
		id := ada.post("/api/shelves/", fields{"labels": []string{`a"b`, "c,d", "{}", "NULL", `\`, ""}, "numbers": []int{1, -2}}).is(201).
			says(`"labels":["a\"b","c,d","{}","NULL","\\",""],"numbers":[1,-2]`).id()
		path := "/api/shelves/" + id + "/"
		ada.get(path).is(200).says(`"labels":["a\"b","c,d","{}","NULL","\\",""],"numbers":[1,-2]`)
		ada.get("/api/shelves/").is(200).says(`"numbers":[1,-2]`)
		ada.get("/api/computed/" + id + "/").is(200).says(`"labels":["a\"b","c,d","{}","NULL","\\",""],"numbers":[1,-2]`)
		ada.patch(path, fields{"numbers": []int{9}}).is(200).says(`"numbers":[9]`, `"c,d"`)
		ada.put(path, fields{"labels": []string{"x"}}).is(200).says(`"labels":["x"],"numbers":[]`)
		ada.post(path+"add/", fields{"labels": []string{"y"}}).is(200).says(`"labels":["x","y"]`)
		ada.get(path).is(200).says(`"labels":["x","y"],"numbers":[]`)
	})
}

// Room and Guest: guests may be in no room, and rooms in no house.
type Room struct {
	bun.BaseModel `bun:"table:rooms"`

	ID      uuid.UUID `bun:",pk"`
	HouseID *uuid.UUID
	Name    string

	Guests     []*Guest `bun:"rel:has-many,join:id=room_id"`
	Neighbours []*Guest `bun:"rel:has-many,join:house_id=house_id"`
}

type Guest struct {
	bun.BaseModel `bun:"table:guests"`

	ID      uuid.UUID `bun:",pk"`
	RoomID  *uuid.UUID
	HouseID *uuid.UUID
	Name    string
}

// TestForeignKeysThatAreNull: a row without a key has no list, not that of
// others without one; rows that share a key have the same list.
func TestForeignKeysThatAreNull(t *testing.T) {
	type guestView struct {
		Name string `json:"name"`
	}
	type roomView struct {
		Name       string      `json:"name"`
		Guests     []guestView `json:"guests"`
		Neighbours []guestView `json:"neighbours"`
	}
	compute := func(_ *framework.Call, r *Room) (struct{ Text string }, error) {
		names := []string{r.Name}
		for _, g := range r.Guests {
			names = append(names, g.Name)
		}
		for _, g := range r.Neighbours {
			names = append(names, "+"+g.Name)
		}
		return struct{ Text string }{strings.Join(names, " ")}, nil
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		key := "text"
		if db.Kind() == sqldb.PostgreSQL {
			key = "uuid"
		}
		for _, table := range []string{"rooms (id %[1]s PRIMARY KEY, house_id %[1]s, name text)", "guests (id %[1]s PRIMARY KEY, room_id %[1]s, house_id %[1]s, name text)"} {
			if _, err := db.DB.DB.Exec("CREATE TABLE " + fmt.Sprintf(table, key)); err != nil {
				t.Fatal(err)
			}
		}
		id := missingPlus
		house := id(30)
		one, two, three, four := Room{ID: id(1), HouseID: &house, Name: "one"}, Room{ID: id(2), Name: "two"}, Room{ID: id(3), Name: "three"}, Room{ID: id(4), HouseID: &house, Name: "four"}
		insert(t, db, &one, &two, &three, &four,
			&Guest{ID: id(11), RoomID: &one.ID, HouseID: &house, Name: "Ann"}, &Guest{ID: id(12), RoomID: &two.ID, Name: "Ben"}, &Guest{ID: id(13), Name: "Cid"})
		conf := config(db)
		conf.Pagination = page.Number{Size: 10}
		guests := framework.Relations{"guests": framework.OfRow, "neighbours": framework.OfRow}
		ada := serve(t, conf,
			framework.ViewSet[Room]{Name: "rooms", Verbs: framework.Verbs{List: framework.Shows[roomView]()}, Relations: guests, Scope: framework.Public(), Ordering: framework.Ordering{Default: "id"}},
			framework.ViewSet[Room]{Name: "told", Verbs: framework.Verbs{List: framework.Computes(compute, "guests", "neighbours")}, Relations: guests, Scope: framework.Public(), Ordering: framework.Ordering{Default: "id"}},
		).as("ada")
		ann, ben, none := `[{"name":"Ann"}]`, `[{"name":"Ben"}]`, `[]`
		ada.get("/api/rooms/").is(200).says(`"results":[` +
			`{"name":"one","guests":` + ann + `,"neighbours":` + ann + `},` +
			`{"name":"two","guests":` + ben + `,"neighbours":` + none + `},` +
			`{"name":"three","guests":` + none + `,"neighbours":` + none + `},` +
			`{"name":"four","guests":` + none + `,"neighbours":` + ann + `}]`)
		ada.get("/api/told/").is(200).says(`[{"Text":"one Ann +Ann"},{"Text":"two Ben"},{"Text":"three"},{"Text":"four +Ann"}]`)
	})
}
