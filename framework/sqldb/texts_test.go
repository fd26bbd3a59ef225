package sqldb

import (
	"slices"
	"testing"
)

// TestTexts checks that values are compared as values of a column, also with each other, and have their indexes.
func TestTexts(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{})
		script(t, db, `{{if postgres}}CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false){{else}}SELECT 1{{end}};
			--bun:split
			CREATE TABLE shelves (id bigint PRIMARY KEY, name text COLLATE nocase NOT NULL);
			--bun:split
			INSERT INTO shelves VALUES (7, 'Tea'), (8, 'Rice')`)
		names := []string{"rice", `"`, "TEA", "tea", `\`, ""}
		for query, want := range map[string][]string{
			"SELECT s.name || ' ' || each.n FROM shelves s JOIN ? AS each ON s.name = each.value ORDER BY each.n":                   {"Rice 0", "Tea 2", "Tea 3"},
			"SELECT each.value || ' ' || (SELECT count(*) FROM shelves s WHERE each.value = s.name) FROM ? AS each ORDER BY each.n": {"rice 1", `" 0`, "TEA 1", "tea 1", `\ 0`, " 0"},
			"SELECT each.n || ' ' || min(each.n) OVER (PARTITION BY each.value) FROM ? AS each ORDER BY each.n":                     {"0 0", "1 1", "2 2", "3 2", "4 4", "5 5"},
		} {
			if got := texts(t, db, query, Texts("shelves", "name", names)); !slices.Equal(got, want) {
				t.Errorf("%s returns %q; want %q", query, got, want)
			}
		}
		byKey := "SELECT s.name FROM shelves s JOIN ? AS each ON s.id = each.value ORDER BY each.n"
		if got := texts(t, db, byKey, Texts("shelves", "id", []int64{8, 9, 7})); !slices.Equal(got, []string{"Rice", "Tea"}) {
			t.Errorf("the rows with the keys 8, 9 and 7 are %q", got)
		}
	})
}

// texts runs a query of one text column.
func texts(t *testing.T, db *DB, query string, args ...any) (all []string) {
	t.Helper()
	if err := db.NewRaw(query, args...).Scan(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	return all
}
