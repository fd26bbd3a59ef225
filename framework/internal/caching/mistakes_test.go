package caching_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/files"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestMistakes: a Cache that has no effect, or that would keep what no cache must keep, is reported at start.
func TestMistakes(t *testing.T) {
	apitest.Databases(t, shelf, func(t *testing.T, db *sqldb.DB) {
		for _, test := range []struct {
			name   string
			change func(*framework.ViewSet[Book])
			want   string
		}{
			{"a part of a second", func(v *framework.ViewSet[Book]) { v.Cache.For = 1500 * time.Millisecond }, "books: cache: For is 1.5s; max-age of Cache-Control is in whole seconds, from 1s to 8760h"},
			{"less than a second", func(v *framework.ViewSet[Book]) { v.Cache.For = 60 }, "books: cache: For is 60ns; max-age"},
			{"a time below 0", func(v *framework.ViewSet[Book]) { v.Cache.For = -time.Minute }, "books: cache: For is -1m0s; max-age"},
			{"more than a year", func(v *framework.ViewSet[Book]) { v.Cache.For = 400 * 24 * time.Hour }, "books: cache: For is 9600h0m0s; max-age"},
			{"no reads", func(v *framework.ViewSet[Book]) {
				v.Verbs.List, v.Verbs.Retrieve, v.Collection = framework.Verb{}, framework.Verb{}, nil
			}, "books: cache: no rows are read, so it has no effect; declare List, Retrieve or an action of framework.Lists, or leave Cache out"},
			{"rows of their owners", func(v *framework.ViewSet[Book]) { v.Scope = framework.Own((*Book).owner) }, "books: cache: anonymous callers read no rows, so every answer is for one caller; permit them"},
			{"rows of their owners or all rows for the staff", func(v *framework.ViewSet[Book]) {
				v.Scope = framework.Own((*Book).owner).Unless(framework.Staff())
			}, "books: cache: anonymous callers read no rows"},
			{"a permission", func(v *framework.ViewSet[Book]) { v.Permission = framework.Authenticated() }, "books: cache: anonymous callers read no rows"},
			{"a permission of each read", func(v *framework.ViewSet[Book]) {
				v.Collection = nil
				v.Verbs.List, v.Verbs.Retrieve = v.Verbs.List.Permit(framework.Staff()), v.Verbs.Retrieve.Permit(framework.Authenticated())
			}, "books: cache: anonymous callers read no rows"},
			{"a secret", func(v *framework.ViewSet[Book]) { v.Verbs.Retrieve = v.Verbs.Retrieve.AnswersSecret() }, "books: cache: the answer of retrieve has a secret, which no cache must keep; leave out AnswersSecret or Cache"},
			{"a secret of a list", func(v *framework.ViewSet[Book]) { v.Collection[0] = v.Collection[0].AnswersSecret() }, `books: cache: the answer of action "sale" has a secret`},
			{"If-None-Match of a function", func(v *framework.ViewSet[Book]) {
				v.Verbs.Retrieve = v.Verbs.Retrieve.Takes(framework.Header{Name: "If-None-Match", Doc: "x"})
			}, "books: cache: retrieve takes If-None-Match, which the framework compares with the ETag; leave it out of Takes"},
		} {
			t.Run(test.name, func(t *testing.T) {
				v := books()
				test.change(&v)
				apitest.Mistake(t, apitest.Config(db), test.want, v)
			})
		}
		t.Run("a guard", func(t *testing.T) {
			c := apitest.Config(db)
			c.Guards = []framework.Guard{{Under: "/books", Permission: framework.Staff()}}
			apitest.Mistake(t, c, "books: cache: anonymous callers read no rows", books())
		})
		t.Run("rows below rows of their owners", func(t *testing.T) {
			v := books()
			v.Scope, v.Cache = framework.Own((*Book).owner), framework.Cache{}
			apitest.Mistake(t, apitest.Config(db), "books/{}/pages: cache: anonymous callers read no rows", v, pages())
		})
	})
}

// TestOneReadIsEnough: a Cache is no mistake if anonymous callers may use one of the reads.
func TestOneReadIsEnough(t *testing.T) {
	apitest.Databases(t, shelf, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Verbs.List = v.Verbs.List.Permit(framework.Staff())
		_, c := apitest.Serve(t, apitest.Config(db), v)
		apitest.As(c, "staff").Get("/api/books/").Expect(200).Header("Cache-Control", private)
		c.Get("/api/books/").Expect(401).Header("Cache-Control", never)
	})
}

