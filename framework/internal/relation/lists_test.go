package relation_test

import (
	"net/http"
	"testing"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// byPrice ranks every row by its price.
type byPrice struct{}

func (byPrice) Bind(*framework.Facts) (framework.BoundRanker, error) {
	return framework.BoundRanker{
		Param: framework.Param{Name: "q"},
		Read: func(*framework.Call, string) (*framework.Ranking, error) {
			return &framework.Ranking{Rows: bun.SafeQuery(`SELECT id AS "key", price AS "rank" FROM articles`)}, nil
		},
	}, nil
}

// titled has articles with a stored search, a ranked one, and an order by their writers.
func titled() framework.ViewSet[Article] {
	v := articles()
	v.Name, v.Filters, v.Search, v.Ranked = "titled", nil, framework.Search{Fields: []string{"title"}, Stored: "document"}, byPrice{}
	v.Ordering.Default = "-writer.username"
	v.Collection = []framework.CollectionAction{
		framework.OnCollection(http.MethodGet, "found", func(c *framework.Call, _ framework.None) ([]articleView, error) {
			return framework.Find[articleView](c, "titled", nil)
		}),
	}
	return v
}

// written has articles with the names of their writers, which a function reads.
func written() framework.ViewSet[Article] {
	type view struct {
		ID     int64  `json:"id"`
		Writer string `json:"writer"`
	}
	v := articles()
	v.Name, v.Search = "written", framework.Search{}
	v.Verbs = framework.Verbs{List: framework.Computes(func(_ *framework.Call, a *Article) (view, error) {
		if a.Writer == nil {
			return view{ID: a.ID}, nil
		}
		return view{a.ID, a.Writer.Username}, nil
	}, "writer")}
	return v
}

// TestOtherLists: an order by related rows holds wherever rows are listed.
func TestOtherLists(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		a := authors()
		a.Actions = []framework.Action[Author]{framework.Related[Author, articleView]("titled", "titled", "writer_id")}
		_, c := apitest.Serve(t, config(db), articles(), titled(), written(), a, comments(), tags())
		small(t, db)
		if _, err := db.DB.DB.Exec("UPDATE articles SET document = 'article of the magazine'"); err != nil {
			t.Fatal(err)
		}
		for name, test := range map[string]struct{ path, want string }{
			"the default order":                       {"/api/titled/", "6: 2 1 6 3 4 5"},
			"a search with an index":                  {"/api/titled/?search=magazine", "6: 2 1 6 3 4 5"},
			"a page of a search with an index":        {"/api/titled/?search=magazine&ordering=writer.username,-price&size=2&page=2", "6: 2 3"},
			"a ranking, and then the default order":   {"/api/titled/?q=x", "6: 2 6 1 3 4 5"},
			"a ranking in another order":              {"/api/titled/?q=x&ordering=writer.username,-price", "6: 6 1 2 3 4 5"},
			"a ranking and a page of an order by key": {"/api/titled/?q=x&ordering=-original.id&size=2&page=1", "6: 6 1"},
		} {
			t.Run(name, func(t *testing.T) {
				if got := idsOf(c.On(t).Get(test.path)); got != test.want {
					t.Errorf("the list has %s; want %s", got, test.want)
				}
			})
		}
		c.Get("/api/written/?tag=go&ordering=-writer.username").Expect(200).Order("id", 2, 1).Order("writer", "ben", "ann")
		c.Get("/api/written/?ordering=writer.team.name,title&size=2&page=2").Expect(200).Order("id", 5, 4).Order("writer", "", "")
		c.Get("/api/titled/found/").Expect(200).Order("id", 2, 1, 6, 3, 4, 5)
		apitest.As(c, "staff").Get("/api/titled/found/").Expect(200).Order("id", 3, 2, 1, 6, 4, 5)
		c.Get("/api/authors/1/titled/").Expect(200).Order("id", 1, 6)
	})
}

// TestIndexes: paths need the indexes on the columns that lead to the filtered column, and on that
// column.
func TestIndexes(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := articles()
		v.Unindexed = []string{"writer.city", "writer.username", "tags.name"}
		api, _ := apitest.Serve(t, config(db), v, authors(), comments(), tags())
		needed := map[string]bool{}
		for _, n := range api.Indexes() {
			needed[n.String()] = true
		}
		for _, want := range []string{
			"articles (writer_id)", "articles (reprints)", "comments (article_id)", "comments (state)", "comments (writer_id)", "authors (username)", "authors (team_id)",
			"teams (name)", "article_tags (article_id)", "article_tags (tag_id)", "profiles (author_id)",
		} {
			if !needed[want] {
				t.Errorf("no index %s", want)
			}
		}
		for _, not := range []string{"authors (city)", "comments (score)", "comments (pinned)", "teams (id)", "tags (id)"} {
			if needed[not] {
				t.Errorf("an index %s, which serves nothing or which Unindexed lists", not)
			}
		}
	})
}
