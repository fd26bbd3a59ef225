package ranked_test

import (
	"testing"

	"trestle.example/framework/sqldb"
)

// TestHiddenRowsHaveNoInfluence: for a caller who may not see a row, the list and the
// corrections are the same as without the row.
func TestHiddenRowsHaveNoInfluence(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		stock(t, db,
			&Product{Name: "Saffron Rice"},
			&Product{Name: "Safron", Hidden: true},           // the word of the search
			&Product{Name: "Saffrin Safranin", Hidden: true}, // nearer than the visible words
			&Product{Name: "Zebra", Hidden: true},
			&Product{Name: "Rank", Rank: -1},
			&Product{Name: "Candle", Code: "KWART-1"},
			&Product{Name: "Kwart", Hidden: true}, // a word that the other row has as a code
		)
		anyone := serve(t, db, products(index))
		root := anyone.With("Authorization", "root")
		for _, c := range []struct {
			name, text   string
			anyone, root []string
		}{
			{"a hidden row is not found", "zebra", nil, []string{"Zebra"}},
			{"a hidden row is not found by a corrected word", "zebbra", nil, []string{"Zebra"}},
			{"a hidden row is not found by any condition of the scope", "rank", nil, []string{"Rank"}},
			{"a hidden row does not make a word known", "safron", []string{"Saffron Rice"}, []string{"Safron"}},
			{"a misspelt word is not corrected to a word of a hidden row", "saffrim", []string{"Saffron Rice"}, []string{"Saffrin Safranin"}},
			{"a hidden row does not turn a code into a word", "kwaart", nil, []string{"Kwart", "Candle"}},
			{"a word of a hidden row beside a known word", "rice safron", []string{"Saffron Rice"}, nil},
		} {
			t.Run(c.name, func(t *testing.T) {
				finds(t, anyone, search(c.text), c.anyone...)
				finds(t, root, search(c.text), c.root...)
			})
		}
	})
}

// TestFiltersMakeNoWordMisspelt: a known word is not corrected, even if a filter excludes
// its rows.
func TestFiltersMakeNoWordMisspelt(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		stock(t, db, &Product{Name: "Salt", Kind: "spice"}, &Product{Name: "Sale", Kind: "book"})
		c := serve(t, db, products(index))
		finds(t, c, "q=salt&kind=book")
		finds(t, c, "q=saltt&kind=book") // is corrected to Salt, which is not a book
		finds(t, c, "q=salee&kind=book", "Sale")
	})
}
