package main

import (
	"log/slog"
	"net/http"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// token makes a user and returns a token of theirs.
func token(t *testing.T, db *sqldb.DB, email string) string {
	t.Helper()
	token, err := issue(t.Context(), db, email)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// library is the service on a fresh database.
func library(t *testing.T, db *sqldb.DB) http.Handler {
	t.Helper()
	if err := db.Migrate(t.Context(), nil, migrations()...); err != nil {
		t.Fatal(err)
	}
	handler, err := api(framework.Config{DB: db, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

func TestLibrary(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		visitor := frameworktest.New(t, library(t, db))
		librarian := visitor.As(token(t, db, "lib@library.example"))
		ada, bob := visitor.As(token(t, db, "ada@example.com")), visitor.As(token(t, db, "bob@example.com"))

		visitor.Post("/api/authors/", AuthorInput{"Italo Calvino"}).Expect(401)
		ada.Post("/api/authors/", AuthorInput{"Italo Calvino"}).Expect(403)
		var author AuthorView
		librarian.Post("/api/authors/", AuthorInput{"Italo Calvino"}).Expect(201).JSON(&author)
		var book BookView
		librarian.Post("/api/books/", BookInput{"Le città invisibili", author.ID}).Expect(201).JSON(&book)
		librarian.Post("/api/books/", BookInput{"Nobody's", book.ID}).Expect(400).Fault("/author", "invalid_reference")
		visitor.Get("/api/books/?title=CITTÀ").Expect(200).Contains(`"author":{"id":"` + author.ID.String() + `","name":"Italo Calvino"}`)

		visitor.Get("/api/loans/").Expect(401)
		var loan LoanView
		ada.Post("/api/loans/", LoanInput{book.ID}).Expect(201).JSON(&loan)
		bob.Post("/api/loans/", LoanInput{book.ID}).Expect(409).Code("book_lent")
		bob.Get("/api/loans/").Expect(200).Contains(`"count":0`)
		bob.Post("/api/loans/"+loan.ID.String()+"/return/", nil).Expect(404)
		ada.Delete("/api/loans/" + loan.ID.String() + "/").Expect(405)

		ada.Get("/api/openapi.json").Expect(200).Contains("`returned_already`: Returned already.")
		ada.Get("/api/loans/?lent=true").Expect(200).Contains(`"count":1`)
		ada.Post("/api/loans/"+loan.ID.String()+"/return/", nil).Expect(200).Lacks(`"returned_at":null`)
		ada.Post("/api/loans/"+loan.ID.String()+"/return/", nil).Expect(409).Code("returned_already")
		ada.Get("/api/loans/?lent=true").Expect(200).Contains(`"count":0`)
		bob.Post("/api/loans/", LoanInput{book.ID}).Expect(201)
	})
}

func TestDomain(t *testing.T) { frameworktest.TestPermission(t, Domain("library.example")) }
