package ranked_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/ranked"
	"trestle.example/framework/sqldb"
)

// inTx runs fn in a transaction and commits it.
func inTx(tb testing.TB, db *sqldb.DB, fn func(ctx context.Context, s *sqldb.Session) error) {
	tb.Helper()
	if err := db.InTx(tb.Context(), fn); err != nil {
		tb.Fatal(err)
	}
}

func put(tb testing.TB, db *sqldb.DB, n int, fields ...ranked.Field) {
	tb.Helper()
	inTx(tb, db, func(ctx context.Context, s *sqldb.Session) error { return index.Put(ctx, s, stamp(n), fields...) })
}

// terms returns the stored terms of a row, "term=weight" in order.
func terms(tb testing.TB, db *sqldb.DB, n int) string {
	tb.Helper()
	var rows []struct {
		Term   string
		Weight int
	}
	err := db.NewSelect().Table("product_terms").Column("term", "weight").Where("? = ?", bun.Ident("key"), stamp(n)).Order("term").Scan(tb.Context(), &rows)
	if err != nil {
		tb.Fatal(err)
	}
	list := make([]string, len(rows))
	for i, r := range rows {
		list[i] = fmt.Sprint(r.Term, ":", r.Weight)
	}
	return strings.Join(list, " ")
}

func count(tb testing.TB, db *sqldb.DB, table string) int64 {
	tb.Helper()
	n, err := db.NewSelect().Table(table).Count(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// TestPut: the stored terms of a row.
func TestPut(t *testing.T) {
	type fields = []ranked.Field
	both(t, func(t *testing.T, db *sqldb.DB) {
		stock(t, db, &Product{})
		for _, c := range []struct {
			name   string
			fields fields
			want   string
		}{
			{"a name", fields{{Text: "Tata Salt", Weight: 8}}, "=tata salt:1000000 salt:8 tata:8"},
			{"the earlier words are removed", fields{{Text: "Rice", Weight: 8}}, "=rice:1000000 rice:8"},
			{"the same again", fields{{Text: "Rice", Weight: 8}}, "=rice:1000000 rice:8"},
			{"a word twice counts once", fields{{Text: "rice RICE", Weight: 8}}, "=rice rice:1000000 rice:8"},
			{"the highest weight of several fields", fields{{Text: "Rice", Weight: 2}, {Text: "rice", Weight: 8}, {Text: "rice", Weight: 4}}, "=rice:1000000 rice:8"},
			{"only the first field is the name", fields{{Text: "", Weight: 8}, {Text: "Rice", Weight: 4}}, "rice:4"},
			{"a first field of signs is not a name", fields{{Text: "%", Weight: 8}, {Text: "Rice", Weight: 4}}, "rice:4"},
			{"text that is SQL", fields{{Text: "x'); DROP TABLE product_terms; --", Weight: 1}}, "=x drop table product terms:1000000 drop:1 product:1 table:1 terms:1 x:1"},
			{"a long word is cut", fields{{Text: "", Weight: 1}, {Text: strings.Repeat("x", 5000), Weight: 1}}, strings.Repeat("x", 100) + ":1"},
			{"a long name is not stored", fields{{Text: strings.Repeat("abc ", 101), Weight: 1}}, "abc:1"},
			{"a code is a word", fields{{Text: "Rice", Weight: 8}, {Text: "STA-001", Weight: 2, Exact: true}}, "001:2 =rice:1000000 rice:8 sta:2"},
			{"a name that is nearly too long", fields{{Text: strings.Repeat("द ", 199) + "द", Weight: 1}}, "=" + strings.Repeat("द ", 199) + "द:1000000 द:1"},
			{"the bounds of a weight", fields{{Text: "a", Weight: 1}, {Text: "b", Weight: 1000}}, "=a:1000000 a:1 b:1000"},
			{"nothing", nil, ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				put(t, db, 1, c.fields...)
				if got := terms(t, db, 1); got != c.want {
					t.Errorf("the stored terms are %q, want %q", got, c.want)
				}
			})
		}
	})
}

// TestStoredTrigrams: words that a misspelt word may be corrected to are stored as trigrams,
// once; names, codes and words with numbers are not.
func TestStoredTrigrams(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		stock(t, db,
			&Product{Name: "Rice Oil 500ml", Brand: "7up", Code: "ZWQ-1"},
			&Product{Name: "Rice", Description: "Ⅷ", Code: "STA-RICE-2"},
		)
		var learned []string
		if err := db.NewSelect().Table("product_grams").ColumnExpr("DISTINCT term").Order("term").Scan(t.Context(), &learned); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(learned, " "); got != "oil rice viii" {
			t.Errorf("the words with trigrams are %s", got)
		}
	})
}

// TestPutManyTerms: one row may have more terms than a statement takes.
func TestPutManyTerms(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		stock(t, db, &Product{}, &Product{})
		var text strings.Builder
		for n := range 3000 {
			fmt.Fprintf(&text, "w%d ", n)
		}
		put(t, db, 1, ranked.Field{Text: text.String(), Weight: 1})
		put(t, db, 2, ranked.Field{Text: "w1 w2", Weight: 1})
		put(t, db, 1, ranked.Field{Text: text.String(), Weight: 2})
		if n := count(t, db, "product_terms"); n != 3000+1+2 {
			t.Errorf("%d terms are stored", n)
		}
	})
}

