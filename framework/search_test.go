package framework_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

var searched = []fields{
	{"title": "Emma", "isbn": "978-0-14"},
	{"title": "Das Straßenbuch"},
	{"title": "ΟΔΥΣΣΕΙΑ"},
	{"title": "Les Misérables"},
	{"title": "100% Wolf"},
	{"title": "snake_case", "isbn": "978-1-14"},
	{"title": `C:\temp "quoted" word`},
	{"title": "The Blue Whale's Song"},
	{"title": "Whale, so blue"},
}

// searches are searches and the titles that they find, by their place above: the same on
// both databases, with and without a stored document.
var searches = []struct {
	name, query string
	want        []int
}{
	{"nothing asked finds all", "", []int{0, 1, 2, 3, 4, 5, 6, 7, 8}},
	{"white space alone finds all", "   ", []int{0, 1, 2, 3, 4, 5, 6, 7, 8}},
	{"a part of a word", "mm", []int{0}},
	{"any case", "eMMa", []int{0}},
	{"any case in Greek", "οδυσσεια", []int{2}},
	{"an accent in another case", "MISÉRABLES", []int{3}},
	{"an accent put together", "mise\u0301rables", []int{3}},
	{"an accent is not its letter", "miserables", nil},
	{"ß is ss", "STRASSEN", []int{1}},
	{"a percent sign is itself", "%", []int{4}},
	{"an underscore is itself", "_", []int{5}},
	{"a backslash is itself", `\`, []int{6}},
	{"another field", "978-1", []int{5}},
	{"every term, in any order", "whale blue", []int{7, 8}},
	{"terms in different fields", "emma 978", []int{0}},
	{"terms that do not meet", "emma whale", nil},
	{"a phrase", `"blue whale"`, []int{7}},
	{"a phrase and a term", `"blue whale" song`, []int{7}},
	{"a quote without a partner is itself", `"quot`, []int{6}},
	{"quotes around nothing are nothing", `"" emma`, []int{0}},
	{"an apostrophe", "whale's", []int{7}},
	{"one letter", "ΟΔ", []int{2}},
	{"never across two fields", "emma978", nil},
	{"a word of SQL", "' OR 1=1 --", nil},
	{"a word of a full-text search", "NEAR(emma)", nil},
	{"a star", "em*", nil},
}

// TestSearch: every term must be contained in some field.
func TestSearch(t *testing.T) {
	for _, stored := range []string{"document", ""} {
		t.Run("stored in "+stored, func(t *testing.T) {
			both(t, func(t *testing.T, db *sqldb.DB) {
				v := books()
				v.Search.Stored, v.Search.Param = stored, "q"
				ada := serve(t, config(db), countries(), authors(), v).as("ada")
				for _, b := range searched {
					ada.post("/api/books/", b).is(201)
				}
				for _, c := range searches {
					t.Run(c.name, func(t *testing.T) {
						want := map[string]bool{}
						for _, i := range c.want {
							want[searched[i]["title"].(string)] = true
						}
						got := everyTitle(ada.in(t), "/api/books/?q="+escape(c.query))
						if len(got) != len(want) {
							t.Errorf("finds %v, want %v", got, want)
						}
						for _, title := range got {
							if !want[title] {
								t.Errorf("finds %q", title)
							}
						}
					})
				}
			})
		})
	}
}

// everyTitle walks all pages of a list.
func everyTitle(c *client, path string) []string {
	c.tb.Helper()
	var titles []string
	for next := &path; next != nil; {
		l := c.get(*next).list()
		for _, title := range l.values("title") {
			titles = append(titles, title.(string))
		}
		next = l.Next
	}
	return titles
}

// TestSearchLimits: what a search may not be.
func TestSearchLimits(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ada := serve(t, config(db), shelves()...).as("ada")
		ada.get("/api/books/?search=" + strings.Repeat("é", 200/2)).is(200)
		ada.get("/api/books/?search="+strings.Repeat("x", 201)).refuses(400, "invalid_parameter").fault("search", "invalid_parameter").says("at most 200 characters")
		ada.get("/api/books/?search=" + strings.TrimSuffix(strings.Repeat("x+", 16), "+")).is(200)
		ada.get("/api/books/?search="+strings.Repeat("x+", 17)).refuses(400, "invalid_parameter").says("at most 16 words")
		for _, quote := range []string{"", "%22"} {
			for _, letter := range []string{"x", "%C3%9F"} { // ß is two letters when it is folded
				ada.get("/api/books/?search=a+" + quote + strings.Repeat(letter, 100) + quote).is(200)
				ada.get("/api/books/?search=a+"+quote+strings.Repeat(letter, 101)+quote).refuses(400, "invalid_parameter").
					fault("search", "invalid_parameter").says("at most 100 characters in each word and each phrase")
			}
		}
		ada.get("/api/books/?search=%22" + strings.Repeat("x", 60) + "%22+%22" + strings.Repeat("y", 60) + "%22").is(200)
	})
}

