package framework_test

import (
	"fmt"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/page"
)

type wordInput struct {
	Name  string `json:"name"  validate:"required,line" doc:"What it is called." example:"India"`
	Plain string `json:"plain" validate:"line"`
	Later string `json:"later"`
}

type wordView struct {
	Name string `json:"name"`
}

// managed are countries under a prefix, with all that has words of its own.
func managed() framework.ViewSet[Country] {
	v := countries()
	v.Under, v.Doc = "back-office", "The countries that there are."
	v.Verbs = framework.Verbs{List: framework.Shows[wordView](), Create: framework.Fills[wordView](func(*framework.Call, *Country, wordInput) error { return nil }), Delete: framework.Deletes().Doc("Forget a country. It is gone.")}
	v.Scope, v.Permission, v.Strict = framework.Public(), framework.PerModel("countries"), framework.Strict
	v.Filters = []framework.Filter{filter.Exact("name")}
	v.Pagination = page.Screen{Size: 7, MaxSize: 9}
	nothing := func(*framework.Call, framework.None) (framework.None, error) { return framework.None{}, nil }
	v.Collection = []framework.CollectionAction{
		framework.OnCollection("POST", "audit", nothing).ID("startAudit").Doc("Start an audit.").
			Takes(framework.Header{Name: "X-Reason", Doc: "Why; see {prefix}/reasons.", Required: true}),
	}
	return v
}

// What the reference says in words.
func TestWordsOfTheReference(t *testing.T) {
	own, shelf := books(), shelves()
	said := reference(t, append(shelf, managed())...)
	const at = "/paths/~1api~1back-office~1countries~1"
	for place, want := range map[string]string{
		at + "/get/summary":                                                      "List countries (back-office)",
		at + "/get/operationId":                                                  "listBackOfficeCountries",
		at + "/get/description":                                                  "The countries that there are.\n\nFor signed-in users.\n\nUnknown parameters and fields are rejected, and so is an Idempotency-Key if the operation does not list this header.",
		at + "/post/summary":                                                     "Create a country (back-office)",
		at + "/post/description":                                                 "Permission: countries.add.\n\nUnknown parameters and fields are rejected, and so is an Idempotency-Key if the operation does not list this header.",
		at + "{id}~1/delete/summary":                                             "Forget a country",
		at + "{id}~1/delete/parameters/id/description":                           "The country's id.",
		at + "audit~1/post/operationId":                                          "startAudit",
		at + "audit~1/post/parameters/X-Reason/required":                         "true",
		at + "audit~1/post/parameters/X-Reason/description":                      "Why; see /api/reasons.",
		at + "/get/parameters/page/schema/minimum":                               "1",
		at + "/get/parameters/page/schema/default":                               "1",
		at + "/get/parameters/limit/schema/minimum":                              "1",
		at + "/get/parameters/limit/schema/default":                              "7",
		at + "/get/parameters/limit/description":                                 "How many rows a page has. More than 9 counts as 9.",
		"/components/schemas/WordInput/properties/plain/description":             "One line of text.",
		"/components/schemas/WordInput/properties/name/description":              "What it is called. One line of text.",
		"/components/schemas/Word/properties/name/description":                   "What it is called.",
		"/components/schemas/Word/properties/name/examples/India":                "India",
		"/components/responses/NotFound/description":                             "`not_found`: Not found.",
		"/components/responses/AuthenticationRequiredOrInvalidToken/description": "- `authentication_required`: Credentials are required.\n- `invalid_token`: The credentials are not valid.",
		"/paths/~1api~1books~1/get/description":                                  own.Doc + "\n\nFor signed-in users; the caller's own rows, or all rows with the permission books.view.",
	} {
		if got := said[place]; got != want && got != fmt.Sprintf("%q", want) {
			t.Errorf("%s is %s; want %q", place, got, want)
		}
	}
}

// An id is fit for programs and one operation's alone.
func TestIDsThatCannotBe(t *testing.T) {
	for id, want := range map[string]string{
		"Start":                   `back-office/countries: action "audit": ID("Start"): an id has letters and digits only and begins with a small one, such as "setStock"`,
		"start-it":                `back-office/countries: action "audit": ID("start-it"): an id has letters and digits only and begins with a small one, such as "setStock"`,
		"listBackOfficeCountries": `back-office/countries: action "audit": its id in the reference is "listBackOfficeCountries", which is that of GET /api/back-office/countries/; give one of them another, as in .ID("postBackOfficeCountriesAudit")`,
	} {
		v := managed()
		v.Collection[0] = v.Collection[0].ID(id)
		api := framework.New(config(sqlite(t)))
		api.Register(v)
		if err := api.Check(); err == nil || err.Error() != want {
			t.Errorf("got %v; want %s", err, want)
		}
	}
}

// A path of several methods is described by its resource, one of a single method
// by that.
func TestTheFirstPageSaysWhatIsAtAPath(t *testing.T) {
	door := framework.ViewSet[Country]{Name: "door", Doc: "Come in and go out.", Scope: framework.Public()}
	nothing := func(*framework.Call, framework.None) (framework.None, error) { return framework.None{}, nil }
	for _, method := range []string{"POST", "DELETE"} {
		door.Collection = append(door.Collection, framework.OnCollection(method, "key", nothing).Doc(method+" the key."))
	}
	door.Collection = append(door.Collection, framework.OnCollection("POST", "bell", nothing).Doc("Ring the bell."))
	page := serve(t, config(sqlite(t)), door).with("Accept", "text/html").get("/").is(200)
	page.says("Come in and go out.", "Ring the bell.").lacks("the key.")
}
