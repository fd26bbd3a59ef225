package framework_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

var instance = regexp.MustCompile(`"instance":"urn:uuid:[^"]*"`)

// sameRefusal expects two answers that differ in the request's id alone.
func sameRefusal(t *testing.T, a, b *answer) {
	t.Helper()
	if x, y := instance.ReplaceAllString(a.body, ""), instance.ReplaceAllString(b.body, ""); x != y || a.status != b.status {
		t.Errorf("%s\n%d %s\ndiffers from\n%s\n%d %s", a.asked, a.status, x, b.asked, b.status, y)
	}
}

// lending has an action of each method, which must never be reached by a
// stranger.
func lending() []framework.Action[Book] {
	act := func(c *framework.Call, b *Book, in BookInput) (BookView, error) {
		return BookView{ID: b.ID, BookInput: BookInput{Title: c.Route.Name}}, nil
	}
	look := func(_ *framework.Call, b *Book, _ framework.None) (BookView, error) {
		return BookView{ID: b.ID, BookInput: b.input()}, nil
	}
	return []framework.Action[Book]{
		framework.Get("look", look), framework.Post("lend", act), framework.Put("place", act),
		framework.Patch("mend", act), framework.Delete("burn", look),
	}
}

func (b *Book) input() BookInput { return BookInput{Title: b.Title, Pages: b.Pages} }

// TestOwn: another's record is, on every verb and action, what a record is
// that does not exist.
func TestOwn(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Actions = lending()
		api := serve(t, config(db), countries(), authors(), v, chapters())
		ada, bob := api.as("ada"), api.as("bob")
		id := ada.post("/api/books/", fields{"title": "Emma", "pages": 3}).is(201).id()
		before := ada.get("/api/books/" + id + "/").is(200).body

		good, bad := fields{"title": "Bob's"}, fields{"title": "", "pages": -1, "id": missing, "author": missing}
		for _, c := range []struct {
			method, action string
			body           any
		}{
			{"GET", "", nil}, {"HEAD", "", nil}, {"PUT", "", good}, {"PATCH", "", good}, {"DELETE", "", nil},
			{"PUT", "", bad}, {"PATCH", "", bad}, {"PATCH", "", fields{}},
			{"PUT", "", fields{"title": "x", "author": missing}}, {"PATCH", "", fields{"author": missing}},
			{"GET", "look/", nil}, {"POST", "lend/", good}, {"PUT", "place/", good}, {"PATCH", "mend/", good}, {"DELETE", "burn/", good},
			{"POST", "lend/", fields{"title": "x", "author": missing}},
		} {
			t.Run(fmt.Sprint(c.method, " ", c.action, c.body), func(t *testing.T) {
				theirs := bob.in(t).do(c.method, "/api/books/"+id+"/"+c.action, c.body)
				nobodys := bob.in(t).do(c.method, "/api/books/"+missing+"/"+c.action, c.body)
				theirs.is(404)
				sameRefusal(t, theirs, nobodys)
			})
		}
		if got := bob.get("/api/books/").list(); *got.Count != 0 || len(got.Results) != 0 {
			t.Errorf("Bob sees %v", got)
		}
		if after := ada.get("/api/books/" + id + "/").body; after != before {
			t.Errorf("Ada's book was changed: %s", after)
		}
		for _, q := range []string{"?search=Emma", "?min_pages=1", "?status=draft", "?ordering=-pages", "?page=1"} {
			if got := bob.get("/api/books/" + q).list(); *got.Count != 0 {
				t.Errorf("%s shows Bob %v", q, got)
			}
		}
	})
}

