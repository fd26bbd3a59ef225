package nested_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// The press of these tests has everything that relations offer below one parent: posts of a blog, with
// lines in their body, labels as links, a like of each caller, lists, related rows, slugs, wrapped
// bodies, and a record of each change. A blog may be hidden or deleted softly.

type Blog struct {
	bun.BaseModel `bun:"table:blogs"`

	ID        int64     `bun:",pk,autoincrement"`
	OwnerID   uuid.UUID `bun:"type:uuid"`
	Name      string
	Hidden    bool
	DeletedAt time.Time `bun:",soft_delete,nullzero"`
}

func (b *Blog) owner() *uuid.UUID { return &b.OwnerID }

type Entry struct {
	bun.BaseModel `bun:"table:entries"`

	ID       int64 `bun:",pk,autoincrement"`
	BlogID   int64
	WriterID uuid.UUID `bun:"type:uuid"`
	Slug     string
	Title    string

	Blog   *Blog    `bun:"rel:belongs-to,join:blog_id=id"`
	Lines  []*Line  `bun:"rel:has-many,join:id=entry_id"`
	Likes  []*Like  `bun:"rel:has-many,join:id=entry_id"`
	Topics []*Topic `bun:"m2m:entry_topics,join:Entry=Topic"`
}

func (e *Entry) writer() *uuid.UUID { return &e.WriterID }

type Line struct {
	bun.BaseModel `bun:"table:lines"`

	ID      int64 `bun:",pk,autoincrement"`
	EntryID int64
	Text    string

	Entry *Entry `bun:"rel:belongs-to,join:entry_id=id"`
}

type Like struct {
	bun.BaseModel `bun:"table:likes"`

	ID       int64 `bun:",pk,autoincrement"`
	EntryID  int64
	CallerID uuid.UUID `bun:"type:uuid"`
}

type Topic struct {
	bun.BaseModel `bun:"table:topics"`

	ID     int64 `bun:",pk,autoincrement"`
	Name   string
	Hidden bool
}

type EntryTopic struct {
	bun.BaseModel `bun:"table:entry_topics"`

	EntryID int64  `bun:",pk"`
	Entry   *Entry `bun:"rel:belongs-to,join:entry_id=id"`
	TopicID int64  `bun:",pk"`
	Topic   *Topic `bun:"rel:belongs-to,join:topic_id=id"`
}

var press = sqldb.Migrations{Namespace: "press", FS: fstest.MapFS{
	"1_press.tx.up.sql": {Data: []byte(`
CREATE TABLE blogs (` + identity + `, owner_id {{uuid}} NOT NULL, name {{text}} NOT NULL, hidden {{bool}} NOT NULL, deleted_at {{timestamp}});
CREATE TABLE entries (` + identity + `, blog_id {{bigint}} NOT NULL REFERENCES blogs (id), writer_id {{uuid}} NOT NULL, slug {{text}} NOT NULL UNIQUE, title {{text}} NOT NULL);
CREATE TABLE lines (` + identity + `, entry_id {{bigint}} NOT NULL REFERENCES entries (id) ON DELETE CASCADE, text {{text}} NOT NULL);
CREATE TABLE likes (` + identity + `, entry_id {{bigint}} NOT NULL, caller_id {{uuid}} NOT NULL, UNIQUE (entry_id, caller_id));
CREATE TABLE topics (` + identity + `, name {{text}} NOT NULL UNIQUE, hidden {{bool}} NOT NULL);
CREATE TABLE entry_topics (entry_id {{bigint}} NOT NULL, topic_id {{bigint}} NOT NULL, PRIMARY KEY (entry_id, topic_id));`)},
	"1_press.tx.down.sql": {Data: []byte(``)},
}}

