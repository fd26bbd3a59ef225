package framework_test

import (
	"net/http"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// restated is a configuration with statuses of its own.
func restated(db *sqldb.DB) framework.Config {
	c := config(db)
	c.Codes = []framework.CodeInfo{{Code: "sold_out", Status: 409, Title: "Sold out", Text: "There is none left."}}
	c.Statuses = map[string]int{
		framework.CodeValidationFailed: 422, framework.CodeUnknownField: 422, framework.CodeInvalidParameter: 422,
		framework.CodeNotFound: 410, "title_taken": 422, "sold_out": 404, framework.CodeInvalidHost: 421,
	}
	return c
}

// TestStatuses: a code has the status of the settings in every answer, and the body names
// that status. Every answer is checked with the document.
func TestStatuses(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Strict = framework.Strict
		v.Actions = []framework.Action[Book]{framework.Post("buy", func(*framework.Call, *Book, framework.None) (framework.None, error) {
			return framework.None{}, framework.Refuse(409, "sold_out", "There is none left.")
		}).Refuses("sold_out")}
		served, _ := promised(t, restated(db), countries(), authors(), v, chapters())
		ada := served.as("ada")
		id := ada.post("/api/books/", fields{"title": "Emma"}).is(201).id()
		for _, c := range []struct {
			about, method, path string
			body                any
			status              int
			code                string
		}{
			{"a body that is not valid", "POST", "/api/books/", fields{"pages": 1}, 422, "validation_failed"},
			{"an unknown field", "POST", "/api/books/", fields{"title": "x", "colour": 1}, 422, "unknown_field"},
			{"an unknown parameter", "GET", "/api/books/?colour=1", nil, 422, "invalid_parameter"},
			{"a parameter that is not valid", "GET", "/api/books/?min_pages=few", nil, 422, "invalid_parameter"},
			{"a constraint of the viewset", "POST", "/api/books/", fields{"title": "Emma"}, 422, "title_taken"},
			{"a row that does not exist", "GET", "/api/books/" + missing + "/", nil, 410, "not_found"},
			{"a page past the end", "GET", "/api/books/?page=9", nil, 410, "not_found"},
			{"an error of a function that chose another status", "POST", "/api/books/" + id + "/buy/", nil, 404, "sold_out"},
			{"a code without a new status", "POST", "/api/books/", "{", 400, "invalid_json"},
		} {
			t.Run(c.about, func(t *testing.T) { ada.in(t).do(c.method, c.path, c.body).refuses(c.status, c.code) })
		}
		t.Run("the pages of codes", func(t *testing.T) {
			ada.in(t).get("/api/errors/validation_failed").is(200).says("<code>validation_failed</code>, status 422 Unprocessable Entity")
			ada.in(t).get("/api/errors/").is(200).says("<code>title_taken</code></a>, status 422: Already taken")
		})
		t.Run("a path that does not exist", func(t *testing.T) {
			serve(t, restated(db), shelves()...).as("ada").in(t).get("/api/films/").refuses(410, "not_found")
		})
		t.Run("a caller without credentials", func(t *testing.T) { served.in(t).get("/api/books/").refuses(401, "authentication_required") })
	})
}

// TestStatusesAreDocumented: errors are listed by their new status.
func TestStatusesAreDocumented(t *testing.T) {
	_, p := promised(t, restated(sqlite(t)), countries(), authors(), books(), chapters())
	responses := func(names ...string) []string {
		return append([]string{"paths", "/api/books/", "post", "responses"}, names...)
	}
	p.says(`[{"$ref":"#/components/schemas/Problem"},{"properties":{"code":{"enum":["validation_failed"],"type":"string"},"status":{"enum":[422],"type":"integer"}},"type":"object"}]`,
		"components", "schemas", "ValidationFailedProblem", "allOf")
	for status, want := range map[string]bool{"422": true, "421": true, "409": true, "400": true, "404": false} {
		if got := p.at(responses(status)...) != ""; got != want {
			t.Errorf("that POST documents %s is %t", status, got)
		}
	}
	p.says("", responses("400", "content", "application/problem+json", "examples", "validation_failed")...)
}

