package nested_test

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// with is the forum with other comments.
func with(change func(*framework.ViewSet[Comment])) []framework.Resource {
	v := comments()
	change(&v)
	return []framework.Resource{articles(), v, parts(), notebooks(), pages(), marks(), sheets(), sheetMarks()}
}

// above is the forum with other articles.
func above(change func(*framework.ViewSet[Article])) []framework.Resource {
	v := articles()
	change(&v)
	return []framework.Resource{v, comments(), parts()}
}

// beside is the forum with further viewsets.
func beside(more ...framework.Resource) []framework.Resource { return append(resources(), more...) }

// remarks are comments below another parent.
func remarks(relation, parent string) framework.ViewSet[Comment] {
	return framework.ViewSet[Comment]{Name: "remarks", Parent: framework.Child(relation, parent), Scope: framework.Public(), Verbs: framework.ReadOnly[commentView]()}
}

type movedInput struct {
	Text      string `json:"text"`
	ArticleID int64  `json:"article_id"`
}

// A Cycle refers to itself.
type Cycle struct {
	bun.BaseModel `bun:"table:cycles"`

	ID     int64 `bun:",pk"`
	UpID   int64
	Owner  uuid.UUID
	Second int64

	Up      *Cycle   `bun:"rel:belongs-to,join:up_id=id"`
	Aside   *Cycle   `bun:"rel:belongs-to,join:up_id=second"`
	Article *Article `bun:"rel:belongs-to,join:second=id,join:up_id=id"`
}

type cycleView struct {
	ID int64 `json:"id"`
}

func cycles(name string, parent framework.Parent, scope framework.Scope) framework.ViewSet[Cycle] {
	return framework.ViewSet[Cycle]{Name: name, Parent: parent, Scope: scope, Verbs: framework.ReadOnly[cycleView]()}
}

// flatRelation lists a nested viewset by its name alone.
func flatRelation() framework.ViewSet[Article] {
	v := articles()
	v.Relations = framework.Relations{"comments": "comments"}
	return v
}

