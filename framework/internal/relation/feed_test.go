package relation_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// fed has lists of articles with fewer rows than the list of all.
func fed() framework.ViewSet[Article] {
	v := articles()
	v.Name, v.Search = "fed", framework.Search{Fields: []string{"title"}}
	v.Relations["votes"], v.Relations["original"] = "votes", "fed"
	v.Scope = framework.Where(func(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
		return q.Where("?TableAlias.id <> 5")
	}).Unless(framework.Staff())
	v.Filters = []framework.Filter{filter.Exact("tag", "tags.name"), filter.Max("max_price", "price")}
	v.Ordering = framework.Ordering{Allowed: []string{"title", "price"}, Default: "-id"}
	cheap := func(_ *framework.Call, q *bun.SelectQuery) *bun.SelectQuery {
		return q.Where("?TableAlias.price < ?", 3).WhereOr("?TableAlias.price = ?", 4)
	}
	v.Collection = []framework.CollectionAction{
		framework.Lists[articleView]("voted").Where("exists(votes,mine)").Doc("The articles that the caller voted for."),
		framework.Lists[articleView]("sister").Where("exists(original.votes,mine)"),
		framework.Lists[articleView]("commented").Where("exists(comments)", "exists(tags)"),
		framework.Lists[articleView]("cheap").Narrow(cheap),
		framework.Lists[titleView]("titles").Where("exists(votes)").Order(framework.Ordering{Allowed: []string{"id"}, Default: "title"}).
			Filter(filter.Exact("title")).Paginate(page.Bare{}),
		framework.Lists[articleView]("own").Where("exists(votes,mine)").Permit(framework.Authenticated()),
	}
	return v
}

type titleView struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
}

func feeding(tb testing.TB, db *sqldb.DB) (*framework.API, *frameworktest.Client) {
	tb.Helper()
	return apitest.Serve(tb, config(db), append(resources(), fed(), votes())...)
}

// TestFeeds: each list has its rows, within the scope, with the filters, searches and orders of the
// viewset.
func TestFeeds(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := feeding(t, db)
		voted(t, db)
		for _, test := range []struct{ name, caller, path, want string }{
			{"all", "", "?size=9", "5: 6 4 3 2 1"},
			{"all, for staff", "staff", "", "6: 6 5 4 3 2 1"},
			{"voted for by the caller", "una", "voted/", "1: 1"},
			{"voted for by another caller", "vic", "voted/", "2: 2 1"},
			{"voted for by nobody", "", "voted/", "0: "},
			{"voted for by staff", "staff", "voted/", "0: "},
			{"over two relations", "una", "sister/", "1: 6"},
			{"over two relations, of nobody", "", "sister/", "0: "},
			{"two conditions", "", "commented/", "2: 2 1"},
			{"by a function, whose OR does not widen the scope", "", "cheap/", "3: 6 4 3"},
			{"by a function, for staff", "staff", "cheap/", "4: 6 5 4 3"},
			{"with a filter", "vic", "voted/?max_price=4", "1: 1"},
			{"with a filter that leaves nothing", "una", "voted/?max_price=1", "0: "},
			{"with a filter over a relation", "vic", "voted/?tag=sql", "1: 1"},
			{"with a search", "vic", "voted/?search=wo", "1: 2"},
			{"with a search that finds rows outside of the list", "una", "voted/?search=two", "0: "},
			{"with an order", "vic", "voted/?ordering=title", "2: 1 2"},
			{"with the opposite order", "vic", "voted/?ordering=-price", "2: 2 1"},
			{"the first page", "vic", "voted/?size=1", "2: 2"},
			{"the last page", "vic", "voted/?size=1&page=2", "2: 1"},
			{"an article without a writer does not match", "", "commented/?tag=go", "2: 2 1"},
			{"for signed-in callers", "una", "own/", "1: 1"},
		} {
			t.Run(test.name, func(t *testing.T) {
				if got := idsOf(apitest.As(c.On(t), test.caller).Get("/api/fed/" + test.path)); got != test.want {
					t.Errorf("listed are %s; want %s", got, test.want)
				}
			})
		}
		for _, test := range []struct {
			name, path string
			status     int
			has        string
		}{
			{"its own view, order and pages", "titles/", 200, `[{"id":1,"title":"One"},{"id":2,"title":"Two"}]`},
			{"its own order", "titles/?ordering=-id", 200, `[{"id":2,"title":"Two"},{"id":1,"title":"One"}]`},
			{"its own filter", "titles/?title=Two", 200, `[{"id":2,"title":"Two"}]`},
			{"not the filter of the viewset", "titles/?tag=go", 400, "invalid_parameter"},
			{"not the order of the viewset", "titles/?ordering=price", 400, "invalid_parameter"},
			{"an unknown parameter", "voted/?tga=go", 400, "did you mean tag?"},
			{"a page past the end", "cheap/?page=9", 404, "not_found"},
			{"an anonymous caller", "own/", 401, "authentication_required"},
		} {
			t.Run(test.name, func(t *testing.T) { c.On(t).Get("/api/fed/" + test.path).Expect(test.status).Contains(test.has) })
		}
		var body struct{ Next, Previous *string }
		apitest.As(c, "vic").Get("/api/fed/voted/?size=1&ordering=title").Expect(200).JSON(&body)
		next, err := url.Parse(*body.Next)
		if err != nil || next.Path != "/api/fed/voted/" || next.Query().Get("ordering") != "title" || next.Query().Get("page") != "2" || body.Previous != nil {
			t.Errorf("the next page is at %s", *body.Next)
		}
	})
}

