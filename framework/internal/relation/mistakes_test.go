package relation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// wrong is the magazine with a change of its articles.
func wrong(change func(v *framework.ViewSet[Article])) []framework.Resource {
	v := articles()
	change(&v)
	return []framework.Resource{v, authors(), comments(), tags()}
}

type shownWriter struct {
	Writer *authorView `json:"writer"`
}

// A Pair has a relation over two columns.
type Pair struct {
	bun.BaseModel `bun:"table:pairs"`

	ID     int64 `bun:",pk"`
	First  int64
	Second int64

	Twin *Pair `bun:"rel:belongs-to,join:first=first,join:second=second"`
}

type pairView struct {
	ID int64 `json:"id"`
}

// TestMistakes: each wrong declaration is reported at start, in a sentence that says what to write.
func TestMistakes(t *testing.T) {
	for _, test := range []struct {
		name      string
		resources []framework.Resource
		want      []string
	}{
		{"right", resources(), nil},
		{
			"a path over a relation that is not listed", wrong(func(v *framework.ViewSet[Article]) { delete(v.Relations, "tags") }),
			[]string{`articles: search, filter "tags.name", filter "not tags.name", filter "original.tags.name": the relation "tags" is not listed; add "tags": "tags" to Relations of articles`},
		},
		{
			"a view of a relation that is not listed", wrong(func(v *framework.ViewSet[Article]) {
				v.Verbs, v.Relations = framework.ReadOnly[shownWriter](), nil
				v.Filters, v.Ordering, v.Search = nil, framework.Ordering{}, framework.Search{}
			}),
			[]string{`articles: list: shownWriter.Writer: the relation "writer" is not listed; add "writer": "authors" to Relations of articles`},
		},
		{
			"a computed view of a relation that is not listed", wrong(func(v *framework.ViewSet[Article]) {
				delete(v.Relations, "original")
				v.Verbs.Retrieve = framework.Computes(func(_ *framework.Call, a *Article) (pairView, error) { return pairView{a.ID}, nil }, "original")
				v.Filters, v.Ordering = nil, framework.Ordering{}
			}),
			[]string{`articles: retrieve: the relation "original" is not listed; add "original": "articles" to Relations of articles`},
		},
		{
			"a computed view of a many-to-many relation", wrong(func(v *framework.ViewSet[Article]) {
				v.Verbs.Retrieve = framework.Computes(func(_ *framework.Call, a *Article) (pairView, error) { return pairView{a.ID}, nil }, "tags")
			}),
			[]string{`articles: retrieve: "tags" is a many-to-many relation, which Computes does not load; show it in a view with the tag from, or load a has-many relation to "article_tags"`},
		},
		{
			"a relation of another viewset that it does not list", wrong(func(v *framework.ViewSet[Article]) {
				v.Filters = append(v.Filters, filter.Exact("articles.writer.articles.title"))
			}),
			[]string{`articles: filter "articles.writer.articles.title": no relation "articles" in Article`},
		},
		{
			"a relation below a part of the row", wrong(func(v *framework.ViewSet[Article]) {
				v.Relations["writer"], v.Relations["original"] = framework.OfRow, framework.OfRow
				v.Filters, v.Ordering = []framework.Filter{filter.Exact("writer.team.name")}, framework.Ordering{}
			}),
			[]string{`articles: filter "writer.team.name": the relation "writer.team" is not listed; add "writer.team": framework.OfRow to Relations of articles`},
		},
		{
			"names that are misspelt", wrong(func(v *framework.ViewSet[Article]) {
				v.Relations["tagz"], v.Ordering.Default = "tags", "writer.usernam"
				v.Filters = append(v.Filters, filter.Exact("x", "wirter.username"), filter.Exact("y", "comments.scor"), filter.Min("z", "totl"))
				v.Ordering.Allowed = []string{"writer.initail"}
			}),
			[]string{
				`articles: relations: "tagz": no relation "tagz" in Article; did you mean "tags"?`,
				`articles: ordering default: no field "usernam" in Author; did you mean "username"?`,
				`articles: filter "wirter.username": no relation "wirter" in Article; did you mean "writer"?`,
				`articles: filter "comments.scor": no field "scor" in Comment; did you mean "score"?`,
				`articles: filter "totl": no field "totl" in Article; did you mean "total"?`,
				`articles: ordering: no field "initail" in Author; did you mean "initial"?`,
			},
		},
		{
			"viewsets that are unknown or of another model", wrong(func(v *framework.ViewSet[Article]) {
				v.Relations["tags"], v.Relations["comments"] = "tag", "authors"
				v.Filters, v.Search = nil, framework.Search{}
			}),
			[]string{
				`articles: relations: "comments": "authors" serves Author, the relation leads to Comment`,
				`articles: relations: "tags": no viewset "tag" is registered; did you mean "tags"?`,
			},
		},
		{
			"a relation with two names, and one without a viewset", wrong(func(v *framework.ViewSet[Article]) {
				v.Relations = framework.Relations{"coMments": framework.OfRow, "com_ments": framework.OfRow, "tags": ""}
				v.Filters, v.Ordering, v.Search = nil, framework.Ordering{}, framework.Search{}
			}),
			[]string{
				`articles: relations: "com_ments": Article.Comments is listed as "coMments" too; a relation has one name`,
				`articles: relations: "tags": it has no viewset; write "tags"`,
			},
		},
		{
			"a relation below one of another viewset", wrong(func(v *framework.ViewSet[Article]) { v.Relations["writer.team"] = framework.OfRow }),
			[]string{`articles: relations: "writer.team": "writer" leads to another viewset, which lists its own relations; list "team" there`},
		},
		{
			"a relation in the place of a column", wrong(func(v *framework.ViewSet[Article]) {
				v.Filters = []framework.Filter{filter.Exact("writer"), filter.Exact("t", "writer.team")}
			}),
			[]string{
				`articles: filter "writer": "writer" is a relation of Article; name a column of the related row, such as "writer.id"`,
				`articles: filter "writer.team": "team" is a relation of Author; name a column of the related row, such as "team.id"`,
			},
		},
		{
			"an order by many", wrong(func(v *framework.ViewSet[Article]) {
				v.Ordering.Allowed = []string{"tags.name", "original.comments.score"}
			}),
			[]string{
				`articles: ordering: "tags.name" leads to several rows; order by a column of the row, or of a to-one relation`,
				`articles: ordering: "original.comments.score" leads to several rows; order by a column of the row, or of a to-one relation`,
			},
		},
		{
			"filters that a column does not suit", wrong(func(v *framework.ViewSet[Article]) {
				v.Filters = []framework.Filter{filter.Contains("comments.score"), filter.Flag("f", "tags.name"), filter.Together("comments"), filter.Exact("a", "title", "price")}
			}),
			[]string{
				`articles: filter "comments.score": field "comments.score" is int64; filter.Contains looks into text`,
				`articles: filter "tags.name": field "tags.name" is string; filter.Flag takes a boolean`,
				`articles: filter "comments": filter.Together("comments") has no filters; give it at least one`,
				`articles: filter "a": filter.Exact("a") is given 2 fields; it takes one`,
			},
		},
		{
			"a search that is stored", wrong(func(v *framework.ViewSet[Article]) {
				v.Search = framework.Search{Fields: []string{"title", "writer.username"}, Stored: "title"}
			}),
			[]string{`articles: search: Stored "title" has text of the row itself, which does not change with the related row or the expression "writer.username"; leave out one of them`},
		},
		{
			"expressions", wrong(func(v *framework.ViewSet[Article]) {
				v.Expressions["title"], v.Expressions["writer"], v.Expressions["a.b"], v.Expressions["none"] = framework.SQL[int64]("1"), framework.SQL[int64]("1"), framework.SQL[int64]("1"), framework.SQL[int64](" ")
				v.Expressions["zero"], v.Expressions["ended"] = framework.Expression{}, framework.SQL[int64]("1 ; ")
				v.Expressions["-z"], v.Expressions["count(tags)"] = framework.SQL[int64]("1"), framework.SQL[int64]("1")
				v.Expressions["few"], v.Expressions["many"] = framework.SQL[int64]("?TableAlias.price * ?"), framework.SQL[int64](`?TableAlias.price ?? 1 \? ?`, 2)
				v.Expressions["misspelt"], v.Expressions["unnamed"] = framework.SQL[int64]("?TableAlis.price * ?", 2), framework.SQL[int64]("?TableAlias.price * ?factor")
				v.Expressions["named"] = framework.SQL[int64]("?TableAlias.price * ?factor", struct{ Factor int64 }{2})
				v.Expressions["longer"], v.Expressions["second"] = framework.SQL[int64]("?TableAliases.price"), framework.SQL[int64]("?0 * ?TabelAlias.price", 2)
				v.Expressions["beyond"], v.Expressions["timed"] = framework.SQL[int64]("?0 * ?2", 1, 2), framework.SQL[bool]("?TabelAlias.price > 1 AND ? > '1'", time.Now())
				v.Expressions["url"], v.Expressions["written"] = framework.SQL[string]("'/x?id=' || ?TableAlias.title"), framework.SQL[string](`'/x\?id=' || ?TableAlias.title`)
				v.Expressions["counted"], v.Expressions["numbered"] = framework.SQL[bool](`?TableAlias.title \? ? AND ?`, "a", true), framework.SQL[int64]("?0 + ?0 + ?TableAlias.price", 2)
			}),
			[]string{
				`articles: expressions: "-z": it is no name for a filter or an order; name it with letters, digits and _`,
				`articles: expressions: "a.b": a name with a dot is a path over a relation; name it with letters, digits and _`,
				`articles: expressions: "beyond": no value for the placeholder "?2"; the number of values is 2, and the first is ?0`,
				`articles: expressions: "count(tags)": it is no name for a filter or an order; name it with letters, digits and _`,
				`articles: expressions: "ended": its SQL ends with a semicolon, and it is a part of a statement; leave out the semicolon`,
				`articles: expressions: "few": the number of placeholders is 1, and the number of values 0; give one value for each ?, and write an operator ? as \?`,
				`articles: expressions: "longer": no placeholder "?TableAliases"; the table of the row is ?TableAlias, a value is ?, and any other ? is written as \?; did you mean "?TableAlias"?`,
				`articles: expressions: "many": the number of placeholders is 3, and the number of values 1; give one value for each ?, and write an operator ? as \?`,
				`articles: expressions: "misspelt": no placeholder "?TableAlis"; the table of the row is ?TableAlias, a value is ?, and any other ? is written as \?; did you mean "?TableAlias"?`,
				`articles: expressions: "none": its SQL is empty; write framework.SQL[int64]("?TableAlias.price * ?TableAlias.quantity")`,
				`articles: expressions: "second": no placeholder "?TabelAlias"; the table of the row is ?TableAlias, a value is ?, and any other ? is written as \?; did you mean "?TableAlias"?`,
				`articles: expressions: "timed": no placeholder "?TabelAlias"; the table of the row is ?TableAlias, a value is ?, and any other ? is written as \?; did you mean "?TableAlias"?`,
				`articles: expressions: "title": a field has this name already; choose another`,
				`articles: expressions: "writer": the relation Writer has this name already; choose another`,
				`articles: expressions: "unnamed": no placeholder "?factor"; the table of the row is ?TableAlias, a value is ?, and any other ? is written as \?`,
				`articles: expressions: "url": no placeholder "?id"; the table of the row is ?TableAlias, a value is ?, and any other ? is written as \?`,
				`articles: expressions: "zero": it has no SQL; make it by framework.SQL`,
			},
		},
		{
			"rows that a view shows by no struct", wrong(func(v *framework.ViewSet[Article]) {
				v.Verbs.Retrieve = framework.Shows[flatView]()
			}),
			[]string{
				"articles: retrieve: flatView.Tags: rows are shown by a struct, not by string; for one column of them, name it, such as `from:\"tags.id\"`",
				"articles: retrieve: flatView.Writer: rows are shown by a struct, not by string; for one column of them, name it, such as `from:\"writer.id\"`",
				"articles: retrieve: flatView.Other: rows are shown by a struct, not by string; for one column of them, name it, such as `from:\"comments.id\"`",
			},
		},
		{
			"a join table without a model", wrong(func(v *framework.ViewSet[Article]) { v.Models = nil }),
			[]string{`articles: the many-to-many relation Article.Tags needs the model of its join table "article_tags"; add that model to Models, such as (*ArticleTag)(nil)`},
		},
		{
			"a relation over two columns", []framework.Resource{framework.ViewSet[Pair]{
				Name: "pairs", Verbs: framework.ReadOnly[pairView](), Scope: framework.Public(), Relations: framework.Relations{"twin": framework.OfRow},
			}},
			[]string{`pairs: relations: "twin": relations over several columns are not supported`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
				api := framework.New(config(db))
				api.Register(test.resources...)
				var got []string
				if err := api.Check(); err != nil {
					got = strings.Split(err.Error(), "\n")
				}
				if len(test.want) == 0 && len(got) > 0 {
					t.Errorf("it is reported: %q", got)
				}
				for _, want := range test.want {
					if !strings.Contains("\n"+strings.Join(got, "\n")+"\n", want) {
						t.Errorf("no mistake %s\nin\n%s", want, strings.Join(got, "\n"))
					}
				}
			})
		})
	}
}

