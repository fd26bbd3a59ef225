package ranked_test

import (
	"encoding/json"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest/postgres"
	"trestle.example/framework/sqldb"
)

// A node is a step of PostgreSQL's plan, as it went.
type node struct {
	Table   string  `json:"Relation Name"`
	Rows    float64 `json:"Actual Rows"`
	Dropped float64 `json:"Rows Removed by Filter"`
	Loops   float64 `json:"Actual Loops"`
	Plans   []node
}

// read adds up the rows that a step and those below it take from each table,
// of an index or not, and each look into one that finds nothing.
func (n node) read(tables map[string]int) {
	if n.Table != "" {
		tables[n.Table] += int(max(n.Rows+n.Dropped, 1) * n.Loops)
	}
	for _, below := range n.Plans {
		below.read(tables)
	}
}

// rowsRead are the rows that PostgreSQL reads for statements, by table.
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

// TestCost: however a search is made up, what it reads is bounded: some rows of
// one word, the others of it looked up in those, and no product twice.
func TestCost(t *testing.T) {
	if testing.Short() {
		t.Skip("20,000 rows take a while")
	}
	const rows, candidates = 20_000, 1000
	db := opened(t, postgres.Database(t))
	filled(t, db, rows)
	bounded := index
	bounded.Candidates = candidates
	c := serve(t, db, products(bounded))
	e := explaining(db)
	for _, s := range []struct {
		name, query         string
		terms, grams, pages int // pages: products that are read to be shown
	}{
		{"a rare word", "q=xyl", 10, 0, 20},
		{"a frequent beginning", "q=ba", candidates + 1, 0, 20},
		{"a page in the middle", "q=ba&page=30", candidates + 1, 0, 20},
		{"a page in another order", "q=ba&page=30&sort=name_desc", candidates + 1, 0, 20},
		{"a page past the end", "q=ba&page=9999", candidates + 1, 0, 0},
		{"one letter", "q=b", candidates + 1, 0, 20},
		{"one letter after a word", "q=ba+k", 4 * candidates, 0, 20},
		{"letters", "q=b+c+d+f+g+h+j+k", 4 * candidates, 0, 20},
		{"frequent beginnings", "q=ba+be+bi+bo+bu+ka+ke+k", 4 * candidates, 0, 20},
		{"a misspelt word", "q=xyllitol", 50, 500, 20},
		{"three misspelt words", "q=bxbx+kxkx+dxdx", 100, 5000, 0},
		{"four misspelt words", "q=bxbx+kxkx+dxdx+fxfx", 100, 0, 0},
		{"a long misspelt word", "q=" + strings.Repeat("ba", 50), 1000, 5000, 100},
		{"a misspelt code", "q=8901x", 10, 0, 0},
		{"eight misspelt codes", "q=8901x+8902x+8903x+8904x+8905x+8906x+8907x+8908x", 100, 0, 0},
	} {
		t.Run(s.name, func(t *testing.T) {
			read := rowsRead(t, db, e.during(func() { listedOf(t, c, s.query) }))
			if read["product_terms"] > s.terms || read["product_grams"] > s.grams || read["products"] > rows+s.pages {
				t.Errorf("%s reads %v, more than %d terms, %d trigrams and %d products", s.query, read, s.terms, s.grams, rows+s.pages)
			}
		})
	}
}

// TestCandidates: of a word that begins words of more rows than a search looks
// at, the first by word and key are found, the same on both databases, and of
// several words those of the rarest; a word that is in fewer is found wherever
// it is.
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
			{"a word that no row has", "q=ri+xyz", ""},
		} {
			t.Run(s.name, func(t *testing.T) { finds(t, c, s.query, split(s.want)...) })
		}
	})
}
