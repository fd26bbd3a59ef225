package framework_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// bySlugWith is the viewset of books by their slugs, with more.
func bySlugWith(change func(v *framework.ViewSet[Book])) []framework.Resource {
	return wrongBooks(func(v *framework.ViewSet[Book]) {
		v.Lookup = "slug"
		change(v)
	})
}

func feed(name string) []framework.CollectionAction {
	return []framework.CollectionAction{framework.OnCollection(http.MethodGet, name, func(*framework.Call, framework.None) (framework.None, error) { return framework.None{}, nil })}
}

type relationInput struct {
	Title      string       `json:"title"`
	LeadAuthor *AuthorInput `json:"author"`
}

type listInput struct {
	Title    string         `json:"title"`
	Chapters []ChapterInput `json:"chapters"`
}

// Paths that hide each other, and inputs that name relations, are mistakes.
func TestShadowedPathsAndRelations(t *testing.T) {
	const shadow = `its path is also that of the object of books whose Slug is "feed", which could not be reached; reserve the value: Reserved: []string{"feed"} in books`
	below := countries()
	below.Name, below.Under = "feed", "books"
	for name, test := range map[string]struct {
		prefix   string
		declared []framework.Resource
		want     string
	}{
		"an action of the collection":            {"", bySlugWith(func(v *framework.ViewSet[Book]) { v.Collection = feed("feed") }), `books: action "feed": ` + shadow},
		"such an action, with the value kept":    {"", bySlugWith(func(v *framework.ViewSet[Book]) { v.Collection, v.Reserved = feed("feed"), []string{"feed"} }), ""},
		"such an action, where ids are UUIDs":    {"", wrongBooks(func(v *framework.ViewSet[Book]) { v.Collection = feed("feed") }), ""},
		"such an action of two parts":            {"", bySlugWith(func(v *framework.ViewSet[Book]) { v.Collection = feed("feed/all") }), ""},
		"a viewset below":                        {"", append(bySlugWith(func(*framework.ViewSet[Book]) {}), below), "books/feed: " + shadow},
		"a viewset below, with the value kept":   {"", append(bySlugWith(func(v *framework.ViewSet[Book]) { v.Reserved = []string{"feed"} }), below), ""},
		"a value that no key can have":           {"", wrongBooks(func(v *framework.ViewSet[Book]) { v.Reserved = []string{"feed"} }), `books: reserved: "feed" cannot be a value of ID, which is uuid.UUID`},
		"the pages of errors":                    {"/", []framework.Resource{countriesAt("errors")}, `errors: the pages of error codes are at "/errors/"; choose another name`},
		"the same name below the usual prefix":   {"", []framework.Resource{countriesAt("errors")}, `errors: the pages of error codes are at "/api/errors/"; choose another name`},
		"a name that only begins like the pages": {"/", []framework.Resource{countriesAt("errors-seen")}, ""},
		"a relation in an input": {"", wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Patch = framework.Accepts[relationInput, BookView]() }),
			"books: patch: relationInput.LeadAuthor is a relation of Book, which an input does not write; take its key, AuthorID, tagged `ref:\"...\"` with the viewset of the rows that may be used"},
		"a list of a relation in an input": {"", wrongBooks(func(v *framework.ViewSet[Book]) { v.Verbs.Patch = framework.Accepts[listInput, BookView]() }),
			"books: patch: listInput.Chapters is a relation of Book; tag it `to:\"...\"` with the name of the relation in Relations to set its rows, or write them in a function of framework.FillsThen"},
	} {
		t.Run(name, func(t *testing.T) {
			c := config(sqlite(t))
			c.Prefix = test.prefix
			api := framework.New(c)
			api.Register(test.declared...)
			said := ""
			if err := api.Check(); err != nil {
				said = err.Error()
			}
			if said != test.want {
				t.Errorf("got\n%s\nwant\n%s", said, test.want)
			}
		})
	}
}

func countriesAt(name string) framework.Resource {
	v := countries()
	v.Name = name
	return v
}

