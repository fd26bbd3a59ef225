package framework_test

import (
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// A finding is a row of the tables below: options of Find, and the titles or the error that they
// lead to.
type finding struct {
	name    string
	options []framework.FindOption
	titles  string
	wrong   string
}

func with(options ...framework.FindOption) []framework.FindOption { return options }

// TestFindOptions: a function orders and limits what it finds, always in the caller's scope, in
// one statement. What cannot be done is an error with a sentence.
func TestFindOptions(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		b := books()
		b.Relations = framework.Relations{"lead_author": "authors"}
		settings := config(db)
		settings.MaxRows = 4
		api, ada := serveAPI(t, settings, countries(), authors(), b)
		jane := ada.post("/api/authors/", fields{"name": "Jane"}).is(201).id()
		frank := ada.post("/api/authors/", fields{"name": "Frank"}).is(201).id()
		for _, book := range []fields{
			{"title": "Dune", "pages": 90, "author": frank, "published_at": "1965-08-01T00:00:00Z"},
			{"title": "Emma", "pages": 30, "author": jane, "published_at": "1815-12-23T00:00:00Z"},
			{"title": "Kim", "pages": 30},
			{"title": "Sula", "pages": 60},
		} {
			ada.post("/api/books/", book).is(201)
		}
		ada.as("bob").post("/api/books/", fields{"title": "Bob's", "pages": 1}).is(201)
		by, limit, page := framework.OrderBy, framework.Limit, framework.PageOf
		c, err := api.NewCall(t.Context(), framework.CallOptions{Caller: callers["ada"]})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []finding{
			{"no option: the default order", nil, "Dune Emma Kim Sula", ""},
			{"a field, descending", with(by("-title")), "Sula Kim Emma Dune", ""},
			{"two fields", with(by("pages", "-title")), "Kim Emma Sula Dune", ""},
			{"two options are one order", with(by("pages"), by("-title")), "Kim Emma Sula Dune", ""},
			{"a column that clients may not order by", with(by("-created_at")), "Sula Kim Emma Dune", ""},
			{"a nullable field, rows without a value last", with(by("published_at", "title")), "Emma Dune Kim Sula", ""},
			{"and descending too", with(by("-published_at", "title")), "Dune Emma Kim Sula", ""},
			{"a field of a to-one relation", with(by("lead_author.name", "title")), "Dune Emma Kim Sula", ""},
			{"and descending", with(by("-lead_author.name", "-title")), "Emma Dune Sula Kim", ""},
			{"the first rows", with(limit(2)), "Dune Emma", ""},
			{"as many as there may be", with(limit(4)), "Dune Emma Kim Sula", ""},
			{"the first rows of an order", with(by("-pages"), limit(1)), "Dune", ""},
			{"the first rows of a related order", with(by("-lead_author.name"), limit(1)), "Emma", ""},
			{"a page", with(page(2, 2)), "Kim Sula", ""},
			{"a page of an order", with(page(2, 3), by("-title")), "Dune", ""},
			{"a page past the end", with(page(3, 2)), "", ""},

			{"an unknown field", with(by("titel")), "", `framework.Find("books"): OrderBy: no field "titel" in Book; did you mean "title"?`},
			{"a relation", with(by("lead_author")), "", `framework.Find("books"): OrderBy: `},
			{"several rows", with(by("chapters.number")), "", `framework.Find("books"): OrderBy: `},
			{"SQL", with(by("title; DROP TABLE books")), "", `framework.Find("books"): OrderBy: no field`},
			{"no rows", with(limit(0)), "", `0 rows cannot be read at once; the number must be from 1 to Config.MaxRows, which is 4`},
			{"fewer than none", with(limit(-1)), "", `-1 rows cannot be read at once`},
			{"too many", with(limit(5)), "", `5 rows cannot be read at once`},
			{"a page that is too large", with(page(1, 5)), "", `5 rows cannot be read at once`},
			{"no page", with(page(0, 2)), "", `there is no page 0; pages are numbered from 1`},
			{"a page beyond all numbers", with(page(1<<62, 4)), "", `there is no page 4611686018427387904`},
			{"a limit and a page", with(limit(2), page(1, 2)), "", `Limit and PageOf are given together`},
			{"two limits", with(limit(2), limit(2)), "", `or one of them twice`},
		} {
			t.Run(f.name, func(t *testing.T) {
				want := 0
				if f.wrong == "" {
					want = 1
				}
				statements(t, frameworktest.CountStatements(db), want, func() {
					found, err := framework.Find[BookView](c, "books", nil, f.options...)
					titles := make([]string, len(found))
					for i, one := range found {
						titles[i] = one.Title
					}
					if got := strings.Join(titles, " "); got != f.titles {
						t.Errorf("found %q, want %q", got, f.titles)
					}
					if (err == nil) != (f.wrong == "") || err != nil && !strings.Contains(err.Error(), f.wrong) {
						t.Errorf("the error is %v, want %q", err, f.wrong)
					}
				})
			})
		}
		findMore(t, api, ada, c)
	})
}

// findMore: with a row too many, only Limit and PageOf find rows. They apply after narrow and in
// the scope of each caller.
func findMore(t *testing.T, api *framework.API, ada *client, c *framework.Call) {
	t.Helper()
	ada.post("/api/books/", fields{"title": "Utz", "pages": 2}).is(201)
	if _, err := framework.Find[BookView](c, "books", nil, framework.OrderBy("title")); err == nil || !strings.Contains(err.Error(), "more than 4 rows") {
		t.Errorf("five rows without a limit: %v", err)
	}
	short := func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("?TableAlias.pages <= ?", 30) }
	for caller, want := range map[string]string{"ada": "Kim", "bob": "Bob's", "vic": "Kim", "": ""} {
		call, err := api.NewCall(t.Context(), framework.CallOptions{Caller: callers[caller]})
		if err != nil {
			t.Fatal(err)
		}
		found, err := framework.Find[BookView](call, "books", short, framework.OrderBy("-pages", "-title"), framework.Limit(1))
		if err != nil || len(found) > 1 || (want == "") != (len(found) == 0) || len(found) == 1 && found[0].Title != want {
			t.Errorf("%s finds %v and %v, want %q", caller, found, err, want)
		}
	}
}