type (
	blogInput struct {
		Name string `json:"name" validate:"required"`
	}
	blogView struct {
		ID   int64  `json:"id"`
		Name string `json:"name"`
	}
	entryInput struct {
		Title  string      `json:"title" validate:"required,max=50"`
		Lines  []lineInput `json:"lines" to:"lines"`
		Topics []string    `json:"topics" to:"topics.name,create" validate:"dive,required,max=20"`
	}
	lineInput struct {
		ID   *int64 `json:"id"`
		Text string `json:"text" validate:"required"`
	}
	entryView struct {
		ID     int64      `json:"id"`
		Slug   string     `json:"slug"`
		Title  string     `json:"title"`
		Blog   *blogView  `json:"blog"`
		Lines  []lineView `json:"lines" from:"lines,order=id"`
		Topics []string   `json:"topics" from:"topics.name,order=name"`
		Likes  int64      `json:"likes" from:"count(likes)"`
		Liked  bool       `json:"liked" from:"exists(likes)"`
	}
	lineView struct {
		ID   int64  `json:"id"`
		Text string `json:"text"`
	}
	topicView struct {
		ID   int64  `json:"id"`
		Name string `json:"name"`
	}
)

func notHidden(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
	return q.Where("NOT ?TableAlias.hidden")
}

func hiddenFromOthers(c *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
	return q.Where("NOT ?TableAlias.hidden OR ?TableAlias.owner_id = ?", sqldb.Param(idIn(c)))
}

func blogs() framework.ViewSet[Blog] {
	return framework.ViewSet[Blog]{
		Name: "blogs", Verbs: framework.CRUD[blogInput, blogView](), Scope: framework.Where(hiddenFromOthers), Writers: framework.Own((*Blog).owner),
	}
}

func entries() framework.ViewSet[Entry] {
	do := func(c *framework.Call, e *Entry, _ framework.None) (entryView, error) {
		return framework.FindOne[entryView](c, "blogs/{}/entries", e.ID)
	}
	return framework.ViewSet[Entry]{
		Name: "entries", Lookup: "slug", Slug: framework.Slug{Field: "slug", From: "title"}, Reserved: []string{"liked"}, Parent: framework.Child("blog", "blogs"), Verbs: framework.CRUD[entryInput, entryView](), Wrap: "entry", WrapList: "entries",
		Scope: framework.Public(), Writers: framework.Own((*Entry).writer),
		Relations: framework.Relations{"blog": "blogs", "lines": "blogs/{}/entries/{}/lines", "likes": framework.OfRow, "topics": "topics"},
		Models:    []any{(*EntryTopic)(nil)},
		Search:    framework.Search{Fields: []string{"title", "lines.text"}},
		Ordering:  framework.Ordering{Allowed: []string{"title", "likes"}, Default: "id"},
		Filters:   []framework.Filter{filter.Exact("topic", "topics.name"), filter.Exact("blog_name", "blog.name"), filter.Exact("line", "lines.text")},
		Actions: []framework.Action[Entry]{
			framework.Toggle[Entry, entryView]("like", "likes", "caller_id"), framework.Links[Entry]("topics.name"),
			framework.Post("do", do).ByReaders().Idempotent(),
			framework.Related[Entry, lineView]("text", "blogs/{}/entries/{}/lines", "entry_id"),
		},
		Collection: []framework.CollectionAction{framework.Lists[entryView]("liked").Where("exists(likes)")},
	}
}

func lines() framework.ViewSet[Line] {
	type in struct {
		Text string `json:"text" validate:"required"`
	}
	return framework.ViewSet[Line]{
		Name: "lines", Parent: framework.Child("entry", "blogs/{}/entries").ByWriters(), Verbs: framework.CRUD[in, lineView](), Scope: framework.Public(),
	}
}

func topics() framework.ViewSet[Topic] {
	return framework.ViewSet[Topic]{Name: "topics", Verbs: framework.ReadOnly[topicView](), Scope: framework.Where(notHidden)}
}

// A ledger records the changes of a request.
type ledger struct{ kept []string }

func (*ledger) Begin(ctx context.Context, _ *http.Request) context.Context { return ctx }

func (*ledger) End(context.Context, framework.Outcome) []slog.Attr { return nil }

func (l *ledger) Record(_ *framework.Call, change table.Change) error {
	l.kept = append(l.kept, fmt.Sprint(change.ViewSet, " ", change.Verb))
	return nil
}

