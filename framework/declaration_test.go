package framework_test

import (
	"slices"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
)

// TestRightDeclaration: what is right is not complained of.
func TestRightDeclaration(t *testing.T) {
	api := framework.New(config(sqlite(t)))
	api.Register(shelves()...)
	if err := api.Check(); err != nil {
		t.Errorf("a right declaration is called wrong:\n%v", err)
	}
	if err := api.Check(); err != nil {
		t.Errorf("checked twice, a right declaration is called wrong:\n%v", err)
	}
}

// TestMistakes: each stops the program with exactly these sentences.
func TestMistakes(t *testing.T) {
	db := sqlite(t)
	for _, c := range mistakes {
		t.Run(c.name, func(t *testing.T) {
			api := framework.New(config(db))
			api.Register(c.declared...)
			_, err := api.Handler()
			expectMistakes(t, err, c.want)
		})
	}
}

func expectMistakes(t *testing.T, err error, want []string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no mistake is found; want\n%s", strings.Join(want, "\n"))
	}
	if got := err.Error(); got != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

// TestMistakesOfTheAPI: what is wrong with the configuration itself.
func TestMistakesOfTheAPI(t *testing.T) {
	t.Run("no database", func(t *testing.T) {
		api := framework.New(framework.Config{Pagination: page.Number{}})
		api.Register(shelves()...)
		expectMistakes(t, api.Check(), []string{`framework.Config: DB is not set; open one with sqldb.Open`})
	})
	t.Run("a list without a pagination", func(t *testing.T) {
		c := config(sqlite(t))
		c.Pagination = nil
		api := framework.New(c)
		api.Register(countries())
		expectMistakes(t, api.Check(), []string{`countries: list: no pagination; set Pagination in framework.Config or here, such as page.Number{Size: 20}`})
	})
	t.Run("no pagination is needed without a list", func(t *testing.T) {
		c := config(sqlite(t))
		c.Pagination = nil
		api := framework.New(c)
		v := countries()
		v.Verbs.List = framework.Verb{}
		api.Register(v)
		if err := api.Check(); err != nil {
			t.Error(err)
		}
	})
}

// TestMistakesAtOnce: a developer reads every mistake in one go, in the order
// of registration.
func TestMistakesAtOnce(t *testing.T) {
	a, b := authors(), books()
	a.Ordering.Default = "nmae"
	a.Lookup = "nam"
	b.Search.Fields = []string{"titel"}
	b.Scope = framework.Scope{}
	b.Filters = []framework.Filter{filter.Exact("statsu"), filter.Min("min_pages", "page")}
	api := framework.New(config(sqlite(t)))
	api.Register(countries(), a, b)
	expectMistakes(t, api.Check(), []string{
		`books: scope: no scope; say which rows a caller has: framework.Own, Via, Where or Public`,
		`authors: lookup: no field "nam" in Author; did you mean "name"?`,
		`authors: ordering default: no field "nmae" in Author; did you mean "name"?`,
		`books: search: no field "titel" in Book; did you mean "title"?`,
		`books: filter "statsu": no field "statsu" in Book; did you mean "status"?`,
		`books: filter "page": no field "page" in Book; did you mean "pages"?`,
	})
}

// TestCheckTouchesNoDatabase: a declaration can be checked while the server of
// the database is away.
func TestCheckTouchesNoDatabase(t *testing.T) {
	db := sqlite(t)
	n := frameworktest.CountStatements(db)
	statements(t, n, 0, func() {
		api := framework.New(config(db))
		api.Register(shelves()...)
		if err := api.Check(); err != nil {
			t.Error(err)
		}
	})
}

// TestRoutes: the listing of a checked API, in the order of registration.
func TestRoutes(t *testing.T) {
	v := books()
	v.Verbs, v.Lookup, v.Actions = framework.ReadOnly[BookView](), "slug", []framework.Action[Book]{framework.Post("lend", lend).Doc("Lends it.").Permit(framework.Staff())}
	api := framework.New(config(sqlite(t)))
	api.Register(countries(), authors(), v)
	if err := api.Check(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range api.Routes() {
		got = append(got, strings.Join([]string{r.Method, r.Path, r.ViewSet, r.Name, r.Permission, r.Scope, r.Doc}, " | "))
	}
	for _, want := range []string{
		"GET | /api/ |  | root | anyone | public | Every resource and its address.",
		"GET | /api/countries/ | countries | list | authenticated | public | ",
		"PATCH | /api/countries/{id}/ | countries | patch | authenticated | public | ",
		"GET | /api/books/{slug}/ | books | retrieve | authenticated | own, unless books.view|add|change|delete | ",
		"POST | /api/books/{slug}/lend/ | books | lend | staff | own, unless books.view|add|change|delete | Lends it.",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("want the route %q among\n%s", want, strings.Join(got, "\n"))
		}
	}
}
