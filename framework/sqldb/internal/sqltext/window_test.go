package sqltext

import (
	"slices"
	"testing"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/dialect"
)

// TestWindow: the place of a page is a value, unless that costs a plan for each page
// and nothing else does.
func TestWindow(t *testing.T) {
	all := bun.SafeQuery("SELECT a FROM t")
	for name, c := range map[string]struct {
		query  schema.QueryAppender
		offset int64
		texts  map[dialect.Kind]string
		values map[dialect.Kind][]any
	}{
		"one of the first pages": {
			all, 40,
			map[dialect.Kind]string{dialect.PostgreSQL: "SELECT a FROM t LIMIT 21 OFFSET 40", dialect.SQLite: "SELECT a FROM t LIMIT 21 OFFSET ?1"},
			map[dialect.Kind][]any{dialect.SQLite: {int64(40)}},
		},
		"the last of them": {
			all, 999,
			map[dialect.Kind]string{dialect.PostgreSQL: "SELECT a FROM t LIMIT 21 OFFSET 999", dialect.SQLite: "SELECT a FROM t LIMIT 21 OFFSET ?1"},
			map[dialect.Kind][]any{dialect.SQLite: {int64(999)}},
		},
		"any other page": {
			all, 1000,
			map[dialect.Kind]string{dialect.PostgreSQL: "SELECT a FROM t LIMIT $1 OFFSET $2", dialect.SQLite: "SELECT a FROM t LIMIT 21 OFFSET ?1"},
			map[dialect.Kind][]any{dialect.PostgreSQL: {int64(21), int64(1000)}, dialect.SQLite: {int64(1000)}},
		},
		"a page of what has a value": {
			bun.SafeQuery("SELECT a FROM t WHERE b = ?", Param("x")), 40,
			map[dialect.Kind]string{dialect.PostgreSQL: "SELECT a FROM t WHERE b = $1 LIMIT $2 OFFSET $3", dialect.SQLite: "SELECT a FROM t WHERE b = ?1 LIMIT 21 OFFSET ?2"},
			map[dialect.Kind][]any{dialect.PostgreSQL: {"x", int64(21), int64(40)}, dialect.SQLite: {"x", int64(40)}},
		},
	} {
		for _, db := range both() {
			text, values, err := db.Render(Window(c.query, 21, c.offset))
			if err != nil || text != c.texts[db.kind] || !slices.Equal(values, c.values[db.kind]) {
				t.Errorf("%s on %s is %s with %v, %v; want %s with %v", name, db.kind, text, values, err, c.texts[db.kind], c.values[db.kind])
			}
		}
	}
}

// TestPagesInTheTextAreFew, or they would drive all else from what is prepared.
func TestPagesInTheTextAreFew(t *testing.T) {
	all := bun.SafeQuery("SELECT a FROM t")
	for _, db := range both() {
		inText := func(from, to int) (n int) {
			for i := from; i < to; i++ {
				_, values, err := db.Render(Window(all, 21, int64(i)))
				if err != nil {
					t.Fatal(err)
				}
				if len(values) == 0 {
					n++
				}
			}
			return n
		}
		want := map[dialect.Kind]int{dialect.PostgreSQL: pagesMost}[db.kind]
		if n := inText(0, 2*pagesMost); n != want {
			t.Errorf("%s: %d pages are in the text; want %d", db.kind, n, want)
		}
		if n := inText(0, pagesMost); n != want {
			t.Errorf("%s: of the same pages again %d are; want all", db.kind, n)
		}
		db.pages.full = db.pages.full.Add(-2 * pagesKept)
		if n := inText(pagesMost, 3*pagesMost); n != want {
			t.Errorf("%s: of others, later, %d are; want %d", db.kind, n, want)
		}
	}
}

// both is a builder for each kind of database.
func both() []*Builder {
	return []*Builder{NewBuilder(sqlitedialect.New(), false), NewBuilder(pgdialect.New(), false)}
}
