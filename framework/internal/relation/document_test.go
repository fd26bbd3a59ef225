package relation_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestDocument: the OpenAPI document has the types, the allowed values and the orders of paths.
func TestDocument(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		api, _ := apitest.Serve(t, config(db), resources()...)
		text, err := api.Document("json")
		if err != nil {
			t.Fatal(err)
		}
		type schema struct {
			Type    any
			Enum    []any
			Format  string
			Minimum *float64
			Items   *schema
		}
		var document struct {
			Paths map[string]map[string]struct {
				Parameters []struct {
					Name, Description string
					Schema            schema
				}
			}
		}
		if err := json.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		found := map[string]schema{}
		described := map[string]string{}
		for _, p := range document.Paths["/api/articles/"]["get"].Parameters {
			found[p.Name], described[p.Name] = p.Schema, p.Description
		}
		for name, want := range map[string]string{"writer": "string", "min_score": "integer", "no_city": "boolean", "min_total": "integer", "by_min_score": "integer"} {
			if found[name].Type != want {
				t.Errorf("the type of %s is %v; want %s", name, found[name].Type, want)
			}
		}
		for _, name := range []string{"comments.state", "by_not_state"} {
			if !reflect.DeepEqual(found[name].Enum, []any{"open", "closed"}) {
				t.Errorf("the values of %s are %v", name, found[name].Enum)
			}
		}
		if items := found["ordering"].Items; items == nil || !slices.Contains(items.Enum, any("-writer.team.name")) || !slices.Contains(items.Enum, any("total")) {
			t.Errorf("the orders are %v", found["ordering"])
		}
		for name, want := range map[string]string{
			"writer":      "Only rows whose writer.username is exactly this.",
			"without_tag": "No rows whose tags.name is exactly this.",
		} {
			if described[name] != want {
				t.Errorf("%s is described as %q; want %q", name, described[name], want)
			}
		}
	})
}
