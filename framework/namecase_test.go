package framework_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// A Depot has crates. The names of its model are lower case, those of its schema are not.
type Depot struct {
	bun.BaseModel `bun:"table:depots"`

	ID    uuid.UUID `bun:",pk"`
	Name  string
	Paint *uuid.UUID

	Crates []*Crate `bun:"rel:has-many,join:id=depot_id"`
}

type Crate struct {
	bun.BaseModel `bun:"table:crates"`

	ID      uuid.UUID `bun:",pk"`
	DepotID uuid.UUID
	Shelf   string
	Paint   *uuid.UUID
}

type CrateItem struct {
	Shelf string     `json:"shelf" validate:"required"`
	Paint *uuid.UUID `json:"paint"`
}

type CrateInput struct {
	CrateItem

	DepotID uuid.UUID `json:"depot"`
}

type CrateView struct {
	ID    uuid.UUID `json:"id"`
	Shelf string    `json:"shelf"`
}

type DepotInput struct {
	Name   string      `json:"name" validate:"required"`
	Crates []CrateItem `json:"crates" to:"crates,limit=9"`
}

type DepotView struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// A Shipment is the body of several crates.
type Shipment struct {
	DepotID uuid.UUID    `json:"depot"`
	Crates  []CrateInput `json:"crates"`
}

// ship serves POST /crates/ship/.
func ship(c *framework.Call, in Shipment) (framework.None, error) {
	for _, one := range in.Crates {
		if err := framework.Insert(c, &Crate{DepotID: in.DepotID, Shelf: one.Shelf, Paint: one.Paint}); err != nil {
			return framework.None{}, err
		}
	}
	return framework.None{}, nil
}

// restock serves POST /crates/{id}/restock/: a further crate in the depot of a crate.
func restock(c *framework.Call, of *Crate, in struct {
	Shelf  string       `json:"shelf"`
	Others []CrateInput `json:"others"`
}) (framework.None, error) {
	return framework.None{}, framework.Insert(c, &Crate{DepotID: of.DepotID, Shelf: cmp.Or(in.Shelf, of.Shelf)})
}

// depots are viewsets of depots and of their crates.
func depots() []framework.Resource {
	return []framework.Resource{
		framework.ViewSet[Depot]{
			Name: "depots", Scope: framework.Public(), Verbs: framework.CRUD[DepotInput, DepotView](),
			Relations: framework.Relations{"crates": "crates"},
		},
		framework.ViewSet[Crate]{
			Name: "crates", Scope: framework.Public(), Verbs: framework.CRUD[CrateInput, CrateView](),
			Ordering:   framework.Ordering{Allowed: []string{"shelf"}},
			Actions:    []framework.Action[Crate]{framework.Post("restock", restock).Refuses("mark_taken", "bad_mark")},
			Collection: []framework.CollectionAction{framework.OnCollection("POST", "ship", ship).Refuses("mark_taken", "bad_mark", "conflict")},
			Uniques:    []framework.Unique{{Fields: []string{"depot_id", "shelf"}, Code: "mark_taken", Detail: "The shelf has a crate."}},
			Checks:     []framework.Check{{Constraint: "crates_shelf", Fields: []string{"shelf"}, Code: "bad_mark", Detail: "The shelf is reserved."}},
		},
	}
}

const depotSchema = `CREATE TABLE Paints ({{id}});
	CREATE TABLE Depots ({{id}}, Name {{text}} NOT NULL, Paint {{uuid}} REFERENCES Paints (ID));
	CREATE TABLE Crates ({{id}}, Depot_ID {{uuid}} NOT NULL REFERENCES Depots (ID), Shelf {{text}} NOT NULL, Paint {{uuid}} REFERENCES Paints (ID),
		UNIQUE (DEPOT_ID, Shelf), CONSTRAINT Crates_Shelf CHECK (Shelf <> 'reserved'));
	CREATE INDEX crates_by_shelf ON Crates (SHELF, ID);
	CREATE INDEX crates_by_paint ON Crates (PAINT)`

