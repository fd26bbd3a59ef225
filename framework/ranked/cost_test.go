package ranked_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/proving"
	"trestle.example/internal/testserver/postgres"
)

// A node is a step of an executed plan of PostgreSQL.
type node struct {
	Table   string  `json:"Relation Name"`
	Rows    float64 `json:"Actual Rows"`
	Dropped float64 `json:"Rows Removed by Filter"`
	Loops   float64 `json:"Actual Loops"`
	Plans   []node
}

// read adds up the rows that a step and its children read from each table, directly or by
// an index, and the index lookups without a row.
func (n node) read(tables map[string]int) {
	if n.Table != "" {
		tables[n.Table] += int(max(n.Rows+n.Dropped, 1) * n.Loops)
	}
	for _, below := range n.Plans {
		below.read(tables)
	}
}

// rowsRead returns the rows that PostgreSQL reads for statements, by table.
func rowsRead(tb testing.TB, db *sqldb.DB, sent []sqldb.Event) map[string]int {
	tb.Helper()
	tables := map[string]int{}
	for _, statement := range sent {
		var text string
		if err := db.DB.DB.QueryRowContext(tb.Context(), "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) "+statement.SQL, statement.Args...).Scan(&text); err != nil {
			tb.Fatal(err)
		}
		var plans []struct{ Plan node }
		if err := json.Unmarshal([]byte(text), &plans); err != nil {
			tb.Fatal(err)
		}
		plans[0].Plan.read(tables)
	}
	return tables
}

// hoard creates hidden products that all have the same words. Many of the words are near
// one another.
func hoard(from, products, words int) []*Product {
	var text strings.Builder
	for i := range words {
		for _, beginning := range []string{"kalimer", "borastu", "venifog"} {
			fmt.Fprintf(&text, "%s%c%c ", beginning, 'a'+i/20, 'a'+i%20)
		}
	}
	list := make([]*Product, products)
	for i := range list {
		list[i] = &Product{ID: stamp(from + i), Name: "hoard", Description: text.String(), Kind: "k", Hidden: true}
	}
	return list
}

// TestCost: for any search the number of words read is bounded. It reads some rows of one
// word, looks up the other words in them, and reads no more rows to correct a misspelt
// word than for any other word, even if the caller may see none of them. PostgreSQL
// decides how many products it reads for that: if there are few, it reads all.
func TestCost(t *testing.T) {
	proving.Only(t, "stores 20,000 rows; the stage search runs it")
	const rows, candidates, near = 20_000, 1000, 400
	db := opened(t, postgres.Database(t))
	hidden := hoard(rows+1, 100, near)
	insert(t, db, hidden)
	putAll(t, db, slices.Values(hidden))
	filled(t, db, rows)
	bounded := index
	bounded.Candidates = candidates
	c := serve(t, db, products(bounded))
	e := explaining(db)
	for _, s := range []struct {
		name, query  string
		terms, grams int
	}{
		{"a rare word", "q=xyl", 10, 0},
		{"a frequent beginning", "q=ba", candidates + 1, 0},
		{"a page in the middle", "q=ba&page=30", candidates + 1, 0},
		{"a page in another order", "q=ba&page=30&sort=name_desc", candidates + 1, 0},
		{"a page past the end", "q=ba&page=9999", candidates + 1, 0},
		{"one letter", "q=b", candidates + 1, 0},
		{"one letter after a word", "q=ba+k", 4 * candidates, 0},
		{"letters", "q=b+c+d+f+g+h+j+k", 4 * candidates, 0},
		{"frequent beginnings", "q=ba+be+bi+bo+bu+ka+ke+k", 4 * candidates, 0},
		{"a misspelt word", "q=xyllitol", 50, 500},
		{"three misspelt words", "q=bxbx+kxkx+dxdx", 100, 5000},
		{"four misspelt words", "q=bxbx+kxkx+dxdx+fxfx", 100, 0},
		{"a long misspelt word", "q=" + strings.Repeat("ba", 50), 1000, 5000},
		{"a misspelt code", "q=8901x", 10, 0},
		{"eight misspelt codes", "q=8901x+8902x+8903x+8904x+8905x+8906x+8907x+8908x", 100, 0},
		{"a misspelt word, near those of hidden rows", "q=kalimerzz", candidates + near + 10, 5000},
		{"three misspelt words, near those of hidden rows", "q=kalimerzz+borastuzz+venifogzz", candidates + 3*near + 10, 15_000},
	} {
		t.Run(s.name, func(t *testing.T) {
			read := rowsRead(t, db, e.during(func() { listedOf(t, c, s.query) }))
			if read["product_terms"] > s.terms || read["product_grams"] > s.grams {
				t.Errorf("%s reads %v, more than %d terms and %d trigrams", s.query, read, s.terms, s.grams)
			}
		})
	}
}

// TestCandidates: if a word occurs in more rows than a search reads, the search finds the
// first ones by word and key, the same on both databases. With several words these are
// the rows of the rarest word. If a word occurs in fewer rows, it finds all of them.
func TestCandidates(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		stock(t, db,
			&Product{Name: "Rye Z"}, &Product{Name: "Rice C"}, &Product{Name: "Rice Oil B", Kind: "oil"}, &Product{Name: "Ricotta A"},
			&Product{Name: "Ripe Rice D"}, &Product{Name: "Ripe Rice Oil E", Kind: "oil"}, &Product{Name: "Ripe Figs Oil F"},
		)
		few := index
		few.Candidates = 4
		c := serve(t, db, products(few))
		for _, s := range []struct{ name, query, want string }{
			{"fewer", "q=rip&sort=name_asc", "Ripe Figs Oil F; Ripe Rice D; Ripe Rice Oil E"},
			{"as many", "q=rice&sort=name_asc", "Rice C; Rice Oil B; Ripe Rice D; Ripe Rice Oil E"},
			{"more", "q=ri&sort=name_asc", "Rice C; Rice Oil B; Ripe Rice D; Ripe Rice Oil E"},
			{"more, on the second page", "q=ri&sort=name_asc&limit=3&page=2", "Ripe Rice Oil E"},
			{"more, with a filter", "q=ri&kind=oil", "Rice Oil B; Ripe Rice Oil E"},
			{"two words, one of them in few rows", "q=figs+ri", "Ripe Figs Oil F"},
			{"the same in another order", "q=rip+fig", "Ripe Figs Oil F"},
			{"two words, both in more", "q=ripe+oil&sort=name_asc", "Ripe Rice Oil E"},
			{"a misspelt word", "q=riceee&sort=name_asc", "Rice C; Rice Oil B; Ripe Rice D; Ripe Rice Oil E"},
			{"an unknown word", "q=ri+xyz", ""},
		} {
			t.Run(s.name, func(t *testing.T) { finds(t, c, s.query, split(s.want)...) })
		}
	})
}
