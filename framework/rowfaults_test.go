package framework_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// A Rack has boards, which may be made with it.
type Rack struct {
	bun.BaseModel `bun:"table:racks"`

	ID       uuid.UUID `bun:",pk"`
	Name     string
	Smallest int64
	Largest  int64
}

type BoardInput struct {
	Mark  string     `json:"mark" validate:"required"`
	Paint *uuid.UUID `json:"colour"`
}

// RacksInput makes several racks. It has no field of a rack itself.
type RacksInput struct {
	Racks []RackPart `json:"racks"`
}

type RackPart struct {
	Name     string `json:"name"`
	Smallest int64  `json:"smallest"`
	Largest  int64  `json:"largest" default:"10"`
}

type RackInput struct {
	Name     string       `json:"name" validate:"required"`
	Smallest int64        `json:"smallest"`
	Largest  int64        `json:"largest" default:"10"`
	Boards   []BoardInput `json:"boards"`
	Best     *BoardInput  `json:"best"`
	Plaque   *PlaqueInput `json:"plaque"`

	Spares map[string]BoardInput `json:"spares"`
	Beside *RackPart             `json:"beside"`
}

// A PlaqueInput has a field with the name of a board's field, but no board is made of it.
type PlaqueInput struct {
	Mark string `json:"mark"`
}

type RackPatch struct {
	Smallest int64 `json:"smallest"`
	Largest  int64 `json:"largest"`
}

type RackView struct {
	ID       uuid.UUID `json:"id"`
	Name     string    `json:"name"`
	Smallest int64     `json:"smallest"`
	Largest  int64     `json:"largest"`
}

// BoardRow refers to rows without a viewset that says which may be used: the
// database alone knows that one is not there.
type BoardRow struct {
	Rack  uuid.UUID  `json:"rack" validate:"required"`
	Mark  string     `json:"mark" validate:"required"`
	Above *uuid.UUID `json:"above"`
	Paint *uuid.UUID `json:"colour"`
}

type Board struct {
	bun.BaseModel `bun:"table:boards"`

	ID    uuid.UUID  `bun:",pk"`
	Rack  uuid.UUID  `bun:"rack_id"`
	Mark  string     `bun:"mark"`
	Above *uuid.UUID `bun:"above"`
	Paint *uuid.UUID `bun:"paint"`
}

type BoardView struct {
	ID uuid.UUID `json:"id"`
	BoardRow
}

func makeRack(c *framework.Call, in RackInput) (RackView, error) {
	r := &Rack{Name: in.Name, Smallest: in.Smallest, Largest: in.Largest}
	if err := framework.Insert(c, r); err != nil {
		return RackView{}, err
	}
	boards := in.Boards
	if in.Best != nil {
		boards = append(boards, *in.Best)
	}
	for _, b := range in.Spares {
		boards = append(boards, b)
	}
	for _, b := range boards {
		if err := framework.Insert(c, &Board{Rack: r.ID, Mark: b.Mark, Paint: b.Paint}); err != nil {
			return RackView{}, err
		}
	}
	if in.Beside != nil {
		if _, err := makeRacks(c, RacksInput{[]RackPart{*in.Beside}}); err != nil {
			return RackView{}, err
		}
	}
	return RackView{r.ID, r.Name, r.Smallest, r.Largest}, nil
}

func makeRacks(c *framework.Call, in RacksInput) (framework.None, error) {
	for _, part := range in.Racks {
		if err := framework.Insert(c, &Rack{Name: part.Name, Smallest: part.Smallest, Largest: part.Largest}); err != nil {
			return framework.None{}, err
		}
	}
	return framework.None{}, nil
}

// A BoardList is the body of several boards.
type BoardList struct {
	Boards []BoardInput `json:"boards"`
}