// TestOwnAnonymous: where permission lets strangers in, they own nothing.
func TestOwnAnonymous(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Permission = framework.Anyone()
		api := serve(t, config(db), countries(), authors(), v)
		id := api.as("ada").post("/api/books/", fields{"title": "Emma"}).is(201).id()
		if got := api.get("/api/books/").list(); len(got.Results) != 0 {
			t.Errorf("a stranger sees %v", got)
		}
		api.get("/api/books/"+id+"/").refuses(404, "not_found")
		api.delete("/api/books/"+id+"/").refuses(404, "not_found")
		api.patch("/api/books/"+id+"/", fields{"title": "x"}).refuses(404, "not_found")
		api.post("/api/books/", fields{"title": "x"}).refuses(401, "authentication_required").head("WWW-Authenticate", `Name realm="library"`)
	})
}

// TestUnless: who holds a permission of the model has every row, verb by verb.
func TestUnless(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Actions = lending()
		api := serve(t, config(db), countries(), authors(), v, chapters())
		for _, c := range []struct {
			caller string
			want   map[string]int // status of each request
		}{
			{"bob", map[string]int{"GET": 404, "PUT": 404, "PATCH": 404, "DELETE": 404, "GET look/": 404, "POST lend/": 404}},
			{"eve", map[string]int{"GET": 404, "PUT": 404, "PATCH": 404, "DELETE": 404, "GET look/": 404, "POST lend/": 404}},
			{"vic", map[string]int{"GET": 200, "PUT": 404, "PATCH": 404, "DELETE": 404, "GET look/": 200, "POST lend/": 404}},
			{"max", map[string]int{"GET": 200, "PUT": 200, "PATCH": 200, "DELETE": 404, "GET look/": 200, "POST lend/": 200}},
			{"root", map[string]int{"GET": 200, "PUT": 200, "PATCH": 200, "GET look/": 200, "POST lend/": 200, "DELETE": 204}},
		} {
			id := api.as("ada").post("/api/books/", fields{"title": "of " + c.caller}).is(201).id()
			for _, request := range []string{"GET", "PUT", "PATCH", "GET look/", "POST lend/", "DELETE"} {
				method, action, _ := strings.Cut(request, " ")
				var body any
				if method != "GET" && method != "DELETE" {
					body = fields{"title": "by " + c.caller}
				}
				api.as(c.caller).do(method, "/api/books/"+id+"/"+action, body).is(c.want[request])
			}
		}
		if got := api.as("max").get("/api/books/").list(); *got.Count != 4 {
			t.Errorf("who may view all sees %d books", *got.Count)
		}
		id := api.as("ada").get("/api/books/").list().Results[0]["id"].(string)
		api.as("max").patch("/api/books/"+id+"/", fields{"pages": 9}).is(200)
		api.as("ada").get("/api/books/" + id + "/").is(200).says(`"pages":9`)
	})
}

// TestVia: only the owner of a book has its chapters; the book's Unless does not apply.
func TestVia(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api := serve(t, config(db), shelves()...)
		ada, bob := api.as("ada"), api.as("bob")
		emma := ada.post("/api/books/", fields{"title": "Emma"}).is(201).id()
		bobs := bob.post("/api/books/", fields{"title": "Dune"}).is(201).id()
		one := ada.post("/api/chapters/", fields{"book": emma, "number": 1, "title": "One"}).is(201).id()

		ada.get("/api/chapters/" + one + "/").is(200).says(emma)
		for _, stranger := range []string{"bob", "vic", "max", "root"} {
			for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
				body := fields{"book": emma, "number": 2, "title": "Two"}
				sameRefusal(t, api.as(stranger).do(method, "/api/chapters/"+one+"/", body), api.as(stranger).do(method, "/api/chapters/"+missing+"/", body))
			}
			if got := api.as(stranger).get("/api/chapters/").list(); len(got.Results) != 0 {
				t.Errorf("%s sees %v", stranger, got)
			}
		}
		ada.patch("/api/chapters/"+one+"/", fields{"title": "Uno"}).is(200).says(`"title":"Uno"`)
		ada.patch("/api/chapters/"+one+"/", fields{"book": bobs}).refuses(400, "validation_failed").fault("/book", "invalid_reference")
		ada.delete("/api/chapters/" + one + "/").is(204)
	})
}

