package framework_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
)

type (
	currency struct {
		bun.BaseModel `bun:"table:currencies"`

		Code string `bun:",pk"`
		Name string
	}
	currencyInput struct {
		Code string `json:"code" validate:"required,max=20"`
		Name string `json:"name" validate:"required"`
	}
	currencyView struct{ currencyInput }

	currencyOptional struct {
		Code string `json:"code"`
		Name string `json:"name"`
	}
)

func currencies() framework.ViewSet[currency] {
	return framework.ViewSet[currency]{
		Name: "currencies", Verbs: framework.CRUD[currencyInput, currencyView](), Scope: framework.Public(),
		Ordering: framework.Ordering{Allowed: []string{"code"}}, Filters: []framework.Filter{filter.Exact("code")},
		Reserved: []string{"rates"},
		Collection: []framework.CollectionAction{
			framework.OnCollection("GET", "rates", func(*framework.Call, framework.None) (framework.None, error) { return framework.None{}, nil }),
		},
	}
}

// TestNaturalKeys: clients choose the key of a row, which is then in its path and does not change.
func TestNaturalKeys(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		if _, err := db.NewCreateTable().Model((*currency)(nil)).Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		ada := serve(t, config(db), currencies()).as("ada")
		ada.post("/api/currencies/", `{"code":"EUR","name":"Euro"}`).is(201).says(`{"code":"EUR","name":"Euro"}`)
		for _, c := range []struct{ name, code, location string }{
			{"a word", `USD`, "/api/currencies/USD/"},
			{"a word between spaces, which are removed", ` GBP `, "/api/currencies/GBP/"},
			{"characters that a path escapes", `a b%?#é;+&=`, "/api/currencies/a%20b%25%3F%23%C3%A9%3B+&=/"},
			{"a percent sign with two digits", `%2F`, "/api/currencies/%252F/"},
			{"three dots", `...`, "/api/currencies/.../"},
			{"another writing system", `रुपया`, "/api/currencies/%E0%A4%B0%E0%A5%81%E0%A4%AA%E0%A4%AF%E0%A4%BE/"},
		} {
			t.Run("created with "+c.name, func(t *testing.T) {
				ada := ada.in(t)
				body, err := json.Marshal(map[string]string{"code": c.code, "name": "x"})
				if err != nil {
					t.Fatal(err)
				}
				made := ada.post("/api/currencies/", string(body)).is(201)
				made.head("Location", ada.url+c.location)
				ada.get(c.location).is(200).says(`"name":"x"`)
				ada.patch(c.location, `{"name":"y"}`).is(200).says(`"name":"y"`)
				ada.delete(c.location).is(204)
				ada.get(c.location).refuses(404, "not_found")
			})
		}
		const euro = "/api/currencies/EUR/"
		for _, c := range []struct {
			name, method, path, body string
			status                   int
			fault, detail            string
		}{
			{"created again", "POST", "/api/currencies/", `{"code":"EUR","name":"x"}`, 409, "/code not_unique", ""},
			{"created without a key", "POST", "/api/currencies/", `{"name":"x"}`, 400, "/code required", "is required"},
			{"created with a blank key", "POST", "/api/currencies/", `{"code":" ","name":"x"}`, 400, "/code required", ""},
			{"created with a key of null", "POST", "/api/currencies/", `{"code":null,"name":"x"}`, 400, "/code null", ""},
			{"created with a number", "POST", "/api/currencies/", `{"code":1,"name":"x"}`, 400, "/code type", ""},
			{"created with a slash", "POST", "/api/currencies/", `{"code":"a/b","name":"x"}`, 400, "/code key", `must be usable in a path: not . or .., and without /, \\ and control characters`},
			{"created with a backslash", "POST", "/api/currencies/", `{"code":"a\\b","name":"x"}`, 400, "/code key", ""},
			{"created with a line end", "POST", "/api/currencies/", `{"code":"a\nb","name":"x"}`, 400, "/code key", ""},
			{"created as a dot", "POST", "/api/currencies/", `{"code":".","name":"x"}`, 400, "/code key", ""},
			{"created as two dots", "POST", "/api/currencies/", `{"code":"..","name":"x"}`, 400, "/code key", ""},
			{"created with a key that is too long", "POST", "/api/currencies/", `{"code":"123456789012345678901","name":"x"}`, 400, "/code max", ""},
			{"created with the path of an action", "POST", "/api/currencies/", `{"code":"rates","name":"x"}`, 400, "/code noneof", ""},
			{"replaced with its key", "PUT", euro, `{"code":"EUR","name":"Euro 2"}`, 200, "", `"name":"Euro 2"`},
			{"replaced without its key", "PUT", euro, `{"name":"x"}`, 400, "/code required", ""},
			{"replaced with another key", "PUT", euro, `{"code":"EUX","name":"x"}`, 400, "/code key", "must be the key in the path, because a key cannot change"},
			{"replaced with the key in small letters", "PUT", euro, `{"code":"eur","name":"x"}`, 400, "/code key", ""},
			{"replaced where there is no row", "PUT", "/api/currencies/EUX/", `{"code":"EUX","name":"x"}`, 404, "", ""},
			{"changed without its key", "PATCH", euro, `{"name":"Euro 3"}`, 200, "", `"name":"Euro 3"`},
			{"changed with its key", "PATCH", euro, `{"code":"EUR","name":"Euro 4"}`, 200, "", `"name":"Euro 4"`},
			{"changed with its key alone", "PATCH", euro, `{"code":"EUR"}`, 200, "", `"name":"Euro 4"`},
			{"changed with another key", "PATCH", euro, `{"code":"USD"}`, 400, "/code key", "because a key cannot change"},
			{"changed with a key of null", "PATCH", euro, `{"code":null}`, 400, "/code null", ""},
			{"changed where there is no row", "PATCH", "/api/currencies/EUX/", `{"name":"x"}`, 404, "", ""},
			{"read where there is no row", "GET", "/api/currencies/eur/", "", 404, "", ""},
			{"listed by its key", "GET", "/api/currencies/?code=EUR", "", 200, "", `"name":"Euro 4"`},
			{"listed by another key", "GET", "/api/currencies/?code=eur", "", 200, "", `"results":[]`},
		} {
			t.Run(c.name, func(t *testing.T) {
				var body any
				if c.body != "" {
					body = c.body
				}
				got := ada.in(t).do(c.method, c.path, body)
				if got.is(c.status).says(c.detail); c.fault != "" && !slices.Contains(faultsOf(got), c.fault) {
					got.failf("the faults are %v; want %s", faultsOf(got), c.fault)
				}
			})
		}
	})
}

