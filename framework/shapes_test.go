package framework_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
)

// Shapes of a book with its relations, two deep.
type (
	nestedBook struct {
		ID         uuid.UUID       `json:"id"`
		Title      string          `json:"title"`
		LeadAuthor *nestedAuthor   `json:"author"`
		Original   *nestedOriginal `json:"original"`
		Chapters   []*chapterName  `json:"chapters"`
		Sequels    []nestedSequel  `json:"sequels"`
	}
	nestedAuthor struct {
		Name        string       `json:"name"`
		HomeCountry *CountryView `json:"country"`
	}
	nestedOriginal struct {
		Title      string        `json:"title"`
		LeadAuthor *nestedAuthor `json:"author"`
	}
	nestedSequel struct {
		Title      string        `json:"title"`
		LeadAuthor *nestedAuthor `json:"author"`
		Chapters   []chapterName `json:"chapters"`
	}
	// valueBook has its joined row as a value: zero where there is none.
	valueBook struct {
		Title      string      `json:"title"`
		LeadAuthor valueAuthor `json:"author"`
	}
	valueAuthor struct {
		Name        string      `json:"name"`
		HomeCountry CountryView `json:"country"`
	}
)

// nestedRelations are the relations of nestedBook and valueBook: other books of a book are part of it.
var nestedRelations = framework.Relations{
	"lead_author": "authors", "chapters": "chapters", "original": framework.OfRow, "sequels": framework.OfRow,
	"original.lead_author": "authors", "sequels.lead_author": "authors", "sequels.chapters": framework.OfRow,
}

// computedRelations are the relations of computedBook.
var computedRelations = framework.Relations{"lead_author": framework.OfRow, "chapters": "chapters", "sequels": "books"}

// stocked fills the library past the API: Emma with everything, Anon with
// nothing, and a sequel by another author.
func stocked(t *testing.T, db *sqldb.DB) (emma, anon, sequel Book) {
	t.Helper()
	owner, at := idOf("ada"), time.Date(2026, 1, 31, 9, 0, 0, 0, time.UTC)
	country := Country{ID: uuid.New(), Name: "England"}
	austen := Author{ID: uuid.New(), Name: "Austen", CountryID: &country.ID}
	stateless := Author{ID: uuid.New(), Name: "Stateless"}
	emma = Book{ID: uuid.New(), OwnerID: owner, Title: "Emma", AuthorID: &austen.ID, CreatedAt: at, UpdatedAt: at}
	anon = Book{ID: uuid.New(), OwnerID: owner, Title: "Anon", CreatedAt: at, UpdatedAt: at}
	sequel = Book{ID: uuid.New(), OwnerID: owner, Title: "Emma II", AuthorID: &stateless.ID, SequelTo: &emma.ID, CreatedAt: at, UpdatedAt: at}
	insert(t, db, &country, &austen, &stateless, &emma, &anon, &sequel,
		&Chapter{ID: uuid.MustParse("00000000-0000-7000-8000-000000000c01"), BookID: emma.ID, Number: 1, Title: "One"},
		&Chapter{ID: uuid.MustParse("00000000-0000-7000-8000-000000000c02"), BookID: emma.ID, Number: 2, Title: "Two"},
		&Chapter{ID: uuid.MustParse("00000000-0000-7000-8000-000000000c03"), BookID: sequel.ID, Number: 1, Title: "Again"})
	return emma, anon, sequel
}

