package framework_test

import (
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
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

// A Leaflet stays in its table when it is deleted, and has a search document.
type Leaflet struct {
	bun.BaseModel `bun:"table:leaflets"`

	ID        uuid.UUID `bun:",pk"`
	Title     string
	Document  string
	DeletedAt time.Time `bun:",soft_delete,nullzero"`
}

type LeafletView struct {
	Title string `json:"title"`
}

// TestNeedsReindexOfDeletedRows: a row that is marked as deleted needs no search document,
// because no search lists it and Reindex leaves it out.
func TestNeedsReindexOfDeletedRows(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		script(t, db, `CREATE TABLE leaflets ({{id}}, title {{text}} NOT NULL, document {{text}} NOT NULL, deleted_at {{timestamp}});
			{{searchIndex "leaflets" "document"}}`)
		api := checked(t, db, framework.ViewSet[Leaflet]{
			Name: "leaflets", Verbs: framework.ReadOnly[LeafletView](), Scope: framework.Public(),
			Search: framework.Search{Fields: []string{"title"}, Stored: "document"},
		})
		for _, deleted := range []time.Time{time.Now(), {}} {
			if _, err := db.NewInsert().Model(&Leaflet{ID: uuid.New(), Title: "Peace", DeletedAt: deleted}).Exec(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got, err := api.NeedsReindex(t.Context(), "leaflets"); got != deleted.IsZero() || err != nil {
				t.Errorf("deleted at %s: %t, %v; want %t", deleted, got, err, deleted.IsZero())
			}
		}
	})
}
