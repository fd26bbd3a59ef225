package framework_test

import (
	"testing"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// TestListAndRetrieveAgree: a caller has the same rows in a list, one by one, and among the
// rows that refer to an object, whatever the scope is made of.
func TestListAndRetrieveAgree(t *testing.T) {
	scopes := map[string]framework.Scope{
		"own":             framework.Own((*Book).owner),
		"own, or a right": framework.Own((*Book).owner).Unless(framework.HoldsModel("books")),
		"where: a value": framework.Where(func(c *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
			return q.Where("?TableAlias.owner_id = ?", sqldb.Param(c.Caller.ID))
		}),
		"where: the time": framework.Where(func(c *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
			return q.Where("?TableAlias.created_at <= ?", c.Now)
		}),
		"where: one is barred": framework.Where(func(c *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
			if c.Caller.ID == idOf("bob") {
				return q.Where("1 = 0")
			}
			return q
		}),
		"where: a number of the caller's": framework.Where(func(c *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
			most := 0
			if c.Caller.ID == idOf("ada") || c.Caller.Superuser {
				most = 1000
			}
			return q.Where("?TableAlias.pages <= ?", most)
		}),
	}
	for name, scope := range scopes {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, db *sqldb.DB) {
				b := books()
				b.Scope = scope
				b.Actions = []framework.Action[Book]{framework.Related[Book, ChapterView]("chapters", "chapters", "book")}
				made := books()
				made.Under = "made"
				api := serve(t, config(db), countries(), authors(), b, made, chapters())
				var paths []string
				for _, owner := range []string{"ada", "bob"} {
					book := api.as(owner).post("/api/made/books/", fields{"title": "Of " + owner, "pages": 10}).is(201).id()
					api.as("root").post("/api/chapters/", fields{"book": book, "number": 1, "title": "One"})
					paths = append(paths, "/api/books/"+book+"/")
				}
				api.agrees(t, paths)
			})
		})
	}
}

// agrees checks that each caller finds those rows by their paths that the list
// has, and the chapters of those alone.
func (c *client) agrees(t *testing.T, paths []string) {
	t.Helper()
	for _, who := range []string{"ada", "bob", "eve", "root", "ada"} {
		listed := map[any]bool{}
		for _, id := range c.as(who).get("/api/books/").list().values("id") {
			listed["/api/books/"+id.(string)+"/"] = true
		}
		chapters := map[any]bool{}
		for _, id := range c.as(who).get("/api/chapters/").list().values("id") {
			chapters[id] = true
			c.as(who).get("/api/chapters/" + id.(string) + "/").is(200)
		}
		found := 0
		for _, path := range paths {
			want := 404
			if listed[path] {
				want = 200
			}
			c.as(who).get(path).is(want)
			related := c.as(who).get(path + "chapters/").is(want)
			if want == 200 {
				var rows []map[string]any
				related.json(&rows)
				for _, row := range rows {
					found++
					if !chapters[row["id"]] {
						t.Errorf("%s has the chapter %v of a book and not in the list", who, row["id"])
					}
				}
			}
		}
		if found != len(chapters) {
			t.Errorf("%s has %d chapters in the list and %d by their books", who, len(chapters), found)
		}
	}
}

// TestKeyThatSeveralRowsHave is answered with none of them and changes none.
func TestKeyThatSeveralRowsHave(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		b := books()
		b.Lookup, b.Scope = "slug", framework.Own((*Book).owner).Unless(framework.Staff())
		api := serve(t, config(db), countries(), authors(), b)
		for _, owner := range []string{"ada", "bob"} {
			api.as(owner).post("/api/books/", fields{"title": "Of " + owner, "slug": "same", "pages": 10}).is(201)
		}
		api.as("ada").get("/api/books/same/").is(200).says("Of ada")
		staff := api.as("eve")
		for _, method := range []string{"GET", "PUT", "PATCH", "DELETE"} {
			var body any
			if method == "PUT" || method == "PATCH" {
				body = fields{"title": "Changed", "pages": 77}
			}
			staff.do(method, "/api/books/same/", body).is(500)
		}
		for _, row := range staff.get("/api/books/").list().Results {
			if row["pages"] != float64(10) {
				t.Errorf("%v was changed", row)
			}
		}
		api.as("bob").delete("/api/books/same/").is(204)
		staff.get("/api/books/same/").is(200).says("Of ada")
	})
}

