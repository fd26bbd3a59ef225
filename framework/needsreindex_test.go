package framework_test

import (
	"testing"

	"trestle.example/framework/sqldb"
)

// TestNeedsReindex reports rows that no search finds, and no other rows.
func TestNeedsReindex(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api := checked(t, db, shelves()...)
		needs := func(when string, want bool) {
			t.Helper()
			if got, err := api.NeedsReindex(t.Context(), "books"); got != want || err != nil {
				t.Errorf("%s: %t, %v; want %t", when, got, err, want)
			}
		}
		needs("without rows", false)
		stocked(t, db)
		needs("with rows that were written elsewhere", true)
		if _, _, err := api.Reindex(t.Context(), "books"); err != nil {
			t.Fatal(err)
		}
		needs("when they were read", false)
		if _, err := db.Exec("UPDATE books SET title = '', isbn = NULL, document = '', owner_id = id"); err != nil {
			t.Fatal(err)
		}
		needs("with nothing to search", false)
		for _, viewset := range []string{"authors", "boks"} {
			if _, err := api.NeedsReindex(t.Context(), viewset); err == nil {
				t.Errorf("%s has a search document", viewset)
			}
		}
	})
}
