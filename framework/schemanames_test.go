package framework_test

import (
	"encoding/csv"
	"encoding/json"
	"net"
	"strings"
	"testing"

	"trestle.example/framework"
)

// dryAndWet are two codes of one action whose details have one name.
func dryAndWet(t *testing.T, shape framework.ErrorShape) *framework.API {
	t.Helper()
	c := config(sqlite(t))
	c.ErrorShape = shape
	c.Codes = []framework.CodeInfo{
		{Code: "too_dry", Status: 409, Title: "Too dry", Text: "It is too dry.", Details: csv.ParseError{}},
		{Code: "too_wet", Status: 422, Title: "Too wet", Text: "It is too wet.", Details: net.ParseError{}},
	}
	v := countries()
	v.Collection = []framework.CollectionAction{
		framework.OnCollection("POST", "rain", func(*framework.Call, framework.None) (TooDryProblem, error) { return TooDryProblem{}, nil }).Refuses("too_dry", "too_wet"),
	}
	api := framework.New(c)
	api.Register(v)
	return api
}

// A TooDryProblem has the name that the schema of the code too_dry would have.
type TooDryProblem struct {
	Inches int64 `json:"inches"`
}

// The same declarations have the same reference, each time it is made.
func TestTheReferenceIsAlwaysTheSame(t *testing.T) {
	for _, shape := range []framework.ErrorShape{framework.ProblemJSON{}, framework.DRFShape{}} {
		api := dryAndWet(t, shape)
		first := string(documentIn(t, api, "json"))
		for range 30 {
			if again := string(documentIn(t, api, "json")); again != first {
				t.Fatalf("with %T it is another", shape)
			}
		}
	}
}

// A BooksPage, a Fault and a Problem of the program's own are not those that the
// framework names.
type (
	BooksPage struct {
		Leaf int64 `json:"leaf"`
	}
	Fault struct {
		Slip string `json:"slip"`
	}
	Problem struct {
		Sum string `json:"sum"`
	}
	mixed struct {
		Page    BooksPage     `json:"page"`
		Fault   Fault         `json:"fault"`
		Problem Problem       `json:"problem"`
		Dry     TooDryProblem `json:"dry"`
	}
)

// Each thing that is named has a name of its own.
func TestNamesThatWouldBeTheSame(t *testing.T) {
	own := books()
	own.Collection = []framework.CollectionAction{
		framework.OnCollection("GET", "mixed", func(*framework.Call, framework.None) (mixed, error) { return mixed{}, nil }),
	}
	c, said := promised(t, config(sqlite(t)), countries(), authors(), own, chapters())
	c.as("ada").get("/api/books/mixed/").is(200).says(`{"page":{"leaf":0},"fault":{"slip":""},"problem":{"sum":""},"dry":{"inches":0}}`)
	c.as("ada").get("/api/books/").is(200)
	c.as("ada").get("/api/books/?page=x").is(404)
	for _, want := range []string{`"leaf"`, `"slip"`, `"sum"`, `"count"`, `"pointer"`} {
		if schemas := said.at("components", "schemas"); !strings.Contains(schemas, want) {
			t.Errorf("no schema has the member %s", want)
		}
	}
	var document struct {
		Components struct{ Schemas map[string]json.RawMessage }
	}
	if err := json.Unmarshal(documentIn(t, dryAndWet(t, framework.ProblemJSON{}), "json"), &document); err != nil {
		t.Fatal(err)
	}
	problem := string(document.Components.Schemas["TooDryProblem"])
	if !strings.Contains(problem, `too_dry`) || strings.Contains(problem, "inches") {
		t.Errorf("the problem of too_dry is %s", problem)
	}
}

type (
	named struct {
		Name string `json:"name"`
		Note string `json:"note"`
	}
	noted struct {
		Note string `json:"note"`
	}
	renamed struct {
		named

		Title string `json:"name"`
	}
)

// Of several fields with one name it is the one that is written.
func TestFieldsThatAreHidden(t *testing.T) {
	v := countries()
	v.Collection = []framework.CollectionAction{
		framework.OnCollection("GET", "renamed", func(*framework.Call, framework.None) (renamed, error) {
			return renamed{named{"inner", "a"}, "outer"}, nil
		}),
	}
	c, said := promised(t, config(sqlite(t)), v)
	c.as("ada").get("/api/countries/renamed/").is(200).says(`{"note":"a","name":"outer"}`)
	said.says(`{"properties":{"name":{"type":"string"},"note":{"type":"string"}},"required":["note","name"],"type":"object"}`, "components", "schemas", "Renamed")
}

type absentee struct {
	*noted

	Name string `json:"name"`
}

// TestMistakesOfTheReference: a type that the document cannot describe is a mistake of the
// declaration.
func TestMistakesOfTheReference(t *testing.T) {
	nothing := func(*framework.Call, framework.None) (framework.None, error) { return framework.None{}, nil }
	for name, c := range map[string]struct {
		change func(*framework.ViewSet[Country])
		want   string
	}{
		"an action whose id is that of a verb": {
			func(v *framework.ViewSet[Country]) {
				v.Actions = []framework.Action[Country]{framework.Post("replace", func(*framework.Call, *Country, framework.None) (framework.None, error) { return framework.None{}, nil })}
			},
			`countries: action "replace": its id in the reference is "replaceCountry", which is that of PUT /api/countries/{id}/; give one of them another, as in .ID("postCountriesReplace")`,
		},
		"an embedded pointer": {
			func(v *framework.ViewSet[Country]) {
				v.Collection = []framework.CollectionAction{framework.OnCollection("GET", "absent", func(*framework.Call, framework.None) ([]absentee, error) { return nil, nil })}
			},
			`countries: action "absent": absentee.noted: embed the struct itself, not a pointer to it, whose members would be left out where it is nil; or give it a json name`,
		},
		"an id of a verb that is none": {
			func(v *framework.ViewSet[Country]) { v.Verbs.List = v.Verbs.List.ID("List all") },
			`countries: list: ID("List all"): an id has letters and digits only and begins with a small one, such as "setStock"`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			v := countries()
			c.change(&v)
			api := framework.New(config(sqlite(t)))
			api.Register(v)
			if err := api.Check(); err == nil || err.Error() != c.want {
				t.Errorf("got %v; want %s", err, c.want)
			}
		})
	}
	v := countries()
	v.Verbs.Update = v.Verbs.Update.ID("putCountry")
	v.Collection = []framework.CollectionAction{framework.OnCollection("POST", "nothing", nothing)}
	_, said := promised(t, config(sqlite(t)), v)
	said.says(`"putCountry"`, "paths", "/api/countries/{id}/", "put", "operationId")
}
