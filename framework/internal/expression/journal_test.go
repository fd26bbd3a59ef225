package expression_test

import (
	"net/url"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/calendar"
	"trestle.example/framework/decimal"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// The journal of the tests: articles with a writer, tags and comments. Only staff see hidden writers and comments.

type Writer struct {
	bun.BaseModel `bun:"table:writers"`

	ID     int64 `bun:",pk"`
	Name   string
	City   *string
	Salary int64
	Hidden bool

	Articles []*Article `bun:"rel:has-many,join:id=writer_id"`
}

type Article struct {
	bun.BaseModel `bun:"table:articles"`

	ID       int64 `bun:",pk"`
	Key      uuid.UUID
	Title    string
	Note     *string
	Status   Status
	Price    int64
	Rating   *float64
	Fee      decimal.Of[decimal.Scale2]
	Public   bool
	PostedAt time.Time
	Day      *calendar.Date
	WriterID *int64

	Writer   *Writer    `bun:"rel:belongs-to,join:writer_id=id"`
	Tags     []*Tag     `bun:"m2m:article_tags,join:Article=Tag"`
	Comments []*Comment `bun:"rel:has-many,join:id=article_id"`
}

type Tag struct {
	bun.BaseModel `bun:"table:tags"`

	ID   int64 `bun:",pk"`
	Name *string
}

type ArticleTag struct {
	bun.BaseModel `bun:"table:article_tags"`

	ArticleID int64    `bun:",pk"`
	Article   *Article `bun:"rel:belongs-to,join:article_id=id"`
	TagID     int64    `bun:",pk"`
	Tag       *Tag     `bun:"rel:belongs-to,join:tag_id=id"`
}

type Comment struct {
	bun.BaseModel `bun:"table:comments"`

	ID        int64 `bun:",pk"`
	ArticleID int64
	WriterID  *int64
	Score     *int64
	Hidden    bool
	DeletedAt time.Time `bun:",soft_delete,nullzero"`

	Writer  *Writer  `bun:"rel:belongs-to,join:writer_id=id"`
	Article *Article `bun:"rel:belongs-to,join:article_id=id"`
}

// A Status is that of an article.
type Status string

func (Status) Enum() []any { return []any{Status("draft"), Status("booked"), Status("done")} }

var journal = sqldb.Migrations{Namespace: "journal", FS: fstest.MapFS{
	"1_journal.tx.up.sql": {Data: []byte(`
CREATE TABLE writers (id {{bigint}} PRIMARY KEY, name {{text}} NOT NULL, city {{text}}, salary {{bigint}} NOT NULL, hidden {{bool}} NOT NULL);
CREATE TABLE articles (id {{bigint}} PRIMARY KEY, key {{uuid}} NOT NULL, title {{text}} NOT NULL, note {{text}}, status {{text}} NOT NULL, price {{bigint}} NOT NULL,
	rating {{if sqlite}}REAL{{else}}double precision{{end}}, fee {{bigint}} NOT NULL, public {{bool}} NOT NULL, posted_at {{timestamp}} NOT NULL, day {{if sqlite}}TEXT{{else}}date{{end}}, writer_id {{bigint}});
CREATE TABLE tags (id {{bigint}} PRIMARY KEY, name {{text}});
CREATE TABLE article_tags (article_id {{bigint}} NOT NULL, tag_id {{bigint}} NOT NULL, PRIMARY KEY (article_id, tag_id));
CREATE TABLE comments (id {{bigint}} PRIMARY KEY, article_id {{bigint}} NOT NULL, writer_id {{bigint}}, score {{bigint}}, hidden {{bool}} NOT NULL, deleted_at {{timestamp}});`)},
	"1_journal.tx.down.sql": {Data: []byte(``)},
}}

type (
	articleView struct {
		ID       int64                      `json:"id"`
		Key      uuid.UUID                  `json:"key"`
		Title    string                     `json:"title"`
		Note     *string                    `json:"note"`
		Status   Status                     `json:"status"`
		Price    int64                      `json:"price"`
		Rating   *float64                   `json:"rating"`
		Fee      decimal.Of[decimal.Scale2] `json:"fee"`
		Public   bool                       `json:"public"`
		PostedAt time.Time                  `json:"posted_at"`
		Day      *calendar.Date             `json:"day"`
		Replies  int64                      `json:"replies" from:"count(comments)"`
	}
	writerView struct {
		ID     int64   `json:"id"`
		Name   string  `json:"name"`
		City   *string `json:"city"`
		Salary int64   `json:"salary"`
	}
	tagView struct {
		Name *string `json:"name"`
	}
	commentView struct {
		ID    int64  `json:"id"`
		Score *int64 `json:"score"`
	}
)

func visible(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
	return q.Where("NOT ?TableAlias.hidden")
}

func articles() framework.ViewSet[Article] {
	return framework.ViewSet[Article]{
		Name: "articles", Verbs: framework.ReadOnly[articleView](), Scope: framework.Public(), Models: []any{(*ArticleTag)(nil)},
		Relations:   framework.Relations{"writer": "writers", "tags": "tags", "comments": "comments"},
		Expressions: map[string]framework.Expression{"double": framework.SQL[int64]("?TableAlias.price * 2")},
		FilterExpression: framework.FilterExpression{Fields: []string{
			"key", "title", "note", "status", "price", "rating", "fee", "public", "posted_at", "day", "replies", "double",
			"writer.name", "writer.city", "writer.salary", "writer.articles.title", "tags.name", "comments.id", "comments.score", "comments.writer.name", "comments.writer.city",
		}},
	}
}

func writers() framework.ViewSet[Writer] {
	return framework.ViewSet[Writer]{
		Name: "writers", Verbs: framework.ReadOnly[writerView](), Scope: framework.Where(visible).Unless(framework.Staff()),
		Relations: framework.Relations{"articles": "articles"},
		Fields:    []framework.FieldRule{framework.Sees("salary", framework.Staff())},
	}
}

func tags() framework.ViewSet[Tag] {
	return framework.ViewSet[Tag]{Name: "tags", Verbs: framework.ReadOnly[tagView](), Scope: framework.Public()}
}

func comments() framework.ViewSet[Comment] {
	return framework.ViewSet[Comment]{
		Name: "comments", Verbs: framework.ReadOnly[commentView](), Scope: framework.Where(visible).Unless(framework.Staff()),
		Relations: framework.Relations{"writer": "writers"},
	}
}

func resources() []framework.Resource {
	return []framework.Resource{articles(), writers(), tags(), comments()}
}

// with is the journal with a change of its articles.
func with(change func(v *framework.ViewSet[Article])) []framework.Resource {
	v := articles()
	change(&v)
	return []framework.Resource{v, writers(), tags(), comments()}
}

func both(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	apitest.Databases(t, journal, test)
}

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// few stores three articles.
func few(t *testing.T, db *sqldb.DB) {
	t.Helper()
	var day calendar.Date
	if err := day.UnmarshalText([]byte("2026-01-31")); err != nil {
		t.Fatal(err)
	}
	apitest.Insert(t, db,
		&Writer{ID: 1, Name: "ann", City: new("Pune"), Salary: 10}, &Writer{ID: 2, Name: "ben", Salary: 20}, &Writer{ID: 3, Name: "eve", City: new("Pune"), Hidden: true},
		&Tag{ID: 1, Name: new("go")}, &Tag{ID: 2, Name: new("sql")}, &Tag{ID: 3},
		&Article{ID: 1, Key: apitest.ID("1"), Title: "One", Note: new("a \"note\""), Status: "booked", Price: 500, Rating: new(1.5), Fee: 50000, Public: true, PostedAt: noon, Day: &day, WriterID: new(int64(1))},
		&Article{ID: 2, Key: apitest.ID("2"), Title: "Two", Status: "draft", Price: -7, Rating: new(2.0), Fee: 49999, PostedAt: noon.Add(time.Hour), WriterID: new(int64(2))},
		&Article{ID: 3, Key: apitest.ID("3"), Title: "one", Note: new(""), Status: "booked", Fee: -1, PostedAt: noon.Add(-time.Hour), WriterID: new(int64(3))},
		&ArticleTag{ArticleID: 1, TagID: 1}, &ArticleTag{ArticleID: 1, TagID: 2}, &ArticleTag{ArticleID: 2, TagID: 2}, &ArticleTag{ArticleID: 2, TagID: 3},
		&Comment{ID: 1, ArticleID: 1, WriterID: new(int64(1)), Score: new(int64(1))}, &Comment{ID: 2, ArticleID: 1, WriterID: new(int64(2)), Score: new(int64(5))},
		&Comment{ID: 3, ArticleID: 2, WriterID: new(int64(1)), Score: new(int64(5))}, &Comment{ID: 4, ArticleID: 2, WriterID: new(int64(3))},
		&Comment{ID: 5, ArticleID: 3, WriterID: new(int64(1)), Score: new(int64(9)), Hidden: true}, &Comment{ID: 6, ArticleID: 3, Score: new(int64(9)), DeletedAt: noon},
	)
}

// list requests the articles for which an expression is true.
func list(c *frameworktest.Client, text string) *frameworktest.Response {
	return c.Get("/api/articles/?" + url.Values{"filter": {text}}.Encode())
}
