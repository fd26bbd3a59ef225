package main

import (
	"embed"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
)

//go:embed *.sql
var files embed.FS

// An Author writes books.
type Author struct {
	bun.BaseModel `bun:"table:authors"`

	ID   uuid.UUID `bun:",pk"`
	Name string
}

// AuthorInput is what librarians write of an author.
type AuthorInput struct {
	Name string `json:"name" validate:"required,line,max=200"`
}

// AuthorView is an author as every caller sees it.
type AuthorView struct {
	ID uuid.UUID `json:"id"`
	AuthorInput
}

// A Book is on the shelf or on loan.
type Book struct {
	bun.BaseModel `bun:"table:books"`

	ID       uuid.UUID `bun:",pk"`
	Title    string
	AuthorID uuid.UUID
	Author   *Author `bun:"rel:belongs-to,join:author_id=id"`
}

// BookInput names the author by id.
type BookInput struct {
	Title    string    `json:"title"  validate:"required,line,max=200"`
	AuthorID uuid.UUID `json:"author" validate:"required" ref:"authors"`
}

// BookView has the author within the book.
type BookView struct {
	ID     uuid.UUID   `json:"id"`
	Title  string      `json:"title"`
	Author *AuthorView `json:"author"`
}

// A Loan is a book in the hands of a borrower until it is returned.
type Loan struct {
	bun.BaseModel `bun:"table:loans"`

	ID         uuid.UUID `bun:",pk"`
	BorrowerID uuid.UUID // the caller who made it
	BookID     uuid.UUID
	DueAt      time.Time
	ReturnedAt *time.Time // nil while the book is on loan
}

// LoanInput is what a borrower writes: which book.
type LoanInput struct {
	BookID uuid.UUID `json:"book" validate:"required" ref:"books"`
}

// LoanView is what the borrower sees.
type LoanView struct {
	ID uuid.UUID `json:"id"`
	LoanInput
	DueAt      time.Time  `json:"due_at"`
	ReturnedAt *time.Time `json:"returned_at"`
}

// Domain permits callers whose e-mail address is at it.
type Domain string

// Permit implements [framework.Permission].
func (d Domain) Permit(c *framework.Call) bool {
	return strings.HasSuffix(c.Caller.Email, "@"+string(d))
}

// String implements [framework.Permission].
func (d Domain) String() string { return "e-mail at " + string(d) }

// librarians may write the catalogue, and every caller may read it.
func librarians() framework.Permission { return framework.OrReadOnly(Domain("library.example")) }

// Authors serves /api/authors/.
var Authors = framework.ViewSet[Author]{
	Name:       "authors",
	Verbs:      framework.CRUD[AuthorInput, AuthorView](),
	Scope:      framework.Public(),
	Permission: librarians(),
	Ordering:   framework.Ordering{Default: "name"},
}

// Books serves /api/books/.
var Books = framework.ViewSet[Book]{
	Name:       "books",
	Verbs:      framework.CRUD[BookInput, BookView](),
	Relations:  framework.Relations{"author": "authors"},
	Scope:      framework.Public(),
	Permission: librarians(),
	Ordering:   framework.Ordering{Allowed: []string{"title"}, Default: "title"},
	Filters:    []framework.Filter{filter.Contains("title")},
}

// Loans serves /api/loans/: each caller has their own. They are made for some days
// and returned, never edited.
func Loans(days int) framework.ViewSet[Loan] {
	return framework.ViewSet[Loan]{
		Name: "loans",
		Verbs: framework.Verbs{
			List:     framework.Shows[LoanView](),
			Retrieve: framework.Shows[LoanView](),
			Create: framework.Fills[LoanView](func(c *framework.Call, l *Loan, _ LoanInput) error {
				l.DueAt = c.Now.AddDate(0, 0, days) // no client writes it
				return nil
			}),
		},
		Scope:    framework.Own((*Loan).borrower),
		Ordering: framework.Ordering{Allowed: []string{"due_at"}, Default: "due_at"},
		Filters:  []framework.Filter{filter.IsNull("lent", "returned_at")},
		Actions:  []framework.Action[Loan]{framework.Post("return", giveBack).Refuses("returned_already")},
		Uniques:  []framework.Unique{{Fields: []string{"book"}, Code: "book_lent", Detail: "This book is on loan."}},
		History:  framework.History{Permission: framework.Authenticated()},
	}
}

func (l *Loan) borrower() *uuid.UUID { return &l.BorrowerID }

// giveBack serves POST /loans/{id}/return/. The loan is the caller's and locked.
func giveBack(c *framework.Call, l *Loan, _ framework.None) (LoanView, error) {
	if l.ReturnedAt != nil {
		return LoanView{}, framework.Conflict("returned_already", "This loan is over.")
	}
	l.ReturnedAt = &c.Now
	return LoanView{l.ID, LoanInput{l.BookID}, l.DueAt, l.ReturnedAt}, framework.Save(c, l)
}