// TestReservedValues: a reserved value is rejected, whichever verb or function writes it.
func TestReservedValues(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		other := books()
		other.Name = "others"
		type many struct {
			List []BookInput `json:"list"`
		}
		other.Collection = []framework.CollectionAction{framework.OnCollection(http.MethodPost, "many", func(c *framework.Call, in many) (framework.None, error) {
			for _, one := range in.List {
				if err := framework.Insert(c, &Book{Title: one.Title, Slug: one.Slug}); err != nil {
					return framework.None{}, err
				}
			}
			return framework.None{}, nil
		})}
		other.Verbs.Create = framework.Fills[BookView](func(_ *framework.Call, b *Book, _ BookInput) error {
			b.Slug = strings.ToLower(b.Title)
			return nil
		})
		ada := serve(t, config(db), append(bySlugWith(func(v *framework.ViewSet[Book]) {
			v.Collection, v.Reserved = feed("feed"), []string{"feed", "new"}
		}), other)...).as("ada")
		ada.post("/api/books/", fields{"title": "a", "slug": "feed"}).refuses(400, "validation_failed").fault("/slug", "noneof").says("must not be any of feed, new")
		ada.post("/api/others/", fields{"title": "New"}).refuses(400, "validation_failed").fault("/slug", "noneof")
		ada.post("/api/others/many/", fields{"list": []fields{{"title": "a", "slug": "a"}, {"title": "b", "slug": "new"}}}).
			refuses(400, "validation_failed").fault("/list/1/slug", "noneof")
		ada.post("/api/books/", fields{"title": "b", "slug": "feeds"}).is(201)
		ada.patch("/api/books/feeds/", fields{"slug": "new"}).refuses(400, "validation_failed").fault("/slug", "noneof")
		ada.put("/api/books/feeds/", fields{"title": "b", "slug": "feed"}).refuses(400, "validation_failed").fault("/slug", "noneof")
		ada.patch("/api/books/feeds/", fields{"slug": "other"}).is(200)
		ada.get("/api/books/feed/").is(204)
	})
}

// A limit in the narrow of Find is the program's error, with a sentence in the log.
func TestFindRefusesALimit(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		var told error
		found := 0
		n := notes()
		n.Collection = []framework.CollectionAction{
			framework.OnCollection(http.MethodGet, "some", func(c *framework.Call, _ framework.None) (framework.None, error) {
				_, told = framework.Find[NoteView](c, "notes", func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("1 = 1").Limit(1) })
				list, err := framework.Find[NoteView](c, "notes", func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("1 = 1") })
				found = len(list)
				return framework.None{}, err
			}),
		}
		ada := serve(t, config(db), n).as("ada")
		ada.post("/api/notes/", fields{"room": "hall"}).is(201)
		ada.get("/api/notes/some/").is(204)
		const want = `framework.Find("notes"): narrow sets a limit or an offset, which Find does itself`
		if told == nil || !strings.HasPrefix(told.Error(), want) || found != 1 {
			t.Errorf("with a limit: %v; want %s. Without one it finds %d rows; want 1", told, want, found)
		}
	})
}

// A limit in the Narrow of Lists is the program's error too.
func TestListsRefuseALimit(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		var log bytes.Buffer
		with := config(db)
		with.Log = slog.New(slog.NewTextHandler(&log, nil))
		n := notes()
		for name, narrow := range map[string]func(*bun.SelectQuery) *bun.SelectQuery{
			"limited": func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("1 = 1").Limit(1) },
			"skipped": func(q *bun.SelectQuery) *bun.SelectQuery { return q.Offset(1) },
			"some":    func(q *bun.SelectQuery) *bun.SelectQuery { return q.Where("1 = 1") },
		} {
			n.Collection = append(n.Collection, framework.Lists[NoteView](name).Narrow(func(_ *framework.Call, q *bun.SelectQuery) *bun.SelectQuery { return narrow(q) }))
		}
		ada := serve(t, with, n).as("ada")
		ada.post("/api/notes/", fields{"room": "hall"}).is(201)
		if rooms := ada.get("/api/notes/some/").is(200).list().values("room"); len(rooms) != 1 {
			t.Errorf("without a limit the list has %v", rooms)
		}
		for _, name := range []string{"limited", "skipped"} {
			log.Reset()
			ada.get("/api/notes/" + name + "/").is(500)
			if want := "Narrow sets a limit or an offset"; !strings.Contains(log.String(), want) {
				t.Errorf("%s: the log has %s; want %q", name, log.String(), want)
			}
		}
	})
}
