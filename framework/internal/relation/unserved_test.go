package relation_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// plain is the API of articles that nothing filters, searches or orders, changed.
func plain(t *testing.T, db *sqldb.DB, change func(v *framework.ViewSet[Article])) *framework.API {
	t.Helper()
	v := articles()
	v.Filters, v.Search, v.Ordering = nil, framework.Search{}, framework.Ordering{}
	change(&v)
	api, _ := apitest.Serve(t, config(db), v, authors(), comments(), tags())
	return api
}

// TestServedPaths: the indexes of a filter over a relation are missing until the database has them,
// and nothing warns of the filter.
func TestServedPaths(t *testing.T) {
	for _, test := range []struct {
		name   string
		filter framework.Filter
		want   []string
	}{
		{"a row that this row refers to", filter.Exact("writer", "writer.username"), []string{"articles (writer_id)", "authors (username)"}},
		{"two relations", filter.Exact("team", "writer.team.name"), []string{"articles (writer_id)", "authors (team_id)", "teams (name)"}},
		{"rows that refer to this row", filter.Exact("state", "comments.state"), []string{"comments (article_id)", "comments (state)"}},
		{"a key of rows that refer to this row", filter.Reference("comments.writer_id", "authors"), []string{"comments (article_id)", "comments (writer_id)"}},
		{"rows of a many-to-many relation", filter.Exact("tag", "tags.name"), []string{"tags (name)"}},
		{"a part of a text", filter.Contains("city", "writer.city"), []string{"articles (writer_id)"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			both(t, func(t *testing.T, db *sqldb.DB) {
				api := plain(t, db, func(v *framework.ViewSet[Article]) { v.Filters = []framework.Filter{test.filter} })
				needs := forFilters(t, api)
				var got, create []string
				for _, n := range needs {
					got, create = append(got, n.String()), append(create, n.Create())
				}
				slices.Sort(got)
				if !slices.Equal(got, test.want) {
					t.Errorf("missing are %q; want %q", got, test.want)
				}
				indexes := sqldb.Migrations{Namespace: "indexes", FS: fstest.MapFS{
					"1_indexes.tx.up.sql": {Data: []byte(strings.Join(create, "\n--bun:split\n"))}, "1_indexes.tx.down.sql": {Data: []byte("-- none")},
				}}
				if err := db.Migrate(t.Context(), nil, magazine, indexes); err != nil {
					t.Fatal(err)
				}
				if left := forFilters(t, api); len(left) > 0 {
					t.Errorf("with its indexes the database lacks %v", left)
				}
				if warned := api.Unserved(); len(warned) > 0 {
					t.Errorf("no index serves %q", warned)
				}
			})
		})
	}
}

// forFilters are the missing indexes that filters need.
func forFilters(t *testing.T, api *framework.API) []framework.IndexNeed {
	t.Helper()
	missing, err := api.MissingIndexes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(missing, func(n framework.IndexNeed) bool {
		return !slices.ContainsFunc(n.For, func(place string) bool { return strings.HasPrefix(place, "articles: filter ") })
	})
}

// TestUnserved: the orders, searches and filters that no index can serve are reported, unless the
// viewset lists their field in Unindexed.
func TestUnserved(t *testing.T) {
	const sorts = " sorts every matching row: no index has related columns or computed values"
	filters := func(all ...framework.Filter) func(v *framework.ViewSet[Article]) {
		return func(v *framework.ViewSet[Article]) { v.Filters = all }
	}
	orders := func(o framework.Ordering) func(v *framework.ViewSet[Article]) {
		return func(v *framework.ViewSet[Article]) { v.Ordering = o }
	}
	searches := func(fields ...string) func(v *framework.ViewSet[Article]) {
		return func(v *framework.ViewSet[Article]) { v.Search = framework.Search{Fields: fields} }
	}
	for _, test := range []struct {
		name   string
		change func(v *framework.ViewSet[Article])
		field  string // Unindexed; "" for a declaration that is served
		want   string
	}{
		{"an order by a column", orders(framework.Ordering{Allowed: []string{"title"}, Default: "price"}), "", ""},
		{"an order by a related column", orders(framework.Ordering{Allowed: []string{"title", "writer.username"}}), "writer.username", `articles: order "writer.username"` + sorts},
		{"a default order by a related column", orders(framework.Ordering{Default: "-writer.username"}), "writer.username", `articles: the default order` + sorts},
		{"a named order that begins with a column", orders(framework.Ordering{Named: []framework.NamedOrder{{Name: "by_writer", By: "title,writer.city"}}}), "writer.city", `articles: order "by_writer"` + sorts},
		{"an order by a count", orders(framework.Ordering{Allowed: []string{"count(comments)"}}), "count(comments)", `articles: order "count(comments)"` + sorts},
		{"an order by an expression", orders(framework.Ordering{Allowed: []string{"total"}}), "total", `articles: order "total"` + sorts},
		{"a search of columns", searches("title"), "", ""},
		{"a search of related columns", searches("title", "tags.name"), "tags.name", `articles: search "tags.name" reads every related row: a stored search document has only columns of its own row`},
		{"a filter by a related column", filters(filter.Exact("tag", "tags.name")), "", ""},
		{"a filter by an expression", filters(filter.Exact("total")), "total", `articles: filter "total" computes the expression of every row`},
		{"a filter by a related expression", filters(filter.Exact("initial", "writer.initial")), "writer.initial", `articles: filter "writer.initial" computes the expression of every row`},
		{"a filter by a count", filters(filter.Exact("comments", "count(comments)")), "count(comments)", `articles: filter "count(comments)" computes the expression of every row`},
	} {
		t.Run(test.name, func(t *testing.T) {
			both(t, func(t *testing.T, db *sqldb.DB) {
				if got := strings.Join(plain(t, db, test.change).Unserved(), "\n"); got != test.want {
					t.Errorf("reported is %q; want %q", got, test.want)
				}
				if test.field == "" {
					return
				}
				accepted := plain(t, db, func(v *framework.ViewSet[Article]) {
					test.change(v)
					v.Unindexed = []string{test.field}
				})
				if got := accepted.Unserved(); len(got) > 0 {
					t.Errorf("with Unindexed, reported is %q", got)
				}
			})
		})
	}
}