// TestMistakes: each wrong declaration is one sentence at start.
func TestMistakes(t *testing.T) {
	db, err := sqldb.Open("sqlite://"+filepath.Join(t.TempDir(), "test.db"), sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Migrate(context.Background(), nil, forum); err != nil {
		t.Fatal(err)
	}
	got := func(*framework.Call, *Article, framework.None) (framework.None, error) { return framework.None{}, nil }
	for _, c := range []struct {
		name      string
		resources []framework.Resource
		want      []string
	}{
		{"right", resources(), nil},
		{
			"an unknown parent", beside(remarks("article", "artciles")),
			[]string{`artciles/{}/remarks: parent: no viewset "artciles" is registered; did you mean "articles"?`},
		},
		{
			"an unknown parent of a viewset that others name", with(func(v *framework.ViewSet[Comment]) { v.Parent = framework.Child("article", "artciles") }),
			[]string{`artciles/{}/comments: parent: no viewset "artciles" is registered; did you mean "articles"?`},
		},
		{
			"the name of a nested viewset without its parent", []framework.Resource{flatRelation(), comments(), parts(), notebooks(), pages(), marks(), sheets(), sheetMarks()},
			[]string{`articles: relations: "comments": no viewset "comments" is registered; did you mean "articles/{}/comments"?`},
		},
		{
			"an unknown relation", with(func(v *framework.ViewSet[Comment]) { v.Parent = framework.Child("artcle", "articles") }),
			[]string{`articles/{}/comments: parent: no relation "artcle" in Comment; did you mean "article"?`},
		},
		{
			"the foreign key instead of the relation", with(func(v *framework.ViewSet[Comment]) { v.Parent = framework.Child("article_id", "articles") }),
			[]string{`articles/{}/comments: parent: no relation "article_id" in Comment; did you mean "article"?`},
		},
		{
			"a relation to several rows", beside(framework.ViewSet[Article]{
				Name: "reprints", Parent: framework.Child("comments", "sheets"), Scope: framework.Public(), Verbs: framework.ReadOnly[cycleView](),
			}),
			[]string{`sheets/{}/reprints: parent: Article.Comments is no belongs-to relation; the rows must have the key of their parent`},
		},
		{
			"a relation to another model", beside(remarks("article", "notebooks")),
			[]string{`notebooks/{}/remarks: parent: the relation "article" leads to Article, but notebooks serves Notebook`},
		},
		{
			"a relation over two columns", beside(cycles("cycles", framework.Child("article", "articles"), framework.Public())),
			[]string{`articles/{}/cycles: parent: the relation "article": relations over several columns are not supported`},
		},
		{
			"a relation to another column than the primary key", []framework.Resource{cycles("tops", framework.Parent{}, framework.Public()), cycles("subs", framework.Child("aside", "tops"), framework.Public())},
			[]string{`tops/{}/subs: parent: the relation "aside" leads to Second of tops; it must lead to the primary key, ID`},
		},
		{
			"a prefix", with(func(v *framework.ViewSet[Comment]) { v.Under = "manage" }),
			[]string{`articles/{}/comments: parent: the path of a nested viewset begins with that of its parent; leave Under out`},
		},
		{
			"a single resource", beside(framework.ViewSet[Comment]{
				Name: "mine", Parent: framework.Child("article", "articles"), Single: true, Scope: framework.Own((*Comment).author),
				Verbs: framework.Verbs{Retrieve: framework.Shows[commentView]()},
			}),
			[]string{`articles/{}/mine: parent: a single resource is one row of the caller, and a viewset below a parent has several rows; leave Single or Parent out`},
		},
		{
			"a parent that is single", beside(
				framework.ViewSet[Notebook]{Name: "diary", Single: true, Scope: framework.Own((*Notebook).owner), Verbs: framework.Verbs{Retrieve: framework.Shows[notebookView]()}},
				framework.ViewSet[Page]{Name: "sides", Parent: framework.Child("notebook", "diary"), Scope: framework.Public(), Verbs: framework.ReadOnly[pageView]()},
			),
			[]string{`diary/{}/sides: parent: diary is a single resource, whose path has no key; a nested viewset needs a parent with keys`},
		},
		{
			"files", beside(framework.ViewSet[Comment]{
				Name: "photos", Parent: framework.Child("article", "articles"), Scope: framework.Public(), Verbs: framework.ReadOnly[commentView](),
				Files: []framework.FileField[Comment]{{Name: "photo"}},
			}),
			[]string{
				`articles/{}/photos: file "photo": it has no Field; write a function that returns the address of the column: func(m *Comment) *files.File`,
				`articles/{}/photos: parent: the URLs of files need the key of the parent in the row: the path of articles must end with its primary key and contain no other key; declare Files in a viewset that is not nested`,
			},
		},
		{
			"a name of two segments", beside(framework.ViewSet[Comment]{
				Name: "old/comments", Parent: framework.Child("article", "articles"), Scope: framework.Public(), Verbs: framework.ReadOnly[commentView](),
			}),
			[]string{`"articles/{}/old/comments": the name of a viewset is its path: letters, digits, - and _`},
		},
		{
			"the path of another viewset below the parent", beside(framework.ViewSet[Comment]{
				Name: "comments", Parent: framework.Child("article", "articles"), Scope: framework.Public(), Verbs: framework.ReadOnly[commentView](),
			}),
			[]string{`articles/{}/comments: this name is registered twice, for Comment and Comment`},
		},
		{
			"the path of an action of the parent", above(func(v *framework.ViewSet[Article]) {
				v.Actions = []framework.Action[Article]{framework.Post("comments", got)}
			}),
			[]string{`articles/{}/comments: its path is also that of the action "comments" of articles; choose another name`},
		},
		{
			"the path of a related list of the parent", above(func(v *framework.ViewSet[Article]) {
				v.Actions = []framework.Action[Article]{framework.Related[Article, commentView]("parts", "articles/{}/comments", "article_id")}
			}),
			[]string{`articles/{}/parts: its path is also that of the action "parts" of articles; choose another name`},
		},
		{
			"a path that a key of the parent hides", above(func(v *framework.ViewSet[Article]) {
				v.Collection = []framework.CollectionAction{framework.OnCollection(http.MethodPost, "archive/comments", addAll)}
			}),
			[]string{`articles: action "archive/comments": its path is also that of the object of articles whose Slug is "archive", which could not be reached; reserve the value: Reserved: []string{"archive"} in articles`},
		},
		{
			"an input with the foreign key", with(func(v *framework.ViewSet[Comment]) { v.Verbs = framework.CRUD[movedInput, commentView]() }),
			[]string{`articles/{}/comments: create, update, patch: movedInput.ArticleID is the key of the parent, which comes from the path; leave it out`},
		},
		{
			"ByWriters below a parent that everyone who sees it may change", beside(framework.ViewSet[Mark]{
				Name: "notes", Parent: framework.Child("page", "notebooks/{}/pages").ByWriters(), Scope: framework.Public(), Verbs: framework.CRUD[textInput, markView](),
			}),
			[]string{`notebooks/{}/pages/{}/notes: parent: ByWriters has no effect: every caller that sees a row of notebooks/{}/pages may change it; leave it out, or give notebooks/{}/pages Writers`},
		},
		{
			"ByWriters of a viewset that only reads", beside(framework.ViewSet[Part]{
				Name: "pieces", Parent: framework.Child("article", "articles").ByWriters(), Scope: framework.Public(), Verbs: framework.ReadOnly[partView](),
			}),
			[]string{`articles/{}/pieces: parent: ByWriters has no effect: the viewset changes no row; leave it out`},
		},
		{
			"a scope of the parent that leads below it", []framework.Resource{
				cycles("tops", framework.Parent{}, framework.Via("up_id", "tops/{}/subs")), cycles("subs", framework.Child("up", "tops"), framework.Own(func(c *Cycle) *uuid.UUID { return &c.Owner })),
			},
			[]string{`tops/{}/subs: parent: the scope of tops leads to tops/{}/subs, which is below it; give tops a scope of its own`},
		},
		{
			"no scope", with(func(v *framework.ViewSet[Comment]) { v.Scope = framework.Scope{} }),
			[]string{`articles/{}/comments: scope: no scope; say which rows a caller has: framework.Own, Via, Where or Public`},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := framework.New(config(db))
			api.Register(c.resources...)
			expect(t, api.Check(), c.want)
		})
	}
	t.Run("a guard of a path with a key", func(t *testing.T) {
		c := config(db)
		c.Guards = []framework.Guard{{Under: "articles/{}/comments", Permission: framework.Staff()}}
		api := framework.New(c)
		api.Register(resources()...)
		expect(t, api.Check(), []string{`framework.Config: Guards: "articles/{}/comments" has the key of a row in it, and a guard is for a prefix of paths; give the viewset a Permission`})
	})
}

func expect(t *testing.T, err error, want []string) {
	t.Helper()
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", text, strings.Join(want, "\n"))
	}
}
