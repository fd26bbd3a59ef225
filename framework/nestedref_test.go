package framework_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// Inputs with references below the top.
type (
	line struct {
		Book  uuid.UUID  `json:"file" ref:"books" validate:"required"`
		Other *uuid.UUID `json:"other" ref:"books"`
	}
	parcel struct {
		One   line            `json:"one"`
		Maybe *line           `json:"maybe"`
		Items []line          `json:"items"`
		Named map[string]line `json:"named"`
		Boxes [][]*line       `json:"boxes"`
		Deep  *crate          `json:"deep"`
	}
	crate struct {
		Items []line `json:"items"`
	}
)

// TestNestedReferences: a reference is checked wherever it is in the input of a function,
// and the fault points to its place.
func TestNestedReferences(t *testing.T) {
	type received struct {
		Runs int `json:"runs"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		runs := 0
		v, n := books(), notes()
		v.Actions = []framework.Action[Book]{framework.Post("send", func(*framework.Call, *Book, parcel) (received, error) {
			runs++
			return received{runs}, nil
		})}
		n.Verbs.Create = framework.Does(func(*framework.Call, parcel) (received, error) {
			runs++
			return received{runs}, nil
		})
		api := serve(t, config(db), countries(), authors(), v, n)
		emma := api.as("ada").post("/api/books/", fields{"title": "Emma"}).is(201).id()
		own := api.as("bob").post("/api/books/", fields{"title": "Dune"}).is(201).id()
		good, bad, zero := fields{"file": own}, fields{"file": emma}, fields{"file": uuid.Nil.String()}
		type list = []any
		for _, c := range []struct {
			name   string
			body   fields
			faults []string
		}{
			{"all one's own", fields{"one": good, "maybe": good, "items": list{good, good}, "named": fields{"a": good}, "boxes": list{list{good}}}, nil},
			{"null and empty", fields{"one": good, "maybe": nil, "items": list{}, "named": fields{}, "boxes": list{list{nil}}}, nil},
			{"in a struct", fields{"one": bad}, []string{"/one/file"}},
			{"in a pointer to one", fields{"one": good, "maybe": bad}, []string{"/maybe/file"}},
			{"in a list", fields{"one": good, "items": list{bad, good}}, []string{"/items/0/file"}},
			{"at two places of a list", fields{"one": good, "items": list{bad, good, bad}}, []string{"/items/0/file", "/items/2/file"}},
			{"in a map", fields{"one": good, "named": fields{"a/b": bad}}, []string{"/named/a~1b/file"}},
			{"in a list of lists", fields{"one": good, "boxes": list{list{}, list{good, bad}}}, []string{"/boxes/1/1/file"}},
			{"two deep", fields{"one": good, "deep": fields{"items": list{bad}}}, []string{"/deep/items/0/file"}},
			{"an optional one", fields{"one": fields{"file": own, "other": emma}}, []string{"/one/other"}},
			{"one that leads to nothing", fields{"one": fields{"file": missing}}, []string{"/one/file"}},
			{"a key of zeros", fields{"one": zero, "maybe": zero, "items": list{good, zero}, "boxes": list{list{zero}}},
				[]string{"/one/file", "/maybe/file", "/items/1/file", "/boxes/0/0/file"}},
			{"items that are no objects", fields{"one": bad, "items": list{1, nil, good}, "named": fields{"a": "x"}}, []string{"/items/0 type", "/items/1 null", "/named/a type", "/one/file"}},
			{"everywhere at once", fields{"one": bad, "maybe": bad, "items": list{bad}, "deep": fields{"items": list{good, bad}}},
				[]string{"/one/file", "/maybe/file", "/items/0/file", "/deep/items/1/file"}},
		} {
			t.Run(c.name, func(t *testing.T) {
				bob := api.in(t).as("bob")
				for path, status := range map[string]int{"/api/books/" + own + "/send/": 200, "/api/notes/": 201} {
					before := runs
					a := bob.post(path, c.body)
					if len(c.faults) == 0 {
						a.is(status)
						continue
					}
					a.refuses(400, "validation_failed")
					for _, at := range c.faults {
						at, code, own := strings.Cut(at, " ")
						if !own {
							code = "invalid_reference"
						}
						a.fault(at, code)
					}
					if p := a.problem(); len(p.Errors) != len(c.faults) || runs != before {
						a.failf("want %d faults, and the function not run", len(c.faults))
					}
				}
			})
		}
		t.Run("one that is no id", func(t *testing.T) {
			api.in(t).as("bob").post("/api/notes/", fields{"one": fields{"file": "emma"}}).refuses(400, "validation_failed").fault("/one/file", "format")
		})
	})
}

// TestMistakesInNestedReferences stop the program as those at the top do.
func TestMistakesInNestedReferences(t *testing.T) {
	type lost struct {
		Items []struct {
			File uuid.UUID `json:"file" ref:"boks"`
		} `json:"items"`
	}
	type mistypedKey struct {
		Deep *struct {
			File int64 `json:"file" ref:"books"`
		} `json:"deep"`
		Note uuid.UUID `json:"note" ref:"notes"`
	}
	v := books()
	v.Actions = []framework.Action[Book]{
		framework.Post("lose", func(*framework.Call, *Book, lost) (framework.None, error) { return framework.None{}, nil }),
		framework.Post("mistype", func(*framework.Call, *Book, mistypedKey) (framework.None, error) { return framework.None{}, nil }),
	}
	api := framework.New(config(sqlite(t)))
	api.Register(countries(), authors(), v, notes())
	expectMistakes(t, api.Check(), []string{
		`books: action "lose": lost.Items.File: no viewset "boks" is registered; did you mean "books"?`,
		`books: action "mistype": mistypedKey.Deep.File is int64, but the keys of books are uuid.UUID`,
		`books: action "mistype": mistypedKey.Note is uuid.UUID, but the keys of notes are int64`,
	})
}