// TestRelated: the rows that refer to an object, in their own order and shape.
func TestRelated(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		b, c := books(), config(db)
		b.Actions = []framework.Action[Book]{framework.Related[Book, ChapterView]("chapters", "chapters", "book")}
		c.MaxRows = 3
		api := serve(t, c, countries(), authors(), b, chapters())
		ada := api.as("ada")
		book := ada.post("/api/books/", fields{"title": "Dune", "pages": 1}).is(201).id()
		path := "/api/books/" + book + "/chapters/"
		if got := ada.get(path).is(200).body; got != "[]" {
			t.Errorf("a book without chapters has %s", got)
		}
		for n := range 3 {
			ada.post("/api/chapters/", fields{"book": book, "number": 3 - n, "title": "Of Dune"}).is(201)
		}
		var rows []struct{ Number int }
		ada.get(path).is(200).json(&rows)
		if len(rows) != 3 || rows[0].Number != 1 || rows[2].Number != 3 {
			t.Errorf("they are %v; want them by number", rows)
		}
		ada.get(path+"?nubmer=1").is(200).head("Trestle-Ignored", "nubmer")
		ada.post("/api/chapters/", fields{"book": book, "number": 4, "title": "Of Dune"}).is(201)
		ada.get(path).refuses(409, "too_many_rows")

		api.as("bob").get(path).refuses(404, "not_found")
		api.as("bob").get("/api/books/"+missing+"/chapters/").refuses(404, "not_found")
		ada.get("/api/books/none/chapters/").refuses(404, "not_found")
		api.get(path).refuses(401, "authentication_required")
		ada.post(path, fields{}).refuses(405, "method_not_allowed")
	})
}

// TestRelatedMistakes are found when it is registered.
func TestRelatedMistakes(t *testing.T) {
	for want, action := range map[string]framework.Action[Book]{
		`books: action "chapters": no viewset "chapter" is registered; did you mean "chapters"?`:           framework.Related[Book, ChapterView]("chapters", "chapter", "book"),
		`books: action "chapters": no field "bok" in Chapter; did you mean "book"?`:                        framework.Related[Book, ChapterView]("chapters", "chapters", "bok"),
		`books: action "chapters": "number" of chapters is int64, but the key of books is uuid.UUID`:       framework.Related[Book, ChapterView]("chapters", "chapters", "number"),
		`books: action "chapters": chapters shows no framework_test.BookView; name one of its read shapes`: framework.Related[Book, BookView]("chapters", "chapters", "book"),
	} {
		b := books()
		b.Actions = []framework.Action[Book]{action}
		api := framework.New(config(sqlite(t)))
		api.Register(countries(), authors(), b, chapters())
		if err := api.Check(); err == nil || err.Error() != want {
			t.Errorf("the mistake is %v; want %s", err, want)
		}
	}
}

// TestRelatedNeedsThePermissionToList: rows that a caller may not list are not
// shown by way of another viewset.
func TestRelatedNeedsThePermissionToList(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		b, of := books(), chapters()
		b.Actions = []framework.Action[Book]{framework.Related[Book, ChapterView]("chapters", "chapters", "book")}
		of.Permission = framework.Authenticated()
		of.Verbs.List = of.Verbs.List.Permit(framework.Holds("chapters.list"))
		api := serve(t, config(db), countries(), authors(), b, of)
		ada := api.as("ada")
		book := ada.post("/api/books/", fields{"title": "Dune", "pages": 1}).is(201).id()
		ada.post("/api/chapters/", fields{"book": book, "number": 1, "title": "Secret"}).is(201)
		for path, want := range map[string]int{"/api/chapters/": 403, "/api/books/" + book + "/chapters/": 403, "/api/books/" + book + "/": 200} {
			ada.get(path).is(want).lacks("Secret")
		}
		api.as("root").get("/api/books/" + book + "/chapters/").is(200)
	})
}

// TestRefusalAtTheCommit: if PostgreSQL rejects a commit, nothing is stored and no client
// gets a success.
func TestRefusalAtTheCommit(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		if db.Kind() != sqldb.PostgreSQL {
			t.Skip("SQLite refuses at once")
		}
		cardsIn(t, db)
		v := cards()
		v.Verbs = framework.CRUD[defaultsInput, cardView]()
		ada := serve(t, config(db), v).as("ada")
		script(t, db, `ALTER TABLE cards ADD UNIQUE (title) DEFERRABLE INITIALLY DEFERRED`)
		for name, card := range map[string]fields{
			"of which the database makes a part": {"title": "one"},
			"whole":                              {"title": "two", "rank": 3, "color": "blue", "mood": "sad"},
		} {
			t.Run(name, func(t *testing.T) {
				ada.in(t).post("/api/cards/", card).is(201)
				before := len(ada.in(t).get("/api/cards/").list().Results)
				if got := ada.in(t).post("/api/cards/", card); got.status < 400 {
					got.failf("a second of that title was refused by the database")
				}
				if after := len(ada.in(t).get("/api/cards/").list().Results); after != before {
					t.Errorf("there were %d, and are %d", before, after)
				}
			})
		}
	})
}
