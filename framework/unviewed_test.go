package framework_test

import (
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A row that the caller may not view is 404 for every verb and action, whatever else
// the caller holds.
func TestARowThatIsNotViewedIsNotChanged(t *testing.T) {
	for i, c := range []struct{ name, permissions string }{
		{"only-change", "books.change"}, {"only-delete", "books.delete"}, {"change-and-delete", "books.change books.delete books.add"},
		{"view-and-delete", "books.view books.delete"}, {"view-and-change", "books.view books.change"},
	} {
		held := map[string]bool{}
		for name := range strings.FieldsSeq(c.permissions) {
			held[name] = true
		}
		callers[c.name] = &framework.Caller{ID: missingPlus(byte(20 + i)), Name: c.name, Permissions: held}
		t.Cleanup(func() { delete(callers, c.name) })
	}
	writes := []struct {
		method, path string
		body         string
	}{
		{"PUT", "", "whole"},
		{"PUT", "", "id"}, // which is compared with the row
		{"PATCH", "", "one"},
		{"PATCH", "", "none"},
		{"POST", "mark/", ""},
		{"PUT", "mark/", ""},
		{"PATCH", "mark/", ""},
		{"DELETE", "mark/", ""},
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		mark := func(_ *framework.Call, b *Book, _ framework.None) (BookView, error) { return BookView{ID: b.ID}, nil }
		v.Actions = []framework.Action[Book]{
			framework.Get("look", mark), framework.Post("mark", mark), framework.Put("mark", mark), framework.Patch("mark", mark), framework.Delete("mark", mark),
		}
		part := chapters()
		part.Scope = part.Scope.Unless(framework.HoldsModel("books"))
		api := serve(t, config(db), countries(), authors(), v, part)
		for _, c := range []struct {
			caller                  string
			reads, changes, deletes int
		}{
			{"bob", 404, 404, 404},
			{"only-change", 404, 404, 404},
			{"only-delete", 404, 404, 404},
			{"change-and-delete", 404, 404, 404},
			{"vic", 200, 404, 404},
			{"view-and-change", 200, 200, 404},
			{"view-and-delete", 200, 404, 204},
			{"root", 200, 200, 204},
		} {
			t.Run(c.caller, func(t *testing.T) {
				api := api.in(t)
				book := api.as("ada").post("/api/books/", fields{"title": "of " + c.caller}).is(201).id()
				chapter := api.as("ada").post("/api/chapters/", fields{"book": book, "number": 1, "title": "One"}).is(201).id()
				caller, at, part := api.as(c.caller), "/api/books/"+book+"/", "/api/chapters/"+chapter+"/"
				caller.get(at).is(c.reads)
				caller.get(at + "look/").is(c.reads)
				caller.get(part).is(c.reads)
				title := "by " + c.caller
				bodies := map[string]any{
					"whole": fields{"title": title}, "id": fields{"title": title, "id": missing}, "one": fields{"pages": 1}, "none": fields{}, "": nil,
				}
				for _, w := range writes {
					got := caller.do(w.method, at+w.path, bodies[w.body]).is(c.changes)
					if c.changes == http.StatusNotFound {
						sameRefusal(t, got, caller.do(w.method, "/api/books/"+missing+"/"+w.path, bodies[w.body]))
					}
				}
				caller.patch(part, fields{"title": "Uno"}).is(c.changes)
				caller.put(part, fields{"book": book, "number": 1, "title": "Uno"}).is(c.changes)
				caller.delete(part).is(c.deletes)
				if c.deletes == http.StatusNotFound {
					api.as("ada").delete(part).is(204)
				}
				caller.delete(at).is(c.deletes)
			})
		}
	})
}

// The OpenAPI document names both permissions, and the access matrix agrees.
func TestTheDocumentNamesTheRightToView(t *testing.T) {
	_, said := promised(t, config(sqlite(t)), countries(), authors(), books())
	for method, want := range map[string]string{
		"get":    "For signed-in users; the caller's own rows, or all rows with the permission books.view.",
		"patch":  "For signed-in users; the caller's own rows, or all rows with the permissions books.view and books.change.",
		"delete": "For signed-in users; the caller's own rows, or all rows with the permissions books.view and books.delete.",
	} {
		said.says(`"`+want+`"`, "paths", "/api/books/{id}/", method, "description")
	}
	api := framework.New(config(sqlite(t)))
	api.Register(countries(), authors(), books())
	if err := api.Check(); err != nil {
		t.Fatal(err)
	}
	changer := &framework.Caller{ID: missingPlus(20), Permissions: map[string]bool{"books.change": true}}
	for _, r := range api.Access(changer, callers["max"]) {
		if r.Path == "/api/books/{id}/" && r.Method == http.MethodPatch && (r.Access[0] != framework.AccessScoped || r.Access[1] != framework.AccessAllowed) {
			t.Errorf("PATCH is %s with books.change alone and %s with books.view too", r.Access[0], r.Access[1])
		}
	}
}

// TestRecordsThatReferAreNotDisclosed: a row that others refer to is 409; the answer names their
// viewset only for a caller who may see them.
func TestRecordsThatReferAreNotDisclosed(t *testing.T) {
	callers["remover"] = &framework.Caller{ID: missingPlus(60), Name: "Remover", Permissions: map[string]bool{"books.view": true, "books.delete": true}}
	both(t, func(t *testing.T, db *sqldb.DB) {
		listed := chapters()
		listed.Permission = framework.Any(framework.Authenticated())
		api := serve(t, config(db), books(), authors(), countries(), listed)
		ada := api.as("ada")
		book := ada.post("/api/books/", fields{"title": "Emma"}).is(201).id()
		ada.post("/api/chapters/", fields{"book": book, "number": 1, "title": "One"}).is(201)
		api.as("bob").delete("/api/books/"+book+"/").refuses(404, "not_found").lacks("chapters")
		api.as("remover").get("/api/chapters/").is(200).says(`"count":0`)
		api.as("remover").delete("/api/books/"+book+"/").refuses(409, "still_referenced").lacks("chapters")
		ada.delete("/api/books/"+book+"/").refuses(409, "still_referenced").says(`"resource":"chapters"`)
	})
}