// atPress runs a test on the press of both databases. Blogs: 1 of Ann, 2 of Bob, 3 of Ann and hidden, 4
// deleted softly. Each has an entry with the key of the blog and the slugs "one" to "four", by the
// owner, with a line, a like and the topic "go"; the entry of Ann has the hidden topic "dark" too.
func atPress(t *testing.T, test func(t *testing.T, db *sqldb.DB, c *frameworktest.Client, l *ledger)) {
	t.Helper()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		if err := db.Migrate(context.Background(), nil, press, framework.Migrations()); err != nil {
			t.Fatal(err)
		}
		gone := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		rows := []any{
			&Blog{Name: "Ann's", OwnerID: apitest.ID("ann")}, &Blog{Name: "Bob's", OwnerID: apitest.ID("bob")}, &Blog{Name: "Night", OwnerID: apitest.ID("ann"), Hidden: true},
			&Blog{Name: "Past", OwnerID: apitest.ID("ann"), DeletedAt: gone}, &Topic{Name: "go"}, &Topic{Name: "dark", Hidden: true}, &EntryTopic{EntryID: 1, TopicID: 2},
		}
		for i, slug := range []string{"one", "two", "three", "four"} {
			id := int64(i + 1)
			rows = append(rows, &Entry{BlogID: id, WriterID: apitest.ID(map[bool]string{true: "bob", false: "ann"}[id == 2]), Slug: slug, Title: "T" + slug},
				&Line{EntryID: id, Text: "line of " + slug}, &Like{EntryID: id, CallerID: apitest.ID("zed")}, &EntryTopic{EntryID: id, TopicID: 1})
		}
		apitest.Insert(t, db, rows...)
		l := &ledger{}
		conf := config(db)
		conf.Pagination, conf.Observers = page.Number{Size: 10, SizeParam: "size"}, []framework.Observer{l}
		_, c := apitest.Serve(t, conf, blogs(), entries(), lines(), topics())
		test(t, db, c, l)
	})
}

type pressRequest struct {
	name, method, path string
	body               any
}

func entryBody(members fields) fields { return fields{"entry": members} }

// below lists every way to reach an entry, or what is below it. BLOG and ENTRY stand for keys.
var below = []pressRequest{
	{"a list", "GET", "blogs/BLOG/entries/", nil},
	{"the headers of a list", "HEAD", "blogs/BLOG/entries/", nil},
	{"a filter by a topic", "GET", "blogs/BLOG/entries/?topic=go", nil},
	{"a filter by the parent", "GET", "blogs/BLOG/entries/?blog_name=Night", nil},
	{"a search of lines", "GET", "blogs/BLOG/entries/?search=line", nil},
	{"a page too far", "GET", "blogs/BLOG/entries/?page=9", nil},
	{"a list of Lists", "GET", "blogs/BLOG/entries/liked/", nil},
	{"a create", "POST", "blogs/BLOG/entries/", entryBody(fields{"title": "New", "lines": []fields{{"text": "a"}}, "topics": []string{"go", "new"}})},
	{"a create with a key of a line", "POST", "blogs/BLOG/entries/", entryBody(fields{"title": "New", "lines": []fields{{"id": 1, "text": "a"}}})},
	{"a row", "GET", "blogs/BLOG/entries/ENTRY/", nil},
	{"a PUT", "PUT", "blogs/BLOG/entries/ENTRY/", entryBody(fields{"title": "New"})},
	{"a PATCH with lines", "PATCH", "blogs/BLOG/entries/ENTRY/", entryBody(fields{"lines": []fields{{"text": "x"}}})},
	{"a PATCH with a key of another line", "PATCH", "blogs/BLOG/entries/ENTRY/", entryBody(fields{"lines": []fields{{"id": 2, "text": "x"}}})},
	{"a PATCH with nothing", "PATCH", "blogs/BLOG/entries/ENTRY/", entryBody(fields{})},
	{"a DELETE", "DELETE", "blogs/BLOG/entries/ENTRY/", nil},
	{"a toggle", "PUT", "blogs/BLOG/entries/ENTRY/like/", nil},
	{"a toggle, back", "DELETE", "blogs/BLOG/entries/ENTRY/like/", nil},
	{"a link", "PUT", "blogs/BLOG/entries/ENTRY/topics/go/", nil},
	{"a link, removed", "DELETE", "blogs/BLOG/entries/ENTRY/topics/go/", nil},
	{"a link to a hidden row", "PUT", "blogs/BLOG/entries/ENTRY/topics/dark/", nil},
	{"an action", "POST", "blogs/BLOG/entries/ENTRY/do/", nil},
	{"related rows", "GET", "blogs/BLOG/entries/ENTRY/text/", nil},
	{"a list two levels down", "GET", "blogs/BLOG/entries/ENTRY/lines/", nil},
	{"a create two levels down", "POST", "blogs/BLOG/entries/ENTRY/lines/", fields{"text": "x"}},
	{"a row two levels down", "GET", "blogs/BLOG/entries/ENTRY/lines/LINE/", nil},
	{"a PATCH two levels down", "PATCH", "blogs/BLOG/entries/ENTRY/lines/LINE/", fields{"text": "x"}},
	{"a DELETE two levels down", "DELETE", "blogs/BLOG/entries/ENTRY/lines/LINE/", nil},
}

