package framework_test

import (
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// TestStrict: a lenient resource ignores and reports unknown names; a strict one rejects
// them with the nearest known name.
func TestStrict(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Strict = framework.Strict
		v.Actions = []framework.Action[Book]{framework.Post("copy", copyOut)}
		ada := serve(t, config(db), countries(), authors(), v, chapters()).as("ada")
		made := ada.post("/api/books/", fields{"title": "Emma", "pages": 3}).is(201)
		path := "/api/books/" + made.id() + "/"
		for _, c := range []struct {
			name, method, path string
			body               any
			code, place, says  string
		}{
			{"an unknown parameter", "GET", "/api/books/?serach=x", nil, "invalid_parameter", "serach", "did you mean search?"},
			{"an unknown parameter far from any", "GET", "/api/books/?colour=x", nil, "invalid_parameter", "colour", "is not known here"},
			{"an unknown parameter of one row", "GET", path + "?search=x", nil, "invalid_parameter", "search", "is not known here"},
			{"an unknown parameter of a write", "PATCH", path + "?dry=1", fields{}, "invalid_parameter", "dry", "is not known here"},
			{"an unknown parameter of a removal", "DELETE", path + "?force=1", nil, "invalid_parameter", "force", "is not known here"},
			{"an ordering term", "GET", "/api/books/?ordering=titel", nil, "invalid_parameter", "ordering", "did you mean title?"},
			{"a descending term", "GET", "/api/books/?ordering=-pagse", nil, "invalid_parameter", "ordering", "did you mean -pages?"},
			{"an unknown field of a new row", "POST", "/api/books/", fields{"title": "x", "pagse": 3}, "unknown_field", "/pagse", "did you mean /pages?"},
			{"an unknown field of a change", "PATCH", path, fields{"titel": "x"}, "unknown_field", "/titel", "did you mean /title?"},
			{"an unknown field of a replacement", "PUT", path, fields{"title": "x", "colour": "red"}, "unknown_field", "/colour", "is not a field that can be written here"},
			{"an unknown field of an action", "POST", path + "copy/", fields{"tims": 2}, "unknown_field", "/tims", "did you mean /times?"},
			{"a read-only field of a new row", "POST", "/api/books/", fields{"title": "x", "id": missing}, "unknown_field", "/id", "is read-only"},
			{"a read-only field that differs", "PATCH", path, fields{"id": missing}, "unknown_field", "/id", "is read-only"},
			{"a read-only field that differs, in a replacement", "PUT", path, fields{"title": "x", "created_at": "2001-01-01T00:00:00Z"}, "unknown_field", "/created_at", "is read-only"},
		} {
			t.Run(c.name, func(t *testing.T) {
				ada.in(t).do(c.method, c.path, c.body).refuses(400, c.code).fault(c.place, c.code).says(c.says).head("Trestle-Ignored", "")
			})
		}
		t.Run("nothing of it was done", func(t *testing.T) {
			if got := ada.in(t).get(path).is(200); got.body != made.body {
				t.Errorf("got %s", got.body)
			}
			if n := *ada.in(t).get("/api/books/").list().Count; n != 1 {
				t.Errorf("there are %d books", n)
			}
		})
		t.Run("what was read can be sent back", func(t *testing.T) {
			ada.in(t).put(path, made.object()).is(200).head("Trestle-Ignored", "")
		})
		t.Run("several names at once", func(t *testing.T) {
			ada.in(t).patch(path, fields{"titel": 1, "pagse": 2}).refuses(400, "unknown_field").fault("/titel", "unknown_field").fault("/pagse", "unknown_field")
			ada.in(t).get("/api/books/?a=1&b=2").refuses(400, "invalid_parameter").fault("a", "invalid_parameter").fault("b", "invalid_parameter")
		})
		t.Run("all that is wrong with a new row at once", func(t *testing.T) {
			ada.in(t).post("/api/books/", fields{"titel": 1, "id": missing, "pages": "x"}).refuses(400, "unknown_field").
				fault("/titel", "unknown_field").fault("/id", "unknown_field").fault("/pages", "type").fault("/title", "required")
		})
		t.Run("another's row is 404 all the same", func(t *testing.T) {
			ada.in(t).as("bob").patch(path, fields{"id": missing}).refuses(404, "not_found")
		})
	})
}

// TestStrictnessIsInherited from the API, and a viewset may differ.
func TestStrictnessIsInherited(t *testing.T) {
	for _, c := range []struct {
		name         string
		api, viewset framework.Strictness
		want         int
	}{
		{"nothing said is lenient", framework.InheritStrictness, framework.InheritStrictness, 200},
		{"the API is strict", framework.Strict, framework.InheritStrictness, 400},
		{"the viewset is strict", framework.Lenient, framework.Strict, 400},
		{"the viewset is lenient", framework.Strict, framework.Lenient, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			conf, v := config(sqlite(t)), countries()
			conf.Strict, v.Strict = c.api, c.viewset
			serve(t, conf, v).as("ada").get("/api/countries/?x=1").is(c.want)
		})
	}
}
