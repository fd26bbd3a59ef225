package framework_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// byPages is a search of the tests' own: ?q=Emma finds the books whose title
// begins so, and ranks them by their pages. Whatever finds nothing is taken for
// Emma.
type byPages struct {
	err  error
	read func(*framework.Call, string) (*framework.Ranking, error)
}

func (b byPages) Bind(f *framework.Facts) (framework.BoundRanker, error) {
	if b.read == nil {
		b.read = titled(f.Self())
	}
	return framework.BoundRanker{Param: framework.Param{Name: "q", Doc: "A title."}, Read: b.read}, b.err
}

// titled finds titles. Emma is what was meant only where the caller has one.
func titled(self framework.Target) func(*framework.Call, string) (*framework.Ranking, error) {
	rows := func(title string) schema.QueryAppender {
		return bun.SafeQuery(`SELECT id AS "key", pages AS "rank" FROM books AS found WHERE substr(title, 1, 4) = ?`, title)
	}
	return func(_ *framework.Call, text string) (*framework.Ranking, error) {
		switch text {
		case "all":
			return nil, nil
		case "bad":
			return nil, framework.InvalidParameter("q", "must be good")
		case "late":
			return &framework.Ranking{Rows: rows(text), Instead: func(*framework.Call) (*framework.Ranking, error) { return nil, errors.New("broken") }}, nil
		case "sure":
			return &framework.Ranking{Rows: rows("Emma"), Instead: func(*framework.Call) (*framework.Ranking, error) { return nil, errors.New("broken") }}, nil
		case "none":
			return &framework.Ranking{Rows: rows(text), Instead: func(*framework.Call) (*framework.Ranking, error) { return nil, nil }}, nil
		case "exact":
			return &framework.Ranking{Rows: rows(text)}, nil
		}
		return &framework.Ranking{Rows: rows(text), Instead: func(c *framework.Call) (*framework.Ranking, error) {
			got, err := c.Session().Query(c, bun.SafeQuery("SELECT 1 FROM books AS meant WHERE substr(title, 1, 4) = 'Emma' AND ?", self.Has(c, bun.SafeQuery("meant.id"))))
			if err != nil {
				return nil, err
			}
			defer got.Close()
			if !got.Next() {
				return nil, got.Err()
			}
			return &framework.Ranking{Rows: rows("Emma")}, nil
		}}, nil
	}
}

// rankedBooks has two orders by name, and what no shape shows among them.
func rankedBooks() framework.ViewSet[Book] {
	v := books()
	v.Ranked, v.Pagination = byPages{}, page.Number{Size: 2}
	v.Ordering = framework.Ordering{
		Named: []framework.NamedOrder{
			{Name: "relevance", Relevance: true},
			{Name: "longest", By: "-pages,title"},
			{Name: "newest", By: "-published_at"},
			{Name: "owner", By: "owner_id,-notes"},
		},
		Default: "newest", Param: "sort",
	}
	return v
}

// notesOf are the notes of a list, which name the rows here.
func notesOf(a *answer) string {
	var rows struct{ Results []struct{ Notes string } }
	a.is(200).json(&rows)
	list := make([]string, len(rows.Results))
	for i, row := range rows.Results {
		list[i] = row.Notes
	}
	return strings.Join(list, " ")
}

func fillRanked(c *client) {
	for _, b := range []fields{
		{"title": "Emma 1", "notes": "a", "pages": 10, "status": "out"},
		{"title": "Emma 2", "notes": "b", "pages": 30, "published_at": "2001-01-01T00:00:00Z"},
		{"title": "Emma 3", "notes": "c", "pages": 30, "published_at": "2003-01-01T00:00:00Z"},
		{"title": "Dune", "notes": "d", "pages": 90, "published_at": "2002-01-01T00:00:00Z"},
	} {
		c.post("/api/books/", b).is(201)
	}
}

