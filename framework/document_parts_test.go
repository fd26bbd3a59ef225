package framework_test

import (
	"errors"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/page"
)

// steps is a pagination class of the tests. It has no second page, or fails, depending on
// its fields.
type steps struct {
	refuses func(p framework.Page) error
}

func (steps) Params() []framework.Param { return []framework.Param{{Name: "after"}} }

func (steps) Window(framework.Values) (framework.Window, error) {
	return framework.Window{Limit: 1, Number: 1}, nil
}

func (s steps) Envelope(p framework.Page) (framework.Envelope, error) {
	if err := s.refuses(p); err != nil {
		return nil, err
	}
	e := framework.Envelope{{Name: "rows", Value: framework.Items{}}, {Name: "next", Value: nil}, {Name: "left", Value: p.Total.Count}}
	if p.More {
		e[1].Value = "more"
		e = append(e, framework.Member{Name: "hint", Value: true, Doc: "Only amid others."})
	}
	return e, nil
}

// TestMembersOfAPage: a member is described with all its types, from the first page to the
// last.
func TestMembersOfAPage(t *testing.T) {
	v := countries()
	v.Pagination = steps{func(p framework.Page) error {
		if p.Number > 1 {
			return framework.NotFound()
		}
		return nil
	}}
	c, said := promised(t, config(sqlite(t)), v)
	ada := c.as("ada")
	ada.get("/api/countries/").is(200).says(`"next":null`)
	for _, name := range []string{"Chile", "Peru"} {
		ada.post("/api/countries/", fields{"name": name}).is(201)
	}
	ada.get("/api/countries/").is(200).says(`"next":"more"`, `"hint":true`)
	said.says(`["rows","next","left"]`, "components", "schemas", "CountriesPage", "required")
	said.says(`{"type":["string","null"]}`, "components", "schemas", "CountriesPage", "properties", "next")
}

// These types describe themselves wrongly.
type (
	unreadable string
	noObject   string
	alarming   string
	void       string
	trailing   string
)

func (unreadable) JSONSchemaBytes() ([]byte, error) { return []byte(`{"type":`), nil }
func (noObject) JSONSchemaBytes() ([]byte, error)   { return nil, errors.New("no schema today") }
func (alarming) JSONSchemaBytes() ([]byte, error)   { panic("alarm") }
func (void) JSONSchemaBytes() ([]byte, error)       { return []byte("null"), nil }
func (trailing) JSONSchemaBytes() ([]byte, error)   { return []byte(`{"type":"string"}}`), nil }

// TestAReferenceThatCannotBeMade: every fault of the document is reported at the start of
// the API, unless it is Undocumented.
func TestAReferenceThatCannotBeMade(t *testing.T) {
	type two struct {
		One unreadable `json:"one"`
		Two noObject   `json:"two"`
	}
	type more struct {
		One void     `json:"one" doc:"A field with a sentence."`
		Two trailing `json:"two"`
	}
	giving := func(out framework.CollectionAction) framework.Resource {
		v := countries()
		v.Collection = []framework.CollectionAction{out}
		return v
	}
	broken := giving(framework.OnCollection("GET", "two", func(*framework.Call, framework.None) (two, error) { return two{}, nil }))
	odd := giving(framework.OnCollection("GET", "more", func(*framework.Call, framework.None) (more, error) { return more{}, nil }))
	alarm := giving(framework.OnCollection("GET", "two", func(*framework.Call, framework.None) ([]alarming, error) { return nil, nil }))
	failing := countries()
	failing.Pagination = steps{func(framework.Page) error { return errors.New("out of paper") }}
	for name, test := range map[string]struct {
		declared framework.Resource
		want     []string
	}{
		"schemas that are none": {broken, []string{"framework_test.unreadable.JSONSchemaBytes: it is no object of JSON", "framework_test.noObject.JSONSchemaBytes: no schema today"}},
		"schemas that are no object": {odd, []string{
			"framework_test.void.JSONSchemaBytes: it is no object of JSON: it is null", "framework_test.trailing.JSONSchemaBytes: it has more than one value of JSON",
		}},
		"a type that panics":      {alarm, []string{"a part of a declaration panics when it describes itself: alarm"}},
		"an envelope that cannot": {failing, []string{"countries: the Envelope of framework_test.steps: out of paper", "rejects every page"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := config(sqlite(t))
			api := framework.New(c)
			api.Register(test.declared)
			_, err := api.Handler()
			if _, again := api.Document("yaml"); err == nil || again == nil || err.Error() != again.Error() {
				t.Fatalf("the handler says %v, the document %v", err, again)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v lacks %s", err, want)
				}
			}
			c.Undocumented = true
			serve(t, c, test.declared).as("ada").get("/api/countries/missing/").refuses(404, "not_found")
		})
	}
}

