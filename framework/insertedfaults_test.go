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

// A Barn has stalls and hooks, each with a number that is unique in the barn.
type Barn struct {
	bun.BaseModel `bun:"table:barns"`

	ID   uuid.UUID `bun:",pk"`
	Name string
}

type Stall struct {
	bun.BaseModel `bun:"table:stalls"`

	ID     uuid.UUID `bun:",pk"`
	BarnID uuid.UUID
	Number int64
	Horse  string
}

type Hook struct {
	bun.BaseModel `bun:"table:hooks"`

	ID     uuid.UUID `bun:",pk"`
	BarnID uuid.UUID
	Number int64
	Bridle string
}

type BarnView struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

type NumberView struct {
	ID     uuid.UUID `json:"id"`
	Number int64     `json:"number"`
}

type StallItem struct {
	BarnID *uuid.UUID `json:"barn"`
	Number int64      `json:"number"`
	Horse  string     `json:"horse"`
}

type HookItem struct {
	Number int64  `json:"number"`
	Bridle string `json:"bridle"`
}

// An Equipment is the body of functions that store stalls and hooks.
type Equipment struct {
	BarnID *uuid.UUID `json:"barn"`
	Number int64      `json:"number"`
	Horse  string     `json:"horse"`
	Place  struct {
		BarnID *uuid.UUID `json:"barn"`
	} `json:"place"`
	Stalls  []StallItem `json:"stalls"`
	Evening []StallItem `json:"evening"`
	Hooks   []HookItem  `json:"hooks"`
	Barns   []BarnItem  `json:"barns"`
}

// A BarnItem is stalls of one barn.
type BarnItem struct {
	BarnID uuid.UUID   `json:"barn"`
	Stalls []StallItem `json:"stalls"`
}

// barn is the barn of a row: that of its item, of the body, or of the place in the body.
func (in *Equipment) barn(own *uuid.UUID) uuid.UUID {
	for _, id := range []*uuid.UUID{own, in.BarnID, in.Place.BarnID} {
		if id != nil {
			return *id
		}
	}
	return uuid.Nil
}

// equip stores each stall and each hook of the lists.
func equip(c *framework.Call, in Equipment) (framework.None, error) {
	for _, of := range in.Barns {
		for _, one := range of.Stalls {
			if err := framework.Insert(c, &Stall{BarnID: of.BarnID, Number: one.Number, Horse: one.Horse}); err != nil {
				return framework.None{}, err
			}
		}
	}
	for _, one := range slices.Concat(in.Stalls, in.Evening) {
		horse := strings.ToLower(strings.TrimSpace(one.Horse))
		if err := framework.Insert(c, &Stall{BarnID: in.barn(one.BarnID), Number: one.Number, Horse: horse}); err != nil {
			return framework.None{}, err
		}
	}
	for _, one := range in.Hooks {
		if err := framework.Insert(c, &Hook{BarnID: in.barn(nil), Number: one.Number, Bridle: one.Bridle}); err != nil {
			return framework.None{}, err
		}
	}
	return framework.None{}, nil
}

// enter stores the stall of the body itself, with the name of the horse in lower case.
func enter(c *framework.Call, in Equipment) (framework.None, error) {
	return framework.None{}, framework.Insert(c, &Stall{BarnID: in.barn(nil), Number: in.Number, Horse: strings.ToLower(in.Horse)})
}

