package relation_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

type (
	shapedInput struct {
		Title string `json:"title"`
	}
	shapedView struct {
		ID       int64      `json:"id"`
		Title    string     `json:"title"`
		Author   *string    `json:"author"   from:"writer.username"`
		Team     *string    `json:"team"     from:"writer.team.name"`
		Initial  *string    `json:"initial"  from:"writer.initial"`
		By       *byline    `json:"by"       from:"writer"`
		Tags     []string   `json:"tags"     from:"tags.name,order=-name"`
		TagIDs   []int64    `json:"tag_ids"  from:"tags.id"`
		Labels   []*tagView `json:"labels"   from:"tags,order=-name,limit=1"`
		Best     []remark   `json:"best"     from:"comments,order=-score,limit=2"`
		Writers  []*string  `json:"writers"  from:"comments.writer.username,order=writer.username id"`
		Editions []edition  `json:"editions" from:"editions"`
		Comments int64      `json:"comments" from:"count(comments)"`
		Signed   int64      `json:"signed"   from:"count(comments.writer)"`
		Noted    bool       `json:"noted"    from:"exists(comments)"`
		Top      *int64     `json:"top"      from:"max(comments.score)"`
		First    *time.Time `json:"first"    from:"min(comments.posted_at)"`
		Tagged   int64      `json:"tagged"   from:"count(tags)"`
		Reprints int64      `json:"copies"   from:"count(editions)"`
		Votes    int64      `json:"votes"    from:"count(votes)"`
		Mine     bool       `json:"mine"     from:"exists(votes,mine)"`
		Weight   int64      `json:"weight"   from:"sum(votes.weight)"`
	}
	byline struct {
		Username string `json:"username"`
		Articles int64  `json:"articles" from:"count(articles)"`
	}
	remark struct {
		ID     int64   `json:"id"`
		Author *string `json:"author" from:"writer.username"`
	}
	edition struct {
		ID   int64    `json:"id"`
		Tags []string `json:"tags" from:"tags.name,order=name"`
	}
	voteView struct {
		ID     int64 `json:"id"`
		Weight int64 `json:"weight"`
	}
)

// shaped has articles with everything that a view can show of their relations.
func shaped() framework.ViewSet[Article] {
	v := articles()
	v.Name, v.Search = "shaped", framework.Search{}
	v.Verbs = framework.Verbs{
		List: framework.Shows[shapedView](), Retrieve: framework.Shows[shapedView](), Patch: framework.Accepts[shapedInput, shapedView](),
	}
	v.Relations["votes"], v.Relations["editions"] = "votes", "articles"
	v.Filters = []framework.Filter{
		filter.Min("min_votes", "votes"), filter.Flag("mine", "mine"), filter.Min("min_comments", "count(comments)"), filter.Min("min_top", "top"),
		filter.Min("min_of_writer", "writer.count(articles)"),
	}
	v.Ordering = framework.Ordering{Allowed: []string{"votes", "top", "title"}}
	return v
}

// votes has votes, which any caller sees.
func votes() framework.ViewSet[Vote] {
	return framework.ViewSet[Vote]{
		Name: "votes", Verbs: framework.ReadOnly[voteView](),
		Scope: framework.Own(func(v *Vote) *uuid.UUID { return &v.UserID }).Unless(framework.Anyone()),
	}
}

func shapes() []framework.Resource { return append(resources(), shaped(), votes()) }

// voted adds the votes of two callers to the magazine.
func voted(tb testing.TB, db *sqldb.DB) {
	tb.Helper()
	small(tb, db)
	apitest.Insert(tb, db, &Vote{ID: 1, ArticleID: 1, UserID: apitest.ID("una"), Weight: 2}, &Vote{ID: 2, ArticleID: 1, UserID: apitest.ID("vic"), Weight: 3}, &Vote{ID: 3, ArticleID: 2, UserID: apitest.ID("vic"), Weight: -1})
}

// whole is the first article as una sees it.
const whole = `{"id":1,"title":"One","author":"ann","team":"red","initial":"a","by":{"username":"ann","articles":2},` +
	`"tags":["sql","go"],"tag_ids":[1,2],"labels":[{"name":"sql"}],"best":[{"id":1,"author":"ben"},{"id":2,"author":"ann"}],"writers":["ann","ben"],` +
	`"editions":[{"id":6,"tags":["sql"]}],"comments":2,"signed":2,"noted":true,"top":5,"first":"2026-01-31T09:00:00Z","tagged":2,"copies":1,"votes":2,"mine":true,"weight":5}`