// TestNamedOrders: one of a list, and nothing else.
func TestNamedOrders(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		ada := serve(t, config(db), countries(), authors(), paged(rankedBooks(), 9)).as("ada")
		fillRanked(ada)
		for _, c := range []struct{ name, sort, want string }{
			{"the default, a row without a value last", "", "c d b a"},
			{"blank is as absent", "++", "c d b a"},
			{"several terms", "longest", "d b c a"},
			{"descending, a row without a value last", "newest", "c d b a"},
			{"by what no shape shows, then the second term, then the key", "owner", "d c b a"},
			{"by relevance, with nothing searched", "relevance", "c d b a"},
		} {
			t.Run(c.name, func(t *testing.T) {
				if got := notesOf(ada.in(t).get("/api/books/?sort=" + c.sort)); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
			})
		}
		for _, c := range []struct{ name, sort, says string }{
			{"misspelt", "newset", "must be one of relevance, longest, newest, owner; did you mean newest?"},
			{"another case", "Longest", "did you mean longest?"},
			{"near nothing", "qqqqqqqq", `must be one of relevance, longest, newest, owner"`},
			{"a field", "pages", "must be one of"},
			{"descending", "-longest", "did you mean longest?"},
			{"two", "longest,newest", "must be one of"},
			{"SQL", "newest;drop table books", ""},
		} {
			t.Run("refused, "+c.name, func(t *testing.T) {
				ada.in(t).get("/api/books/?sort="+escape(c.sort)).refuses(400, "invalid_parameter").fault("sort", "invalid_parameter").says(c.says)
			})
		}
		ada.get("/api/books/?sort=longest&sort=newest").refuses(400, "invalid_parameter")
		ada.get("/api/books/?ordering=longest").is(200).head("Trestle-Ignored", "ordering")
	})
}

// TestDefaultOrders: terms or a name, whatever orders are allowed.
func TestDefaultOrders(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		fillRanked(serve(t, config(db), countries(), authors(), paged(rankedBooks(), 9)).as("ada"))
		for byDefault, want := range map[string]string{"newest": "c d b a", "-pages,-notes": "d c b a", "notes": "a b c d", "": "a b c d"} {
			v := paged(rankedBooks(), 9)
			v.Ordering.Default = byDefault
			if got := notesOf(serve(t, config(db), countries(), authors(), v).as("ada").get("/api/books/")); got != want {
				t.Errorf("by default %q: got %s, want %s", byDefault, got, want)
			}
		}
	})
}

// paged is a viewset with pages of a size.
func paged(v framework.ViewSet[Book], size int) framework.ViewSet[Book] {
	v.Pagination = page.Number{Size: size}
	return v
}

// TestRanked: a search narrows, counts, and orders by rank unless the request has another
// order. Rows of equal rank have the default order.
func TestRanked(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api := serve(t, config(db), countries(), authors(), rankedBooks())
		ada := api.as("ada")
		fillRanked(ada)
		api.as("bob").post("/api/books/", fields{"title": "Emma 9", "notes": "bob's", "pages": 99}).is(201)
		api.as("bob").post("/api/books/", fields{"title": "Ulysses", "notes": "bob's", "pages": 99}).is(201)
		n := frameworktest.CountStatements(db)
		for _, c := range []struct {
			name, query, want, count string
			statements               int
		}{
			{"the best first, equals in the default order", "q=Emma", "c b", `"count":3`, 2},
			{"its second page", "q=Emma&page=2", "a", `"count":3`, 2},
			{"with relevance asked for", "q=Emma&sort=relevance", "c b", `"count":3`, 2},
			{"in another order", "q=Emma&sort=owner", "c b", `"count":3`, 2},
			{"with a filter", "q=Emma&status=out", "a", `"count":1`, 2},
			{"with another search", "q=Emma&search=dune", "", `"count":0`, 3},
			{"nothing found, and meant something else", "q=Ema", "c b", `"count":3`, 4},
			{"what was meant, its second page", "q=Ema&page=2", "a", `"count":3`, 4},
			{"what was meant, in another order", "q=Ema&sort=owner", "c b", `"count":3`, 4},
			{"another's row is not found, and is not what decides", "q=Ulysses", "c b", `"count":3`, 4},
			{"nothing found, and nothing meant", "q=none", "", `"count":0`, 1},
			{"nothing found, and nobody asks what was meant", "q=exact", "", `"count":0`, 1},
			{"no ranking leaves the list alone", "q=all&sort=longest", "d b", `"count":4`, 2},
			{"an empty search is as none", "q=&sort=longest", "d b", `"count":4`, 2},
		} {
			t.Run(c.name, func(t *testing.T) {
				forgetCounts(t, db)
				statements(t, n, c.statements, func() {
					a := ada.in(t).get("/api/books/?" + c.query).is(200).says(c.count)
					if got := notesOf(a); got != c.want {
						t.Errorf("got %s, want %s", got, c.want)
					}
				})
			})
		}
		ada.get("/api/books/?q=Emma&page=3").refuses(404, "not_found")
		ada.get("/api/books/?q=bad&sort=worse").refuses(400, "invalid_parameter").fault("q", "invalid_parameter").fault("sort", "invalid_parameter")
		ada.get("/api/books/?q=sure&page=2").is(200).says(`"count":3`)
		ada.get("/api/books/?q=sure&page=3").refuses(404, "not_found") // Instead is not called if rows match
		ada.get("/api/books/?q=late").is(500).lacks("broken")
		api.as("eve").get("/api/books/?q=Ema").is(200).says(`"count":0`)
	})
}