// TestReferences: a reference in a body must be to a row that the caller has. The error
// does not reveal whether another row exists.
func TestReferences(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api := serve(t, config(db), shelves()...)
		emma := api.as("ada").post("/api/books/", fields{"title": "Emma"}).is(201).id()
		bob := api.as("bob")
		own := bob.post("/api/books/", fields{"title": "Dune"}).is(201).id()
		chapter := bob.post("/api/chapters/", fields{"book": own, "number": 1, "title": "One"}).is(201).id()
		number := 1

		for _, c := range []struct {
			name, method, path string
			book               any
			code               string
		}{
			{"another's book", "POST", "", emma, "invalid_reference"},
			{"a book that is not there", "POST", "", missing, "invalid_reference"},
			{"no id", "POST", "", "emma", "format"},
			{"a number", "POST", "", 7, "type"},
			{"null", "POST", "", nil, "null"},
			{"an upper-case id is an id", "POST", "", strings.ToUpper(own), ""},
			{"another's book by PUT", "PUT", chapter + "/", emma, "invalid_reference"},
			{"another's book by PATCH", "PATCH", chapter + "/", emma, "invalid_reference"},
			{"a book that is not there by PATCH", "PATCH", chapter + "/", missing, "invalid_reference"},
			{"one's own book", "PATCH", chapter + "/", own, ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				number++
				a := bob.in(t).do(c.method, "/api/chapters/"+c.path, fields{"book": c.book, "number": number, "title": "x"})
				if c.code != "" {
					a.refuses(400, "validation_failed").fault("/book", c.code)
				} else if a.status >= 300 {
					a.failf("want success")
				}
			})
		}
		t.Run("another's and none read alike", func(t *testing.T) {
			body := func(book string) fields { return fields{"book": book, "number": 1, "title": "x"} }
			sameRefusal(t, bob.post("/api/chapters/", body(emma)), bob.post("/api/chapters/", body(missing)))
		})
		t.Run("who may only view another's book puts no chapter into it", func(t *testing.T) {
			api.in(t).as("vic").post("/api/chapters/", fields{"book": emma, "number": 9, "title": "x"}).
				refuses(400, "validation_failed").fault("/book", "invalid_reference")
		})
		t.Run("in a filter another's and none are an empty list", func(t *testing.T) {
			for _, id := range []string{emma, missing} {
				if got := bob.in(t).get("/api/chapters/?book=" + id).list(); *got.Count != 0 {
					t.Errorf("got %v", got)
				}
			}
			if got := bob.in(t).get("/api/chapters/?book=" + own).list(); *got.Count == 0 {
				t.Error("one's own book has chapters")
			}
			bob.in(t).get("/api/chapters/?book=emma").refuses(400, "invalid_parameter").fault("book", "invalid_parameter")
		})
	})
}

