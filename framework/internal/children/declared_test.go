package children_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestDocument: the OpenAPI document has the items, the bounds and the meaning of each list.
func TestDocument(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api, _ := apitest.Serve(t, config(db), append(others(), machines())...)
		text, err := api.Document("json")
		if err != nil {
			t.Fatal(err)
		}
		compact := strings.NewReplacer(" ", "", "\n", "").Replace(string(text))
		for _, want := range []string{
			`"maxItems":4`, `"maxItems":3`, `"maxItems":100`, `"uniqueItems":true`,
			"Thelististhewholelist:anitemwithidchangesthisrow,anitemwithoutitcreatesarow,androwsthatthelistlacksaredeleted.",
			"Thelististhewholelist:itreplacesallrows.",
			"Thewholelist:nameofeachoftagsthattherowhas.Anunknownoneiscreated.",
			"Thewholelist:idofeachofmaterialsthattherowhas.Thecallermustbeallowedtousethemhere.",
			`"part_twice"`, `"too_many"`, `"not_yours"`, `"still_referenced"`,
		} {
			if !strings.Contains(compact, want) {
				t.Errorf("the document lacks %s", want)
			}
		}
		var needed []string
		for _, n := range api.Indexes() {
			needed = append(needed, n.String())
		}
		for _, want := range []string{"parts (machine_id)", "remarks (machine_id)", "steps (machine_id)", "tags (name)", "machine_tags (machine_id)"} {
			if !slices.ContainsFunc(needed, func(n string) bool { return strings.HasPrefix(n, want) }) {
				t.Errorf("no index %s among %q", want, needed)
			}
		}
	})
}

// TestWrap: the pointers of faults lead through the member around the input.
func TestWrap(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := machines()
		v.Wrap, v.Strict = "machine", framework.Strict
		_, c := apitest.Serve(t, config(db), append(others(), v)...)
		furnish(t, db)
		ada := apitest.As(c, "ada")
		for body, want := range map[string]string{
			`{"machine":{"parts":[{"name":"a"},{"id":"{cog}","name":"b"}]}}`:                      "400 /machine/parts/1/id invalid_reference",
			`{"machine":{"parts":[{"name":"a"},{"name":"a"}]}}`:                                   "409 part_twice /machine/parts/1/name not_unique",
			`{"machine":{"parts":[{"name":"a","colour":"red"}],"materials":["{none}"]}}`:          "400 unknown_field /machine/parts/0/colour unknown_field, /machine/materials/0 invalid_reference",
			`{"machine":{"tags":["secret"]}}`:                                                     "409 not_unique /machine/tags/0 not_unique",
			`{"machine":{"parts":[{"id":"{nut}","name":"nut"},{"name":"a","product":"{none}"}]}}`: "400 /machine/parts/1/product invalid_reference",
		} {
			if got := outcome(t, ada.Patch("/api/machines/1/", filledIn(body))); got != want {
				t.Errorf("%s\ngot  %s\nwant %s", body, got, want)
			}
		}
		if after := summary(t, db, 1); after != furnished {
			t.Errorf("a rejected request changed the machine: %s", after)
		}
	})
}

// TestSingle: the PUT of a single resource inserts the row with its lists, and later replaces them.
func TestSingle(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := machines()
		v.Name, v.Single, v.Scope, v.Writers = "mine", true, framework.Own((*Machine).owner), framework.Scope{}
		v.Verbs.List, v.Verbs.Create = framework.Verb{}, framework.Verb{}
		_, c := apitest.Serve(t, config(db), append(others(), v)...)
		furnish(t, db)
		cid := apitest.As(c, "cid")
		if got, want := outcome(t, cid.Put("/api/mine/", filledIn(`{"name":"Saw","parts":[{"id":"{nut}","name":"a"}]}`))), "400 /parts/0/id invalid_reference"; got != want {
			t.Errorf("without a row: %s; want %s", got, want)
		}
		if got, want := outcome(t, cid.Put("/api/mine/", filledIn(`{"parts":[{"id":"{nut}","name":"a"}]}`))), "400 /name required, /parts/0/id invalid_reference"; got != want {
			t.Errorf("without a row and a name: %s; want %s", got, want)
		}
		cid.Put("/api/mine/", `{"name":"Saw","parts":[{"name":"a"}],"tags":["new"]}`).Expect(201).Contains(`"name":"a"`, `"tags":["new"]`)
		cid.Put("/api/mine/", `{"name":"Saw","parts":[{"name":"b"}]}`).Expect(200).Contains(`"name":"b"`, `"tags":[]`).Lacks(`"name":"a"`)
		if got, want := outcome(t, apitest.As(c, "ada").Put("/api/mine/", filledIn(`{"parts":[{"id":"{nut}","name":"nut"},{"id":"{cog}","name":"x"}]}`))), "400 /name required, /parts/1/id invalid_reference"; got != want {
			t.Errorf("with a row: %s; want %s", got, want)
		}
	})
}

// TestScopesOfRows: a row that a list writes must be in the scope of its own viewset, and rows out of
// it are not touched.
func TestScopesOfRows(t *testing.T) {
	few := func(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
		return q.Where("?TableAlias.quantity < 50")
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		parts := others()[0].(framework.ViewSet[Part])
		parts.Scope = framework.Where(few)
		_, c := apitest.Serve(t, config(db), append(others()[1:], parts, machines())...)
		furnish(t, db)
		ada := apitest.As(c, "ada")
		ada.Patch("/api/machines/1/", `{"parts":[{"name":"a","quantity":60}]}`).Expect(403).Code("forbidden")
		ada.Patch("/api/machines/1/", filledIn(`{"parts":[{"id":"{nut}","name":"nut","quantity":60}]}`)).Expect(403).Code("forbidden")
		if after := summary(t, db, 1); after != furnished {
			t.Errorf("a rejected request changed the machine: %s", after)
		}
		if _, err := db.Exec("UPDATE parts SET quantity = 70 WHERE id = ?", apitest.ID("bolt")); err != nil {
			t.Fatal(err)
		}
		ada.Patch("/api/machines/1/", filledIn(`{"parts":[{"id":"{bolt}","name":"bolt"}]}`)).Expect(400).Fault("/parts/0/id", "invalid_reference")
		ada.Patch("/api/machines/1/", `{"parts":[]}`).Expect(200)
		if got, want := summary(t, db, 1), "2.bolt=70B | by Ada by Bob hidden | 1.plan 2.build | iron secret | wood"; got != want {
			t.Errorf("the machine has %s; want %s", got, want)
		}
	})
}