// TestRankedWithoutItsOrder: if fields are orders, a search still lists the best first
// unless the request orders by a field.
func TestRankedWithoutItsOrder(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := rankedBooks()
		v.Ordering = framework.Ordering{Allowed: []string{"pages", "title"}, Default: "title"}
		ada := serve(t, config(db), countries(), authors(), v).as("ada")
		fillRanked(ada)
		for query, want := range map[string]string{"q=Emma": "b c", "q=Emma&ordering=pages": "a b", "q=Emma&ordering=paegs": "b c", "ordering=pages": "a b", "": "d a"} {
			if got := notesOf(ada.get("/api/books/?" + query)); got != want {
				t.Errorf("%s: got %s, want %s", query, got, want)
			}
		}
	})
}

// TestRankedWithoutACount: a rough or unknown total does not keep from asking
// what was meant, on whichever page.
func TestRankedWithoutACount(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		fillRanked(serve(t, config(db), countries(), authors(), rankedBooks()).as("ada"))
		for _, counting := range []framework.Counting{framework.NoCount(), framework.EstimatedCount(), framework.CappedCount(1)} {
			v := rankedBooks()
			v.Pagination = page.Number{Size: 2, Count: counting}
			ada := serve(t, config(db), countries(), authors(), v).as("ada")
			for path, want := range map[string]string{"q=Ema": "c b", "q=Ema&page=2": "a", "q=Emma&page=2": "a"} {
				if got := notesOf(ada.get("/api/books/?" + path)); got != want {
					t.Errorf("%s: got %s, want %s", path, got, want)
				}
			}
		}
	})
}

// TestOptionsOfNamedOrders lists the names, and the parameter of the search.
func TestOptionsOfNamedOrders(t *testing.T) {
	var d described
	serve(t, config(sqlite(t)), countries(), authors(), rankedBooks()).as("ada").do("OPTIONS", "/api/books/", nil).is(200).json(&d)
	if sort := d.parameter("GET", "sort"); sort == nil || fmt.Sprint(sort.Enum) != "[relevance longest newest owner]" {
		t.Errorf("sort takes %+v", sort)
	}
	if q := d.parameter("GET", "q"); q == nil || q.Enum != nil {
		t.Errorf("q takes %+v", q)
	}
}