// TestShapes: a view shows related rows as objects, as lists of one column and as values of
// functions. Retrieve, list and the answer of a write show the same.
func TestShapes(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), shapes()...)
		voted(t, db)
		una := apitest.As(c, "una")
		for _, test := range []struct {
			name string
			body string
		}{
			{"retrieve", una.Get("/api/shaped/1/").Expect(200).Body()},
			{"list", una.Get("/api/shaped/?size=1&ordering=-votes").Expect(200).Body()},
			{"the answer of a write", una.Patch("/api/shaped/1/", map[string]any{"title": "One"}).Expect(200).Body()},
		} {
			if !strings.Contains(test.body, whole) {
				t.Errorf("%s shows\n%s\nwant\n%s", test.name, test.body, whole)
			}
		}
		for _, test := range []struct{ name, caller, path, want string }{
			{"no vote is an anonymous caller's", "", "1", `"votes":2,"mine":false,"weight":5`},
			{"the vote of another caller is not mine", "una", "2", `"votes":1,"mine":false,"weight":-1`},
			{"without related rows", "", "4", `"author":null,"team":null,"initial":null,"by":null,"tags":[],"tag_ids":[],"labels":[],"best":[],"writers":[],"editions":[],` +
				`"comments":0,"signed":0,"noted":false,"top":null,"first":null,"tagged":0,"copies":0,"votes":0,"mine":false,"weight":0`},
			{"a writer out of sight", "", "3", `"author":null,"team":null,"initial":null,"by":null`},
			{"the same for staff", "staff", "3", `"author":"cid","team":null,"initial":"c","by":{"username":"cid","articles":1}`},
			{"a comment without a writer", "", "3", `"best":[{"id":5,"author":null}],"writers":[null],"editions":[],"comments":1,"signed":0`},
			{"a deleted comment", "staff", "5", `"best":[],"writers":[],"editions":[],"comments":0,"signed":0,"noted":false,"top":null`},
		} {
			t.Run(test.name, func(t *testing.T) {
				client := apitest.As(c.On(t), test.caller)
				client.Get("/api/shaped/" + test.path + "/").Expect(200).Contains(test.want)
			})
		}
	})
}

// TestFunctionsOfLists: filters and orders use the functions of a view, and functions of their own.
func TestFunctionsOfLists(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		_, c := apitest.Serve(t, config(db), shapes()...)
		voted(t, db)
		for _, test := range []struct{ name, caller, query, want string }{
			{"at least one vote", "", "min_votes=1", "2: 1 2"},
			{"more votes than any row has", "", "min_votes=3", "0: "},
			{"the caller's own", "una", "mine=true", "1: 1"},
			{"nothing is an anonymous caller's own", "", "mine=true", "0: "},
			{"a function that no view shows", "", "min_comments=1", "3: 1 2 3"},
			{"the greatest, where there is one", "", "min_top=5", "2: 1 2"},
			{"a function of a related row", "", "min_of_writer=2", "2: 1 6"},
			{"by a number, then by the key", "", "ordering=-votes", "6: 1 2 6 5 4 3"},
			{"the fewest first", "", "ordering=votes", "6: 3 4 5 6 2 1"},
			{"by the greatest: none comes last", "", "ordering=top", "6: 1 2 3 4 5 6"},
			{"and last when it descends", "", "ordering=-top", "6: 2 1 6 5 4 3"},
			{"a page of it", "", "ordering=-top,title&size=2&page=2", "6: 5 4"},
		} {
			t.Run(test.name, func(t *testing.T) {
				client := apitest.As(c.On(t), test.caller)
				if got := idsOf(client.Get("/api/shaped/?" + test.query)); got != test.want {
					t.Errorf("the list has %s; want %s", got, test.want)
				}
			})
		}
		for name, query := range map[string]string{
			"a number that is none": "min_votes=many", "a flag that is none": "mine=perhaps",
			"two functions in one order": "ordering=-votes,top", "a function that is not allowed": "ordering=weight",
		} {
			t.Run(name, func(t *testing.T) { c.On(t).Get("/api/shaped/?" + query).Expect(400).Code("invalid_parameter") })
		}
	})
}

