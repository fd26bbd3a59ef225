package framework_test

import (
	"encoding/json"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/frameworktest/contract"
)

// A promise is the reference of an API, part by part.
type promise struct {
	tb   testing.TB
	root any
}

// unsaid are the faults that no schema can express: Go code of a test finds them, or the
// server compares the field with the stored row.
var unsaid = map[string][]string{
	"countriesForms":  {"/parsed: max", "/free: range"},
	"countriesInvite": {"/words: oneof"},
	"replaceCountry":  {"/id: unknown_field"},
	"updateBook":      {"/book/id: unknown_field", "/lead_author: unknown_field", "/leadAuthor: unknown_field", "/LeadAuthor: unknown_field"},
	"booksRefuse":     {"/book/title: max"},
}

// promised serves an API whose every answer is held against its reference, and
// every request that succeeds.
func promised(tb testing.TB, c framework.Config, resources ...framework.Resource) (*client, promise) {
	tb.Helper()
	api := framework.New(c)
	api.Register(resources...)
	handler, err := api.Handler()
	if err != nil {
		tb.Fatal(err)
	}
	text, err := api.Document("json")
	if err != nil {
		tb.Fatal(err)
	}
	held, err := contract.New(text)
	if err != nil {
		tb.Fatal(err)
	}
	p := promise{tb: tb}
	if err := json.Unmarshal(text, &p.root); err != nil {
		tb.Fatal(err)
	}
	sent := frameworktest.New(tb, held.Tight(unsaid).Wrap(tb, handler))
	return &client{Client: sent, tb: tb, url: sent.URL()}, p
}

// at is the part that names lead to, members or parameters, as compact JSON; ""
// for none.
func (p promise) at(names ...string) string {
	p.tb.Helper()
	value := p.root
	for _, name := range names {
		value = inside(value, name)
	}
	if value == nil {
		return ""
	}
	text, err := json.Marshal(value)
	if err != nil {
		p.tb.Fatal(err)
	}
	return string(text)
}

func inside(value any, name string) any {
	switch value := value.(type) {
	case map[string]any:
		return value[name]
	case []any:
		for _, one := range value {
			if member, ok := one.(map[string]any); ok && member["name"] == name {
				return one
			}
		}
	}
	return nil
}

// property is the schema of a member of a component.
func (p promise) property(component, name string) string {
	p.tb.Helper()
	return p.at("components", "schemas", component, "properties", name)
}

// says expects a part to be JSON.
func (p promise) says(want string, names ...string) {
	p.tb.Helper()
	if got := p.at(names...); got != want {
		p.tb.Errorf("the reference says of %v %s; want %s", names, got, want)
	}
}