// pointersOf are the JSON pointers of the faults of a problem, in order.
func pointersOf(p problem) string {
	var list []string
	for _, f := range p.Errors {
		list = append(list, f.Pointer)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// home stores each stall of the list in the first barn.
func home(c *framework.Call, in Equipment) (framework.None, error) {
	first, err := framework.Find[BarnView](c, "barns", func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("name = ?", "first") })
	if err != nil {
		return framework.None{}, err
	}
	in.BarnID = nil
	in.Place.BarnID = &first[0].ID
	return equip(c, in)
}

// An Again is the body of a further stall in the barn of a stall, whatever barn it names.
type Again struct {
	BarnID *uuid.UUID `json:"barn"`
	Number int64      `json:"number"`
}

func again(c *framework.Call, s *Stall, in Again) (framework.None, error) {
	return framework.None{}, framework.Insert(c, &Stall{BarnID: s.BarnID, Number: in.Number})
}

// TestFaultsOfInsertedRows checks that the fault of a row that a function inserts is at the members of the body that gave
// its values, in the body itself, in an object, in a list, or in several of them, whatever viewset has the function.
func TestFaultsOfInsertedRows(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		script(t, db, `CREATE TABLE barns ({{id}}, name {{text}} NOT NULL);
			CREATE TABLE stalls ({{id}}, barn_id {{uuid}} NOT NULL REFERENCES barns (id), number {{bigint}} NOT NULL, horse {{text}} NOT NULL,
				UNIQUE (barn_id, number), CONSTRAINT stalls_kept CHECK (horse <> 'nobody' OR number <> 13));
			CREATE UNIQUE INDEX stalls_by_horse ON stalls (horse) WHERE horse <> '';
			CREATE TABLE hooks ({{id}}, barn_id {{uuid}} NOT NULL REFERENCES barns (id), number {{bigint}} NOT NULL, bridle {{text}} NOT NULL, UNIQUE (barn_id, number))`)
		functions := func() []framework.CollectionAction {
			return []framework.CollectionAction{
				framework.OnCollection("POST", "equip", equip).Refuses("not_unique", "conflict", "kept"),
				framework.OnCollection("POST", "home", home).Refuses("not_unique", "conflict", "kept"),
				framework.OnCollection("POST", "enter", enter).Refuses("not_unique", "conflict", "kept"),
			}
		}
		client, _ := promised(t, config(db),
			framework.ViewSet[Barn]{Name: "barns", Scope: framework.Public(), Verbs: framework.CRUD[struct {
				Name string `json:"name"`
			}, BarnView](), Collection: functions()},
			framework.ViewSet[Stall]{Name: "stalls", Scope: framework.Public(), Verbs: framework.ReadOnly[NumberView](), Collection: functions(),
				Actions: []framework.Action[Stall]{framework.Post("again", again).Refuses("not_unique")},
				Checks:  []framework.Check{{Constraint: "stalls_kept", Fields: []string{"horse", "number"}, Code: "kept", Detail: "The stall stays empty."}}},
			framework.ViewSet[Hook]{Name: "hooks", Scope: framework.Public(), Verbs: framework.ReadOnly[NumberView]()})
		api := client.as("ada")
		barn := api.post("/api/barns/", fields{"name": "first"}).is(201).id()
		other := api.post("/api/barns/", fields{"name": "second"}).is(201).id()
		api.post("/api/stalls/equip/", fields{"barn": barn, "stalls": []fields{{"number": 5, "horse": "ada"}}, "hooks": []fields{{"number": 5}}}).is(204)
		stall := func(number int, horse string) fields { return fields{"number": number, "horse": horse} }
		hook := func(number int, bridle string) fields { return fields{"number": number, "bridle": bridle} }
		stored := api.get("/api/stalls/").list().Results[0]["id"].(string)
		if got := pointersOf(api.post("/api/stalls/"+stored+"/again/", fields{"barn": other, "number": 5}).refuses(409, "not_unique").problem()); got != "/number" {
			t.Errorf("an ignored key: faults at %q; want /number", got)
		}
		for _, c := range []struct {
			name, path string
			body       fields
			code       string
			faults     string
		}{
			{"of a list", "equip", fields{"barn": barn, "stalls": []fields{stall(6, "bo"), stall(5, "cy")}}, "not_unique", "/barn /stalls/1/number"},
			{"of a list, beside a list of another type with the same number", "equip",
				fields{"barn": barn, "stalls": []fields{stall(5, "bo")}, "hooks": []fields{hook(5, "red")}}, "not_unique", "/barn /stalls/0/number"},
			{"of the second list", "equip",
				fields{"barn": barn, "stalls": []fields{stall(6, "bo")}, "hooks": []fields{hook(6, "red"), hook(5, "red")}}, "not_unique", "/barn /hooks/1/number"},
			{"of the second list, beside a list of another type with the same number", "equip",
				fields{"barn": barn, "stalls": []fields{{"barn": other, "number": 5, "horse": "bo"}}, "hooks": []fields{hook(5, "red")}}, "not_unique", "/barn /hooks/0/number"},
			{"of an item with its own barn", "equip",
				fields{"barn": other, "stalls": []fields{{"barn": barn, "number": 5, "horse": "bo"}}}, "not_unique", "/stalls/0/barn /stalls/0/number"},
			{"of a list and an object", "equip",
				fields{"place": fields{"barn": barn}, "stalls": []fields{stall(5, "bo")}}, "not_unique", "/place/barn /stalls/0/number"},
			{"of an object with the barn, before the same number of another barn", "equip", fields{"barns": []fields{
				{"barn": barn, "stalls": []fields{stall(5, "")}}, {"barn": other, "stalls": []fields{stall(5, "")}},
			}}, "not_unique", "/barns/0/barn /barns/0/stalls/0/number"},
			{"of one of two lists with equal items", "equip",
				fields{"barn": barn, "stalls": []fields{stall(6, "")}, "evening": []fields{stall(6, "")}}, "not_unique", "/barn"},
			{"of one of two lists in objects with equal items", "equip", fields{"barns": []fields{
				{"barn": barn, "stalls": []fields{stall(6, "")}}, {"barn": barn, "stalls": []fields{stall(6, "")}},
			}}, "not_unique", ""},
			{"of a changed value in a list, beside another one in the body", "equip",
				fields{"barn": other, "horse": "bo", "stalls": []fields{stall(6, "Ada ")}}, "not_unique", "/stalls/0/horse"},
			{"of one of two items, of which the other has another horse", "equip",
				fields{"barn": barn, "stalls": []fields{{"number": 5}, {"number": 5, "horse": "bo"}}}, "not_unique", "/barn /stalls/0/number"},
			{"of the second of two equal items", "equip", fields{"barn": barn, "stalls": []fields{stall(6, "bo"), stall(6, "cy")}}, "not_unique", "/barn /stalls/1/number"},
			{"of the body itself", "enter", fields{"barn": barn, "number": 5, "horse": "bo"}, "not_unique", "/barn /number"},
			{"of the body itself, beside a list with the same number", "enter",
				fields{"barn": barn, "number": 5, "horse": "bo", "hooks": []fields{hook(5, "red")}}, "not_unique", "/barn /number"},
			{"of the body itself and an object", "enter", fields{"place": fields{"barn": barn}, "number": 5, "horse": "bo"}, "not_unique", "/number /place/barn"},
			{"of a value that the function changes", "enter", fields{"barn": other, "number": 7, "horse": "Ada"}, "not_unique", "/horse"},
			{"of a changed value, beside a list with the number", "enter",
				fields{"barn": other, "number": 5, "horse": "Ada", "hooks": []fields{hook(5, "red")}}, "not_unique", "/horse"},
			{"of a list, with a barn from elsewhere", "home", fields{"stalls": []fields{stall(5, "bo")}}, "not_unique", "/stalls/0/number"},
			{"of a CHECK constraint", "equip", fields{"barn": barn, "stalls": []fields{stall(6, "bo"), stall(13, "nobody")}}, "kept", "/stalls/1/horse /stalls/1/number"},
			{"of a foreign key", "equip", fields{"barn": "00000000-0000-7000-8000-000000000009", "stalls": []fields{stall(6, "bo")}}, "conflict", "/barn"},
		} {
			for _, at := range []string{"stalls", "barns"} {
				t.Run(c.name+", at "+at, func(t *testing.T) {
					if got := pointersOf(api.in(t).post("/api/"+at+"/"+c.path+"/", c.body).refuses(409, c.code).problem()); got != c.faults {
						t.Errorf("faults at %q; want %q", got, c.faults)
					}
				})
			}
		}
	})
}