// TestShapeStatements: one statement for the rows with their functions, one for each list of related
// rows, and one for the number of rows if a page does not show it, however many rows there are.
func TestShapeStatements(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		counter := frameworktest.CountStatements(db)
		_, c := apitest.Serve(t, config(db), shapes()...)
		voted(t, db)
		for _, test := range []struct {
			path string
			want int
		}{
			// tags, tag_ids, labels, best, writers and editions with their tags
			{"/api/shaped/1/", 8},
			{"/api/shaped/?size=1&page=1", 9},
			{"/api/shaped/?size=6&page=1", 8}, // the page has every row, so that no statement counts them
		} {
			apitest.Insert(t, db, &Team{ID: 100 + int64(len(test.path)+strings.Count(test.path, "6")), Name: "new"}) // an earlier count is not used again
			if texts := counter.During(func() { c.Get(test.path).Expect(200) }); len(texts) != test.want {
				t.Errorf("%s: %d statements, want %d: %q", test.path, len(texts), test.want, texts)
			}
		}
	})
}

// TestShapeDocument: the OpenAPI document has the types of what a view shows of relations.
func TestShapeDocument(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		api, _ := apitest.Serve(t, config(db), shapes()...)
		text, err := api.Document("json")
		if err != nil {
			t.Fatal(err)
		}
		var document struct {
			Components struct {
				Schemas map[string]struct {
					Properties map[string]json.RawMessage
				}
			}
		}
		if err := json.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		found := document.Components.Schemas["Shaped"].Properties
		for name, want := range map[string]string{
			"author": `"null"`, "tags": `"items":{"type":"string"}`, "tag_ids": `"type":"integer"`, "votes": `"type":"integer"`, "mine": `"type":"boolean"`,
			"top": `"null"`, "first": `"date-time"`, "best": `"$ref"`, "by": `"$ref"`,
		} {
			if got := strings.Join(strings.Fields(string(found[name])), ""); !strings.Contains(got, want) {
				t.Errorf("the schema of %s is %s; want %s in it", name, got, want)
			}
		}
	})
}

// TestPathsThatResembleExpressions: an expression may be named like a path that a tag from has.
func TestPathsThatResembleExpressions(t *testing.T) {
	type view struct {
		Title  *string  `json:"title"  from:"writer.username"`
		Upper  *string  `json:"upper"  from:"writer_username"`
		Tags   []string `json:"tags"   from:"tags.name"`
		TagIDs []int64  `json:"tagged" from:"tags.id"`
	}
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		v := articles()
		v.Verbs = framework.Verbs{List: framework.Shows[view]()}
		for _, name := range []string{"writer_username", "tag_name", "tag_id"} {
			v.Expressions[name] = framework.SQL[string]("upper(?TableAlias.title)")
		}
		api := framework.New(config(db))
		api.Register(v, authors(), comments(), tags())
		if err := api.Check(); err != nil {
			t.Errorf("right tags are mistakes: %v", err)
		}
	})
}

