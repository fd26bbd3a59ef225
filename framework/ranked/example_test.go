package ranked_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing/fstest"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/page"
	"trestle.example/framework/ranked"
	"trestle.example/framework/sqldb"
)

// bookTables is a migration of the application, for either database.
var bookTables = sqldb.Migrations{Namespace: "example", FS: fstest.MapFS{
	"1_books.tx.down.sql": {Data: []byte(`DROP TABLE book_grams; DROP TABLE book_terms; DROP TABLE books;`)},
	"1_books.tx.up.sql": {Data: []byte(`
CREATE TABLE books ({{id}}, title {{text}} NOT NULL, blurb {{text}} NOT NULL);

CREATE TABLE book_terms (
    "key" {{uuid}} NOT NULL REFERENCES books (id) ON DELETE CASCADE,
    term {{text}} NOT NULL,
    weight {{bigint}} NOT NULL CHECK (weight > 0),
    depth {{bigint}} NOT NULL CHECK (depth > 0),
    spelt {{bool}} NOT NULL,
    PRIMARY KEY ("key", term){{if postgres}} INCLUDE (weight, depth){{end}}
){{if sqlite}} WITHOUT ROWID{{end}};
CREATE INDEX book_terms_term ON book_terms (term, "key", weight, depth);

CREATE TABLE book_grams (
    term {{text}} NOT NULL,
    gram {{text}} NOT NULL,
    PRIMARY KEY (term, gram)
){{if sqlite}} WITHOUT ROWID{{end}};
CREATE INDEX book_grams_gram ON book_grams (gram, term);`)},
}}

type Book struct {
	bun.BaseModel `bun:"table:books"`

	ID    uuid.UUID `bun:",pk"`
	Title string
	Blurb string
}

type BookInput struct {
	Title string `json:"title" validate:"required"`
	Blurb string `json:"blurb"`
}

type BookView struct {
	Title string `json:"title"`
}

var bookSearch = ranked.Index{Terms: "book_terms", Grams: "book_grams", Param: "q"}

// add stores a book and its words, in the transaction of the request.
func add(c *framework.Call, in BookInput) (BookView, error) {
	b := &Book{Title: in.Title, Blurb: in.Blurb}
	if err := framework.Insert(c, b); err != nil {
		return BookView{}, err
	}
	err := bookSearch.Put(c, c.Session(), b.ID,
		ranked.Field{Text: b.Title, Weight: 8},
		ranked.Field{Text: b.Blurb, Weight: 1})
	return BookView{b.Title}, err
}

// A search finds books by words, the best match first, and corrects misspelt words.
func Example() {
	ask, done := library(framework.ViewSet[Book]{
		Name: "books", Scope: framework.Public(), Ranked: bookSearch,
		Verbs: framework.Verbs{List: framework.Shows[BookView](), Create: framework.Does(add)},
		Ordering: framework.Ordering{
			Named:   []framework.NamedOrder{{Name: "relevance", Relevance: true}, {Name: "title", By: "title"}},
			Default: "title", Param: "sort",
		},
	})
	defer done()
	ask("q=emma")
	ask("q=aust+em")
	ask("q=wuthring")
	ask("q=emma&sort=title")
	ask("q=zebra")
	// Output:
	// [{"title":"Emma"},{"title":"Emma Brown"},{"title":"Austen"}]
	// [{"title":"Austen"},{"title":"Emma"}]
	// [{"title":"Wuthering Heights"}]
	// [{"title":"Austen"},{"title":"Emma"},{"title":"Emma Brown"}]
	// []
}

// library serves four books and prints the result of a query.
func library(books framework.ViewSet[Book]) (ask func(query string), done func()) {
	dir, err := os.MkdirTemp("", "")
	check(err)
	db, err := sqldb.Open("sqlite://"+filepath.ToSlash(filepath.Join(dir, "books.db")), sqldb.Options{})
	check(err)
	check(db.Migrate(context.Background(), nil, bookTables))
	api := framework.New(framework.Config{DB: db, Permission: framework.Anyone(), Pagination: page.Bare{}, Log: slog.New(slog.DiscardHandler)})
	api.Register(books)
	handler, err := api.Handler()
	check(err)
	send := func(method, path, body string) string {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Body.String()
	}
	for _, book := range []string{
		`{"title": "Emma Brown", "blurb": "A fragment"}`,
		`{"title": "Emma", "blurb": "By Jane Austen"}`,
		`{"title": "Austen", "blurb": "A life, with Emma in it"}`,
		`{"title": "Wuthering Heights"}`,
	} {
		send("POST", "/api/books/", book)
	}
	return func(query string) { fmt.Println(send("GET", "/api/books/?"+query, "")) }, func() {
		check(db.Close())
		check(os.RemoveAll(dir))
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