// TestReferencesInActions: a function's input is checked as a row's is.
func TestReferencesInActions(t *testing.T) {
	type move struct {
		To uuid.UUID `json:"to" ref:"books" validate:"required"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		called := 0
		v.Actions = []framework.Action[Book]{framework.Post("move", func(*framework.Call, *Book, move) (framework.None, error) {
			called++
			return framework.None{}, nil
		})}
		api := serve(t, config(db), countries(), authors(), v)
		emma := api.as("ada").post("/api/books/", fields{"title": "Emma"}).is(201).id()
		own := api.as("bob").post("/api/books/", fields{"title": "Dune"}).is(201).id()
		for to, code := range map[string]string{emma: "invalid_reference", missing: "invalid_reference", "x": "format"} {
			api.as("bob").post("/api/books/"+own+"/move/", fields{"to": to}).refuses(400, "validation_failed").fault("/to", code)
		}
		if called != 0 {
			t.Error("the action ran with a reference that leads nowhere")
		}
		api.as("bob").post("/api/books/"+own+"/move/", fields{"to": own}).is(204)
	})
}

// TestWhere: a row that does not meet the conditions is rejected and not stored.
func TestWhere(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := notes()
		v.Scope = framework.Where(func(c *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
			return q.Where("?TableAlias.room = ?", c.Caller.Name)
		})
		v.Filters = []framework.Filter{filter.Exact("room")}
		n := frameworktest.CountStatements(db)
		api := serve(t, config(db), v)
		ada, bob := api.as("ada"), api.as("bob")
		ada.post("/api/notes/", fields{"room": "Ada", "text": "mine"}).is(201)
		bob.post("/api/notes/", fields{"room": "Bob", "text": "his"}).is(201)

		ada.post("/api/notes/", fields{"room": "Bob", "text": "planted"}).refuses(403, "forbidden")
		ada.put("/api/notes/1/", fields{"room": "Bob", "text": "moved"}).refuses(403, "forbidden")
		ada.patch("/api/notes/1/", fields{"room": "Bob"}).refuses(403, "forbidden")
		ada.patch("/api/notes/2/", fields{"text": "x"}).refuses(404, "not_found")
		ada.get("/api/notes/2/").refuses(404, "not_found")
		ada.delete("/api/notes/2/").refuses(404, "not_found")
		if got := ada.get("/api/notes/?room=Bob").list(); len(got.Results) != 0 {
			t.Errorf("Ada sees %v", got)
		}
		ada.get("/api/notes/1/").is(200).says(`"room":"Ada"`, `"text":"mine"`)
		if got := fmt.Sprint(bob.get("/api/notes/").list().values("text")); got != "[his]" {
			t.Errorf("what was refused was kept: Bob sees %s", got)
		}
		ada.patch("/api/notes/1/", fields{"text": "still mine"}).is(200).says("still mine")
		for _, sql := range n.During(func() { ada.get("/api/notes/") }) {
			if strings.Contains(sql, "'Ada'") {
				t.Errorf("a value stands in the text of %s", sql)
			}
		}
		ada.delete("/api/notes/1/").is(204)
	})
}

// TestPublic: every caller has every row.
func TestPublic(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api := serve(t, config(db), countries())
		id := api.as("ada").post("/api/countries/", fields{"name": "Chile"}).is(201).id()
		api.as("bob").patch("/api/countries/"+id+"/", fields{"name": "Peru"}).is(200)
		api.as("ada").get("/api/countries/" + id + "/").is(200).says("Peru")
		api.get("/api/countries/").refuses(401, "authentication_required")
	})
}

// TestEmbeds: a joined row that is not the caller's is null, and a list of rows
// holds the caller's alone.
func TestEmbeds(t *testing.T) {
	type bookOf struct {
		Title    string        `json:"title"`
		Original *bookName     `json:"original" ref:"books"`
		Sequels  []bookName    `json:"sequels" ref:"books"`
		Chapters []chapterName `json:"chapters" ref:"-"`
	}
	type sequelInput struct {
		Title    string     `json:"title"`
		SequelTo *uuid.UUID `json:"sequel_to" ref:"anybooks"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Verbs.List, v.Verbs.Retrieve = framework.Shows[bookOf](), framework.Shows[bookOf]()
		every := framework.ViewSet[Book]{Name: "anybooks", Scope: framework.Where(everything), Verbs: framework.Verbs{
			Retrieve: framework.Shows[BookView](), Create: framework.Fills[BookView](func(c *framework.Call, b *Book, _ sequelInput) error {
				b.OwnerID = framework.IDOf[uuid.UUID](c)
				return nil
			}),
		}}
		api := serve(t, config(db), countries(), authors(), v, chapters(), every)
		ada, bob := api.as("ada"), api.as("bob")
		emma := ada.post("/api/books/", fields{"title": "Emma"}).is(201).id()
		ada.post("/api/chapters/", fields{"book": emma, "number": 1, "title": "One"}).is(201)
		adas := ada.post("/api/anybooks/", fields{"title": "Emma II", "sequel_to": emma}).is(201).id()
		bobs := bob.post("/api/anybooks/", fields{"title": "Bob's Emma", "sequel_to": emma}).is(201).id()

		ada.get("/api/books/"+emma+"/").is(200).says(`"original":null`, `"sequels":[{"title":"Emma II"}]`, `"chapters":[{"title":"One"}]`).lacks("Bob")
		ada.get("/api/books/"+adas+"/").is(200).says(`"original":{"title":"Emma"}`, `"sequels":[]`)
		bob.get("/api/books/"+bobs+"/").is(200).says(`"title":"Bob's Emma"`, `"original":null`)
		api.as("vic").get("/api/books/" + bobs + "/").is(200).says(`"original":{"title":"Emma"}`)
		api.as("vic").get("/api/books/"+emma+"/").is(200).says("Emma II", "Bob's Emma")
	})
}

