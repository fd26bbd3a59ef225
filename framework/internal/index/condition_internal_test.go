package index

import (
	"testing"

	"trestle.example/framework/sqldb"
)

// TestImpliesCondition: a partial index serves a statement that compares its column with a value
// only if its condition is that the column is not null.
func TestImpliesCondition(t *testing.T) {
	n := IndexNeed{Columns: []sqldb.IndexColumn{{Name: "active"}, {Name: "name"}}, equal: 1}
	for where, want := range map[string]bool{
		"active IS NOT NULL":     true,
		`("active" IS NOT NULL)`: true,
		"active":                 false, // it has no row whose value is false
		"(active)":               false,
		"NOT active":             false,
		"name IS NOT NULL":       false, // the statement only sorts by it
		"active IS NULL":         false,
		"":                       false,
	} {
		if got := n.impliesCondition(where); got != want {
			t.Errorf("WHERE %s: %t; want %t", where, got, want)
		}
	}
}

// TestFewestOfPartialNeeds: the index for two needs may have a condition only if both may.
func TestFewestOfPartialNeeds(t *testing.T) {
	columns := []sqldb.IndexColumn{{Name: "slug"}}
	rule := IndexNeed{Table: "products", Columns: columns, Unique: true, Partial: true}
	lookup := IndexNeed{Table: "products", Columns: columns, Unique: true, equal: 1}
	order := IndexNeed{Table: "products", Columns: columns, sorted: 1}
	for name, test := range map[string]struct {
		needs []IndexNeed
		want  bool
	}{
		"a rule":                     {[]IndexNeed{rule}, true},
		"a rule and a lookup":        {[]IndexNeed{rule, lookup}, false},
		"a lookup and a rule":        {[]IndexNeed{lookup, rule}, false},
		"a rule and an order of all": {[]IndexNeed{rule, order}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := fewest(test.needs, sqldb.PostgreSQL); len(got) != 1 || got[0].Partial != test.want {
				t.Errorf("%+v; want one that may be partial: %t", got, test.want)
			}
		})
	}
}
