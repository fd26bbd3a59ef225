package main

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/program"
	"trestle.example/framework/sqldb"
)

// token makes a user and returns a token of theirs.
func token(t *testing.T, db *sqldb.DB, email string) string {
	t.Helper()
	users, err := auth.NewUsers(auth.Options{})
	if err != nil {
		t.Fatal(err)
	}
	user, err := users.CreateUser(t.Context(), db.Session(), auth.NewUser{Email: email, Password: rand.Text()})
	if err != nil {
		t.Fatal(err)
	}
	token, _, err := users.IssueToken(t.Context(), db.Session(), user, "test", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return token.Reveal()
}

// serve serves the library on a fresh database.
func serve(t *testing.T, db *sqldb.DB) http.Handler {
	t.Helper()
	if err := db.Migrate(t.Context(), nil, migrations()...); err != nil {
		t.Fatal(err)
	}
	site := &program.Site{DB: db, PageSize: 20}
	common := config(site)
	common.Log = slog.New(slog.DiscardHandler)
	api := framework.New(common)
	register(api, site)
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

func TestLibrary(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		visitor := frameworktest.New(t, serve(t, db))
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

// TestOverdue lists the loans that are overdue, and neither those that are not nor those
// that were returned.
func TestOverdue(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		visitor := frameworktest.New(t, serve(t, db))
		librarian, ada := visitor.As(token(t, db, "lib@library.example")), visitor.As(token(t, db, "ada@example.com"))
		var author AuthorView
		librarian.Post("/api/authors/", AuthorInput{"Italo Calvino"}).Expect(201).JSON(&author)
		loans := map[string]LoanView{}
		for _, title := range []string{"overdue", "in time", "returned"} {
			var book BookView
			librarian.Post("/api/books/", BookInput{title, author.ID}).Expect(201).JSON(&book)
			var loan LoanView
			ada.Post("/api/loans/", LoanInput{book.ID}).Expect(201).JSON(&loan)
			if days := time.Until(loan.DueAt).Hours() / 24; days < 27 || days > 28 {
				t.Errorf("it is due in %.1f days; want 28", days)
			}
			loans[title] = loan
		}
		for _, title := range []string{"overdue", "returned"} {
			late := Loan{ID: loans[title].ID, DueAt: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)}
			if _, err := db.NewUpdate().Model(&late).Column("due_at").WherePK().Exec(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		ada.Post("/api/loans/"+loans["returned"].ID.String()+"/return/", nil).Expect(200)
		var printed strings.Builder
		if err := overdue(t.Context(), &program.Invocation{Site: &program.Site{DB: db}, Stdout: &printed}); err != nil {
			t.Fatal(err)
		}
		if got := printed.String(); got != "2026-11-01  ada@example.com  overdue\n" {
			t.Errorf("it prints %q", got)
		}
	})
}