// TestFeedStatements: a list takes one statement for its rows, and one for their number.
func TestFeedStatements(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		n := frameworktest.CountStatements(db)
		_, c := feeding(t, db)
		voted(t, db)
		vic := apitest.As(c, "vic")
		for path, want := range map[string]int{"voted/": 1, "voted/?size=1": 2, "titles/": 1, "cheap/": 1, "voted/?search=wo": 1} {
			if got := n.During(func() { vic.Get("/api/fed/" + path).Expect(200) }); len(got) != want {
				t.Errorf("%s takes %d statements, want %d: %q", path, len(got), want, got)
			}
		}
	})
}

// TestFeedDocument: the lists have their parameters and pages in the document, and are in the routes.
func TestFeedDocument(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		api, _ := feeding(t, db)
		type operation struct {
			OperationID, Summary string
			Parameters           []struct{ Name string }
			Responses            map[string]struct {
				Content map[string]struct {
					Schema map[string]any
				}
			}
		}
		document := struct {
			Paths map[string]map[string]operation
		}{}
		text, err := api.Document("json")
		if err == nil {
			err = json.Unmarshal(text, &document)
		}
		if err != nil {
			t.Fatal(err)
		}
		names := func(o operation) (all []string) {
			for _, p := range o.Parameters {
				all = append(all, p.Name)
			}
			return all
		}
		list, voted, titles := document.Paths["/api/fed/"]["get"], document.Paths["/api/fed/voted/"]["get"], document.Paths["/api/fed/titles/"]["get"]
		if !slices.Equal(names(list), names(voted)) {
			t.Errorf("the parameters are %q, and those of the list %q", names(voted), names(list))
		}
		if got := names(titles); !slices.Contains(got, "title") || slices.Contains(got, "tag") || slices.Contains(got, "page") {
			t.Errorf("the parameters of the list with its own filters are %q", got)
		}
		if voted.OperationID != "getFedVoted" || voted.Summary != "The articles that the caller voted for" || titles.Summary != "List fed: titles" {
			t.Errorf("the operations are %+v and %+v", voted, titles)
		}
		if ref := voted.Responses["200"].Content["application/json"].Schema["$ref"]; ref != "#/components/schemas/FedVotedPage" {
			t.Errorf("the page is %v", ref)
		}
		for _, r := range api.Routes() {
			if r.Path == "/api/fed/voted/" && (r.Method != http.MethodGet || !strings.HasPrefix(r.Scope, "where")) {
				t.Errorf("the route is %+v", r)
			}
		}
	})
}

// TestFeedIndexes: the doctor lists the indexes that find the rows of the lists.
func TestFeedIndexes(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api, _ := feeding(t, db)
		var found []string
		for _, n := range api.Indexes() {
			for _, place := range n.For {
				found = append(found, n.String()+" for "+place)
			}
		}
		for _, want := range []string{
			`votes (user_id) for fed: action "voted"`, `votes (article_id) for fed: action "voted"`, `articles (reprints) for fed: action "sister"`,
			"articles (title, id) for fed: default order",
		} {
			if !slices.Contains(found, want) {
				t.Errorf("no index %s among\n%s", want, strings.Join(found, "\n"))
			}
		}
		if _, err := api.MissingIndexes(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// TestFeedMistakes: each wrong list is reported at start.
func TestFeedMistakes(t *testing.T) {
	for _, test := range []struct {
		name   string
		action framework.CollectionAction
		want   string
	}{
		{"an unknown relation", framework.Lists[articleView]("x").Where("exists(vots)"), `fed: action "x": Where("exists(vots)"): no relation "vots" in Article; did you mean "votes"?`},
		{"mine without an owner", framework.Lists[articleView]("x").Where("exists(tags,mine)"), `fed: action "x": Where("exists(tags,mine)"): mine needs an owner of the rows of "tags"; let its viewset have framework.Own in Scope or Writers`},
		{"a number", framework.Lists[articleView]("x").Where("count(votes)"), `fed: action "x": Where("count(votes)"): count is a value; a condition is exists(...) or a boolean field`},
		{"a field that is no boolean", framework.Lists[articleView]("x").Where("title"), `fed: action "x": Where("title"): field "title" is string; a condition is exists(...) or a boolean field`},
		{"an unknown field", framework.Lists[articleView]("x").Where("titel"), `fed: action "x": Where("titel"): no field "titel" in Article; did you mean "title"?`},
		{"an unknown option", framework.Lists[articleView]("x").Where("exists(votes,min)"), `no option "min" in exists; the only option is mine; did you mean "mine"?`},
		{"no function", framework.Lists[articleView]("x").Narrow(nil), `fed: action "x": Narrow was given no function`},
		{"a view that the model does not have", framework.Lists[tagView]("x"), `fed: action "x": tagView.Name: no field "Name" in Article`},
		{"an unknown order", framework.Lists[articleView]("x").Order(framework.Ordering{Default: "titel"}), `fed: action "x": no field "titel" in Article; did you mean "title"?`},
		{"conditions of a function", framework.OnCollection(http.MethodGet, "x", func(*framework.Call, framework.None) (articleView, error) { return articleView{}, nil }).Where("exists(votes)"), `fed: action "x": Where, Narrow, Order, Filter and Paginate are for framework.Lists`},
		{"a path that is taken", framework.Lists[articleView]("voted"), `fed: action "voted": it is declared twice for GET`},
	} {
		t.Run(test.name, func(t *testing.T) {
			frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
				v := fed()
				v.Collection = append(v.Collection, test.action)
				apitest.Mistake(t, config(db), test.want, append(resources(), v, votes())...)
			})
		})
	}
}
