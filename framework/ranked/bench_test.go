package ranked_test

import (
	"slices"
	"testing"

	"trestle.example/internal/testserver/postgres"
)

// BenchmarkSearch requests the first page among 20,000 products, by HTTP.
func BenchmarkSearch(b *testing.B) {
	for kind, url := range map[string]string{"sqlite": sqliteURL(b), "postgresql": postgres.Database(b)} {
		db := opened(b, url)
		filled(b, db, 20_000)
		c := serve(b, db, products(index))
		for _, s := range []struct{ name, query string }{
			{"no search", ""},
			{"a rare word", "q=xylitol"},
			{"a beginning", "q=ba"},
			{"one letter", "q=b"},
			{"two letters", "q=b+k"},
			{"a whole name", "q=wheat+xylitol"},
			{"a misspelt word", "q=xyllitol"},
			{"nothing near", "q=qqqqq"},
		} {
			b.Run(kind+"/"+s.name, func(b *testing.B) {
				for b.Loop() {
					listedOf(b, c, s.query)
				}
			})
		}
	}
}

// BenchmarkPut stores the words of products that were stored before.
func BenchmarkPut(b *testing.B) {
	for kind, url := range map[string]string{"sqlite": sqliteURL(b), "postgresql": postgres.Database(b)} {
		db := opened(b, url)
		list := many(1000)
		insert(b, db, list)
		putAll(b, db, slices.Values(list))
		b.Run(kind+"/one by one", func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				put(b, db, n%1000+1, list[n%1000].fields()...)
			}
		})
		b.Run(kind+"/a thousand together", func(b *testing.B) {
			for b.Loop() {
				putAll(b, db, slices.Values(list))
			}
		})
	}
}