// TestNaturalKeysInTheDocument: the key is required in a whole body, and its rule is described.
func TestNaturalKeysInTheDocument(t *testing.T) {
	found := schemasOf(t, config(sqlite(t)), currencies())
	for _, component := range []string{"CurrencyInput", "PatchedCurrencyInput"} {
		var code struct{ Description string }
		if err := json.Unmarshal(found[component].Properties["code"], &code); err != nil {
			t.Fatal(component, err)
		}
		if want := `Must be usable in a path: not . or .., and without /, \ and control characters. Must not be any of rates.`; code.Description != want {
			t.Errorf("the key of %s is described as %q; want %q", component, code.Description, want)
		}
	}
}

// TestMistakesInNaturalKeys: each mistake stops the program with one sentence.
func TestMistakesInNaturalKeys(t *testing.T) {
	optional, byName := currencies(), currencies()
	optional.Verbs = framework.CRUD[currencyOptional, currencyView]()
	byName.Lookup, byName.Reserved = "name", []string{"rates"}
	for _, c := range []struct {
		name     string
		declared framework.ViewSet[currency]
		want     string
	}{
		{"a key that may be absent", optional, "currencies: create, update, patch: currencyOptional.Code is the primary key, which clients choose; tag it `validate:\"required\"`"},
		{"another field in the path", byName, `currencies: update, patch: currencyInput.Code writes the primary key; leave it out of what Update and Patch accept`},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := framework.New(config(sqlite(t)))
			api.Register(c.declared)
			expectMistakes(t, api.Check(), []string{c.want})
		})
	}
}

// schemas are the properties of the components of a document.
type schemas map[string]struct{ Properties map[string]json.RawMessage }

func schemasOf(t *testing.T, c framework.Config, resources ...framework.Resource) schemas {
	t.Helper()
	api := framework.New(c)
	api.Register(resources...)
	text, err := api.Document("json")
	if err != nil {
		t.Fatal(err)
	}
	var document struct{ Components struct{ Schemas schemas } }
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	return document.Components.Schemas
}

// has compares the schema of a property with JSON whose members are in order of their names.
func (s schemas) has(t *testing.T, component, property, want string) {
	t.Helper()
	var got bytes.Buffer
	if err := json.Compact(&got, s[component].Properties[property]); err != nil || got.String() != want {
		t.Errorf("%s of %s is documented as\n%s; want\n%s", property, component, got.String(), want)
	}
}

// TestLinksHaveTheMemberOfTheKey: the path of a row has the parameter id, and the answer of a create
// may have the key under another name.
func TestLinksHaveTheMemberOfTheKey(t *testing.T) {
	_, said := promised(t, config(sqlite(t)), currencies())
	for _, operation := range []string{"getCurrency", "replaceCurrency", "updateCurrency", "deleteCurrency"} {
		said.says(`{"operationId":"`+operation+`","parameters":{"id":"$response.body#/code"}}`,
			"paths", "/api/currencies/", "post", "responses", "201", "links", operation)
	}
}
