package framework_test

import (
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// TestPreconditionsOnVersions: rows have no versions, so a write with a condition on a
// version is rejected before anything is done, whatever the row is. A condition on
// existence is accepted.
func TestPreconditionsOnVersions(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ran := 0
		v := books()
		v.Actions = []framework.Action[Book]{
			framework.Post("mark", func(*framework.Call, *Book, framework.None) (framework.None, error) {
				ran++
				return framework.None{}, nil
			}),
			framework.Get("look", func(*framework.Call, *Book, framework.None) (framework.None, error) { return framework.None{}, nil }),
		}
		v.Collection = []framework.CollectionAction{
			framework.OnCollection("POST", "sweep", func(*framework.Call, framework.None) (framework.None, error) { ran++; return framework.None{}, nil }),
		}
		api := serve(t, config(db), countries(), authors(), v)
		ada := api.as("ada")
		own := ada.post("/api/books/", fields{"title": "Emma"}).is(201).id()
		bobs := api.as("bob").post("/api/books/", fields{"title": "Dune"}).is(201).id()
		writes := []struct{ method, path string }{
			{"POST", "/api/books/"}, {"POST", "/api/books/sweep/"}, {"PUT", "/api/books/ID/"}, {"PATCH", "/api/books/ID/"},
			{"DELETE", "/api/books/ID/"}, {"POST", "/api/books/ID/mark/"},
		}
		const date = "Sat, 01 Jan 2000 00:00:00 GMT"
		for _, c := range []struct{ name, header, value string }{
			{"a version", "If-Match", `"1"`},
			{"a weak version", "If-Match", `W/"1"`},
			{"several versions", "If-Match", `"1", "2"`},
			{"any version and one", "If-Match", `*, "1"`},
			{"a date", "If-Unmodified-Since", date},
			{"what is no date", "If-Unmodified-Since", "yesterday"},
			{"no row", "If-None-Match", "*"},
			{"another version", "If-None-Match", `"1"`},
		} {
			t.Run(c.name, func(t *testing.T) {
				for _, w := range writes {
					for _, id := range []string{own, bobs, missing, "malformed"} {
						ada.in(t).with(c.header, c.value).do(w.method, strings.Replace(w.path, "ID", id, 1), fields{"title": "Other"}).
							refuses(412, "precondition_unsupported").says("nothing was changed")
					}
				}
				ada.in(t).get("/api/books/" + own + "/").is(200).says(`"title":"Emma"`)
				if n := *ada.in(t).get("/api/books/").list().Count; n != 1 || ran != 0 {
					t.Errorf("%d books, %d functions ran; want 1 and 0", n, ran)
				}
				ada.in(t).with(c.header, c.value).get("/api/books/" + own + "/look/").is(204)
				ada.in(t).with(c.header, c.value).get("/api/books/" + own + "/").is(200)
			})
		}
		t.Run("If-Match: * asks for a row that is there", func(t *testing.T) {
			present := ada.in(t).with("If-Match", " * ")
			present.patch("/api/books/"+own+"/", fields{"pages": 3}).is(200)
			present.patch("/api/books/"+missing+"/", fields{"pages": 3}).refuses(404, "not_found")
			present.patch("/api/books/"+bobs+"/", fields{"pages": 3}).refuses(404, "not_found")
			present.post("/api/books/", fields{"title": "Persuasion"}).is(201)
			present.post("/api/books/sweep/", nil).is(204)
			present.with("If-Unmodified-Since", date).patch("/api/books/"+own+"/", fields{"pages": 4}).refuses(412, "precondition_unsupported")
			present.delete("/api/books/" + own + "/").is(204)
		})
	})
}

// The access check comes first.
func TestPreconditionsComeAfterTheAccessCheck(t *testing.T) {
	v := countries()
	v.Permission = framework.HoldsModel("countries")
	v.Verbs.Patch = framework.Verb{}
	api := serve(t, config(sqlite(t)), v).with("If-Match", `"1"`)
	path := "/api/countries/" + missing + "/"
	api.delete(path).refuses(401, "authentication_required")
	api.as("ada").with("If-Match", `"1"`).delete(path).refuses(403, "forbidden")
	api.as("root").with("If-Match", `"1"`).delete(path).refuses(412, "precondition_unsupported").head("Allow", "GET, HEAD, PUT, DELETE, OPTIONS")
	api.as("root").with("If-Match", `"1"`).patch(path, fields{}).refuses(405, "method_not_allowed")
}

// A function may check the condition itself: it names the header that it reads.
func TestAFunctionChecksThePrecondition(t *testing.T) {
	v := countries()
	check := func(c *framework.Call, _ framework.None) (string, error) {
		return c.Request().Header.Get("If-Match"), nil
	}
	v.Collection = []framework.CollectionAction{
		framework.OnCollection(http.MethodPost, "checks", check).Takes(framework.Header{Name: "if-match", Doc: "The version."}),
		framework.OnCollection(http.MethodPost, "does-not", check),
	}
	c, said := promised(t, config(sqlite(t)), v)
	ada := c.as("ada").with("If-Match", `"1"`)
	ada.post("/api/countries/checks/", nil).is(200).says(`"\"1\""`)
	ada.post("/api/countries/does-not/", nil).refuses(412, "precondition_unsupported")
	ada.with("If-Unmodified-Since", "x").post("/api/countries/checks/", nil).refuses(412, "precondition_unsupported")
	if said.at("paths", "/api/countries/does-not/", "post", "responses", "412") == "" {
		t.Error("the OpenAPI document does not list 412 for a write")
	}
	if said.at("paths", "/api/countries/", "get", "responses", "412") != "" {
		t.Error("the OpenAPI document lists 412 for a read")
	}
	c.get("/api/errors/precondition_unsupported").is(200)
}