func insert(t *testing.T, db *sqldb.DB, rows ...any) {
	t.Helper()
	for _, row := range rows {
		if _, err := db.NewInsert().Model(row).Exec(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNested: to-one relations two deep, to-many ones, and those that are not
// there.
func TestNested(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Verbs, v.Filters, v.Relations = framework.ReadOnly[nestedBook](), nil, nestedRelations
		ada := serve(t, config(db), countries(), authors(), v, chapters()).as("ada")
		emma, anon, sequel := stocked(t, db)

		ada.get("/api/books/"+emma.ID.String()+"/").is(200).says(`"title":"Emma","author":{"name":"Austen","country":{"id":"`, `"name":"England"}},"original":null,`+
			`"chapters":[{"title":"One"},{"title":"Two"}],"sequels":[{"title":"Emma II","author":{"name":"Stateless","country":null},"chapters":[{"title":"Again"}]}]}`)
		ada.get("/api/books/" + anon.ID.String() + "/").is(200).says(`"title":"Anon","author":null,"original":null,"chapters":[],"sequels":[]}`)
		ada.get("/api/books/"+sequel.ID.String()+"/").is(200).says(`"author":{"name":"Stateless","country":null},"original":{"title":"Emma","author":{"name":"Austen","country":{"id":"`, `"chapters":[{"title":"Again"}],"sequels":[]}`)
		if got := fmt.Sprintf("%q", ada.get("/api/books/").list().values("title")); got != `["Anon" "Emma" "Emma II"]` {
			t.Errorf("the list shows %s", got)
		}
	})
}

// TestNestedValues: a joined row that is a value and no pointer is zero where
// there is none.
func TestNestedValues(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Verbs, v.Filters, v.Relations = framework.ReadOnly[valueBook](), nil, nestedRelations
		ada := serve(t, config(db), countries(), authors(), v, chapters()).as("ada")
		emma, anon, sequel := stocked(t, db)
		ada.get("/api/books/"+emma.ID.String()+"/").is(200).says(`"author":{"name":"Austen"`, `"name":"England"`)
		zero := `"country":{"id":"00000000-0000-0000-0000-000000000000","name":""}}}`
		ada.get("/api/books/" + anon.ID.String() + "/").is(200).says(`{"title":"Anon","author":{"name":"",` + zero)
		ada.get("/api/books/" + sequel.ID.String() + "/").is(200).says(`"author":{"name":"Stateless",` + zero)
	})
}

// computedBook is a function of a book and its relations.
type computedBook struct {
	ID       uuid.UUID `json:"id"`
	Label    string    `json:"label"`
	Chapters int       `json:"chapters"`
	Sequels  []string  `json:"sequels"`
}

func compute(c *framework.Call, b *Book) (computedBook, error) {
	out := computedBook{ID: b.ID, Label: b.Title + " for " + c.Caller.Name, Chapters: len(b.Chapters)}
	if b.LeadAuthor != nil {
		out.Label += " by " + b.LeadAuthor.Name
	}
	for _, s := range b.Sequels {
		out.Sequels = append(out.Sequels, s.Title)
	}
	if b.Title == "unspeakable" {
		return out, framework.Conflict("unspeakable", "This title is not spoken.")
	}
	return out, nil
}

func computing() framework.Verb {
	return framework.Computes(compute, "lead_author", "chapters", "sequels")
}

// TestComputes: a representation that is a function, its relations loaded for
// all rows at once, wherever the shape is shown.
func TestComputes(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Verbs = framework.Verbs{List: computing(), Retrieve: computing(), Create: framework.Accepts[BookInput, computedBook](), Patch: framework.Accepts[BookInput, computedBook]()}
		v.Ordering.Default, v.Relations = "title", computedRelations
		ada := serve(t, config(db), countries(), authors(), v, chapters()).as("ada")
		emma, _, sequel := stocked(t, db)
		ada.get("/api/books/"+emma.ID.String()+"/").is(200).says(`"label":"Emma for Ada by Austen"`, `"chapters":2`, `"sequels":["Emma II"]`)
		ada.get("/api/books/").is(200).says(`"label":"Anon for Ada","chapters":0`, `"label":"Emma II for Ada by Stateless","chapters":1`, `"count":3`)
		ada.patch("/api/books/"+sequel.ID.String()+"/", fields{"title": "Emma 2"}).is(200).says(`"label":"Emma 2 for Ada by Stateless"`, `"chapters":1`)
		ada.post("/api/books/", fields{"title": "New"}).is(201).says(`"label":"New for Ada"`)
		ada.patch("/api/books/"+sequel.ID.String()+"/", fields{"label": "x", "chapters": 1}).is(200).head("Trestle-Ignored", "/label")
		ada.as("bob").get("/api/books/" + emma.ID.String() + "/").is(404)
		ada.post("/api/books/", fields{"title": "unspeakable"}).refuses(409, "unspeakable")
		if n := *ada.get("/api/books/").list().Count; n != 4 {
			t.Errorf("what could not be shown was kept: %d", n)
		}
	})
}

