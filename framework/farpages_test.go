package framework_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
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
	Document string
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
	script(t, db, `CREATE TABLE leaves ({{id}}, owner_id {{uuid}} NOT NULL, veins {{bigint}} NOT NULL, colour {{text}}, document {{text}} NOT NULL, fallen_at {{timestamp}});
		{{searchIndex "leaves" "document"}}`)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 0))
	leaves := make([]Leaf, n)
	for i := range leaves {
		l := Leaf{ID: uuid.New(), OwnerID: idOf("ada"), Veins: dice.Int64N(9)}
		if dice.IntN(4) == 0 {
			l.OwnerID = idOf("bob")
		}
		if colour := []string{"red", "brown", "green"}[dice.IntN(3)]; dice.IntN(2) == 0 {
			l.Colour = &colour
		}
		l.Document = sqldb.Document(fmt.Sprint("vein", l.Veins, " tree", i%7))
		if i%3 == 0 {
			l.FallenAt = time.Now()
		}
		leaves[i] = l
	}
	if _, err := db.NewInsert().Model(&leaves).Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
}

var orders = []string{"", "veins", "-colour", "colour,-veins"}

type leaves struct {
	Count   int
	Results []LeafView
}

func fallen(scope framework.Scope) framework.ViewSet[Leaf] {
	return framework.ViewSet[Leaf]{
		Name: "leaves", Verbs: framework.ReadOnly[LeafView](), Scope: scope, Pagination: page.Offset{Size: 40, MaxSize: 1000},
		Search:   framework.Search{Fields: []string{"colour"}, Stored: "document"},
		Ordering: framework.Ordering{Allowed: []string{"veins", "colour"}, Default: "id"},
	}
}

