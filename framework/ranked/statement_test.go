package ranked_test

import (
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// TestStatements: how many statements a list needs. Their texts do not contain a value
// from the client.
func TestStatements(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		stock(t, db, shop...)
		c := serve(t, db, products(index))
		counter := frameworktest.CountStatements(db)
		for _, s := range []struct {
			name, query, alike string
			want               int
		}{
			{"all on one page", "q=rice", "q=salt", 2},
			{"several words", "q=rice+bas", "q=tata+sal", 2},
			{"on several pages", "q=atta&limit=1", "q=amul&limit=1", 2},
			{"a page past the end", "q=atta&page=9", "q=amul&page=8", 1},
			{"nothing found, every word known", "q=atta+dahi", "q=rice+salt", 2},
			{"nothing found, a word too short", "q=xy", "q=zz", 1},
			{"nothing found, a code", "q=x44", "q=2222222", 1},
			{"nothing found, nothing near", "q=xylophone", "q=zyklotron", 3},
			{"no word", "q=%25", "q=!", 1},
			{"a misspelt word", "q=basmti", "q=salltt", 5},
			{"a misspelt word, on several pages", "q=basmti&limit=1", "q=attarr&limit=1", 5},
			{"a misspelt word, on the second page", "q=basmti&limit=1&page=2", "q=rrrice&limit=1&page=2", 5},
		} {
			t.Run(s.name, func(t *testing.T) {
				first := counter.During(func() { listedOf(t, c, s.query) })
				if len(first) != s.want {
					t.Errorf("%d statements, want %d:\n%q", len(first), s.want, first)
				}
				other := counter.During(func() { listedOf(t, c, s.alike) })
				for i := range min(len(first), len(other)) {
					if first[i] != other[i] {
						t.Errorf("two searches have different statements\n%s\n%s", first[i], other[i])
					}
				}
			})
		}
	})
}