// TestShapeMistakes: each wrong tag from is reported at start.
func TestShapeMistakes(t *testing.T) {
	type wrong struct {
		Totla   *int64    `json:"totla"  from:"totla"`
		Rows    []remark  `json:"rows"   from:"coments"`
		Column  []string  `json:"column" from:"tags.nam"`
		Deep    []string  `json:"deep"   from:"comments.tags.name"`
		Two     []string  `json:"two"    from:"editions.tags.name"`
		One     string    `json:"one"    from:"tags.name"`
		Number  []int64   `json:"number" from:"tags.name"`
		Author  string    `json:"author" from:"writer.username"`
		Many    *remark   `json:"many"   from:"comments"`
		Far     []tagView `json:"far"    from:"comments.writer"`
		Option  []remark  `json:"option" from:"comments,limt=3"`
		Limit   []remark  `json:"limit"  from:"comments,limit=0"`
		Twice   []remark  `json:"twice"  from:"comments,limit=1,limit=2"`
		Order   []remark  `json:"order"  from:"comments,order=scor"`
		Empty   []remark  `json:"empty"  from:"comments,order="`
		ToOne   *byline   `json:"to_one" from:"writer,limit=1"`
		ByMany  []remark  `json:"many_of" from:"comments,order=writer.articles.title"`
		Count   int       `json:"count"  from:"count(comments)"`
		Cuont   int64     `json:"cuont"  from:"cuont(comments)"`
		Column2 int64     `json:"c2"     from:"count(comments.score)"`
		Sum     int64     `json:"sum"    from:"sum(comments)"`
		Text    int64     `json:"text"   from:"sum(tags.name)"`
		Least   int64     `json:"least"  from:"min(comments.score)"`
		Flags   *bool     `json:"flags"  from:"max(comments.pinned)"`
		Mine    bool      `json:"mine"   from:"exists(comments,mine)"`
		Mien    bool      `json:"mien"   from:"exists(votes,mien)"`
		Open    int64     `json:"open"   from:"count(comments"`
		After   int64     `json:"after"  from:"count(comments),limit=1"`
		Single  int64     `json:"single" from:"count(writer)"`
		Ref     []remark  `json:"ref"    from:"comments" ref:"coments"`
		Own     string    `json:"own"    from:"title"`
		Words   *int64    `json:"words"  from:"writerID"`
		Nope    string    `json:"nope"   from:"nope"`
		Total   int64     `json:"total"  from:"total"`
		Totals  *int64    `json:"totals" from:"total,limit=1"`
		Scope   *int64    `json:"scope"  from:"total" ref:"authors"`
		Sums    int64     `json:"sums"   from:"sum(total)"`
	}
	want := []string{
		`wrong.Total: from "total": "total" may be missing; show it as *int64`,
		`wrong.Totals: from "total,limit=1": "total" leads to one row; order and limit are for a list`,
		`wrong.Scope: from "total": the tag ref is for the rows or a column of one relation; leave it out`,
		`wrong.Sums: from "sum(total)": "total" leads to one row; sum needs a relation to several rows`,
		`wrong.Totla: from "totla": no relation or expression "totla" in Article; did you mean "total"?`,
		`wrong.Rows: from "coments": no relation "coments" in Article; did you mean "comments"?`,
		`wrong.Column: from "tags.nam": no field "nam" in Tag; did you mean "name"?`,
		`wrong.Deep: from "comments.tags.name": no relation "tags" in Comment`,
		`wrong.Two: from "editions.tags.name": it leads over two relations to several rows; show the second in the view of the rows of the first`,
		`wrong.One: from "tags.name": the field must be a slice: "tags" leads to several rows`,
		`wrong.Number: from "tags.name": the field is int64, but "tags.name" is string`,
		`wrong.Author: from "writer.username": "writer.username" may be missing; show it as *string`,
		`wrong.Many must be a slice: it shows a to-many relation`,
		`wrong.Far: from "comments.writer": it leads over several relations to rows; show "writer" in the view of the rows before it`,
		`wrong.Option: from "comments,limt=3": no option "limt"; the options of a list are order and limit; did you mean "limit"?`,
		`wrong.Limit: from "comments,limit=0": the limit "0" must be a number from 1, such as "limit=3"`,
		`wrong.Twice: from "comments,limit=1,limit=2": the option limit is given twice`,
		`wrong.Order: from "comments,order=scor": no field "scor" in Comment; did you mean "score"?`,
		`wrong.Empty: from "comments,order=": the option order is given once, with the columns to order by, separated by spaces`,
		`wrong.ToOne: from "writer,limit=1": "writer" leads to one row; order and limit are for a list`,
		`wrong.ByMany: from "comments,order=writer.articles.title": "writer.articles.title" leads to several rows`,
		`wrong.Count: from "count(comments)": the field is int; make it int64`,
		`wrong.Cuont: from "cuont(comments)": no function "cuont"; the functions are count, exists, sum, min and max; did you mean "count"?`,
		`wrong.Column2: from "count(comments.score)": count takes a relation without a column: count(comments)`,
		`wrong.Sum: from "sum(comments)": sum needs a column of the related rows: sum(comments.column)`,
		`wrong.Text: from "sum(tags.name)": sum of "tags.name", string, is not supported; take a column of numbers`,
		`wrong.Least: from "min(comments.score)": the field is int64; make it *int64`,
		`wrong.Flags: from "max(comments.pinned)": max of "comments.pinned", bool, is not supported`,
		`wrong.Mine: from "exists(comments,mine)": mine needs an owner of the rows of "comments"; let its viewset have framework.Own in Scope or Writers`,
		`wrong.Mien: from "exists(votes,mien)": no option "mien" in exists; the only option is mine; did you mean "mine"?`,
		`wrong.Open: from "count(comments": "count(comments" has no closing parenthesis`,
		`wrong.After: from "count(comments),limit=1": ",limit=1" follows the function; a function has no options after its parenthesis`,
		`wrong.Single: from "count(writer)": "writer" leads to one row; count needs a relation to several rows`,
		`wrong.Ref: from "comments": no viewset "coments" is registered; did you mean "comments"?`,
		`wrong.Own: from "title": "title" is a column of Article itself, and from is for related rows and expressions; leave the tag out, and name the field Title, of the type string`,
		`wrong.Words: from "writerID": "writerID" is a column of Article itself, and from is for related rows and expressions; leave the tag out, and name the field WriterID, of the type *int64`,
		`wrong.Nope: from "nope": no relation "nope" in Article`,
		`filter "cuont(votes)": no function "cuont"`,
		`ordering default: "count(tags)" is a second function of related rows; an order has at most one`,
	}
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		s := shaped()
		s.Verbs = framework.ReadOnly[wrong]()
		s.Filters, s.Ordering = []framework.Filter{filter.Min("n", "cuont(votes)")}, framework.Ordering{Default: "count(votes),count(tags)"}
		api := framework.New(config(db))
		api.Register(append(resources(), s, votes())...)
		err := api.Check()
		if err == nil {
			t.Fatal("no mistake is reported")
		}
		for _, one := range want {
			if !strings.Contains(err.Error(), one) {
				t.Errorf("no mistake %s\nin\n%v", one, err)
			}
		}
		if got := strings.Count(err.Error(), "\n") + 1; got != len(want) {
			t.Errorf("%d mistakes are reported; want %d:\n%v", got, len(want), err)
		}
	})
}

