package ranked_test

import (
	"testing"

	"trestle.example/framework/sqldb"
)

// TestHiddenRowsDecideNothing: whoever does not have a row is answered as if it
// were not there, by the list and by what a misspelt word is taken for.
func TestHiddenRowsDecideNothing(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		stock(t, db,
			&Product{Name: "Saffron Rice"},
			&Product{Name: "Safron", Hidden: true},           // what somebody asks for
			&Product{Name: "Saffrin Safranin", Hidden: true}, // nearer than what is there
			&Product{Name: "Zebra", Hidden: true},
			&Product{Name: "Rank", Rank: -1},
			&Product{Name: "Candle", Code: "KWART-1"},
			&Product{Name: "Kwart", Hidden: true}, // a word that the other has as a code
		)
		anyone := serve(t, db, products(index))
		root := anyone.With("Authorization", "root")
		for _, c := range []struct {
			name, text   string
			anyone, root []string
		}{
			{"a hidden row is not found", "zebra", nil, []string{"Zebra"}},
			{"nor by what a misspelt word was meant to be", "zebbra", nil, []string{"Zebra"}},
			{"nor by any condition of the scope", "rank", nil, []string{"Rank"}},
			{"a hidden row does not make a word known", "safron", []string{"Saffron Rice"}, []string{"Safron"}},
			{"a hidden row's word is not taken for what was meant", "saffrim", []string{"Saffron Rice"}, []string{"Saffrin Safranin"}},
			{"a hidden row does not make a word of a code", "kwaart", nil, []string{"Kwart", "Candle"}},
			{"a hidden row's word beside one that is there", "rice safron", []string{"Saffron Rice"}, nil},
		} {
			t.Run(c.name, func(t *testing.T) {
				finds(t, anyone, search(c.text), c.anyone...)
				finds(t, root, search(c.text), c.root...)
			})
		}
	})
}

// TestFiltersMakeNoWordMisspelt: a word that is there stays, also where a
// filter leaves out its rows.
func TestFiltersMakeNoWordMisspelt(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		stock(t, db, &Product{Name: "Salt", Kind: "spice"}, &Product{Name: "Sale", Kind: "book"})
		c := serve(t, db, products(index))
		finds(t, c, "q=salt&kind=book")
		finds(t, c, "q=saltt&kind=book") // means Salt, which is no book
		finds(t, c, "q=salee&kind=book", "Sale")
	})
}
