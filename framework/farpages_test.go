package framework_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// A Leaf may have fallen.
type Leaf struct {
	bun.BaseModel `bun:"table:leaves"`

	ID       uuid.UUID `bun:",pk"`
	OwnerID  uuid.UUID
	Veins    int64
	Colour   *string
	FallenAt time.Time `bun:",soft_delete,nullzero"`
}

func (l *Leaf) owner() *uuid.UUID { return &l.OwnerID }

type LeafView struct {
	ID     uuid.UUID `json:"id"`
	Veins  int64     `json:"veins"`
	Colour *string   `json:"colour"`
}

// leavesIn stores leaves of Ada and of Bob, every third of them fallen.
func leavesIn(t *testing.T, db *sqldb.DB, n int) {
	t.Helper()
	id, at := "text", "timestamp"
	if db.Kind() == sqldb.PostgreSQL {
		id, at = "uuid", "timestamptz"
	}
	table := fmt.Sprintf("CREATE TABLE leaves (id %[1]s PRIMARY KEY, owner_id %[1]s NOT NULL, veins bigint NOT NULL, colour text, fallen_at %[2]s)", id, at)
	if _, err := db.DB.DB.ExecContext(context.Background(), table); err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 0))
	leaves := make([]Leaf, n)
	for i := range leaves {
		l := Leaf{ID: uuid.New(), OwnerID: callers["ada"].ID, Veins: dice.Int64N(9)}
		if dice.IntN(4) == 0 {
			l.OwnerID = callers["bob"].ID
		}
		if colour := []string{"red", "brown", "green"}[dice.IntN(3)]; dice.IntN(2) == 0 {
			l.Colour = &colour
		}
		if i%3 == 0 {
			l.FallenAt = time.Now()
		}
		leaves[i] = l
	}
	if _, err := db.NewInsert().Model(&leaves).Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestPagesFarBehind are of the same rows in the same order as one long list, of
// whichever scope: theirs are found by their keys.
func TestPagesFarBehind(t *testing.T) {
	scopes := map[string]framework.Scope{
		"own":        framework.Own((*Leaf).owner),
		"everything": framework.Public(),
		"the fallen too": framework.Where(func(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
			return q.WhereAllWithDeleted().Where("?TableAlias.veins > ?", 1)
		}),
		"the fallen alone": framework.Where(func(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder { return q.WhereDeleted() }),
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		leavesIn(t, db, 700)
		for name, scope := range scopes {
			t.Run(name, func(t *testing.T) {
				v := framework.ViewSet[Leaf]{
					Name: "leaves", Verbs: framework.ReadOnly[LeafView](), Scope: scope, Pagination: page.Offset{Size: 40, MaxSize: 1000},
					Ordering: framework.Ordering{Allowed: []string{"veins", "colour"}, Default: "id"},
				}
				ada := serve(t, config(db), v).as("ada")
				type leaves struct {
					Count   int
					Results []LeafView
				}
				list := func(order string, limit, offset int) (got leaves) {
					ada.get(fmt.Sprintf("/api/leaves/?ordering=%s&limit=%d&offset=%d", order, limit, offset)).is(200).json(&got)
					return got
				}
				for _, order := range []string{"", "veins", "-colour", "colour,-veins"} {
					whole := list(order, 1000, 0)
					if whole.Count != len(whole.Results) || whole.Count < 150 {
						t.Fatalf("%q: %d rows of %d", order, len(whole.Results), whole.Count)
					}
					for offset := range whole.Count / 20 {
						got, from := list(order, 40, offset*20), offset*20
						want := whole.Results[from:min(from+40, whole.Count)]
						same := slices.EqualFunc(got.Results, want, func(a, b LeafView) bool { return a.ID == b.ID })
						if !same || got.Count != whole.Count {
							t.Errorf("%q from %d: %d rows of %d, or in another order; want %d of %d", order, from, len(got.Results), got.Count, len(want), whole.Count)
						}
					}
				}
			})
		}
	})
}