// TestStoredSearch follows every way to write.
func TestStoredSearch(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ada := serve(t, config(db), shelves()...).as("ada")
		finds := func(query string, want bool) {
			t.Helper()
			if got := len(ada.get("/api/books/?search="+escape(query)).list().Results) > 0; got != want {
				t.Errorf("%q is found: %v, want %v", query, got, want)
			}
		}
		path := "/api/books/" + ada.post("/api/books/", fields{"title": "Émile", "isbn": "first"}).is(201).id() + "/"
		finds("émile", true)
		ada.patch(path, fields{"isbn": "SECOND"}).is(200)
		finds("émile second", true)
		finds("first", false)
		ada.patch(path, fields{"isbn": nil}).is(200)
		finds("second", false)
		finds("émile", true)
		ada.patch(path, fields{"pages": 3}).is(200)
		finds("ÉMILE", true)
		ada.put(path, fields{"title": "Emma"}).is(200)
		finds("emma", true)
		finds("émile", false)
		ada.delete(path).is(204)
		finds("emma", false)
		ada.post("/api/books/", fields{"title": "x", "document": "planted"}).is(201).head("Trestle-Ignored", "/document")
		finds("planted", false)
	})
}

// TestReindexSendsOneUpdate: the documents of many rows are written by one statement.
func TestReindexSendsOneUpdate(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		stocked(t, db)
		api := framework.New(config(db))
		api.Register(shelves()...)
		if err := api.Check(); err != nil {
			t.Fatal(err)
		}
		reindex := func() {
			if _, _, err := api.Reindex(context.Background(), "books"); err != nil {
				t.Fatal(err)
			}
		}
		three := frameworktest.CountStatements(db).During(reindex)
		none := frameworktest.CountStatements(db).During(reindex)
		if got := len(three) - len(none); got != 1 {
			t.Errorf("3 documents take %d statements more than none, want 1: %q", got, three)
		}
	})
}

// TestReindex fills the documents of rows that were written by other means.
func TestReindex(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		stocked(t, db)
		api := framework.New(config(db))
		api.Register(shelves()...)
		if err := api.Check(); err != nil {
			t.Fatal(err)
		}
		for _, want := range []int{3, 0} {
			var shown []string
			progress := func(done, total int) { shown = append(shown, fmt.Sprint(done, " of ", total)) }
			if read, changed, err := api.Reindex(context.Background(), "books", progress); read != 3 || changed != want || err != nil {
				t.Errorf("read %d rows and changed %d, want 3 and %d: %v", read, changed, want, err)
			}
			if fmt.Sprint(shown) != "[3 of 3]" {
				t.Errorf("its progress is %s; want 3 of 3", shown)
			}
		}
		if got := fmt.Sprint(api.Searchable()); got != "[books]" {
			t.Errorf("searchable are %s", got)
		}
		if got := len(serve(t, config(db), shelves()...).as("ada").get("/api/books/?search=emma").list().Results); got != 2 {
			t.Errorf("found %d", got)
		}
		for viewset, want := range map[string]string{
			"authors": `viewset "authors" stores no search document; set Stored in its Search`,
			"boks":    `no viewset "boks" is registered; did you mean "books"?`,
		} {
			if _, _, err := api.Reindex(context.Background(), viewset); err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	})
}
