package nested_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// file is a forum in SQLite, for what has nothing to do with rows.
func file(t *testing.T) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open("sqlite://"+filepath.Join(t.TempDir(), "test.db"), sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Migrate(t.Context(), nil, forum); err != nil {
		t.Fatal(err)
	}
	return db
}

// TestDocument: the OpenAPI document has the paths with their keys, the errors and the links.
func TestDocument(t *testing.T) {
	for _, c := range []struct {
		name   string
		config func(*framework.Config)
		page   string // the name of the key of a page in the path of a mark
	}{
		{"names in Go", func(*framework.Config) {}, "page_id"},
		{"camel case", func(c *framework.Config) { c.Case = framework.CamelCase }, "pageId"},
	} {
		t.Run(c.name, func(t *testing.T) {
			settings := config(file(t))
			c.config(&settings)
			api := framework.New(settings)
			v := pages()
			v.Actions = []framework.Action[Page]{remarking()}
			api.Register(articles(), comments(), parts(), notebooks(), v, marks(), sheets(), sheetMarks())
			text, err := api.Document("json")
			if err != nil {
				t.Fatal(err)
			}
			notebook, sheet := strings.Replace(c.page, "page", "notebook", 1), strings.Replace(c.page, "page", "sheet", 1)
			operations := operationsOf(t, text)
			for _, want := range []string{
				"GET /api/articles/{slug}/comments/ listArticleComments: slug string; 404",
				"POST /api/articles/{slug}/comments/ createArticleComment: slug string; 401 404",
				"GET /api/articles/{slug}/comments/{id}/ getArticleComment: slug string, id integer; 404",
				"DELETE /api/articles/{slug}/comments/{id}/ deleteArticleComment: slug string, id integer; 401 403 404",
				"POST /api/articles/{slug}/comments/{id}/raise/ raiseArticleComment: slug string, id integer; 404",
				"POST /api/articles/{slug}/comments/bulk/ articleCommentsBulk: slug string; 401 404",
				"POST /api/articles/{slug}/parts/ createArticlePart: slug string; 401 403 404",
				"GET /api/articles/{slug}/parts/{id}/ getArticlePart: slug string, id integer; 404",
				"POST /api/sheets/{" + sheet + "}/marks/ createSheetMark: " + sheet + " integer; 404",
				"GET /api/notebooks/{" + notebook + "}/pages/{" + c.page + "}/marks/{id}/ getNotebookPageMark: " + notebook + " string, " + c.page + " integer, id integer; 404",
			} {
				if !slices.ContainsFunc(operations, func(o string) bool { return strings.HasPrefix(o, want) }) {
					t.Errorf("no operation is\n%s\nthe operations are\n%s", want, strings.Join(operations, "\n"))
				}
			}
			for _, want := range []string{
				`"parameters":{"id":"$response.body#/id","slug":"$request.path.slug"}`, `"summary":"List comments of an article"`,
				`"listArticleComments":{"operationId":"listArticleComments","parameters":{"slug":"$response.body#/slug"}}`,
				`"createArticlePart":{"operationId":"createArticlePart","parameters":{"slug":"$response.body#/slug"}}`,
				`"listNotebookPageMarks":{"operationId":"listNotebookPageMarks","parameters":{"` + notebook + `":"$request.path.` + notebook + `","` + c.page + `":"$response.body#/id"}}`,
				`"getNotebookPageMark":{"operationId":"getNotebookPageMark","parameters":{"id":"$response.body#/id","` + notebook + `":"$request.path.` + notebook + `","` + c.page + `":"$request.path.id"}}`,
				`"createSheetMark":{"operationId":"createSheetMark","parameters":{"` + sheet + `":"$response.body#/id"}}`,
				`"The article's slug."`, `It must be below an article that the caller may change.`, `It must be below a page that the caller may see.`,
			} {
				if !strings.Contains(compact(t, text), want) {
					t.Errorf("the document lacks %s", want)
				}
			}
		})
	}
}

func compact(t *testing.T, text []byte) string {
	t.Helper()
	var document any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	compact, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return string(compact)
}

// operationsOf lists the operations of a document: method, path, id, path parameters, and those of the
// statuses 401, 403 and 404 that they have.
func operationsOf(t *testing.T, text []byte) (all []string) {
	t.Helper()
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string
			Parameters  []struct {
				Name, In string
				Schema   struct{ Type any }
			}
			Responses map[string]any
		}
	}
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	for path, methods := range document.Paths {
		for method, o := range methods {
			var keys, statuses []string
			for _, p := range o.Parameters {
				if p.In == "path" {
					keys = append(keys, fmt.Sprint(p.Name, " ", p.Schema.Type))
				}
			}
			for _, status := range []string{"401", "403", "404"} {
				// 401 is also that of credentials that are not valid.
				if response := fmt.Sprint(o.Responses[status]); o.Responses[status] != nil && !(status == "401" && strings.Contains(response, "InvalidToken") && !strings.Contains(response, "Required")) {
					statuses = append(statuses, status)
				}
			}
			all = append(all, fmt.Sprintf("%s %s %s: %s; %s", strings.ToUpper(method), path, o.OperationID, strings.Join(keys, ", "), strings.Join(statuses, " ")))
		}
	}
	slices.Sort(all)
	return all
}

// TestRoutes: the routes name the parents, and whose Writers apply.
func TestRoutes(t *testing.T) {
	api := framework.New(config(file(t)))
	api.Register(resources()...)
	if err := api.Check(); err != nil {
		t.Fatal(err)
	}
	found := map[string]framework.RouteInfo{}
	for _, route := range api.Routes() {
		found[route.Method+" "+route.Path] = route
	}
	for _, c := range []struct{ route, viewset, scope, writers string }{
		{"GET /api/articles/{slug}/comments/", "articles/{}/comments", "public, below articles", ""},
		{"PATCH /api/articles/{slug}/comments/{id}/", "articles/{}/comments", "public, below articles", "own"},
		{"POST /api/articles/{slug}/parts/", "articles/{}/parts", "public, below articles", "writers of articles"},
		{"DELETE /api/articles/{slug}/parts/{id}/", "articles/{}/parts", "public, below articles", "writers of articles"},
		{"GET /api/notebooks/{notebook_id}/pages/{page_id}/marks/", "notebooks/{}/pages/{}/marks", "public, below notebooks/{}/pages", ""},
	} {
		got := found[c.route]
		if got.ViewSet != c.viewset || got.Scope != c.scope || got.Writers != c.writers {
			t.Errorf("%s has the viewset %q, the scope %q and the writers %q", c.route, got.ViewSet, got.Scope, got.Writers)
		}
	}
}

// TestIndexes: a nested list needs an index on the foreign key and the default order.
func TestIndexes(t *testing.T) {
	v := comments()
	v.Ordering.Default = "-score"
	w := parts()
	w.Verbs.List = framework.Verb{}
	api := framework.New(config(file(t)))
	api.Register(articles(), v, w, notebooks(), pages())
	if err := api.Check(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, need := range api.Indexes() {
		for _, place := range need.For {
			var columns []string
			for _, c := range need.Columns {
				columns = append(columns, c.Name)
			}
			if strings.Contains(place, "below") {
				got = append(got, place+": "+need.Table+" "+strings.Join(columns, ", "))
			}
			if strings.Contains(place, "comments: order") {
				t.Errorf("%s needs an index", place)
			}
		}
	}
	want := []string{
		"articles/{}/comments: list below articles: comments article_id, score, id", "articles/{}/parts: rows below articles: parts article_id",
		"notebooks/{}/pages: list below notebooks: pages notebook_id, id",
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
