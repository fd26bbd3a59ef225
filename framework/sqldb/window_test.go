package sqldb

import (
	"slices"
	"testing"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
)

// TestWindow: the place of a page is a value, unless that costs a plan for each page
// and nothing else does.
func TestWindow(t *testing.T) {
	all := bun.SafeQuery("SELECT a FROM t")
	for name, c := range map[string]struct {
		query  schema.QueryAppender
		offset int64
		texts  map[Kind]string
		values map[Kind][]any
	}{
		"one of the first pages": {
			all, 40,
			map[Kind]string{PostgreSQL: "SELECT a FROM t LIMIT 21 OFFSET 40", SQLite: "SELECT a FROM t LIMIT 21 OFFSET ?1"},
			map[Kind][]any{SQLite: {int64(40)}},
		},
		"the last of them": {
			all, 999,
			map[Kind]string{PostgreSQL: "SELECT a FROM t LIMIT 21 OFFSET 999", SQLite: "SELECT a FROM t LIMIT 21 OFFSET ?1"},
			map[Kind][]any{SQLite: {int64(999)}},
		},
		"any other page": {
			all, 1000,
			map[Kind]string{PostgreSQL: "SELECT a FROM t LIMIT $1 OFFSET $2", SQLite: "SELECT a FROM t LIMIT 21 OFFSET ?1"},
			map[Kind][]any{PostgreSQL: {int64(21), int64(1000)}, SQLite: {int64(1000)}},
		},
		"a page of what has a value": {
			bun.SafeQuery("SELECT a FROM t WHERE b = ?", Param("x")), 40,
			map[Kind]string{PostgreSQL: "SELECT a FROM t WHERE b = $1 LIMIT $2 OFFSET $3", SQLite: "SELECT a FROM t WHERE b = ?1 LIMIT 21 OFFSET ?2"},
			map[Kind][]any{PostgreSQL: {"x", int64(21), int64(40)}, SQLite: {"x", int64(40)}},
		},
	} {
		for _, db := range both(t) {
			text, values, err := db.render(Window(c.query, 21, c.offset))
			if err != nil || text != c.texts[db.Kind()] || !slices.Equal(values, c.values[db.Kind()]) {
				t.Errorf("%s on %s is %s with %v, %v; want %s with %v", name, db.Kind(), text, values, err, c.texts[db.Kind()], c.values[db.Kind()])
			}
		}
	}
}

// TestPagesInTheTextAreFew, or they would drive all else from what is prepared.
func TestPagesInTheTextAreFew(t *testing.T) {
	all := bun.SafeQuery("SELECT a FROM t")
	for _, db := range both(t) {
		inText := func(from, to int) (n int) {
			for i := from; i < to; i++ {
				_, values, err := db.render(Window(all, 21, int64(i)))
				if err != nil {
					t.Fatal(err)
				}
				if len(values) == 0 {
					n++
				}
			}
			return n
		}
		want := map[Kind]int{PostgreSQL: pagesMost}[db.Kind()]
		if n := inText(0, 2*pagesMost); n != want {
			t.Errorf("%s: %d pages are in the text; want %d", db.Kind(), n, want)
		}
		if n := inText(0, pagesMost); n != want {
			t.Errorf("%s: of the same pages again %d are; want all", db.Kind(), n)
		}
		db.pages.full = db.pages.full.Add(-2 * pagesKept)
		if n := inText(pagesMost, 3*pagesMost); n != want {
			t.Errorf("%s: of others, later, %d are; want %d", db.Kind(), n, want)
		}
	}
}
