package framework_test

import (
	"fmt"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// rangeInput has a rule over two fields of the row, and one field that is no
// column.
type rangeInput struct {
	Title  string `json:"title" validate:"required"`
	Pages  int64  `json:"pages" default:"5"`
	Status string `json:"status" default:"draft" validate:"oneof=draft out"`
	Reason string `json:"reason" default:"none"`
}

func (in rangeInput) Check() []framework.Fault {
	if in.Status == "out" && in.Pages < 10 {
		return []framework.Fault{{Pointer: "/pages", Code: "too_thin", Detail: "must be at least 10 to be out"}}
	}
	return nil
}

// TestPatchByChanges: a function of Patch gets the row's values for absent fields, and Has
// reports which fields the body has.
func TestPatchByChanges(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		var got string
		change := framework.Changes(func(c *framework.Call, b *Book, in rangeInput) (BookView, error) {
			said := []string{fmt.Sprintf("%q %d %s %q", in.Title, in.Pages, in.Status, in.Reason)}
			for _, name := range []string{"title", "pages", "status", "reason", "nothing"} {
				if c.Has(name) {
					said = append(said, name)
				}
			}
			got = strings.Join(said, " ")
			b.Pages, b.Status = in.Pages, in.Status
			return BookView{ID: b.ID}, framework.Save(c, b)
		})
		v := books()
		v.Verbs.Patch, v.Verbs.Update = change, change
		ada := serve(t, config(db), countries(), authors(), v).as("ada")
		path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma", "pages": 12}).is(201).id() + "/"
		for _, c := range []struct {
			name, method string
			body         fields
			want         string
		}{
			{"nothing", "PATCH", fields{}, `"Emma" 12 draft ""`},
			{"one field", "PATCH", fields{"status": "out"}, `"Emma" 12 out "" status`},
			{"zero is a value", "PATCH", fields{"pages": 0, "status": "draft", "reason": ""}, `"Emma" 0 draft "" pages status reason`},
			{"the change before is in the row", "PATCH", fields{"reason": "x"}, `"Emma" 0 draft "x" reason`},
			{"PUT returns to the defaults", "PUT", fields{"title": "x"}, `"x" 5 draft "none" title`},
		} {
			t.Run(c.name, func(t *testing.T) {
				ada.in(t).do(c.method, path, c.body).is(200)
				if got != c.want {
					t.Errorf("the function was given %s, want %s", got, c.want)
				}
			})
		}
		t.Run("the rule is asked of the row with the changes", func(t *testing.T) {
			got = "not called"
			ada.in(t).patch(path, fields{"status": "out"}).refuses(400, "validation_failed").fault("/pages", "too_thin")
			ada.in(t).patch(path, fields{"title": ""}).refuses(400, "validation_failed").fault("/title", "required")
			if got != "not called" {
				t.Errorf("the function ran with %s", got)
			}
			ada.in(t).patch(path, fields{"pages": 20}).is(200)
			ada.in(t).patch(path, fields{"status": "out"}).is(200)
			ada.in(t).patch(path, fields{"pages": 1}).refuses(400, "validation_failed").fault("/pages", "too_thin")
			ada.in(t).as("bob").patch(path, fields{"pages": 1}).refuses(404, "not_found")
		})
	})
}
