package relation_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
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
			"the default order":                       {"/api/titled/", "6: 2 6 1 5 4 3"},
			"a search with an index":                  {"/api/titled/?search=magazine", "6: 2 6 1 5 4 3"},
			"a page of a search with an index":        {"/api/titled/?search=magazine&ordering=writer.username,-price&size=2&page=2", "6: 2 3"},
			"a ranking, and then the default order":   {"/api/titled/?q=x", "6: 2 6 1 3 5 4"},
			"a ranking in another order":              {"/api/titled/?q=x&ordering=writer.username,-price", "6: 6 1 2 3 5 4"},
			"a ranking and a page of an order by key": {"/api/titled/?q=x&ordering=-original.id&size=2&page=1", "6: 6 5"},
		} {
			t.Run(name, func(t *testing.T) {
				if got := idsOf(c.On(t).Get(test.path)); got != test.want {
					t.Errorf("the list has %s; want %s", got, test.want)
				}
			})
		}
		c.Get("/api/written/?tag=go&ordering=-writer.username").Expect(200).Order("id", 2, 1).Order("writer", "ben", "ann")
		c.Get("/api/written/?ordering=writer.team.name,title&size=2&page=2").Expect(200).Order("id", 5, 4).Order("writer", "", "")
		c.Get("/api/titled/found/").Expect(200).Order("id", 2, 6, 1, 5, 4, 3)
		apitest.As(c, "staff").Get("/api/titled/found/").Expect(200).Order("id", 3, 2, 6, 1, 5, 4)
		c.Get("/api/authors/1/titled/").Expect(200).Order("id", 6, 1)
	})
}

