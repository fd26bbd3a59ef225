package relation_test

import (
	"strings"
	"sync"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestValuesOfMissingRows: an expression or a function of a related row that is missing is NULL,
// whatever it would be for other values, and comes last in both directions.
func TestValuesOfMissingRows(t *testing.T) {
	type view struct {
		ID    int64   `json:"id"`
		Place *string `json:"place" from:"writer.place"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		a, v := authors(), articles()
		a.Expressions["place"] = framework.SQL[string]("coalesce(?TableAlias.city, 'Zagreb')")
		v.Verbs, v.Ordering = framework.ReadOnly[view](), framework.Ordering{Allowed: []string{"writer.place", "writer.count(articles)"}}
		v.Filters = []framework.Filter{filter.Exact("place", "writer.place")}
		_, c := apitest.Serve(t, config(db), v, a, comments(), tags())
		small(t, db)
		for query, want := range map[string]string{
			"ordering=writer.place": "6: 1 6 2 3 4 5", "ordering=-writer.place": "6: 2 6 1 5 4 3", "place=Zagreb": "1: 2",
			"ordering=writer.count(articles)": "6: 2 1 6 3 4 5", "ordering=-writer.count(articles)": "6: 6 1 2 5 4 3",
		} {
			if got := idsOf(c.Get("/api/articles/?" + query)); got != want {
				t.Errorf("%s lists %s; want %s", query, got, want)
			}
		}
		c.Get("/api/articles/3/").Expect(200).Contains(`"place":null`)
		apitest.As(c, "staff").Get("/api/articles/3/").Expect(200).Contains(`"place":"Agra"`)
		c.Get("/api/articles/2/").Expect(200).Contains(`"place":"Zagreb"`)
	})
}

// TestScopesOfFields: the tag ref gives one field of a view another scope than the listed one, or a
// scope to a relation that is not listed. It changes no other field.
func TestScopesOfFields(t *testing.T) {
	type view struct {
		ID      int64       `json:"id"`
		Seen    *string     `json:"seen"    from:"writer.username"`
		Name    *string     `json:"name"    from:"writer.username" ref:"-"`
		City    *string     `json:"city"    from:"writer.city"     ref:"-"`
		Byline  *authorView `json:"byline"  from:"writer"          ref:"-"`
		Labels  []string    `json:"labels"  from:"tags.name"       ref:"tags"`
		Replies []struct {
			ID int64 `json:"id"`
		} `json:"replies" from:"comments,limit=1" ref:"-"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := articles()
		v.Verbs, v.Relations = framework.ReadOnly[view](), framework.Relations{"writer": "authors"}
		v.Filters, v.Ordering, v.Search = nil, framework.Ordering{}, framework.Search{}
		_, c := apitest.Serve(t, config(db), v, authors(), comments(), tags())
		small(t, db)
		c.Get("/api/articles/3/").Expect(200).Contains(`{"id":3,"seen":null,"name":"cid","city":"Agra","byline":{"id":3,"username":"cid","city":"Agra"},"labels":[],"replies":[{"id":5}]}`)
		c.Get("/api/articles/4/").Expect(200).Contains(`{"id":4,"seen":null,"name":null,"city":null,"byline":null,"labels":[],"replies":[]}`)
		c.Get("/api/articles/1/").Expect(200).Contains(`{"id":1,"seen":"ann","name":"ann","city":"Pune"`, `"labels":["go","sql"],"replies":[{"id":1}]`)
	})
}

type (
	// listsView shows lists of joined rows.
	listsView struct {
		ID       int64    `json:"id"`
		Original *listed  `json:"original"`
		Tags     []string `json:"tags"     from:"original.tags.name,order=-name"`
		Comments []remark `json:"comments" from:"original.comments,limit=1"`
		Words    []string `json:"words"    from:"writer.articles.title,order=title"`
	}
	listed struct {
		Title    string   `json:"title"`
		Tags     []string `json:"tags"     from:"tags.name,order=name"`
		Comments []remark `json:"comments" from:"comments,order=-id"`
	}
)

// TestListsOfJoinedRows: a view shows the lists of a related row, in one statement each. Without the
// row they are empty.
func TestListsOfJoinedRows(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := articles()
		v.Verbs = framework.ReadOnly[listsView]()
		counter := frameworktest.CountStatements(db)
		_, c := apitest.Serve(t, config(db), v, authors(), comments(), tags())
		small(t, db)
		apitest.Insert(t, db, &Article{ID: 7, Title: "Seven", WriterID: new(int64(3)), Reprints: new(int64(1))})
		const original = `"original":{"title":"One","tags":["go","sql"],"comments":[{"id":2,"author":"ann"},{"id":1,"author":"ben"}]},"tags":["sql","go"],"comments":[{"id":1,"author":"ben"}]`
		for path, want := range map[string]string{
			"6": `{"id":6,` + original + `,"words":["One","Six"]}`,
			"7": `{"id":7,` + original + `,"words":[]}`, // its writer is out of sight
			"1": `{"id":1,"original":null,"tags":[],"comments":[],"words":["One","Six"]}`,
			"5": `{"id":5,"original":null,"tags":[],"comments":[],"words":[]}`,
		} {
			if got := c.Get("/api/articles/" + path + "/").Expect(200).Body(); !strings.Contains(got, want) {
				t.Errorf("%s is\n%s\nwant\n%s", path, got, want)
			}
		}
		list := ""
		texts := counter.During(func() { list = c.Get("/api/articles/?ordering=-original.title").Expect(200).Body() })
		if len(texts) != 6 {
			t.Errorf("%d statements, want the rows and five lists: %q", len(texts), texts)
		}
		if strings.Count(list, original) != 2 || strings.Count(list, `"original":null`) != 5 {
			t.Errorf("the list is %s", list)
		}
	})
}

type (
	endless struct {
		ID       int64           `json:"id"`
		Original *endless        `json:"original"`
		Editions []endlessInside `json:"editions" from:"editions"`
	}
	endlessInside struct {
		Original *endless `json:"original"`
	}
)

// TestEndlessViews: a view that shows itself is a mistake.
func TestEndlessViews(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		v := articles()
		v.Relations["editions"], v.Verbs = "articles", framework.ReadOnly[endless]()
		api := framework.New(config(db))
		api.Register(v, authors(), comments(), tags())
		want := `articles: list: endless is shown inside itself, without an end; show the inner rows by a view without this field`
		if err := api.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v; want %s", err, want)
		}
	})
}

// TestFindByPaths: requests find paths at the same time, and leave no note of them.
func TestFindByPaths(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := articles()
		v.Collection = []framework.CollectionAction{
			framework.OnCollection("GET", "found", func(c *framework.Call, _ framework.None) ([]articleView, error) {
				return framework.Find[articleView](c, "articles", nil, framework.OrderBy("-writer.username", "original.price"))
			}),
		}
		api, c := apitest.Serve(t, config(db), v, authors(), comments(), tags())
		small(t, db)
		before := len(api.Indexes())
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { c.Get("/api/articles/found/").Expect(200).Order("id", 2, 6, 1, 3, 4, 5) })
		}
		all.Wait()
		if after := len(api.Indexes()); after != before {
			t.Errorf("requests changed the number of needed indexes from %d to %d", before, after)
		}
	})
}