// TestNamesInCapitals checks that the errors of constraints name their codes and fields if the schema writes
// names of tables, columns and constraints with other capital letters than the program.
func TestNamesInCapitals(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		script(t, db, depotSchema)
		client, _ := promised(t, config(db), depots()...)
		api := client.as("ada")
		depot := api.post("/api/depots/", fields{"name": "first"}).is(201).id()
		restock := "/api/crates/" + api.post("/api/crates/", fields{"depot": depot, "shelf": "a"}).is(201).id() + "/restock/"
		const none = "00000000-0000-7000-8000-000000000009"
		crates := func(items ...fields) fields { return fields{"name": "n", "depot": depot, "crates": items} }
		for _, c := range []struct {
			name, path   string
			body         fields
			code, faults string
		}{
			{"a unique constraint", "/api/crates/", fields{"depot": depot, "shelf": "a"}, "mark_taken", "/depot not_unique, /shelf not_unique"},
			{"a CHECK constraint", "/api/crates/", fields{"depot": depot, "shelf": "reserved"}, "bad_mark", "/shelf bad_mark"},
			{"a foreign key", "/api/crates/", fields{"depot": none, "shelf": "b"}, "conflict", "/depot invalid_reference"},
			{"a unique constraint of an item", "/api/depots/", crates(fields{"shelf": "b"}, fields{"shelf": "b"}), "mark_taken", "/crates/1/shelf not_unique"},
			{"a CHECK constraint of an item", "/api/depots/", crates(fields{"shelf": "b"}, fields{"shelf": "reserved"}), "bad_mark", "/crates/1/shelf bad_mark"},
			{"a foreign key of an item", "/api/depots/", crates(fields{"shelf": "b"}, fields{"shelf": "c", "paint": none}), "conflict", "/crates/1/paint invalid_reference"},
			{"a unique constraint, in a function", "/api/crates/ship/", crates(fields{"shelf": "b"}, fields{"shelf": "a"}), "mark_taken", "/crates/1/shelf not_unique, /depot not_unique"},
			{"a unique constraint with one value of the body", restock, fields{"shelf": "a"}, "mark_taken", "/shelf not_unique"},
			{"a unique constraint, beside an item with the same value", restock, fields{"shelf": "a", "others": []fields{{"shelf": "a", "depot": none}}}, "mark_taken", "/shelf not_unique"},
			{"a unique constraint, beside an item with another value", restock, fields{"shelf": "a", "others": []fields{{"shelf": "z", "depot": depot}}}, "mark_taken", "/shelf not_unique"},
			{"a unique constraint, beside an item with both values", restock, fields{"shelf": "a", "others": []fields{{"shelf": "a", "depot": depot}}}, "mark_taken", "/others/0/depot not_unique, /others/0/shelf not_unique"},
			{"a unique constraint, of a member that the body lacks", restock, fields{}, "mark_taken", "/shelf not_unique"},
			{"a CHECK constraint, of a value in the body", restock, fields{"shelf": "reserved"}, "bad_mark", "/shelf bad_mark"},
			{"a CHECK constraint, in a function", "/api/crates/ship/", crates(fields{"shelf": "reserved"}), "bad_mark", "/crates/0/shelf bad_mark"},
			{"a foreign key, in a function", "/api/crates/ship/", crates(fields{"shelf": "c", "paint": none}), "conflict", "/crates/0/paint invalid_reference"},
		} {
			t.Run(c.name, func(t *testing.T) {
				if c.path == "/api/depots/" {
					delete(c.body, "depot")
				} else {
					delete(c.body, "name")
				}
				p := api.in(t).post(c.path, c.body).refuses(409, c.code).problem()
				var places []string
				for _, f := range p.Errors {
					places = append(places, f.Pointer+" "+f.Code)
				}
				slices.Sort(places)
				if faults := strings.Join(places, ", "); faults != c.faults {
					t.Errorf("faults at %q; want %q", faults, c.faults)
				}
			})
		}
	})
}

