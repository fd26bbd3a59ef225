package ranked_test

import (
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/ranked"
	"trestle.example/framework/sqldb"
)

// TestMistakes: the errors of wrong declarations.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(v *framework.ViewSet[Product])
		want   string
	}{
		{"no table", func(v *framework.ViewSet[Product]) { v.Ranked = ranked.Index{} },
			`products: ranked: no table; set Terms to that of the words, such as "product_terms"`},
		{"one table for both", func(v *framework.ViewSet[Product]) {
			v.Ranked = ranked.Index{Terms: "product_terms", Grams: "product_terms"}
		},
			`products: ranked: the table "product_terms" is that of Terms and of Grams; trigrams have one of their own`},
		{"a negative number of candidates", func(v *framework.ViewSet[Product]) { v.Ranked = ranked.Index{Terms: "product_terms", Candidates: -1} },
			`products: ranked: its number of Candidates is -1; it must be 1 or more, or absent for 50000`},
		{"a parameter of a filter", func(v *framework.ViewSet[Product]) {
			v.Filters = []framework.Filter{filter.Exact("q", "kind")}
		}, `products: ranked: parameter "q" is read by filter "kind" already`},
		{"a parameter of the search", func(v *framework.ViewSet[Product]) {
			v.Ranked, v.Search = ranked.Index{Terms: "product_terms"}, framework.Search{Fields: []string{"name"}}
		}, `products: ranked: parameter "search" is read by search already`},
		{"a parameter of the order", func(v *framework.ViewSet[Product]) { v.Ordering.Param = "q" },
			`products: ordering: parameter "q" is read by ranked already`},
		{"nothing wrong", func(*framework.ViewSet[Product]) {}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := products(index)
			c.change(&v)
			db, err := sqldb.Open(sqliteURL(t), sqldb.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			api := framework.New(framework.Config{DB: db})
			api.Register(v)
			got := ""
			if err := api.Check(); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