// TestMistakesOfOrdersAndRanks are those of orders with names and of searches
// with ranks.
func TestMistakesOfOrdersAndRanks(t *testing.T) {
	named := func(orders ...framework.NamedOrder) func(v *framework.ViewSet[Book]) {
		return func(v *framework.ViewSet[Book]) { v.Ordering = framework.Ordering{Named: orders} }
	}
	byDefault := func(terms string) func(v *framework.ViewSet[Book]) {
		return func(v *framework.ViewSet[Book]) {
			v.Ranked = byPages{}
			v.Ordering = framework.Ordering{Named: []framework.NamedOrder{{Name: "relevance", Relevance: true}, {Name: "title_asc", By: "title"}}, Default: terms}
		}
	}
	for _, c := range []struct {
		name   string
		change func(v *framework.ViewSet[Book])
		want   []string
	}{
		{"fields and names", func(v *framework.ViewSet[Book]) {
			v.Ordering = framework.Ordering{Allowed: []string{"title"}, Named: []framework.NamedOrder{{Name: "title_asc", By: "title"}}}
		}, []string{`books: ordering: Allowed and Named are both set; a client orders by fields or by names, not by either`}},
		{"an unknown field", named(framework.NamedOrder{Name: "longest", By: "-pagse,titel"}), []string{
			`books: order "longest": no field "pagse" in Book; did you mean "pages"?`,
			`books: order "longest": no field "titel" in Book; did you mean "title"?`,
		}},
		{"an unknown field that no shape shows", named(framework.NamedOrder{Name: "owner", By: "owner_di"}),
			[]string{`books: order "owner": no field "owner_di" in Book; did you mean "owner_id"?`}},
		{"a relation", named(framework.NamedOrder{Name: "author", By: "Writer"}),
			[]string{`books: order "author": no field "Writer" in Book`}},
		{"names that no client can ask for", named(framework.NamedOrder{By: "title"}, framework.NamedOrder{Name: "a,b", By: "title"}), []string{
			`books: ordering: the name "" of an order must be made of letters, digits, - and _, such as "price_asc"`,
			`books: ordering: the name "a,b" of an order must be made of letters, digits, - and _, such as "price_asc"`,
		}},
		{"a name twice", named(framework.NamedOrder{Name: "t", By: "title"}, framework.NamedOrder{Name: "t", By: "pages"}),
			[]string{`books: ordering: the order "t" is named twice`}},
		{"a name for nothing", named(framework.NamedOrder{Name: "t"}, framework.NamedOrder{Name: "u", By: " , "}), []string{
			`books: ordering: the order "t" stands for nothing; set By, such as "name" or "-created_at"`,
			`books: ordering: the order "u" stands for nothing; set By, such as "name" or "-created_at"`,
		}},
		{"relevance without ranks", named(framework.NamedOrder{Name: "best", Relevance: true}),
			[]string{`books: ordering: the order "best" is by relevance, but nothing ranks the rows; set Ranked`}},
		{"relevance and terms", func(v *framework.ViewSet[Book]) {
			v.Ranked, v.Ordering = byPages{}, framework.Ordering{Named: []framework.NamedOrder{{Name: "best", By: "title", Relevance: true}}}
		}, []string{`books: ordering: the order "best" is by relevance, so By must be empty; rows that match equally come in the default order`}},
		{"a default that is misspelt", byDefault("titel_asc"),
			[]string{`books: ordering default: no order "titel_asc"; did you mean "title_asc"?`}},
		{"a default of an unknown field", byDefault("-pagse"),
			[]string{`books: ordering default: no field "pagse" in Book; did you mean "pages"?`}},
		{"relevance by default", byDefault("relevance"),
			[]string{`books: ordering default: "relevance" is by relevance, which a list has only while it is searched; name another order`}},
		{"a search that does not bind", func(v *framework.ViewSet[Book]) { v.Ranked = byPages{err: errors.New("it has no table")} },
			[]string{`books: ranked: it has no table`}},
		{"a search without a parameter", func(v *framework.ViewSet[Book]) { v.Ranked = binding{} },
			[]string{`books: ranked: its parameter has no name`}},
		{"a search that reads nothing", func(v *framework.ViewSet[Book]) { v.Ranked = binding{Param: framework.Param{Name: "q"}} },
			[]string{`books: ranked: it has no function that reads "q"`}},
		{"a search by the parameter of a filter", func(v *framework.ViewSet[Book]) {
			v.Ranked, v.Filters = byPages{}, []framework.Filter{filter.Exact("q", "title")}
		}, []string{`books: ranked: parameter "q" is read by filter "title" already`}},
		{"an order by the parameter of a search", func(v *framework.ViewSet[Book]) {
			v.Ranked, v.Ordering = byPages{}, framework.Ordering{Param: "q", Named: []framework.NamedOrder{{Name: "t", By: "title"}}}
		}, []string{`books: ordering: parameter "q" is read by ranked already`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := framework.New(config(sqlite(t)))
			api.Register(wrongBooks(c.change)...)
			expectMistakes(t, api.Check(), c.want)
		})
	}
}

// binding is a search that is bound already.
type binding framework.BoundRanker

func (b binding) Bind(*framework.Facts) (framework.BoundRanker, error) {
	return framework.BoundRanker(b), nil
}
