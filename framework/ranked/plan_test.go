package ranked_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"trestle.example/framework/sqldb"
)

// many makes products in a language with some thousand words, a few of them frequent. It
// makes the same products every time.
func many(n int) []*Product {
	rnd := rand.New(rand.NewPCG(1, 2))
	vocabulary := make([]string, 5000)
	for i := range vocabulary {
		var b strings.Builder
		for range 2 + rnd.IntN(3) {
			b.WriteByte("bcdfghjklmnprstvz"[rnd.IntN(17)])
			b.WriteByte("aeiou"[rnd.IntN(5)])
		}
		vocabulary[i] = b.String()
	}
	frequent := rand.NewZipf(rnd, 1.2, 8, uint64(len(vocabulary)-1))
	sentence := func(words int) string {
		list := make([]string, words)
		for i := range list {
			list[i] = vocabulary[frequent.Uint64()]
		}
		return strings.Join(list, " ")
	}
	list := make([]*Product, n)
	for i := range list {
		list[i] = &Product{ID: stamp(i + 1), Name: sentence(3), Brand: sentence(1), Description: sentence(8), Kind: "k", Hidden: i%50 == 0}
	}
	list[n/2+1].Name = "wheat xylitol"
	return list
}

// filled stores many products and runs ANALYZE, as PostgreSQL does by itself after a
// while.
func filled(tb testing.TB, db *sqldb.DB, n int) {
	tb.Helper()
	list := many(n)
	insert(tb, db, list)
	for some := range slices.Chunk(list, 5000) {
		putAll(tb, db, slices.Values(some))
	}
	if db.Kind() == sqldb.PostgreSQL {
		if _, err := db.ExecContext(tb.Context(), "VACUUM ANALYZE"); err != nil {
			tb.Fatal(err)
		}
	}
}

// An explainer records the sent statements.
type explainer struct {
	mu   sync.Mutex
	sent []sqldb.Event
}

func explaining(db *sqldb.DB) *explainer {
	e := &explainer{}
	db.Observe(func(_ context.Context, event sqldb.Event) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.sent = append(e.sent, event)
	})
	return e
}

// during returns the statements that fn sends.
func (e *explainer) during(fn func()) []sqldb.Event {
	e.mu.Lock()
	from := len(e.sent)
	e.mu.Unlock()
	fn()
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.sent[from:])
}

// plan returns the plan of the database for a statement and its values.
func plan(tb testing.TB, db *sqldb.DB, sent sqldb.Event) string {
	tb.Helper()
	explain := "EXPLAIN QUERY PLAN "
	if db.Kind() == sqldb.PostgreSQL {
		explain = "EXPLAIN "
	}
	rows, err := db.DB.DB.QueryContext(tb.Context(), explain+sent.SQL, sent.Args...)
	if err != nil {
		tb.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		tb.Fatal(err)
	}
	var text strings.Builder
	for rows.Next() {
		cells := make([]any, len(columns))
		for i := range cells {
			cells[i] = new(any)
		}
		if err := rows.Scan(cells...); err != nil {
			tb.Fatal(err)
		}
		fmt.Fprintf(&text, "%s\n", *cells[len(cells)-1].(*any))
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
	return text.String()
}

// TestPlans: among 20,000 rows every step uses an index.
func TestPlans(t *testing.T) {
	if testing.Short() {
		t.Skip("20,000 rows take a while")
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		filled(t, db, 20_000)
		c := serve(t, db, products(index))
		e := explaining(db)
		for _, s := range []struct {
			name, text string
			indexes    [][]string // for each statement
			want       int
		}{
			{"a beginning", "xyl", [][]string{{"product_terms_term"}, nil}, 1},
			{"two words", "wheat xyl", [][]string{{"product_terms_term"}, nil}, 1},
			{"eight words", "wheat xyl ba be bi bo bu k", [][]string{{"product_terms_term"}, {"product_terms_term"}}, 0},
			{"a misspelt word", "xyllitol", [][]string{{"product_terms_term"}, {"product_terms_term"}, {"product_grams_gram", "product_terms_term"}, {"product_terms_term"}, nil}, 1},
			{"nothing near", "qqqqq", [][]string{{"product_terms_term"}, {"product_terms_term"}, {"product_grams_gram"}}, 0},
		} {
			t.Run(s.name, func(t *testing.T) {
				var found int
				sent := e.during(func() { found = listedOf(t, c, search(s.text)).Total })
				if found != s.want || len(sent) != len(s.indexes) {
					t.Fatalf("%d rows are found by %d statements", found, len(sent))
				}
				for i, statement := range sent {
					text := plan(t, db, statement)
					for _, index := range s.indexes[i] {
						if !strings.Contains(text, index) {
							t.Errorf("the plan does not use %s\n%s\n%s", index, statement.SQL, text)
						}
					}
					for _, whole := range []string{"Seq Scan on product_terms", "Seq Scan on product_grams", "Seq Scan on products", "SCAN product_terms", "SCAN product_grams", "SCAN product "} {
						if strings.Contains(text, whole) {
							t.Errorf("a whole table is read:\n%s\n%s", statement.SQL, text)
						}
					}
					t.Log(text)
				}
			})
		}
	})
}
