// Library is a whole program: users with tokens, a schema in migrations, books with
// their authors, loans that belong to their borrower, and a setting and a command of its
// own. Package program has all other commands. Try it:
//
//	export LIBRARY_PASSWORD='four unrelated words'
//	go run ./examples/library migrate up
//	go run ./examples/library user create --email lib@library.example
//	go run ./examples/library token create --email lib@library.example
//	go run ./examples/library serve --loan-days 14
//	curl -H 'Authorization: Token ...' -H 'Content-Type: application/json' -d '{"name":"Italo Calvino"}' localhost:8080/api/authors/
//	go run ./examples/library overdue
package main

import (
	"context"
	"fmt"
	"net/http"
	"text/tabwriter"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/page"
	"trestle.example/framework/program"
	"trestle.example/framework/sqldb"
)

func main() { program.Main(library()) }

func library() program.Program {
	return program.Program{
		Name:       "library",
		Migrations: migrations(),
		Config:     config,
		Register:   register,
		Settings:   []program.AnySetting{loanDays},
		Commands:   []program.Command{{Use: "overdue", Short: "List the loans that are overdue", Run: overdue}},

		ProofCallers: []framework.ProofCaller{{Name: "librarian", Email: "ann@library.example"}},
	}
}

// migrations are the tables of the framework and of the users, and the library's own.
func migrations() []sqldb.Migrations {
	return []sqldb.Migrations{framework.Migrations(), auth.Migrations(), {Namespace: "library", FS: files}}
}

// loanDays is the flag --loan-days, the variable LIBRARY_LOAN_DAYS, or 28.
var loanDays = program.Setting[int]{
	Name:    "loan-days",
	Default: "28",
	Usage:   "`number` of days of a loan",
	Read:    program.Number(1, 365),
}

// config lets callers sign in by a token alone, which the command "token create" makes:
// there are no endpoints for users to register.
func config(site *program.Site) framework.Config {
	return framework.Config{
		DB:             site.DB,
		Title:          "Library",
		Authentication: []framework.Authenticator{auth.Token{}},
		Pagination:     page.Number{Size: site.PageSize},
		Codes: []framework.CodeInfo{
			{Code: "book_lent", Status: http.StatusConflict, Title: "Book is on loan", Text: "Another loan of this book is not returned yet. Try again when it is."},
			{Code: "returned_already", Status: http.StatusConflict, Title: "Returned already", Text: "A loan is returned once. To have the book again, make a new loan."},
		},
	}
}

func register(api *framework.API, site *program.Site) {
	api.Register(Authors, Books, Loans(loanDays.Of(site)))
}

// overdue prints a line for each loan whose time is over, the oldest first.
func overdue(ctx context.Context, in *program.Invocation) error {
	var late []struct {
		DueAt        time.Time
		Email, Title string
	}
	err := in.DB.NewSelect().TableExpr("loans").
		Join("JOIN books ON books.id = loans.book_id").Join("JOIN auth_users ON auth_users.id = loans.borrower_id").
		Column("loans.due_at", "auth_users.email", "books.title").
		Where("loans.returned_at IS NULL").Where("loans.due_at < ?", time.Now()).
		Order("loans.due_at", "loans.id").Scan(ctx, &late)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(in.Stdout, 0, 0, 2, ' ', 0)
	for _, l := range late {
		fmt.Fprintf(table, "%s\t%s\t%s\n", l.DueAt.Format(time.DateOnly), l.Email, l.Title)
	}
	return table.Flush()
}