var varies = regexp.MustCompile(`urn:uuid:[0-9a-f-]+`)

// TestAnotherRowIsNoRow compares the answer about a row out of sight with the answer about no row: status,
// body and headers are the same, for each way and each caller, and nothing changes.
func TestAnotherRowIsNoRow(t *testing.T) {
	atPress(t, func(t *testing.T, db *sqldb.DB, c *frameworktest.Client, l *ledger) {
		before := content(t, db)
		for _, pair := range []struct {
			name              string
			blog, entry, line string
			whole             bool // the blog itself is out of sight
		}{
			{"a hidden blog", "3", "three", "3", true}, {"a deleted blog", "4", "four", "4", true},
			{"an entry of another blog", "2", "one", "1", false}, {"an entry of a hidden blog", "2", "three", "3", false}, {"a line of a deleted blog", "2", "four", "4", false},
		} {
			for _, r := range below {
				if !pair.whole && !strings.Contains(r.path, "ENTRY") {
					continue
				}
				t.Run(pair.name+"/"+r.name, func(t *testing.T) {
					for _, caller := range []string{"bob", "eve", ""} {
						there := apitest.As(c.On(t), caller).Do(r.method, "/api/"+strings.NewReplacer("BLOG", pair.blog, "ENTRY", pair.entry, "LINE", pair.line).Replace(r.path), r.body)
						none := map[bool][]string{true: {"BLOG", "99", "ENTRY", "none", "LINE", "99"}, false: {"BLOG", pair.blog, "ENTRY", "none", "LINE", "99"}}[pair.whole]
						nowhere := apitest.As(c.On(t), caller).Do(r.method, "/api/"+strings.NewReplacer(none...).Replace(r.path), r.body)
						if a, b := varies.ReplaceAllString(there.Body(), ""), varies.ReplaceAllString(nowhere.Body(), ""); there.Status() != nowhere.Status() || a != b {
							t.Errorf("%q: %d %s; for no row %d %s", caller, there.Status(), a, nowhere.Status(), b)
						}
						if s := there.Status(); s != 404 && s != 401 && s != 400 {
							t.Errorf("%q: the status is %d: %s", caller, s, there.Body())
						}
					}
				})
			}
		}
		if after := content(t, db); after != before || len(l.kept) > 0 {
			t.Errorf("the rows have changed, or are recorded: %v\n%s\n%s", l.kept, before, after)
		}
	})
}

// content is every row of the press as text.
func content(tb testing.TB, db *sqldb.DB) string {
	tb.Helper()
	var b bytes.Buffer
	var all struct {
		Entries []Entry
		Lines   []Line
		Likes   []Like
		Topics  []Topic
		Links   []EntryTopic
	}
	for _, list := range []any{&all.Entries, &all.Lines, &all.Likes, &all.Topics} {
		if err := db.NewSelect().Model(list).Order("id").Scan(context.Background()); err != nil {
			tb.Fatal(err)
		}
	}
	if err := db.NewSelect().Model(&all.Links).Order("entry_id", "topic_id").Scan(context.Background()); err != nil {
		tb.Fatal(err)
	}
	fmt.Fprintf(&b, "%v %v %v %v %v", all.Entries, all.Lines, all.Likes, all.Topics, all.Links)
	return b.String()
}