// TestRelatedByFunctions: a related list has the default order of its viewset for each caller, also by
// functions of rows that only their owners see.
func TestRelatedByFunctions(t *testing.T) {
	type votedView struct {
		ID   int64 `json:"id"`
		Mine bool  `json:"mine" from:"exists(votes,mine)"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		for i, order := range []string{"-mine", "-count(votes)", "-exists(votes,mine), title"} {
			v, a, own := articles(), authors(), votes()
			v.Name, v.Filters, v.Search, v.Ordering = "pieces", nil, framework.Search{}, framework.Ordering{Default: order}
			v.Verbs, v.Relations["votes"] = framework.Verbs{List: framework.Shows[articleView](), Retrieve: framework.Shows[votedView]()}, "votes"
			own.Scope = framework.Own(func(v *Vote) *uuid.UUID { return &v.UserID })
			a.Scope, a.Actions = framework.Public(), []framework.Action[Author]{framework.Related[Author, articleView]("pieces", "pieces", "writer_id")}
			_, c := apitest.Serve(t, config(db), articles(), v, a, comments(), tags(), own)
			if i == 0 {
				small(t, db)
				apitest.Insert(t, db, &Vote{ID: 1, ArticleID: 6, UserID: apitest.ID("una")}, &Vote{ID: 2, ArticleID: 1, UserID: apitest.ID("vic")})
			}
			none := []any{6, 1} // equal values, so by key in the direction of the last term
			if strings.HasSuffix(order, "title") {
				none = []any{1, 6}
			}
			for caller, want := range map[string][]any{"una": {6, 1}, "vic": {1, 6}, "": none} {
				apitest.As(c, caller).Get("/api/authors/1/pieces/").Expect(200).Order("id", want...)
			}
		}
	})
}

// A Letter refers to its writer by a name.
type Letter struct {
	bun.BaseModel `bun:"table:letters"`

	ID     int64 `bun:",pk"`
	Name   string
	Writer *Author `bun:"rel:belongs-to,join:name=username"`
	Team   *Team   `bun:"rel:belongs-to,join:id=id"`
}

// TestUniqueIndexes: a relation to one row by another column than its key needs a unique index on this
// column. Two authors of one name would list a letter twice.
func TestUniqueIndexes(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		type view struct {
			Name   string      `json:"name"`
			Writer *authorView `json:"writer"`
		}
		letters := framework.ViewSet[Letter]{
			Name: "letters", Verbs: framework.ReadOnly[view](), Scope: framework.Public(),
			Relations: framework.Relations{"writer": "authors", "team": framework.OfRow},
		}
		api, _ := apitest.Serve(t, config(db), letters, articles(), authors(), comments(), tags())
		var unique []string
		for _, n := range api.Indexes() {
			if n.Unique {
				unique = append(unique, n.String()+" "+strings.Join(n.For, ", "))
			}
		}
		if got, want := strings.Join(unique, "; "), `authors (username) letters: relation "writer"; profiles (author_id) authors: relation "profile"`; got != want {
			t.Errorf("the unique indexes are %s; want %s", got, want)
		}
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

// TestAnOrderOfManyRows: an order by related rows is the same on both sides of 10,000 rows, up to
// which each related row is looked up by its key.
func TestAnOrderOfManyRows(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), resources()...)
		small(t, db)
		const most = 10_001 // articles 1001 to 11001, the even ones by Ben, the odd ones by Ann
		if _, err := db.NewRaw(`INSERT INTO articles (id, title, price, quantity, writer_id, document)
			WITH RECURSIVE n (i) AS (SELECT 1001 UNION ALL SELECT i + 1 FROM n WHERE i < 1000 + ?)
			SELECT i, 'Many', 1, 1000, 2 - i % 2, '' FROM n`, most).Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, left := range []int{most, most - 1} {
			for query, ids := range map[string]string{
				"writer.username&size=2":         "1001 1003",
				"writer.username&size=2&page=2":  "1005 1007",
				"-writer.username&size=2":        "11000 10998",
				"-writer.username&size=2&page=9": "10968 10966",
				"-writer.username,title&size=1":  "1002",
				"writer.username,-title&size=1":  strconv.Itoa(1000 + left - 1 + left%2),
			} {
				if got, want := idsOf(c.Get("/api/articles/?min_total=900&ordering="+query)), fmt.Sprintf("%d: %s", left, ids); got != want {
					t.Errorf("%d rows by %s are %s; want %s", left, query, got, want)
				}
			}
			if _, err := db.NewDelete().Model((*Article)(nil)).Where("id = ?", 1000+most).Exec(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestAnOrderOfFoundRows: an order by related rows has the rows that the list has otherwise: also those that are deleted softly, if the scope
// shows them, and by an expression over a column that the model lacks, or over one whose name the statement could use itself.
func TestAnOrderOfFoundRows(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		for _, statement := range []string{"ALTER TABLE comments ADD COLUMN hidden bigint DEFAULT 0", "ALTER TABLE comments ADD COLUMN listed bigint DEFAULT 0"} {
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		all := comments()
		all.Scope = framework.Where(func(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder { return q.WhereAllWithDeleted() })
		all.Filters = []framework.Filter{filter.Min("min_score", "score")}
		all.Ordering.Allowed = []string{"writer.username", "hidden", "listed", "score"}
		all.Expressions = map[string]framework.Expression{"hidden": framework.SQL[int64]("?TableAlias.hidden"), "listed": framework.SQL[int64]("listed")}
		_, c := apitest.Serve(t, config(db), all, articles(), authors(), tags())
		small(t, db)
		if _, err := db.ExecContext(t.Context(), "UPDATE comments SET hidden = -id, listed = -id"); err != nil {
			t.Fatal(err)
		}
		for query, want := range map[string]string{
			"writer.username":                   "4: 2 3 4 1",
			"writer.username&size=2&page=2":     "4: 4 1",
			"writer.username,hidden":            "4: 4 3 2 1",
			"-hidden,writer.username&size=3":    "4: 1 2 3",
			"listed,writer.username&size=3":     "4: 4 3 2",
			"writer.username,-score&size=1":     "4: 4",
			"-listed,writer.username&size=1":    "4: 1",
			"-writer.username,-hidden&size=100": "4: 1 2 3 4",
		} {
			if got := idsOf(c.Get("/api/comments/?min_score=0&ordering=" + query)); got != want {
				t.Errorf("comments by %s are %s; want %s", query, got, want)
			}
		}
	})
}