// TestComputesScoped: a loaded row that is not the caller's is not there.
func TestComputesScoped(t *testing.T) {
	type named struct {
		Original string `json:"original"`
		Lead     string `json:"lead"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		fn := func(_ *framework.Call, b *Book) (named, error) {
			var out named
			if b.Original != nil {
				out.Original = b.Original.Title
			}
			if b.LeadAuthor != nil {
				out.Lead = b.LeadAuthor.Name
			}
			return out, nil
		}
		v, a := books(), authors()
		v.Verbs = framework.Verbs{Retrieve: framework.Computes(fn, "original", "lead_author")}
		v.Relations = framework.Relations{"original": "books", "lead_author": "authors"}
		a.Scope = framework.Where(everything)
		api := serve(t, config(db), countries(), a, v)
		emma, _, sequel := stocked(t, db)
		insert(t, db, &Book{ID: uuid.MustParse(missing), OwnerID: idOf("bob"), Title: "Bob's", SequelTo: &emma.ID, AuthorID: emma.AuthorID})
		api.as("bob").get("/api/books/" + missing + "/").is(200).says(`{"original":"","lead":"Austen"}`)
		api.as("vic").get("/api/books/" + missing + "/").is(200).says(`{"original":"Emma","lead":"Austen"}`)
		api.as("ada").get("/api/books/" + sequel.ID.String() + "/").is(200).says(`{"original":"Emma","lead":"Stateless"}`)
	})
}

// TestStatements counts what a request costs the database: never more for
// more rows.
func TestStatements(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		emma, _, _ := stocked(t, db)
		for i := range 30 {
			b := Book{ID: uuid.New(), OwnerID: idOf("ada"), Title: fmt.Sprint("Book ", i), Document: sqldb.Document(fmt.Sprint("Book ", i)), AuthorID: emma.AuthorID, SequelTo: &emma.ID}
			insert(t, db, &b, &Chapter{ID: uuid.New(), BookID: b.ID, Number: 1, Title: "c"})
		}
		n := frameworktest.CountStatements(db)
		flat, nested, computed := books(), books(), books()
		flat.Pagination = page.Number{Size: 20, SizeParam: "size"}
		nested.Name, nested.Verbs, nested.Pagination = "nested", framework.Verbs{List: framework.Shows[nestedBook](), Retrieve: framework.Shows[nestedBook](), Patch: framework.Accepts[BookInput, nestedBook]()}, flat.Pagination
		computed.Name, computed.Verbs, computed.Pagination = "computed", framework.Verbs{List: computing(), Retrieve: computing()}, flat.Pagination
		computed.Filters, computed.Relations, nested.Relations = nil, computedRelations, nestedRelations
		ada := serve(t, config(db), countries(), authors(), flat, nested, computed, chapters()).as("ada")
		id := emma.ID.String()
		for _, c := range []struct {
			name, method, path string
			body               any
			want               int
		}{
			{"a list: its rows and their number", "GET", "/api/books/", nil, 2},
			{"a list of one", "GET", "/api/books/?size=1", nil, 2},
			{"a list that tells its own number", "GET", "/api/books/?size=100", nil, 1},
			{"a list with everything asked", "GET", "/api/books/?size=5&search=book&min_pages=0&ordering=-pages,title&author=" + emma.AuthorID.String(), nil, 2},
			{"a list of joins and three lists of rows", "GET", "/api/nested/?ordering=-title", nil, 5},
			{"one row of joins and three lists of rows", "GET", "/api/nested/" + id + "/", nil, 4},
			{"a computed list with two lists of rows", "GET", "/api/computed/", nil, 4},
			{"one computed row with two lists of rows", "GET", "/api/computed/" + id + "/", nil, 3},
			{"one row", "GET", "/api/books/" + id + "/", nil, 1},
			{"a row that is not there", "GET", "/api/books/" + missing + "/", nil, 1},
			{"a change", "PATCH", "/api/books/" + id + "/", fields{"pages": 5}, 1},
			{"a replacement", "PUT", "/api/books/" + id + "/", fields{"title": "Emma"}, 1},
			{"a change with a reference", "PATCH", "/api/books/" + id + "/", fields{"author": emma.AuthorID}, 3},
			{"a change that nests its answer", "PATCH", "/api/nested/" + id + "/", fields{"pages": 5}, 5},
			{"a new row", "POST", "/api/books/", fields{"title": "x"}, 1},
			{"a new row with a reference", "POST", "/api/books/", fields{"title": "y", "author": emma.AuthorID}, 2},
			{"a removal", "DELETE", "/api/books/" + missing + "/", nil, 1},
			{"a description", "OPTIONS", "/api/books/", nil, 0},
			{"a malformed id", "GET", "/api/books/x/", nil, 0},
			{"a method that is not offered", "POST", "/api/books/" + id + "/", nil, 0},
			{"a body that is wrong", "POST", "/api/books/", fields{}, 0},
		} {
			t.Run(c.name, func(t *testing.T) {
				forgetCounts(t, db)
				statements(t, n, c.want, func() { ada.in(t).do(c.method, c.path, c.body) })
			})
		}
	})
}

// TestParameters: nothing of a request is part of a statement's text.
func TestParameters(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		emma, _, _ := stocked(t, db)
		n := frameworktest.CountStatements(db)
		ada := serve(t, config(db), shelves()...).as("ada")
		id := emma.ID.String()
		said := n.During(func() {
			ada.get("/api/books/?search=canary&min_pages=987654&status=out&page=3&author=" + missing)
			ada.get("/api/books/?search=%27;canary--")
			ada.post("/api/books/", fields{"title": "canary'\"--", "pages": 98765, "notes": "canary", "isbn": "canary", "published_at": "1987-06-05T00:00:00Z", "author": emma.AuthorID}).is(201)
			ada.patch("/api/books/"+id+"/", fields{"title": "canary", "pages": 98765, "author": emma.AuthorID}).is(200)
			ada.put("/api/books/"+id+"/", fields{"title": "canary?", "pages": 98765}).is(200)
			ada.get("/api/books/" + id + "/")
			ada.delete("/api/books/" + missing + "/")
		})
		for _, sql := range said {
			for _, part := range []string{"canary", "98765", "1987", missing, id, emma.AuthorID.String(), callers["ada"].IDText(), "'out'", "'draft'"} {
				if strings.Contains(sql, part) {
					t.Errorf("%q stands in the text of %s", part, sql)
				}
			}
		}
	})
}

// TestSelected: exactly what a shape shows is selected.
func TestSelected(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Verbs = framework.Verbs{List: framework.Shows[bookName](), Retrieve: framework.Shows[BookView]()}
		n := frameworktest.CountStatements(db)
		ada := serve(t, config(db), countries(), authors(), v, chapters()).as("ada")
		for _, sql := range n.During(func() { ada.get("/api/books/").is(200) }) {
			for _, column := range []string{"notes", "document", "created_at", "pages"} {
				if strings.Contains(sql, column) {
					t.Errorf("%s is selected and not shown: %s", column, sql)
				}
			}
		}
	})
}
