package relation_test

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// An Item is related to the items of its group, and to those with its label: both columns have the same value in
// several rows, also in rows that are deleted softly.
type Item struct {
	bun.BaseModel `bun:"table:items"`

	ID        int64 `bun:",pk"`
	GroupID   int64
	Label     string
	DeletedAt time.Time   `bun:",soft_delete,nullzero"`
	Siblings  []*Item     `bun:"rel:has-many,join:group_id=group_id"`
	Likes     []*Item     `bun:"rel:has-many,join:label=label"`
	Notes     []*ItemNote `bun:"rel:has-many,join:label=item_label"`
}

// An ItemNote refers to items by their label.
type ItemNote struct {
	bun.BaseModel `bun:"table:item_notes"`

	ID        int64 `bun:",pk"`
	ItemLabel string
}

var items = sqldb.Migrations{Namespace: "items", FS: fstest.MapFS{
	"1_items.tx.up.sql": {Data: []byte(`CREATE TABLE items (id {{bigint}} PRIMARY KEY, group_id {{bigint}} NOT NULL, label {{text}} NOT NULL, deleted_at {{timestamp}});
CREATE TABLE item_notes (id {{bigint}} PRIMARY KEY, item_label {{text}} NOT NULL);`)},
	"1_items.tx.down.sql": {Data: []byte(``)},
}}

// TestSiblings: a list has each related row once, whatever column relates it, and however many owners have the key.
func TestSiblings(t *testing.T) {
	type view struct {
		ID       int64   `json:"id"`
		Siblings []int64 `json:"siblings" from:"siblings.id"`
		First    []int64 `json:"first"    from:"siblings.id,limit=2"`
		Likes    []int64 `json:"likes"    from:"likes.id,limit=2"`
		Notes    []int64 `json:"notes"    from:"notes.id,limit=2"`
	}
	apitest.Databases(t, items, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), framework.ViewSet[Item]{
			Name: "items", Scope: framework.Public(), Verbs: framework.ReadOnly[view](), Ordering: framework.Ordering{Default: "id"},
			Relations: framework.Relations{"siblings": framework.OfRow, "likes": framework.OfRow, "notes": framework.OfRow},
		})
		apitest.Insert(t, db, &Item{ID: 1, GroupID: 1, Label: "a"}, &Item{ID: 2, GroupID: 1, Label: "a"}, &Item{ID: 3, GroupID: 2, Label: "a"},
			&Item{ID: 4, GroupID: 2, Label: "b"}, &Item{ID: 5, GroupID: 2, Label: "b", DeletedAt: time.Now()},
			&ItemNote{ID: 1, ItemLabel: "b"}, &ItemNote{ID: 2, ItemLabel: "b"}, &ItemNote{ID: 3, ItemLabel: "b"})
		c.Get("/api/items/").Expect(200).Contains(
			`{"id":1,"siblings":[1,2],"first":[1,2],"likes":[1,2],"notes":[]}`, `{"id":2,"siblings":[1,2],"first":[1,2],"likes":[1,2],"notes":[]}`,
			`{"id":3,"siblings":[3,4],"first":[3,4],"likes":[1,2],"notes":[]}`, `{"id":4,"siblings":[3,4],"first":[3,4],"likes":[4],"notes":[1,2]}`)
	})
}
