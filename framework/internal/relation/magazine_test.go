package relation_test

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// The magazine of the tests: articles of authors, who may be in a team and have a profile. Authors
// may be hidden, so that only staff see them, and authors and comments may be deleted softly.

type Team struct {
	bun.BaseModel `bun:"table:teams"`

	ID   int64 `bun:",pk"`
	Name string
}

type Author struct {
	bun.BaseModel `bun:"table:authors"`

	ID        int64 `bun:",pk"`
	Username  string
	City      *string
	TeamID    *int64
	Hidden    bool
	DeletedAt time.Time `bun:",soft_delete,nullzero"`

	Team     *Team      `bun:"rel:belongs-to,join:team_id=id"`
	Profile  *Profile   `bun:"rel:has-one,join:id=author_id"`
	Articles []*Article `bun:"rel:has-many,join:id=writer_id"`
}

type Profile struct {
	bun.BaseModel `bun:"table:profiles"`

	ID       int64 `bun:",pk"`
	AuthorID int64
	Motto    *string
}

type Article struct {
	bun.BaseModel `bun:"table:articles"`

	ID       int64 `bun:",pk"`
	Title    string
	Price    int64
	Quantity int64
	WriterID *int64
	Reprints *int64
	Document string

	Writer   *Author    `bun:"rel:belongs-to,join:writer_id=id"`
	Original *Article   `bun:"rel:belongs-to,join:reprints=id"`
	Tags     []*Tag     `bun:"m2m:article_tags,join:Article=Tag"`
	Comments []*Comment `bun:"rel:has-many,join:id=article_id"`
	Votes    []*Vote    `bun:"rel:has-many,join:id=article_id"`
	Editions []*Article `bun:"rel:has-many,join:id=reprints"`
}

// A Vote is of the caller with its UserID.
type Vote struct {
	bun.BaseModel `bun:"table:votes"`

	ID        int64 `bun:",pk"`
	ArticleID int64
	UserID    uuid.UUID `bun:"type:uuid"`
	Weight    int64
}

type Tag struct {
	bun.BaseModel `bun:"table:tags"`

	ID   int64 `bun:",pk"`
	Name string
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
	State     State
	PostedAt  time.Time
	Pinned    bool
	DeletedAt time.Time `bun:",soft_delete,nullzero"`

	Writer *Author `bun:"rel:belongs-to,join:writer_id=id"`
}

// A State is that of a comment.
type State string

func (State) Enum() []any { return []any{State("open"), State("closed")} }

var magazine = sqldb.Migrations{Namespace: "magazine", FS: fstest.MapFS{
	"1_magazine.tx.up.sql": {Data: []byte(`
CREATE TABLE teams (id {{bigint}} PRIMARY KEY, name {{text}} NOT NULL);
CREATE TABLE authors (id {{bigint}} PRIMARY KEY, username {{text}} NOT NULL, city {{text}}, team_id {{bigint}}, hidden {{bool}} NOT NULL, deleted_at {{timestamp}});
CREATE TABLE profiles (id {{bigint}} PRIMARY KEY, author_id {{bigint}} NOT NULL UNIQUE, motto {{text}});
CREATE TABLE articles ({{if sqlite}}_row INTEGER PRIMARY KEY, id BIGINT NOT NULL UNIQUE{{else}}id bigint PRIMARY KEY{{end}}, title {{text}} NOT NULL, price {{bigint}} NOT NULL, quantity {{bigint}} NOT NULL, writer_id {{bigint}}, reprints {{bigint}}, document {{text}} NOT NULL);
{{searchIndex "articles" "document"}}
CREATE TABLE tags (id {{bigint}} PRIMARY KEY, name {{text}} NOT NULL);
CREATE TABLE article_tags (article_id {{bigint}} NOT NULL, tag_id {{bigint}} NOT NULL, PRIMARY KEY (article_id, tag_id));
CREATE TABLE votes (id {{bigint}} PRIMARY KEY, article_id {{bigint}} NOT NULL, user_id {{uuid}} NOT NULL, weight {{bigint}} NOT NULL);
CREATE TABLE comments (id {{bigint}} PRIMARY KEY, article_id {{bigint}} NOT NULL, writer_id {{bigint}}, score {{bigint}}, state {{text}} NOT NULL, posted_at {{timestamp}} NOT NULL, pinned {{bool}} NOT NULL, deleted_at {{timestamp}});`)},
	"1_magazine.tx.down.sql": {Data: []byte(``)},
}}