// signed is a permission, also wrapped, with its own errors and headers.
type signed struct{}

func (signed) Permit(c *framework.Call) bool { return !c.Caller.Anonymous() }
func (signed) String() string                { return "signed" }
func (signed) Refuses() []string             { return []string{"unsigned"} }
func (signed) Sends() []framework.Header {
	return []framework.Header{{Name: "X-Signed", Doc: "By whom."}}
}

// spoken is a permission of a program's own that has the name of another.
type spoken struct{}

func (spoken) Permit(c *framework.Call) bool { return c.Caller.Staff || c.Caller.Name == "" }
func (spoken) String() string                { return "authenticated" }

// TestPartsOfPermissions: the document describes the parts of a permission. It recognises
// the framework's own by their type, not by their name.
func TestPartsOfPermissions(t *testing.T) {
	c := config(sqlite(t))
	c.Codes = []framework.CodeInfo{{Code: "unsigned", Status: 403, Title: "Unsigned", Text: "It is not signed."}}
	for _, p := range []framework.Permission{
		framework.All(framework.Authenticated(), signed{}), framework.Any(signed{}, framework.Staff()), framework.OrReadOnly(signed{}),
	} {
		v := countries()
		v.Permission = p
		_, said := promised(t, c, v)
		at := []string{"paths", "/api/countries/", "post", "responses"}
		if refuses := said.at(append(at, "403")...); !strings.Contains(refuses, "Unsigned") {
			t.Errorf("%s: 403 is %s", p, refuses)
		}
		if said.at(append(at, "201", "headers", "X-Signed")...) == "" {
			t.Errorf("%s: X-Signed is not told", p)
		}
	}
	for _, test := range []struct {
		permission framework.Permission
		forbids    bool
	}{{spoken{}, true}, {framework.Anyone(), false}, {framework.Authenticated(), false}, {framework.Staff(), true}} {
		v := countries()
		v.Permission = test.permission
		api, said := promised(t, c, v)
		if told := said.at("paths", "/api/countries/", "get", "responses", "403") != ""; told != test.forbids {
			t.Errorf("%T %s: it tells of 403: %t", test.permission, test.permission, told)
		}
		api.as("ada").get("/api/countries/")
	}
}

// TestHeadersOfFunctions: verbs and actions list the headers that their functions read and
// set.
func TestHeadersOfFunctions(t *testing.T) {
	reads := framework.Header{Name: "X-Reads", Doc: "It is read.", Required: true}
	sends := framework.Header{Name: "X-Sends", Doc: "It is sent.", Required: true}
	v := countries()
	v.Verbs.Create = framework.Does(func(c *framework.Call, in CountryInput) (CountryView, error) {
		c.Header().Set("X-Sends", c.Request().Header.Get("X-Reads"))
		return CountryView{Name: in.Name}, nil
	}).Takes(reads).Sends(sends)
	v.Actions = []framework.Action[Country]{
		framework.Post("visit", func(c *framework.Call, m *Country, _ framework.None) (CountryView, error) {
			c.Header().Set("X-Sends", "yes")
			return CountryView{Name: m.Name}, nil
		}).Takes(reads).Sends(sends),
	}
	db := sqlite(t)
	c, said := promised(t, config(db), v)
	c.as("ada").with("X-Reads", "yes").post("/api/countries/", fields{"name": "Peru"}).is(201).head("X-Sends", "yes")
	id := missingPlus(1)
	if _, err := db.NewInsert().Model(&Country{ID: id, Name: "Chile"}).Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.as("ada").with("X-Reads", "yes").post("/api/countries/"+id.String()+"/visit/", "{}").is(200)
	for _, path := range []string{"/api/countries/", "/api/countries/{id}/visit/"} {
		said.says("true", "paths", path, "post", "parameters", "X-Reads", "required")
	}
}

