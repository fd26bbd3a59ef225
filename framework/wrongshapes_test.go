package framework_test

import (
	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
)

// Shapes that are wrong, each in one way.
type (
	// misspelt names a field that no model has.
	misspelt struct {
		ID    uuid.UUID `json:"id"`
		Tilte string    `json:"title"`
	}
	misspeltInput struct {
		Tilte string `json:"title"`
	}
	// mistyped has a field of another type than the model's.
	mistyped struct {
		Pages string `json:"pages"`
	}
	mistypedInput struct {
		Pages string `json:"pages"`
	}
	// crossed gives another field the name that BookView gives to Title.
	crossed struct {
		Slug string `json:"title"`
	}
	// bare refers to an author and names no viewset.
	bareReference struct {
		AuthorID *uuid.UUID `json:"author"`
	}
	lostReference struct {
		AuthorID *uuid.UUID `json:"author" ref:"autors"`
	}
	// chapterOfAnyBook embeds a book without saying whose.
	chapterOfAnyBook struct {
		ID   uuid.UUID `json:"id"`
		Book *bookName `json:"book"`
	}
	chapterOfNoBook struct {
		ID   uuid.UUID `json:"id"`
		Book *bookName `json:"book" ref:"boks"`
	}
	chapterOfAuthor struct {
		ID   uuid.UUID `json:"id"`
		Book *bookName `json:"book" ref:"authors"`
	}
	chapterOfValue struct {
		ID   uuid.UUID `json:"id"`
		Book bookName  `json:"book" ref:"books"`
	}
	bookName struct {
		Title string `json:"title"`
	}
	chapterName struct {
		Title string `json:"title"`
	}
	bookOfOneChapter struct {
		Chapters chapterName `json:"chapters" ref:"-"`
	}
	unknownRule struct {
		Title string `json:"title" validate:"requird"`
	}
	wrongRule struct {
		Title string `json:"title" validate:"required,min=three"`
	}
	badDefault struct {
		Pages int64 `json:"pages" default:"many"`
	}
	deafDefault struct {
		Title string `json:"title" validate:"required" default:"Untitled"`
	}
)

// Models that are no models of one key.
type (
	keyless struct {
		bun.BaseModel `bun:"table:keyless"`
		Name          string
	}
	twoKeys struct {
		bun.BaseModel `bun:"table:two_keys"`
		Left          uuid.UUID `bun:",pk"`
		Right         uuid.UUID `bun:",pk"`
	}
	dotted struct {
		ID   uuid.UUID `bun:",pk"`
		Mail string    `bun:"e.mail"`
	}
	keylessView struct {
		Name string `json:"name"`
	}
)

func viewOf(_ *framework.Call, b *Book) (BookView, error)     { return BookView{ID: b.ID}, nil }
func viewOfAuthor(*framework.Call, *Author) (BookView, error) { return BookView{}, nil }
func lend(*framework.Call, *Book, framework.None) (framework.None, error) {
	return framework.None{}, nil
}

type parts struct {
	Pages []int64 `json:"pages"`
}

func readAloud(*framework.Call, *Book, parts) (framework.None, error) {
	return framework.None{}, nil
}
func say(*framework.Call, *Book, string) (framework.None, error)           { return framework.None{}, nil }
func fillAuthor(*framework.Call, *Author, AuthorInput) error               { return nil }
func changeAuthor(*framework.Call, *Author, AuthorInput) (BookView, error) { return BookView{}, nil }
func summary(*framework.Call, framework.None) (framework.None, error)      { return framework.None{}, nil }
func nothing(*framework.Call, *Book, framework.None) (framework.None, error) {
	return framework.None{}, nil
}
func seek(*framework.Call, string) (framework.Narrow, error)            { return nil, nil }
func everything(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder { return q }