// TestFind: a function reads another viewset's rows as its caller has them.
func TestFind(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := authors()
		v.Actions = []framework.Action[Author]{
			framework.Get("books", func(c *framework.Call, a *Author, _ framework.None) ([]BookView, error) {
				return framework.Find[BookView](c, "books", func(q *bun.SelectQuery) *bun.SelectQuery {
					return q.Where("?TableAlias.author_id = ?", a.ID)
				})
			}),
			framework.Post("all", func(c *framework.Call, _ *Author, _ framework.None) ([]BookView, error) {
				return framework.Find[BookView](c, "books", nil)
			}),
			framework.Get("strangers", func(c *framework.Call, _ *Author, _ framework.None) ([]CountryView, error) {
				return framework.Find[CountryView](c, "books", nil)
			}),
			framework.Get("nowhere", func(c *framework.Call, _ *Author, _ framework.None) ([]CountryView, error) {
				return framework.Find[CountryView](c, "cuontries", nil)
			}),
		}
		api := serve(t, config(db), countries(), v, books())
		austen := api.as("ada").post("/api/authors/", fields{"name": "Austen"}).is(201).id()
		api.as("ada").post("/api/books/", fields{"title": "Persuasion", "author": austen}).is(201)
		api.as("ada").post("/api/books/", fields{"title": "Emma", "author": austen}).is(201)
		api.as("ada").post("/api/books/", fields{"title": "Beowulf"}).is(201)
		api.as("bob").post("/api/books/", fields{"title": "Sanditon", "author": austen}).is(201)

		titles := func(caller, action string) string {
			var rows []struct{ Title string }
			method := map[string]string{"all": "POST"}[action]
			if method == "" {
				method = "GET"
			}
			api.as(caller).do(method, "/api/authors/"+austen+"/"+action+"/", nil).is(200).json(&rows)
			return fmt.Sprint(rows)
		}
		for _, c := range [][3]string{
			{"ada", "books", "[{Emma} {Persuasion}]"}, {"bob", "books", "[{Sanditon}]"}, {"eve", "books", "[]"},
			{"vic", "books", "[{Emma} {Persuasion} {Sanditon}]"}, {"ada", "all", "[{Beowulf} {Emma} {Persuasion}]"}, {"bob", "all", "[{Sanditon}]"},
			{"vic", "all", "[{Beowulf} {Emma} {Persuasion} {Sanditon}]"},
		} {
			if got := titles(c[0], c[1]); got != c[2] {
				t.Errorf("%s finds %s, want %s", c[0], got, c[2])
			}
		}
		api.as("eve").get("/api/authors/" + austen + "/books/").is(200)
		api.as("ada").get("/api/authors/"+austen+"/strangers/").refuses(500, "internal").lacks("Country", "books")
		api.as("ada").get("/api/authors/"+austen+"/nowhere/").refuses(500, "internal")
	})
}
