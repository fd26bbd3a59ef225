package toggle_test

import (
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// The blog of the tests: posts, which may be hidden, and which readers favour, star and watch.

type Post struct {
	bun.BaseModel `bun:"table:posts"`

	ID       int64 `bun:",pk"`
	Title    string
	WriterID uuid.UUID `bun:"type:uuid"`
	Hidden   bool

	Favorites []*Favorite `bun:"rel:has-many,join:id=post_id"`
	Stars     []*Star     `bun:"rel:has-many,join:id=post_id"`
	Watchers  []*Reader   `bun:"m2m:watches,join:Post=Reader"`
	Notes     []*Note     `bun:"rel:has-many,join:id=post_id"`
	Writer    *Reader     `bun:"rel:belongs-to,join:writer_id=id"`
}

func (p *Post) writer() *uuid.UUID { return &p.WriterID }

// A Favorite has a viewset.
type Favorite struct {
	bun.BaseModel `bun:"table:favorites"`

	ID        uuid.UUID `bun:",pk,type:uuid"`
	PostID    int64
	UserID    uuid.UUID `bun:"type:uuid"`
	Weight    int64     `bun:",nullzero,default:7"`
	CreatedAt time.Time
}

func (f *Favorite) user() *uuid.UUID { return &f.UserID }

// A Star is part of its post, and its key is a number.
type Star struct {
	bun.BaseModel `bun:"table:stars"`

	ID     int64 `bun:",pk,autoincrement"`
	PostID int64
	UserID *uuid.UUID `bun:"type:uuid"`
}

type Reader struct {
	bun.BaseModel `bun:"table:readers"`

	ID   uuid.UUID `bun:",pk,type:uuid"`
	Name string
}

// A Watch joins posts and readers.
type Watch struct {
	bun.BaseModel `bun:"table:watches"`

	PostID    int64     `bun:",pk"`
	Post      *Post     `bun:"rel:belongs-to,join:post_id=id"`
	ReaderID  uuid.UUID `bun:",pk,type:uuid"`
	Reader    *Reader   `bun:"rel:belongs-to,join:reader_id=id"`
	CreatedAt time.Time
}

// A Note is deleted softly.
type Note struct {
	bun.BaseModel `bun:"table:notes"`

	ID        int64 `bun:",pk"`
	PostID    int64
	UserID    uuid.UUID `bun:"type:uuid"`
	Text      string
	DeletedAt time.Time `bun:",soft_delete,nullzero"`
}

var blog = sqldb.Migrations{Namespace: "blog", FS: fstest.MapFS{
	"1_blog.tx.up.sql": {Data: []byte(`
CREATE TABLE readers (id {{uuid}} PRIMARY KEY, name {{text}} NOT NULL);
CREATE TABLE posts (id {{bigint}} PRIMARY KEY, title {{text}} NOT NULL, writer_id {{uuid}} NOT NULL, hidden {{bool}} NOT NULL);
CREATE TABLE favorites (id {{uuid}} PRIMARY KEY, post_id {{bigint}} NOT NULL REFERENCES posts (id), user_id {{uuid}} NOT NULL, weight {{bigint}} NOT NULL DEFAULT 7, created_at {{timestamp}} NOT NULL, UNIQUE (post_id, user_id));
CREATE TABLE stars (id {{if sqlite}}INTEGER PRIMARY KEY{{else}}bigserial PRIMARY KEY{{end}}, post_id {{bigint}} NOT NULL, user_id {{uuid}}, UNIQUE (user_id, post_id));
CREATE TABLE watches (post_id {{bigint}} NOT NULL, reader_id {{uuid}} NOT NULL REFERENCES readers (id), created_at {{timestamp}} NOT NULL, PRIMARY KEY (post_id, reader_id));
CREATE TABLE notes (id {{bigint}} PRIMARY KEY, post_id {{bigint}} NOT NULL, user_id {{uuid}} NOT NULL, text {{text}} NOT NULL, deleted_at {{timestamp}});`)},
	"1_blog.tx.down.sql": {Data: []byte(``)},
}}

type postInput struct {
	Title string `json:"title" validate:"required"`
}

type postView struct {
	ID        int64  `json:"id"`
	Title     string `json:"title"`
	Favorites int64  `json:"favorites" from:"count(favorites)"`
	Favorite  bool   `json:"favorite" from:"exists(favorites,mine)"`
	Watchers  int64  `json:"watchers" from:"count(watchers)"`
}

type favoriteView struct {
	ID        uuid.UUID `json:"id"`
	Weight    int64     `json:"weight"`
	CreatedAt time.Time `json:"created_at"`
}

type readerView struct {
	Name string `json:"name"`
}

func visible(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
	return q.Where("NOT ?TableAlias.hidden")
}

// posts are seen by all callers and changed by their writers.
func posts() framework.ViewSet[Post] {
	return framework.ViewSet[Post]{
		Name: "posts", Scope: framework.Where(visible).Unless(framework.Staff()), Writers: framework.Own((*Post).writer), Models: []any{(*Watch)(nil)},
		Verbs:     framework.CRUD[postInput, postView](),
		Relations: framework.Relations{"favorites": "favorites", "stars": framework.OfRow, "watchers": "readers", "notes": framework.OfRow, "writer": "readers"},
		Actions: []framework.Action[Post]{
			framework.Toggle[Post, postView]("favorite", "favorites", "user_id").Doc("Favour a post."),
			framework.Toggle[Post, framework.None]("star", "stars", "userId"),
			framework.Toggle[Post, postView]("watch", "watchers", "reader_id"),
		},
	}
}

func favorites() framework.ViewSet[Favorite] {
	return framework.ViewSet[Favorite]{Name: "favorites", Verbs: framework.ReadOnly[favoriteView](), Scope: framework.Public(), Writers: framework.Own((*Favorite).user), Actions: remark()}
}

// remark makes Writers of favorites useful.
func remark() []framework.Action[Favorite] {
	return []framework.Action[Favorite]{framework.Post("remark", func(*framework.Call, *Favorite, framework.None) (framework.None, error) { return framework.None{}, nil })}
}

func readers() framework.ViewSet[Reader] {
	return framework.ViewSet[Reader]{Name: "readers", Verbs: framework.ReadOnly[readerView](), Scope: framework.Public()}
}

// both runs a test on a fresh blog in both databases: Ann's posts 1 and 2, and 2 is hidden.
func both(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	t.Helper()
	apitest.Databases(t, blog, func(t *testing.T, db *sqldb.DB) {
		db.RegisterModel((*Watch)(nil))
		apitest.Insert(t, db,
			&Reader{ID: apitest.ID("ann"), Name: "Ann"}, &Reader{ID: apitest.ID("bob"), Name: "Bob"}, &Reader{ID: apitest.ID("staff"), Name: "Sue"},
			&Post{ID: 1, Title: "One", WriterID: apitest.ID("ann")}, &Post{ID: 2, Title: "Two", WriterID: apitest.ID("ann"), Hidden: true})
		test(t, db)
	})
}