// TestPointersOfTwoNames: an error of a constraint names the member of the input of the endpoint, although other inputs
// and the view have another name for the column.
func TestPointersOfTwoNames(t *testing.T) {
	type input struct {
		DepotID uuid.UUID `json:"depot"`
		Shelf   string    `json:"title"`
	}
	type patch struct {
		Shelf string `json:"label"`
	}
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		script(t, db, depotSchema)
		resources := depots()
		crates := resources[1].(framework.ViewSet[Crate])
		crates.Verbs = framework.CRUD[input, CrateView]()
		crates.Verbs.Patch = framework.Accepts[patch, CrateView]()
		crates.Actions = []framework.Action[Crate]{framework.Post("move", func(c *framework.Call, one *Crate, in struct {
			Old   string `json:"shelf"`
			Shelf string `json:"place"`
		}) (framework.None, error) {
			one.Shelf = in.Shelf
			return framework.None{}, framework.Save(c, one)
		}).Refuses("mark_taken", "bad_mark")}
		client, _ := promised(t, config(db), resources[0], crates)
		api := client.as("ada")
		depot := api.post("/api/depots/", fields{"name": "first"}).is(201).id()
		api.post("/api/crates/", fields{"depot": depot, "title": "a"}).is(201)
		other := api.post("/api/crates/", fields{"depot": depot, "title": "b"}).is(201).id()
		for range 8 { // the names are in a map
			taken := api.post("/api/crates/", fields{"depot": depot, "title": "a"}).refuses(409, "mark_taken")
			taken.fault("/depot", "not_unique")
			taken.fault("/title", "not_unique")
			changed := api.patch("/api/crates/"+other+"/", fields{"label": "a"}).refuses(409, "mark_taken")
			changed.fault("/label", "not_unique")
			changed.lacks("/title")
			changed.lacks("/depot")
			moved := api.post("/api/crates/"+other+"/move/", fields{"shelf": "c", "place": "a"}).refuses(409, "mark_taken")
			moved.fault("/place", "not_unique")
			moved.lacks("/shelf")
		}
	})
}

// TestNothingIsMissingWithNamesInCapitals checks that no index, column or constraint is called missing if only the
// capital letters of its name differ.
func TestNothingIsMissingWithNamesInCapitals(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		script(t, db, depotSchema)
		api := checked(t, db, depots()...)
		lacksColumns(t, "in capitals", api)
		lacks(t, "in capitals", api, nil)
		if missing, err := api.MissingChecks(t.Context()); err != nil || len(missing) != 0 {
			t.Errorf("the missing constraints are %v, %v", missing, err)
		}
	})
}

// A MainDepot is a depot whose table has a default schema in its name.
type MainDepot struct {
	bun.BaseModel `bun:"table:main.depots"`

	ID    uuid.UUID `bun:",pk"`
	Name  string
	Paint *uuid.UUID
}

// MainDepotInput has a reference that the database alone checks.
type MainDepotInput struct {
	Name  string     `json:"name" validate:"required"`
	Paint *uuid.UUID `json:"paint"`
}

// A MainPaint is a row to which depots refer.
type MainPaint struct {
	bun.BaseModel `bun:"table:main.paints"`

	ID uuid.UUID `bun:",pk"`
}

type MainPaintView struct {
	ID uuid.UUID `json:"id"`
}

// TestTablesInTheSchemaMain checks that a table with the schema main has everything that doctor looks for, and that the
// errors of its foreign keys name fields and resources.
func TestTablesInTheSchemaMain(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		if db.Kind() != sqldb.SQLite {
			t.Skip("PostgreSQL has no schema main")
		}
		script(t, db, depotSchema+"; CREATE UNIQUE INDEX depots_by_paint ON Depots (Paint)")
		resources := []framework.Resource{
			framework.ViewSet[MainDepot]{
				Name: "depots", Scope: framework.Public(), Verbs: framework.CRUD[MainDepotInput, DepotView](),
				Uniques: []framework.Unique{{Fields: []string{"paint"}, Code: "mark_taken", Detail: "The paint is used."}},
			},
			framework.ViewSet[MainPaint]{
				Name: "paints", Scope: framework.Public(), Verbs: framework.Verbs{
					Create: framework.Accepts[framework.None, MainPaintView](), Delete: framework.Deletes(), Retrieve: framework.Shows[MainPaintView](),
				},
			},
		}
		api := checked(t, db, resources...)
		lacksColumns(t, "in main", api)
		lacks(t, "in main", api, nil)
		client, _ := promised(t, config(db), resources...)
		ada := client.as("ada")
		ada.post("/api/depots/", fields{"name": "n", "paint": uuid.NewString()}).refuses(409, "conflict").says("/paint")
		paint := ada.post("/api/paints/", nil).is(201).id()
		ada.post("/api/depots/", fields{"name": "n", "paint": paint}).is(201)
		ada.post("/api/depots/", fields{"name": "n", "paint": paint}).refuses(409, "mark_taken").says("/paint")
		ada.delete("/api/paints/"+paint+"/").refuses(409, "still_referenced").says("Records of depots refer to this one.")
	})
}