// TestPutRejects invalid input, and then changes nothing.
func TestPutRejects(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		stock(t, db, &Product{Name: "Rice"})
		before := terms(t, db, 1)
		refused := func(err error, want string) {
			t.Helper()
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("the error is %v, want %s", err, want)
			}
			if got := terms(t, db, 1); got != before {
				t.Errorf("the stored terms are %q, and were %q", got, before)
			}
		}
		for _, weight := range []int{0, -1, 1001} {
			refused(db.InTx(t.Context(), func(ctx context.Context, s *sqldb.Session) error {
				return index.Put(ctx, s, stamp(1), ranked.Field{Text: "Salt", Weight: 1}, ranked.Field{Text: "x", Weight: weight})
			}), fmt.Sprintf("the weight of field 2 is %d; it must be 1 to 1000", weight))
		}
		refused(index.Put(t.Context(), db.Session(), stamp(1), ranked.Field{Text: "Salt", Weight: 1}), "this session has none")
		undone := errors.New("undone")
		refused(db.InTx(t.Context(), func(ctx context.Context, s *sqldb.Session) error {
			return errors.Join(index.Put(ctx, s, stamp(1), ranked.Field{Text: "Salt", Weight: 1}), undone)
		}), "undone")
	})
}

// TestRemove: terms are deleted by Remove, and with the row.
func TestRemove(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		stock(t, db, &Product{Name: "Rice"}, &Product{Name: "Rice Oil"}, &Product{Name: "Ricotta"})
		c := serve(t, db, products(index))
		if err := index.Remove(t.Context(), db.Session(), stamp(1), stamp(99)); err != nil {
			t.Fatal(err)
		}
		finds(t, c, "q=rice", "Rice Oil")
		if err := index.Remove(t.Context(), db.Session()); err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), "DELETE FROM products WHERE name = 'Rice Oil'"); err != nil {
			t.Fatal(err)
		}
		if got := terms(t, db, 2); got != "" {
			t.Errorf("a deleted row still has the terms %q", got)
		}
		finds(t, c, "q=riice")             // Rice is deleted; its trigrams stay and do no harm
		finds(t, c, "q=ricota", "Ricotta") // existing rows are found
	})
}

// TestPutAll stores the same as Put, for so many rows that it needs several batches.
func TestPutAll(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		const many = 1203
		list := make([]*Product, many)
		for n := range list {
			list[n] = &Product{ID: stamp(n + 1), Name: fmt.Sprintf("Word%d Common", n), Description: fmt.Sprint("x", n%7)}
		}
		insert(t, db, list)
		for range 2 { // the second time nothing changes
			putAll(t, db, slices.Values(list))
			if n := count(t, db, "product_terms"); n != 4*many {
				t.Errorf("%d terms are stored, want %d", n, 4*many)
			}
			for _, n := range []int{1, 500, 501, many} {
				want := fmt.Sprintf("=word%d common:1000000 common:8 word%d:8 x%d:1", n-1, n-1, (n-1)%7)
				if got := terms(t, db, n); got != want {
					t.Errorf("the stored terms are %q, want %q", got, want)
				}
			}
		}
		finds(t, serve(t, db, products(index)), "q=word1200+comon", "Word1200 Common")
	})
}

func insert(tb testing.TB, db *sqldb.DB, list []*Product) {
	tb.Helper()
	for some := range slices.Chunk(list, 500) {
		if _, err := db.NewInsert().Model(&some).Exec(tb.Context()); err != nil {
			tb.Fatal(err)
		}
	}
}

func putAll(tb testing.TB, db *sqldb.DB, list iter.Seq[*Product]) {
	tb.Helper()
	inTx(tb, db, func(ctx context.Context, s *sqldb.Session) error {
		return index.PutAll(ctx, s, func(yield func(ranked.Row) bool) {
			for p := range list {
				if !yield(ranked.Row{Key: p.ID, Fields: p.fields()}) {
					return
				}
			}
		})
	})
}

// TestStatementsOfPut: three for a row with known words, four for a row with new ones,
// and no value in their text.
func TestStatementsOfPut(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		stock(t, db, &Product{})
		counter := frameworktest.CountStatements(db)
		var alike []string
		for _, c := range []struct {
			name, text string
			want       int
		}{
			{"new words", "canary one", 4},
			{"known words", "canary one", 3},
			{"as many other known words", "one canary", 3},
			{"no words", "", 1},
		} {
			sent := counter.During(func() { put(t, db, 1, ranked.Field{Text: c.text, Weight: 1}) })
			if len(sent) != c.want || strings.Contains(strings.Join(sent, " "), "canary") {
				t.Errorf("%s: want %d statements without values, got %q", c.name, c.want, sent)
			}
			if c.want == 3 && alike != nil && !slices.Equal(sent, alike) {
				t.Errorf("%s: got\n%q\nand\n%q", c.name, sent, alike)
			}
			if c.want == 3 {
				alike = sent
			}
		}
	})
}

// TestPutByTwo: two writers of different rows with the same new words wait for each
// other, and both rows are stored.
func TestPutByTwo(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		const writers = 8
		rows := make([]*Product, writers)
		for n := range rows {
			rows[n] = &Product{Name: "none"}
		}
		stock(t, db, rows...)
		failed := make(chan error, writers)
		for n := range writers {
			go func() {
				failed <- db.InTx(context.Background(), func(ctx context.Context, s *sqldb.Session) error {
					return index.Put(ctx, s, stamp(n+1), ranked.Field{Text: fmt.Sprint("apricot banana cherry damson elder w", n), Weight: 1})
				})
			}()
		}
		for range writers {
			if err := <-failed; err != nil {
				t.Error(err)
			}
		}
		if got := len(list(t, serve(t, db, products(index)), "q=aprikot+elder+w")); got != writers {
			t.Errorf("%d rows are found", got)
		}
	})
}
