package ranked_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/ranked"
	"trestle.example/framework/sqldb"
)

// schema is the template of the package comment, with the table of the model.
var schema = sqldb.Migrations{Namespace: "shop", FS: fstest.MapFS{
	"1_shop.tx.down.sql": {Data: []byte(``)},
	"1_shop.tx.up.sql": {Data: []byte(`
CREATE TABLE products (
    {{id}},
    name {{text}} NOT NULL,
    brand {{text}} NOT NULL,
    description {{text}} NOT NULL,
    code {{text}} NOT NULL,
    kind {{text}} NOT NULL,
    rank {{bigint}} NOT NULL,
    hidden {{bool}} NOT NULL
);
CREATE TABLE product_terms (
    "key" {{uuid}} NOT NULL REFERENCES products (id) ON DELETE CASCADE,
    term {{text}} NOT NULL,
    weight {{bigint}} NOT NULL CHECK (weight > 0),
    depth {{bigint}} NOT NULL CHECK (depth > 0),
    spelt {{bool}} NOT NULL,
    PRIMARY KEY ("key", term){{if postgres}} INCLUDE (weight, depth){{end}}
){{if sqlite}} WITHOUT ROWID{{end}};
CREATE INDEX product_terms_term ON product_terms (term, "key", weight, depth);
CREATE TABLE product_grams (
    term {{text}} NOT NULL,
    gram {{text}} NOT NULL,
    PRIMARY KEY (term, gram)
){{if sqlite}} WITHOUT ROWID{{end}};
CREATE INDEX product_grams_gram ON product_grams (gram, term);`)},
}}

type Product struct {
	bun.BaseModel `bun:"table:products"`

	ID          uuid.UUID `bun:",pk"`
	Name        string
	Brand       string
	Description string
	Code        string
	Kind        string
	Rank        int64 // a column with the same name as that of a ranking
	Hidden      bool
}

type productView struct {
	ID   uuid.UUID `json:"id"`
	Name string    `json:"name"`
}

// index is the index of every test.
var index = ranked.Index{Terms: "product_terms", Grams: "product_grams", Param: "q"}

func (p *Product) fields() []ranked.Field {
	return []ranked.Field{{Text: p.Name, Weight: 8}, {Text: p.Brand, Weight: 4}, {Text: p.Description, Weight: 1}, {Text: p.Code, Weight: 2, Exact: true}}
}

// stamp makes the key of the nth product, ascending.
func stamp(n int) uuid.UUID {
	return uuid.MustParse(fmt.Sprintf("00000000-0000-7000-8000-%012d", n))
}

// products is a viewset whose scope hides rows from all but Root, by a condition that
// does not qualify its columns.
func products(searched ranked.Index) framework.ViewSet[Product] {
	return framework.ViewSet[Product]{
		Name: "products", Verbs: framework.Verbs{List: framework.Shows[productView]()}, Ranked: searched, Slash: framework.WithoutSlash,
		Scope: framework.Where(func(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
			return q.Where("hidden = ? AND rank >= 0", sqldb.Param(false))
		}).Unless(framework.HoldsModel("products")),
		Ordering: framework.Ordering{
			Named:   []framework.NamedOrder{{Name: "relevance", Relevance: true}, {Name: "name_asc", By: "name"}, {Name: "name_desc", By: "-name"}},
			Default: "name_asc", Param: "sort",
		},
		Filters:    []framework.Filter{filter.Exact("kind")},
		Pagination: page.Screen{},
	}
}

// both runs a test on an empty shop in each database.
func both(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		migrated(t, db)
		test(t, db)
	})
}

func migrated(tb testing.TB, db *sqldb.DB) {
	tb.Helper()
	if err := db.Migrate(tb.Context(), nil, schema); err != nil {
		tb.Fatal(err)
	}
}

// stock stores products with their words, numbered from 1.
func stock(tb testing.TB, db *sqldb.DB, list ...*Product) {
	tb.Helper()
	err := db.InTx(tb.Context(), func(ctx context.Context, s *sqldb.Session) error {
		for n, p := range list {
			p.ID = stamp(n + 1)
			if _, err := s.IDB().NewInsert().Model(p).Exec(ctx); err != nil {
				return err
			}
			if err := index.Put(ctx, s, p.ID, p.fields()...); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// names is an authenticator of the tests: "Authorization: Name root" holds every
// permission.
type names struct{}

func (names) Authenticate(_ *framework.Call, r *http.Request) (*framework.Caller, error) {
	if r.Header.Get("Authorization") == "" {
		return nil, nil
	}
	return &framework.Caller{ID: stamp(0), Name: "Root", Superuser: true}, nil
}

func (names) Challenge() string { return `Name realm="shop"` }

// serve returns an anonymous client of the shop.
func serve(tb testing.TB, db *sqldb.DB, resources ...framework.Resource) *frameworktest.Client {
	tb.Helper()
	api := framework.New(framework.Config{
		DB: db, Authentication: []framework.Authenticator{names{}}, Permission: framework.Anyone(), Log: slog.New(slog.DiscardHandler),
	})
	api.Register(resources...)
	handler, err := api.Handler()
	if err != nil {
		tb.Fatal(err)
	}
	return frameworktest.New(tb, handler)
}

// A listed is the answer of Screen.
type listed struct {
	Items []productView
	Total int
}

// list queries products and returns their names in order.
func list(tb testing.TB, c *frameworktest.Client, query string) []string {
	tb.Helper()
	a := listedOf(tb, c, query)
	found := make([]string, len(a.Items))
	for i, item := range a.Items {
		found[i] = item.Name
	}
	return found
}

func listedOf(tb testing.TB, c *frameworktest.Client, query string) listed {
	tb.Helper()
	var a listed
	c.On(tb).Get("/api/products?" + query).Expect(200).JSON(&a)
	return a
}

func search(text string) string { return "q=" + url.QueryEscape(text) }

func finds(tb testing.TB, c *frameworktest.Client, query string, want ...string) {
	tb.Helper()
	if got := list(tb, c, query); !slices.Equal(got, want) {
		tb.Errorf("%s finds %q, want %q", query, strings.Join(got, ", "), strings.Join(want, ", "))
	}
}

// ids returns the keys of the found rows, in order, if they fit on one page.
func ids(tb testing.TB, c *frameworktest.Client, query string) []string {
	tb.Helper()
	var found []string
	a := listedOf(tb, c, query)
	for _, item := range a.Items {
		found = append(found, item.ID.String())
	}
	if a.Total != len(found) {
		tb.Errorf("%s finds %d rows, and the total is %d", query, len(found), a.Total)
	}
	return found
}
