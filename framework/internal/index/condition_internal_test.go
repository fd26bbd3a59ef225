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