// TestShapeProperty compares lists and functions with a naive model on random rows.
func TestShapeProperty(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("the seed is %d", seed)
	both(t, func(t *testing.T, db *sqldb.DB) {
		r := rand.New(rand.NewPCG(seed, 2))
		_, c := apitest.Serve(t, config(db), shapes()...)
		w, rows := imagine(r)
		apitest.Insert(t, db, rows...)
		for _, staff := range []bool{false, true} {
			w.staff = staff
			client := c
			if staff {
				client = apitest.As(c, "staff")
			}
			for _, a := range w.articles {
				var got shapedView
				if err := json.Unmarshal([]byte(client.Get(fmt.Sprintf("/api/shaped/%d/", a.ID)).Expect(200).Body()), &got); err != nil {
					t.Fatal(err)
				}
				want := w.shape(a)
				shown := shapedView{Author: got.Author, Tags: got.Tags, Best: got.Best, Comments: got.Comments, Signed: got.Signed, Noted: got.Noted, Top: got.Top, Reprints: got.Reprints}
				if !reflect.DeepEqual(shown, want) {
					t.Fatalf("seed %d, staff %t: article %d shows\n%+v\nwant\n%+v", seed, staff, a.ID, shown, want)
				}
			}
		}
	})
}

// shape is the view of an article by the naive model, as far as the property test compares it.
func (w world) shape(a *Article) shapedView {
	v := shapedView{Author: w.username(a.WriterID), Tags: append([]string{}, w.tags[a.ID]...), Best: []remark{}}
	slices.SortStableFunc(v.Tags, func(x, y string) int { return cmp.Compare(y, x) })
	comments := slices.Clone(w.comments[a.ID])
	slices.SortStableFunc(comments, func(x, y *Comment) int { return compareScores(x.Score, y.Score) })
	for i, one := range comments {
		if w.author(one.WriterID) != nil {
			v.Signed++
		}
		if i == 0 {
			v.Top = one.Score
		}
		if i < 2 {
			v.Best = append(v.Best, remark{one.ID, w.username(one.WriterID)})
		}
	}
	v.Comments, v.Noted = int64(len(comments)), len(comments) > 0
	for _, other := range w.articles {
		if o := w.original(other); o != nil && o.ID == a.ID {
			v.Reprints++
		}
	}
	return v
}

// compareScores orders scores: the greatest first, and NULL last.
func compareScores(x, y *int64) int {
	switch {
	case x == nil && y == nil:
		return 0
	case x == nil:
		return 1
	case y == nil:
		return -1
	}
	return cmp.Compare(*y, *x)
}

// TestFromADeletedAt: a view that takes the time of its soft deletion from a tag has a mistake that says where the time is.
func TestFromADeletedAt(t *testing.T) {
	type gone struct {
		ID   int64      `json:"id"`
		Gone *time.Time `json:"gone" from:"deleted_at"`
	}
	type shown struct {
		ID        int64     `json:"id"`
		DeletedAt time.Time `json:"gone,omitzero"`
	}
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		authors := framework.ViewSet[Author]{Name: "authors", Verbs: framework.ReadOnly[gone](), Scope: framework.Public()}
		apitest.Mistake(t, config(db), `authors: list: gone.Gone: from "deleted_at": "deleted_at" is a column of Author itself, and from is for related rows and expressions; `+
			`leave the tag out, and name the field DeletedAt, of the type time.Time`, authors)
		authors.Verbs = framework.ReadOnly[shown]()
		api := framework.New(config(db))
		if api.Register(authors); api.Check() != nil {
			t.Error(api.Check())
		}
	})
}