// TestHeadersThatAlwaysCome: only headers that every answer has are required in the
// document.
func TestHeadersThatAlwaysCome(t *testing.T) {
	_, said := promised(t, config(sqlite(t)), countries())
	for name, want := range map[string]string{
		"X-Request-Id": "true", "Allow": "true", "WWW-Authenticate": "true", "Location": "true", "Retry-After": "true", "Trestle-Ignored": "", "RateLimit": "",
	} {
		said.says(want, "components", "headers", name, "required")
	}
}

// The conventions are those of the API that is configured.
func TestConventionsOfTheAPI(t *testing.T) {
	for name, test := range map[string]struct {
		change      func(*framework.Config)
		says, lacks []string
	}{
		"as it is": {func(*framework.Config) {}, []string{"RFC 9457", "Trestle-Ignored", "[/api/errors/](/api/errors/)"}, []string{"UUIDs"}},
		"strict":   {func(c *framework.Config) { c.Strict = framework.Strict }, []string{"RFC 9457"}, []string{"Trestle-Ignored"}},
		"DRF's shape": {
			func(c *framework.Config) { c.ErrorShape = framework.DRFShape{} }, []string{"the member detail", "[/api/errors/](/api/errors/)"}, []string{"RFC 9457", "the member code"},
		},
		"a shape of one's own": {func(c *framework.Config) { c.ErrorShape = plainShape{} }, []string{"[/api/errors/](/api/errors/) explains"}, []string{"RFC 9457"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := config(sqlite(t))
			test.change(&c)
			_, said := promised(t, c, countries())
			told := said.at("info", "description")
			for _, want := range test.says {
				if !strings.Contains(told, want) {
					t.Errorf("%s lacks %s", told, want)
				}
			}
			for _, lie := range test.lacks {
				if strings.Contains(told, lie) {
					t.Errorf("%s says %s", told, lie)
				}
			}
		})
	}
}

// plainShape says nothing of itself.
type plainShape struct{}

func (plainShape) Shape(p framework.Problem) (string, any) {
	return "application/json", fields{"why": p.Detail}
}

// TestTheDocumentOfDRFErrors: the document describes errors in DRF's shape as they are.
func TestTheDocumentOfDRFErrors(t *testing.T) {
	c := config(sqlite(t))
	c.ErrorShape, c.Pagination = framework.DRFShape{}, page.Offset{}
	api, said := promised(t, c, shelves()...)
	ada := api.as("ada")
	ada.post("/api/countries/", fields{}).is(400).says(`{"name":["is required"]}`)
	ada.post("/api/countries/", "[").is(400).says(`{"detail":`)
	ada.get("/api/countries/?limit=x").is(400).says(`{"limit":[`)
	ada.get("/api/books/" + missing + "/").is(404).says(`{"detail":`)
	api.get("/api/books/").is(401)
	said.says(`{"properties":{"detail":{"type":"string"}},"required":["detail"],"type":"object"}`,
		"components", "responses", "NotFound", "content", "application/json", "schema")
	if said.at("components", "schemas", "Problem") != "" {
		t.Error("there is a schema of problems")
	}
}