// A flatView shows rows without naming a column of them.
type flatView struct {
	ID     int64    `json:"id"`
	Tags   []string `json:"tags" to:"tags.name"`
	Writer *string  `json:"writer"`
	Other  []string `json:"other" from:"comments"`
}

// TestUnclearNames: a name that means different values in two views is a mistake where an order or a
// filter uses it. So is a function with a comma among the fields that clients order by.
func TestUnclearNames(t *testing.T) {
	type (
		listView struct {
			ID    int64 `json:"id"`
			Score int64 `json:"score" from:"count(tags)"`
			Price int64 `json:"price" from:"count(tags)"`
			Total int64 `json:"total" from:"count(tags)"`
			Same  int64 `json:"same"  from:"count(comments)"`
		}
		oneView struct {
			ID    int64 `json:"id"`
			Score int64 `json:"score" from:"count(comments)"`
			Same  int64 `json:"same"  from:"count(comments)"`
		}
	)
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		mistakes := func(names ...string) string {
			v := articles()
			v.Relations["votes"], v.Search = "votes", framework.Search{}
			v.Verbs = framework.Verbs{List: framework.Shows[listView](), Retrieve: framework.Shows[oneView]()}
			v.Filters, v.Ordering = []framework.Filter{filter.Min("least", names[0])}, framework.Ordering{Allowed: names}
			api := framework.New(config(db))
			api.Register(v, authors(), comments(), tags(), votes())
			if err := api.Check(); err != nil {
				return err.Error()
			}
			return ""
		}
		if got := mistakes("same", "title"); got != "" {
			t.Errorf("names with one meaning are mistakes: %s", got)
		}
		for name, other := range map[string]string{
			"score": `"score" is count(tags), and count(comments) in a view`,
			"price": `"price" is the column price, and count(tags) in a view`,
			"total": `"total" is an expression, and count(tags) in a view`,
		} {
			if got, want := mistakes(name), `articles: ordering, filter "`+name+`": `+other+`; give one of them another name`; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
		const want = `articles: ordering: "exists(votes,mine)" has a comma, which separates the fields of the parameter; show the function in a view, and order by the name of its member`
		if got := mistakes("same", "exists(votes,mine)"); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}