type (
	articleView struct {
		ID    int64  `json:"id"`
		Title string `json:"title"`
		Price int64  `json:"price"`
	}
	authorView struct {
		ID       int64   `json:"id"`
		Username string  `json:"username"`
		City     *string `json:"city"`
	}
	commentView struct {
		ID       int64     `json:"id"`
		Score    *int64    `json:"score"`
		State    State     `json:"state"`
		PostedAt time.Time `json:"posted_at"`
	}
	tagView struct {
		Name string `json:"name"`
	}
)

func visible(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
	return q.Where("NOT ?TableAlias.hidden")
}

func authors() framework.ViewSet[Author] {
	return framework.ViewSet[Author]{
		Name: "authors", Verbs: framework.ReadOnly[authorView](), Scope: framework.Where(visible).Unless(framework.Staff()),
		Relations:   framework.Relations{"team": framework.OfRow, "profile": framework.OfRow, "articles": "articles"},
		Expressions: map[string]framework.Expression{"initial": framework.SQL[string]("substr(?TableAlias.username, ?, 1)", 1)},
	}
}

func comments() framework.ViewSet[Comment] {
	return framework.ViewSet[Comment]{
		Name: "comments", Verbs: framework.ReadOnly[commentView](), Scope: framework.Public(), Relations: framework.Relations{"writer": "authors"},
	}
}

func tags() framework.ViewSet[Tag] {
	return framework.ViewSet[Tag]{Name: "tags", Verbs: framework.ReadOnly[tagView](), Scope: framework.Public()}
}

func articles() framework.ViewSet[Article] {
	return framework.ViewSet[Article]{
		Name: "articles", Verbs: framework.ReadOnly[articleView](), Scope: framework.Public(), Models: []any{(*ArticleTag)(nil)},
		Relations: framework.Relations{
			"writer": "authors", "original": "articles", "tags": "tags", "comments": "comments",
		},
		Expressions: map[string]framework.Expression{"total": framework.SQL[int64]("?TableAlias.price * ?TableAlias.quantity")},
		Ordering: framework.Ordering{
			Allowed: []string{"title", "price", "writer.username", "writer.city", "writer.team.name", "writer.profile.motto", "writer.initial", "original.title", "original.id", "total"},
		},
		Search: framework.Search{Fields: []string{"title", "writer.username", "tags.name"}},
		Filters: []framework.Filter{
			filter.Exact("writer", "writer.username"),
			filter.Exact("team", "writer.team.name"),
			filter.Exact("initial", "writer.initial"),
			filter.Exact("tag", "tags.name"),
			filter.Exact("other_tag", "tags.name"),
			filter.Not(filter.Exact("without_tag", "tags.name")),
			filter.Not(filter.Exact("not_writer", "writer.username")),
			filter.Not(filter.Exact("not_city", "writer.city")),
			filter.Not(filter.In("not_titles", "title")),
			filter.In("cities", "writer.city"),
			filter.Contains("city_part", "writer.city"),
			filter.IsNull("no_city", "writer.city"),
			filter.Choice("comments.state", "open", "closed"),
			filter.Flag("pinned", "comments.pinned"),
			filter.Date("commented_on", "comments.posted_at"),
			filter.Min("min_score", "comments.score"),
			filter.Max("max_score", "comments.score"),
			filter.RangeAs("score_from", "score_to", "comments.score"),
			filter.Exact("commented_by", "comments.writer.username"),
			filter.Reference("comments.writer_id", "authors"),
			filter.Together("comments", filter.Exact("by", "writer.username"), filter.Min("by_min_score", "score"), filter.Not(filter.Exact("by_not_state", "state"))),
			filter.Exact("original", "original.title"),
			filter.Exact("original_tag", "original.tags.name"),
			filter.Min("min_total", "total"),
		},
		Strict: framework.Strict,
	}
}

func resources() []framework.Resource {
	return []framework.Resource{articles(), authors(), comments(), tags()}
}

func config(db *sqldb.DB) framework.Config {
	c := apitest.Config(db)
	c.Pagination = page.Number{Size: 100, SizeParam: "size"}
	return c
}

// both runs a test on an empty magazine in both databases.
func both(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	apitest.Databases(t, magazine, test)
}
