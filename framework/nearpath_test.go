package framework_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/httpserver"
)

// TestAMistypedPath: the answer suggests the nearest path that the API root or the OpenAPI
// document shows.
func TestAMistypedPath(t *testing.T) {
	c := config(sqlite(t))
	c.Guards = []framework.Guard{{Under: "admin", Permission: framework.Staff()}}
	v, staff := whole(), countries()
	staff.Under = "admin"
	api := serve(t, c, v, authors(), books(), staff)
	for _, test := range []struct{ name, caller, path, near string }{
		{"a letter too few", "ada", "/api/countres/", "/api/countries/"},
		{"a letter too many, without the slash", "", "/api/bookss", "/api/books/"},
		{"letters swapped", "", "/api/auhtors/", "/api/authors/"},
		{"capitals", "", "/api/Books/", "/api/books/"},
		{"the prefix mistyped", "", "/ap/books/", "/api/books/"},
		{"without the prefix", "", "/books/", "/api/books/"},
		{"without the prefix, and mistyped", "", "/boks", "/api/books/"},
		{"one row", "", "/api/boks/" + missing + "/", "/api/books/{id}/"},
		{"an action", "", "/api/countries/" + missing + "/lok/", "/api/countries/{id}/look/"},
		{"an action on the collection", "", "/api/countrys/sweep/", "/api/countries/sweep/"},
		{"with a version instead of the prefix", "", "/v1/books/", "/api/books/"},
		{"with a version", "", "/api/v1/books", "/api/books/"},
		{"with a version, and mistyped", "", "/v2/boks/" + missing + "/", "/api/books/{id}/"},
		{"a version alone", "", "/v1/", ""},
		{"a version of another path", "", "/v1/zebras/", ""},
		{"a path of a server that is not there", "", "/livz", ""},
		{"the root", "", "/apj/", "/api/"},
		{"an empty segment", "", "/api//books", "/api/books/"},
		{"empty segments around a row", "", "//api/books//" + missing + "//", "/api/books/{id}/"},
		{"an empty segment, and mistyped", "", "/api//boks/", "/api/books/"},
		{"the documentation page", "", "/api/doc", "/api/docs"},
		{"the OpenAPI document", "", "/api/opnapi.json", "/api/openapi.json"},
		{"the OpenAPI document in YAML", "", "/api/openapi.yml", "/api/openapi.yaml"},
		{"the OpenAPI document without the prefix", "", "/openapi.json", "/api/openapi.json"},
		{"the list of error codes", "", "/api/erors/", "/api/errors/"},
		{"an error code", "", "/api/errors/not_fund", "/api/errors/not_found"},
		{"an error code that is far from any", "", "/api/errors/zebras", ""},
		{"below the guard", "eve", "/api/admin/countris/", "/api/admin/countries/"},
		{"far from any", "", "/api/zebras/", ""},
		{"another number of parts", "", "/api/books/" + missing + "/look/more/", ""},
		{"two mistakes in a short word", "", "/api/bk/", ""},
		{"long", "", "/api/books" + strings.Repeat("s", 600), ""},
		{"escapes", "", "/api/%00boks%ff/", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := api.in(t).as(test.caller).get(test.path).refuses(404, "not_found")
			switch {
			case test.near != "":
				got.says("did you mean " + test.near + "?")
			default:
				got.says("Nothing is here, or it is not yours to see.").lacks("did you mean")
			}
		})
	}
	t.Run("the guard comes first", func(t *testing.T) {
		api.in(t).get("/api/admin/countris/").refuses(401, "authentication_required").lacks("did you mean")
		api.in(t).as("ada").get("/api/admin/countris/").refuses(403, "forbidden").lacks("did you mean")
	})
	t.Run("an action on the collection, mistyped where a key can be", func(t *testing.T) {
		api := api.in(t).as("ada")
		api.get("/api/countries/swep/").refuses(404, "not_found").says("did you mean /api/countries/sweep/?")
		api.post("/api/countries/swep/", `{}`).refuses(405, "method_not_allowed").says("did you mean /api/countries/sweep/?")
		api.as("").delete("/api/countries/sweeep").refuses(401, "authentication_required").lacks("did you mean")
		api.get("/api/countries/sleeping/").refuses(404, "not_found").lacks("did you mean")
		api.get("/api/books/swep/").refuses(404, "not_found").lacks("did you mean")
	})
	t.Run("a row that is not there suggests nothing", func(t *testing.T) {
		api.in(t).as("ada").get("/api/books/"+missing+"/").refuses(404, "not_found").lacks("did you mean")
	})
}

// Without an OpenAPI document only what the API root lists is suggested.
func TestAMistypedPathOfAnUndocumentedAPI(t *testing.T) {
	c := config(sqlite(t))
	c.Undocumented = true
	c.Guards = []framework.Guard{{Under: "admin", Permission: framework.Staff()}}
	staff := authors()
	staff.Under = "admin"
	api := serve(t, c, whole(), staff)
	api.get("/api/admn/authors/").refuses(404, "not_found").lacks("did you mean")
	api.get("/api/countris/").refuses(404, "not_found").says("did you mean /api/countries/?")
	for _, path := range []string{"/api/doc", "/api/opnapi.json", "/api/countris/" + missing + "/", "/api/countris/swep/", "/api/countries/" + missing + "/lok/"} {
		api.get(path).refuses(404, "not_found").lacks("did you mean")
	}
	api.as("ada").get("/api/countries/swep/").refuses(404, "not_found").lacks("did you mean")
}

// TestAMistypedPathOfTheServer: the paths that the HTTP server answers itself are suggested too.
func TestAMistypedPathOfTheServer(t *testing.T) {
	api := framework.New(config(sqlite(t)))
	api.Register(countries())
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	address := listen(t, handler, httpserver.Limits{})
	for path, near := range map[string]string{"/livz": "/livez", "/readyz/": "/readyz", "/reddyz": "/readyz", "/lives/live": "", "/countris/": "/api/countries/"} {
		t.Run(path, func(t *testing.T) {
			answer, err := http.Get("http://" + address + path)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			text, err := io.ReadAll(answer.Body)
			_, question, _ := strings.Cut(string(text), "did you mean ")
			suggested, _, _ := strings.Cut(question, "?")
			if err != nil || answer.StatusCode != http.StatusNotFound || suggested != near {
				t.Errorf("answered %d %s, %v; want the suggestion %q", answer.StatusCode, text, err, near)
			}
		})
	}
}