// TestTogether sends what is allowed, or not the caller's, below a parent.
func TestTogether(t *testing.T) {
	atPress(t, func(t *testing.T, _ *sqldb.DB, c *frameworktest.Client, l *ledger) {
		for _, test := range []struct {
			name, caller, method, path string
			body                       any
			status                     int
			has                        []string
			recorded                   string
		}{
			{"a create", "eve", "POST", "blogs/1/entries/", entryBody(fields{"title": "T one", "lines": []fields{{"text": "a"}, {"text": "b"}}, "topics": []string{"go", "new"}}), 201,
				[]string{`"slug":"t-one"`, `"blog":{"id":1`, `"text":"a"`, `"text":"b"`, `"topics":["go","new"]`}, "blogs/{}/entries create blogs/{}/entries/{}/lines create blogs/{}/entries/{}/lines create topics create"},
			{"a create with the name of a hidden topic: names are unique", "eve", "POST", "blogs/1/entries/", entryBody(fields{"title": "x", "topics": []string{"dark"}}), 409, []string{"/entry/topics"}, ""},
			{"faults have pointers into the member", "eve", "POST", "blogs/1/entries/", entryBody(fields{"title": "", "lines": []fields{{"text": ""}}}), 400, []string{`"/entry/title"`, `"/entry/lines/0/text"`}, ""},
			{"a line of another entry", "ann", "PATCH", "blogs/1/entries/one/", entryBody(fields{"lines": []fields{{"id": 2, "text": "x"}}}), 400, []string{`"/entry/lines/0/id"`, "invalid_reference"}, ""},
			{"not the writer", "eve", "PATCH", "blogs/1/entries/one/", entryBody(fields{"lines": []fields{}}), 403, []string{"not_yours"}, ""},
			{"the owner of the blog is not the writer", "bob", "PATCH", "blogs/2/entries/two/", entryBody(fields{"lines": []fields{{"id": 2, "text": "new"}}}), 200, []string{`"text":"new"`}, "blogs/{}/entries/{}/lines update"},
			{"a link of another's entry", "eve", "PUT", "blogs/1/entries/one/topics/go/", nil, 403, []string{"not_yours"}, ""},
			{"a link to a hidden topic", "ann", "DELETE", "blogs/1/entries/one/topics/dark/", nil, 404, nil, ""},
			{"a like of a reader", "eve", "PUT", "blogs/1/entries/one/like/", nil, 200, []string{`{"entry":{"id":1`, `"likes":2`}, "blogs/{}/entries.likes create"},
			{"a like again", "eve", "PUT", "blogs/1/entries/one/like/", nil, 200, []string{`"likes":2`}, ""},
			{"a like without a caller", "", "PUT", "blogs/1/entries/one/like/", nil, 401, nil, ""},
			{"a line below another's entry", "eve", "POST", "blogs/1/entries/one/lines/", fields{"text": "x"}, 403, []string{"not_yours"}, ""},
			{"a line below another's entry, changed", "eve", "PATCH", "blogs/1/entries/one/lines/1/", fields{"text": "x"}, 403, []string{"not_yours"}, ""},
			{"a line by the writer", "ann", "PATCH", "blogs/1/entries/one/lines/1/", fields{"text": "y"}, 200, []string{`"text":"y"`}, "blogs/{}/entries/{}/lines update"},
			{"links between pages stay below the parent", "eve", "GET", "blogs/1/entries/?size=1", nil, 200, []string{"/api/blogs/1/entries/?page=2&size=1"}, ""},
			{"of Lists too", "eve", "GET", "blogs/1/entries/liked/?size=1", nil, 200, []string{`"count":1`}, ""},
			{"only those below the parent match a search", "eve", "GET", "blogs/1/entries/?search=two", nil, 200, []string{`"count":0`}, ""},
		} {
			t.Run(test.name, func(t *testing.T) {
				l.kept = nil
				apitest.As(c.On(t), test.caller).Do(test.method, "/api/"+test.path, test.body).Expect(test.status).Contains(test.has...).Lacks("dark", "Night")
				if got := strings.Join(l.kept, " "); got != test.recorded && test.status < 300 {
					t.Errorf("recorded is %q; want %q", got, test.recorded)
				}
			})
		}
	})
}