// TestStatusesOfOtherShapes: a shape receives the new status, and the shape of Django REST
// Framework lists faults with 422 as with 400.
func TestStatusesOfOtherShapes(t *testing.T) {
	c := restated(sqlite(t))
	c.ErrorShape = framework.DRFShape{}
	served, _ := promised(t, c, shelves()...)
	served.as("ada").post("/api/countries/", fields{}).is(422).says(`{"name":["is required"]}`)
	served.as("ada").get("/api/countries/" + missing + "/").is(410).says(`{"detail":"Nothing is here`)
}

// TestStatusesMistakes: a code that no error has, and a status that does not fit, are mistakes at
// start.
func TestStatusesMistakes(t *testing.T) {
	for _, c := range []struct {
		about    string
		statuses map[string]int
		want     []string
	}{
		{"an unknown code", map[string]int{"validation_faild": 422}, []string{`framework.Config: Statuses: no error has the code "validation_faild"; did you mean "validation_failed"?`}},
		{"a code of faults", map[string]int{"required": 422}, []string{`framework.Config: Statuses: no error has the code "required"`}},
		{"a success", map[string]int{"not_found": 204}, []string{`framework.Config: Statuses: "not_found" cannot have the status 204; an error of a client has one of 400 to 499 that HTTP names, such as 422`}},
		{"an error of the server", map[string]int{"not_found": 500}, []string{`framework.Config: Statuses: "not_found" cannot have the status 500; an error of a client has one of 400 to 499 that HTTP names, such as 422`}},
		{"a status without a name", map[string]int{"not_found": 499}, []string{`framework.Config: Statuses: "not_found" cannot have the status 499; an error of a client has one of 400 to 499 that HTTP names, such as 422`}},
		{"no status", map[string]int{"not_found": 0}, []string{`framework.Config: Statuses: "not_found" cannot have the status 0; an error of a client has one of 400 to 499 that HTTP names, such as 422`}},
		{"a status that needs a header", map[string]int{"not_found": 401, "conflict": 429}, []string{
			`framework.Config: Statuses: "conflict" cannot have the status 429, whose headers it does not have`,
			`framework.Config: Statuses: "not_found" cannot have the status 401, whose headers it does not have`,
		}},
		{"a code whose status has headers", map[string]int{"authentication_required": 400, "rate_limited": 400, "forbidden": 404}, []string{
			`framework.Config: Statuses: "authentication_required" keeps the status 401, whose headers it has`,
			`framework.Config: Statuses: "forbidden" keeps the status 403, whose headers it has`,
			`framework.Config: Statuses: "rate_limited" keeps the status 429, whose headers it has`,
		}},
		{"a code of the server", map[string]int{"internal": 400}, []string{`framework.Config: Statuses: "internal" keeps the status 500: only errors of clients can have another`}},
		{"a code of a viewset's constraint", map[string]int{"title_taken": 422}, nil},
	} {
		t.Run(c.about, func(t *testing.T) {
			settings := config(sqlite(t))
			settings.Statuses = c.statuses
			api := framework.New(settings)
			api.Register(shelves()...)
			err := api.Check()
			if c.want != nil {
				expectMistakes(t, err, c.want)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

// TestStatusesBesideTheAPI: handlers beside the API answer with the same statuses.
func TestStatusesBesideTheAPI(t *testing.T) {
	api := framework.New(restated(sqlite(t)))
	api.Register(shelves()...)
	if err := api.Check(); err != nil {
		t.Fatal(err)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { api.WriteError(w, r, framework.NotFound()) })
	served := &client{Client: frameworktest.New(t, handler), tb: t}
	served.get("/page").refuses(410, "not_found")
}
