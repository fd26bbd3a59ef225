package ranked_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

// opened is a shop outside of a test function: in a file, or at a URL.
func opened(tb testing.TB, url string) *sqldb.DB {
	tb.Helper()
	db, err := sqldb.Open(url, sqldb.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	migrated(tb, db)
	return db
}

func sqliteURL(tb testing.TB) string {
	tb.Helper()
	return "sqlite://" + filepath.ToSlash(filepath.Join(tb.TempDir(), "test.db"))
}

// FuzzSearch: for any text, both databases give the same answer, and neither fails.
func FuzzSearch(f *testing.F) {
	for _, s := range searches {
		f.Add(s.text)
	}
	for _, text := range []string{
		"\x00", "\xff", "\u202e", "\U0010ffff", "\ud7ff\ue000", "=", "==atta", "a\U0010ffff", "'", `"`, "?", "??", "$1", "?0", "\\", "--", "/*", "%s", "(((",
		strings.Repeat("a", 101), strings.Repeat("ﷺ", 100), strings.Repeat("ß ", 8), strings.Repeat("é ", 9), "a b c d e f g h", "aa ab ac ad ae af ag a", "zwqaq 4452", "x\x01", strings.Repeat("a ", 50), strings.Repeat("é", 100), strings.Repeat("\u0301", 100),
	} {
		f.Add(text)
	}
	var shops []*frameworktest.Client
	for _, url := range []string{sqliteURL(f), postgres.Database(f)} {
		db := opened(f, url)
		stock(f, db, shop...)
		shops = append(shops, serve(f, db, products(index)))
	}
	f.Fuzz(func(t *testing.T, text string) {
		var bodies [2]string
		for n, c := range shops {
			r := c.On(t).Get("/api/products?" + search(text))
			if status := r.Status(); status != http.StatusOK && status != http.StatusBadRequest && status != http.StatusRequestURITooLong {
				t.Errorf("%q is answered with %d %s", text, status, r.Body())
			}
			if bodies[n] = r.Body(); r.Status() != http.StatusOK {
				bodies[n] = "" // errors have different request ids
			}
			if strings.Contains(r.Body(), "Saffron") {
				t.Errorf("%q finds a hidden row", text)
			}
		}
		if bodies[0] != bodies[1] {
			t.Errorf("%q finds\n%s\n%s", text, bodies[0], bodies[1])
		}
	})
}