// TestDocument: the OpenAPI document has the headers of the reads.
func TestDocument(t *testing.T) {
	apitest.Databases(t, shelf, func(t *testing.T, db *sqldb.DB) {
		api, _ := apitest.Serve(t, apitest.Config(db), books(), plain(), counted())
		text, err := api.Document("json")
		if err != nil {
			t.Fatal(err)
		}
		type header struct {
			Description string
			Ref         string `json:"$ref"`
		}
		var document struct {
			Components struct{ Headers map[string]header }
			Paths      map[string]map[string]struct {
				Responses map[string]struct {
					Headers map[string]header
				}
			}
		}
		if err := json.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct{ path, method, status, control, tag string }{
			{"/api/books/", "get", "200", public, "A hash of the body"},
			{"/api/books/{id}/", "get", "200", public, "A hash of the body"},
			{"/api/books/{id}/", "get", "304", public, "A hash of the body"},
			{"/api/books/sale/", "get", "200", public, "A hash of the body"},
			{"/api/counted/books/{id}/", "get", "200", public, "The version of the record"},
			{"/api/books/", "post", "201", "", ""},
			{"/api/books/{id}/look/", "get", "200", "", ""},
			{"/api/plain/books/", "get", "200", "", ""},
		} {
			headers := document.Paths[test.path][test.method].Responses[test.status].Headers
			for name, want := range map[string]string{"Cache-Control": test.control, "ETag": test.tag} {
				got, ok := headers[name]
				if got.Ref != "" {
					got = document.Components.Headers[name]
				}
				if ok != (want != "") || !strings.Contains(got.Description, want) {
					t.Errorf("%s %s, %s: the header %s is described as %q; want %q", test.method, test.path, test.status, name, got.Description, want)
				}
			}
		}
	})
}

// A Cover is the picture of a book. Its file has signed URLs.
type Cover struct {
	bun.BaseModel `bun:"table:covers"`

	ID     int64 `bun:",pk,autoincrement"`
	BookID int64
	Photo  files.File `bun:",type:jsonb,nullzero"`
}

// A Reader has a book with its covers.
type Reader struct {
	bun.BaseModel `bun:"table:readers"`

	ID      int64 `bun:",pk,autoincrement"`
	CoverID int64

	Cover *Cover `bun:"rel:belongs-to,join:cover_id=id"`
}

// TestSignedURLs: a cache must not show URLs of files that have ended, also of files of related rows. A view without the file shows none.
func TestSignedURLs(t *testing.T) {
	type cover struct {
		ID    int64      `json:"id"`
		Photo files.File `json:"photo"`
	}
	type plain struct {
		ID int64 `json:"id"`
	}
	type reader struct {
		ID    int64  `json:"id"`
		Cover *cover `json:"cover"`
	}
	storage, err := files.OpenDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	covers := func(life, cache time.Duration) framework.ViewSet[Cover] {
		return framework.ViewSet[Cover]{
			Name: "covers", Scope: framework.Public(), Verbs: framework.ReadOnly[cover](), Cache: framework.Cache{For: cache},
			Files: []framework.FileField[Cover]{{Name: "photo", Field: func(c *Cover) *files.File { return &c.Photo }, Storage: storage, MaxBytes: 1, Types: []string{"image/png"}, SignFor: life}},
		}
	}
	readers := framework.ViewSet[Reader]{
		Name: "readers", Scope: framework.Public(), Verbs: framework.ReadOnly[reader](), Relations: framework.Relations{"cover": "covers"}, Cache: minute,
	}
	hidden := covers(time.Second, time.Minute)
	hidden.Verbs = framework.ReadOnly[plain]()
	apitest.Databases(t, shelf, func(t *testing.T, db *sqldb.DB) {
		config := apitest.Config(db)
		config.FileKeys = [][]byte{make([]byte, 32)}
		for _, test := range []struct {
			name, want string // "" for no mistake
			resources  []framework.Resource
		}{
			{"URLs that end first", `covers: cache: caches keep answers for 1m0s, and show URLs of the file "photo" of covers that end after 30s; let SignFor be longer than For, such as 2m0s`, []framework.Resource{covers(30*time.Second, time.Minute)}},
			{"URLs that end at the same time", "covers: cache: caches keep answers for 1m0s", []framework.Resource{covers(time.Minute, time.Minute)}},
			{"URLs of files of related rows", `readers: cache: caches keep answers for 1m0s, and show URLs of the file "photo" of covers that end after 30s`, []framework.Resource{covers(30*time.Second, 0), readers}},
			{"URLs that end later", "", []framework.Resource{covers(time.Hour, time.Minute), readers}},
			{"URLs without a signature, which do not end", "", []framework.Resource{covers(0, time.Minute)}},
			{"files that no view shows", "", []framework.Resource{hidden}},
		} {
			t.Run(test.name, func(t *testing.T) {
				if test.want != "" {
					apitest.Mistake(t, config, test.want, test.resources...)
					return
				}
				api := framework.New(config)
				api.Register(test.resources...)
				if err := api.Check(); err != nil {
					t.Error(err)
				}
			})
		}
	})
}