// TestKeyBelowAnotherParent repeats a key below another parent, and after the parent is out of sight.
func TestKeyBelowAnotherParent(t *testing.T) {
	atPress(t, func(t *testing.T, db *sqldb.DB, c *frameworktest.Client, _ *ledger) {
		bob := apitest.As(c, "bob").With("Idempotency-Key", "k")
		first := bob.Post("/api/blogs/1/entries/one/do/", nil).Expect(200).Body()
		if again := bob.Post("/api/blogs/1/entries/one/do/", nil).Expect(200).Body(); again != first {
			t.Errorf("the answers differ: %s and %s", first, again)
		}
		bob.Post("/api/blogs/2/entries/one/do/", nil).Expect(422)
		bob.Post("/api/blogs/3/entries/three/do/", nil).Expect(422)
		for _, change := range []string{"hidden = TRUE", "hidden = FALSE, deleted_at = '2026-01-02 03:04:05+00:00'"} {
			if _, err := db.NewUpdate().Table("blogs").Set(change).Where("id = 1").Exec(context.Background()); err != nil {
				t.Fatal(err)
			}
			bob.Post("/api/blogs/1/entries/one/do/", nil).Expect(404).Lacks("Tone")
		}
	})
}

// TestRowsBelowAnotherParent are mistakes of lists and toggles: new rows would be below no parent.
func TestRowsBelowAnotherParent(t *testing.T) {
	owners := framework.ViewSet[Shelver]{Name: "owners", Verbs: framework.ReadOnly[shelverView](), Scope: framework.Public()}
	owned := framework.ViewSet[Shelf]{Name: "shelves", Parent: framework.Child("shelver", "owners"), Verbs: framework.ReadOnly[shelfView](), Scope: framework.Public()}
	shelves := framework.ViewSet[Shelf]{Name: "shelves", Parent: framework.Child("blog", "blogs"), Verbs: framework.ReadOnly[shelfView](), Scope: framework.Public()}
	type in struct {
		Shelves []shelfInput `json:"shelves" to:"shelves"`
	}
	for _, test := range []struct {
		name   string
		change func(v *framework.ViewSet[Shelver])
		want   string
	}{
		{"a list", func(v *framework.ViewSet[Shelver]) { v.Verbs.Create = framework.Accepts[in, shelverView]() }, `the rows of blogs/{}/shelves are below rows of blogs, and a list of shelvers does not name those`},
		{"a list of another viewset of the same rows", func(v *framework.ViewSet[Shelver]) {
			v.Verbs.Create, v.Relations = framework.Accepts[in, shelverView](), framework.Relations{"shelves": "owners/{}/shelves"}
		}, `the rows of owners/{}/shelves are below rows of owners, and a list of shelvers does not name those; create the rows at owners/{}/shelves, or list the relation as framework.OfRow`},
		{"a toggle", func(v *framework.ViewSet[Shelver]) {
			v.Actions = append(v.Actions, framework.Toggle[Shelver, framework.None]("own", "shelves", "caller_id"))
		}, `the rows of "shelves" are below rows of blogs, and a toggle does not name those`},
	} {
		t.Run(test.name, func(t *testing.T) {
			frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
				v := framework.ViewSet[Shelver]{Name: "shelvers", Verbs: framework.ReadOnly[shelverView](), Scope: framework.Public(), Relations: framework.Relations{"shelves": "blogs/{}/shelves"}}
				test.change(&v)
				apitest.Mistake(t, config(db), test.want, blogs(), shelves, v, owners, owned)
			})
		})
	}
}

type Shelver struct {
	ID      int64    `bun:",pk,autoincrement"`
	Shelves []*Shelf `bun:"rel:has-many,join:id=shelver_id"`
}

type Shelf struct {
	ID        int64 `bun:",pk,autoincrement"`
	ShelverID int64
	BlogID    int64
	CallerID  uuid.UUID

	Blog    *Blog    `bun:"rel:belongs-to,join:blog_id=id"`
	Shelver *Shelver `bun:"rel:belongs-to,join:shelver_id=id"`
}

type (
	shelfInput struct {
		CallerID uuid.UUID `json:"caller"`
	}
	shelfView struct {
		ID int64 `json:"id"`
	}
	shelverView struct {
		ID int64 `json:"id"`
	}
)