func scopes() map[string]framework.Scope {
	return map[string]framework.Scope{
		"own":        framework.Own((*Leaf).owner),
		"everything": framework.Public(),
		"the fallen too": framework.Where(func(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
			return q.WhereAllWithDeleted().Where("?TableAlias.veins > ?", 1)
		}),
		"the fallen alone": framework.Where(func(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder { return q.WhereDeleted() }),
	}
}

// TestPagesFarBehind are of the same rows in the same order as one long list, of
// whichever scope: theirs are found by their keys.
func TestPagesFarBehind(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		leavesIn(t, db, 700)
		for name, scope := range scopes() {
			t.Run(name, func(t *testing.T) {
				ada := serve(t, config(db), fallen(scope)).as("ada")
				list := func(order string, limit, offset int) (got leaves) {
					ada.get(fmt.Sprintf("/api/leaves/?ordering=%s&limit=%d&offset=%d", order, limit, offset)).is(200).json(&got)
					return got
				}
				for _, order := range orders {
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

// TestAFarPageIsCutOnce: the limit is in the query of the keys, which bounds the rows.
func TestAFarPageIsCutOnce(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		leavesIn(t, db, 200)
		ada := serve(t, config(db), fallen(framework.Public())).as("ada")
		sent := frameworktest.CountStatements(db).During(func() { ada.get("/api/leaves/?limit=10&offset=101").is(200) })
		pages := slices.DeleteFunc(sent, func(sql string) bool { return !strings.Contains(sql, "veins") })
		if len(pages) != 1 || strings.Count(pages[0], " LIMIT ") != 1 {
			t.Errorf("the page is %q; want one statement with one LIMIT", pages)
		}
	})
}

// TestPagesOfASearch: the pages have the same rows in the same order as one long list
// without the index, in any order of requests. The server remembers what it found.
func TestPagesOfASearch(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		leavesIn(t, db, 300)
		for name, scope := range scopes() {
			t.Run(name, func(t *testing.T) {
				ada := serve(t, config(db), fallen(scope)).as("ada")
				list := func(order, search string, limit, offset int) (got leaves) {
					ada.get(fmt.Sprintf("/api/leaves/?ordering=%s&search=%s&limit=%d&offset=%d", order, search, limit, offset)).is(200).json(&got)
					return got
				}
				for term, short := range map[string]string{"vein3": "n3", "tree4": "e4", "vein3+tree4": "n3+e4", "v+tree4+e": "e4", "vein": "", "nothing": "ng"} {
					for _, order := range orders {
						whole := list(order, short, 1000, 0)
						for _, offset := range []int{0, 3, 0, 10, 1000} {
							got, from := list(order, term, 10, offset), min(offset, whole.Count)
							if want := whole.Results[from:min(from+10, whole.Count)]; !slices.EqualFunc(got.Results, want, func(a, b LeafView) bool { return a.ID == b.ID }) || got.Count != whole.Count {
								t.Errorf("%q by %q from %d: %d rows of %d, or in another order; want %d of %d", term, order, offset, len(got.Results), got.Count, len(want), whole.Count)
							}
						}
					}
				}
			})
		}
	})
}

// TestASearchFindsWhatIsThere now: a row that changes is found as it is in the next
// answer, and one that goes while a page is read is not in it.
func TestASearchFindsWhatIsThere(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		leavesIn(t, db, 1) // which is not found
		leaf := Leaf{ID: uuid.New(), OwnerID: idOf("ada"), Document: "|ash|"}
		insert(t, db, &leaf)
		ada := serve(t, config(db), fallen(framework.Own((*Leaf).owner))).as("ada")
		becomes := func(column string, value any) {
			t.Helper()
			if _, err := db.NewUpdate().Model(&leaf).Set("? = ?", bun.Ident(column), value).WherePK().WhereAllWithDeleted().Exec(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
		}
		finds := func(want int) {
			t.Helper()
			var got leaves
			if ada.get("/api/leaves/?search=ash").is(200).json(&got); len(got.Results) != want || got.Count != want {
				t.Errorf("it finds %d of %d; want %d", len(got.Results), got.Count, want)
			}
		}
		for range 2 {
			finds(1)
			finds(1)
			becomes("document", "|oak|")
			finds(0)
			becomes("document", "|ash|")
			finds(1)
			becomes("owner_id", idOf("bob"))
			finds(0)
			becomes("owner_id", idOf("ada"))
		}
		var once sync.Once
		db.Observe(func(_ context.Context, e sqldb.Event) {
			if strings.Contains(e.SQL, "matched") {
				once.Do(func() { becomes("owner_id", idOf("bob")) })
			}
		})
		var got leaves
		if ada.get("/api/leaves/?search=ash").is(200).json(&got); len(got.Results) != 0 {
			t.Error("another's row is shown that was the caller's when it was found")
		}
	})
}

// TestARepeatedSearchReadsItsPageByKeys: what the search index found is remembered, and
// the rows of the page are read without that index.
func TestARepeatedSearchReadsItsPageByKeys(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		leavesIn(t, db, 300)
		ada := serve(t, config(db), fallen(framework.Own((*Leaf).owner))).as("ada")
		ada.get("/api/leaves/?search=vein3").is(200)
		var mu sync.Mutex
		var texts []string
		db.Observe(func(_ context.Context, e sqldb.Event) {
			mu.Lock()
			defer mu.Unlock()
			if strings.Contains(e.SQL, "leaves") && !strings.Contains(e.SQL, "matched") {
				texts = append(texts, e.SQL)
			}
		})
		ada.get("/api/leaves/?search=vein3").is(200)
		mu.Lock()
		defer mu.Unlock()
		if len(texts) != 1 || strings.Contains(texts[0], "LIKE") || strings.Contains(texts[0], "MATCH") {
			t.Errorf("the statements are %q; want one that reads rows by their keys", texts)
		}
	})
}

// TestASearchOfTooMuch finds as many rows as one that an index does not serve, and
// the same page of them, on both sides of what is looked for once.
func TestASearchOfTooMuch(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		leavesIn(t, db, 1)
		const most = 100_003 // where 100,000 are looked for once
		key := "printf('00000000-0000-7000-8000-%012x', i)"
		if db.Kind() == sqldb.PostgreSQL {
			key = "('00000000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid"
		}
		if _, err := db.NewRaw(`INSERT INTO leaves (id, owner_id, veins, document)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			SELECT ?, ?, i, '|ash|' FROM n`, most, bun.Safe(key), idOf("ada")).Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		ada := serve(t, config(db), fallen(framework.Own((*Leaf).owner))).as("ada")
		for want := most; want > most-5; want-- {
			var got leaves
			ada.get("/api/leaves/?ordering=-veins&limit=3&offset=5&search=ash").is(200).json(&got)
			if got.Count != want || len(got.Results) != 3 || got.Results[0].Veins != int64(want-5) {
				t.Errorf("%d rows, %v; want %d", got.Count, got.Results, want)
			}
			if _, err := db.NewDelete().Model((*Leaf)(nil)).Where("veins = ?", want).ForceDelete().Exec(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
}