// addBoards serves POST /racks/{id}/boards/. The answer is a list of a view of another viewset.
func addBoards(c *framework.Call, r *Rack, in BoardList) ([]BoardView, error) {
	views := []BoardView{}
	for _, one := range in.Boards {
		view, err := addBoard(c, r, one)
		if err != nil {
			return nil, err
		}
		views = append(views, view)
	}
	return views, nil
}

// scrapRack serves DELETE /racks/{id}/scrap/. It deletes the row by a statement of its own.
func scrapRack(c *framework.Call, r *Rack, _ framework.None) (framework.None, error) {
	_, err := c.DB.NewDelete().Model(r).WherePK().Exec(c)
	return framework.None{}, err
}

// addBoard stores a board of the body itself, for the rack of the path.
func addBoard(c *framework.Call, r *Rack, in BoardInput) (BoardView, error) {
	b := &Board{Rack: r.ID, Mark: in.Mark, Paint: in.Paint}
	err := framework.Insert(c, b)
	return BoardView{b.ID, BoardRow{Rack: b.Rack, Mark: b.Mark, Paint: b.Paint}}, err
}

// TestFaultsOfRows: what a database says of a row reaches the client as the field that
// it is about, the same on both databases.
func TestFaultsOfRows(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		script(t, db, `CREATE TABLE paints ({{id}});
			CREATE TABLE racks ({{id}}, name {{text}} NOT NULL UNIQUE, smallest {{bigint}} NOT NULL, largest {{bigint}} NOT NULL,
				CONSTRAINT racks_in_order CHECK (smallest <= largest), CONSTRAINT racks_not_huge CHECK (largest < 1000));
			CREATE TABLE boards ({{id}}, rack_id {{uuid}} NOT NULL REFERENCES racks (id), mark {{text}} NOT NULL UNIQUE CONSTRAINT boards_mark CHECK (mark <> 'reserved'),
				above {{uuid}} REFERENCES boards (id), paint {{uuid}} REFERENCES paints (id));
			CREATE TABLE notes ({{id}}, rack_id {{uuid}} REFERENCES racks (id) ON DELETE CASCADE);
			CREATE TABLE awards ({{id}}, rack_id {{uuid}} REFERENCES racks (id))`)
		racks := framework.ViewSet[Rack]{
			Name: "racks", Scope: framework.Public(), Strict: framework.Strict,
			Verbs: framework.Verbs{
				Create: framework.Does(makeRack).Refuses("conflict", "not_unique", "mark_taken", "bad_mark"), Patch: framework.Accepts[RackPatch, RackView](),
				Delete: framework.Deletes(), Retrieve: framework.Shows[RackView](),
			},
			Actions:    []framework.Action[Rack]{framework.Post("board", addBoard).Refuses("conflict"), framework.Post("boards", addBoards), framework.Delete("scrap", scrapRack).Refuses("still_referenced")},
			Collection: []framework.CollectionAction{framework.OnCollection("POST", "several", makeRacks).Refuses("not_unique")},
			Checks:     []framework.Check{{Constraint: "racks_in_order", Fields: []string{"smallest", "largest"}, Code: "not_in_order", Detail: "Smallest must be at most largest."}},
		}
		boards := framework.ViewSet[Board]{
			Name: "boards", Scope: framework.Public(), Verbs: framework.CRUD[BoardRow, BoardView](),
			Uniques: []framework.Unique{{Fields: []string{"mark"}, Code: "mark_taken", Detail: "Another board has this mark."}},
			Checks:  []framework.Check{{Constraint: "boards_mark", Fields: []string{"mark"}, Code: "bad_mark", Detail: "This mark is reserved."}},
		}
		client, _ := promised(t, config(db), racks, boards) // the document describes each fault
		api := client.as("ada")
		rack := api.post("/api/racks/", fields{"name": "first", "boards": []fields{{"mark": "a"}}}).is(201).id()
		empty := api.post("/api/racks/", fields{"name": "empty"}).is(201).id()
		if _, err := db.ExecContext(t.Context(), "INSERT INTO awards (id, rack_id) SELECT id, id FROM racks WHERE name = 'first'"); err != nil {
			t.Fatal(err)
		}
		board := api.get("/api/boards/").list().Results[0]["id"].(string)
		none := uuid.NewString()
		hidden := config(db)
		hidden.Undocumented = true
		serve(t, hidden, racks, boards).as("ada").delete("/api/racks/"+rack+"/").refuses(409, "still_referenced").
			says("Other records refer to this one.").lacks("boards")
		api.delete("/api/racks/"+rack+"/scrap/").refuses(409, "still_referenced") // by a statement of a function
		for _, c := range []struct {
			name, method, path string
			body               any
			status             int
			code, faults       string
		}{
			{"a reference to nothing", "POST", "/api/boards/", fields{"rack": none, "mark": "n"}, 409, "conflict", "/rack invalid_reference"},
			{"the second of two", "POST", "/api/boards/", fields{"rack": rack, "mark": "n", "colour": none}, 409, "conflict", "/colour invalid_reference"},
			{"a reference to nothing by PATCH", "PATCH", "/api/boards/" + board + "/", fields{"above": none}, 409, "conflict", "/above invalid_reference"},
			{"a reference to nothing by PUT", "PUT", "/api/boards/" + board + "/", fields{"rack": none, "mark": "a"}, 409, "conflict", "/rack invalid_reference"},
			{"a check in the declaration's words", "POST", "/api/racks/", fields{"name": "n", "smallest": 11}, 409, "not_in_order", "/largest not_in_order, /smallest not_in_order"},
			{"the same by PATCH", "PATCH", "/api/racks/" + rack + "/", fields{"smallest": 11}, 409, "not_in_order", "/largest not_in_order, /smallest not_in_order"},
			{"a check that is not declared", "PATCH", "/api/racks/" + rack + "/", fields{"largest": 1000}, 409, "conflict", ""},
			{"a name that is taken", "POST", "/api/racks/", fields{"name": "first"}, 409, "not_unique", "/name not_unique"},
			{"a mark that is taken, in a list", "POST", "/api/racks/", fields{"name": "n", "boards": []fields{{"mark": "b"}, {"mark": " a "}}}, 409, "mark_taken", "/boards/1/mark not_unique"},
			{"a mark twice in a list", "POST", "/api/racks/", fields{"name": "n", "boards": []fields{{"mark": "b"}, {"mark": "c"}, {"mark": "b"}}}, 409, "mark_taken", "/boards/2/mark not_unique"},
			{"a mark that is taken, in an object", "POST", "/api/racks/", fields{"name": "n", "best": fields{"mark": "a"}}, 409, "mark_taken", "/best/mark not_unique"},
			{"a mark that is taken, and another one in an object of another type", "POST", "/api/racks/",
				fields{"name": "n", "boards": []fields{{"mark": "a"}}, "plaque": fields{"mark": "b"}}, 409, "mark_taken", "/boards/0/mark not_unique"},
			{"a mark that is taken, and the same in an object of another type", "POST", "/api/racks/",
				fields{"name": "n", "boards": []fields{{"mark": "a"}}, "plaque": fields{"mark": "a"}}, 409, "mark_taken", ""},
			{"a check of a row in a list, and the same value in an object of another type", "POST", "/api/racks/",
				fields{"name": "n", "boards": []fields{{"mark": "reserved"}}, "plaque": fields{"mark": "reserved"}}, 409, "bad_mark", ""},
			{"a check of a row in a list", "POST", "/api/racks/", fields{"name": "n", "boards": []fields{{"mark": "b"}, {"mark": "reserved"}}}, 409, "bad_mark", "/boards/1/mark bad_mark"},
			{"a check of a row by itself", "POST", "/api/boards/", fields{"rack": rack, "mark": "reserved"}, 409, "bad_mark", "/mark bad_mark"},
			{"a mark that is taken, by itself", "POST", "/api/boards/", fields{"rack": rack, "mark": "a"}, 409, "mark_taken", "/mark not_unique"},
			{"a reference to nothing, in a list", "POST", "/api/racks/", fields{"name": "n", "boards": []fields{{"mark": "b"}, {"mark": "c", "colour": none}}}, 409, "conflict", "/boards/1/colour invalid_reference"},
			{"a name that is taken, in a list of rows of the resource itself", "POST", "/api/racks/several/", fields{"racks": []fields{{"name": "n"}, {"name": "first"}}}, 409, "not_unique", "/racks/1/name not_unique"},
			{"a check of such a row", "POST", "/api/racks/several/", fields{"racks": []fields{{"name": "n"}, {"name": "m", "largest": -1}}}, 409, "not_in_order",
				"/racks/1/largest not_in_order, /racks/1/smallest not_in_order"},
			{"a check of such a row, which has the default of a field", "POST", "/api/racks/several/", fields{"racks": []fields{{"name": "n"}, {"name": "m", "smallest": 11}}}, 409,
				"not_in_order", "/racks/1/largest not_in_order, /racks/1/smallest not_in_order"},
			{"a name that is taken, in an object for a second row of the resource", "POST", "/api/racks/", fields{"name": "n", "beside": fields{"name": "first"}}, 409,
				"not_unique", "/beside/name not_unique"},
			{"a check of such a second row", "POST", "/api/racks/", fields{"name": "n", "beside": fields{"name": "m", "smallest": 11}}, 409,
				"not_in_order", "/beside/largest not_in_order, /beside/smallest not_in_order"},
			{"a mark that is taken, in a map", "POST", "/api/racks/", fields{"name": "n", "spares": fields{"a/b": fields{"mark": "a"}}}, 409, "mark_taken", "/spares/a~1b/mark not_unique"},
			{"a reference to nothing, in capitals", "POST", "/api/racks/", fields{"name": "n", "best": fields{"mark": "b", "colour": strings.ToUpper(none)}}, 409, "conflict",
				"/best/colour invalid_reference"},
			{"a mark that is taken, in a body for a row of another resource", "POST", "/api/racks/" + rack + "/board/", fields{"mark": "a"}, 409, "mark_taken", "/mark not_unique"},
			{"a mark that is taken, in a list for rows of another resource that the answer lists", "POST", "/api/racks/" + rack + "/boards/",
				fields{"boards": []fields{{"mark": "b"}, {"mark": "a"}}}, 409, "mark_taken", "/boards/1/mark not_unique"},
			{"a check of such a row of another resource", "POST", "/api/racks/" + rack + "/board/", fields{"mark": "reserved"}, 409, "bad_mark", "/mark bad_mark"},
			{"a reference to nothing of such a row", "POST", "/api/racks/" + rack + "/board/", fields{"mark": "n", "colour": none}, 409, "conflict", "/colour invalid_reference"},
			{"a row that is referred to", "DELETE", "/api/racks/" + rack + "/", nil, 409, "still_referenced", ""},
			{"a row that none refers to", "DELETE", "/api/racks/" + empty + "/", nil, 204, "", ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				got := api.in(t).do(c.method, c.path, c.body).is(c.status)
				if c.status == 204 {
					return
				}
				p := got.problem()
				var places []string
				for _, f := range p.Errors {
					places = append(places, f.Pointer+" "+f.Code)
				}
				slices.Sort(places)
				if faults := strings.Join(places, ", "); p.Code != c.code || faults != c.faults {
					t.Errorf("%s at %q; want %s at %q", p.Code, faults, c.code, c.faults)
				}
				if refers := p.Details["resource"]; c.code == "still_referenced" && refers != "boards" {
					t.Errorf("the resource that refers is %v", refers)
				}
				got.lacks("racks_", "rack_id", "paint_")
			})
		}
	})
}
