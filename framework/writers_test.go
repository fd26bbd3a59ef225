package framework_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// openBooks are books that every caller sees, and their owners and holders of books.change may
// change.
func openBooks() framework.ViewSet[Book] {
	v := books()
	v.Permission, v.Scope = framework.Anyone(), framework.Public()
	v.Writers = framework.Own((*Book).owner).Unless(framework.Holds("books.change"))
	v.Actions = lending()
	vote := func(_ *framework.Call, b *Book, _ framework.None) (BookView, error) { return BookView{ID: b.ID}, nil }
	lost := func(*framework.Call, *Book, framework.None) (framework.None, error) {
		return framework.None{}, framework.NotFound()
	}
	v.Actions = append(v.Actions, framework.Post("vote", vote).ByReaders(), framework.Post("lost", lost), framework.Post("late", vote).Untransacted())
	return v
}

// TestWriters: for each request, what the owner, another user, a user with the permission of
// Unless, and an anonymous client get.
func TestWriters(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api, _ := promised(t, config(db), countries(), authors(), openBooks())
		good, bad := fields{"title": "Changed"}, fields{"title": "", "author": missing}
		for _, c := range []struct {
			name, method, path       string
			body                     any
			owner, other, holder, no int
		}{
			{"a row is read by all", "GET", "", nil, 200, 200, 200, 200},
			{"an action that reads is for all", "GET", "look/", nil, 200, 200, 200, 200},
			{"an action of ByReaders is for all", "POST", "vote/", nil, 200, 200, 200, 200},
			{"a replacement", "PUT", "", good, 200, 403, 200, 401},
			{"a replacement with faults", "PUT", "", bad, 400, 403, 400, 401},
			{"a replacement with a reference", "PUT", "", fields{"title": "x", "author": missing}, 400, 403, 400, 401},
			{"a change", "PATCH", "", good, 200, 403, 200, 401},
			{"a change with a fault", "PATCH", "", bad, 400, 403, 400, 401},
			{"a change of nothing", "PATCH", "", fields{}, 200, 403, 200, 401},
			{"a change that repeats what is read-only", "PATCH", "", fields{"id": missing}, 200, 403, 200, 401},
			{"an action by POST", "POST", "lend/", good, 200, 403, 200, 401},
			{"an action with a fault", "POST", "lend/", bad, 400, 403, 400, 401},
			{"an action by PUT", "PUT", "place/", good, 200, 403, 200, 401},
			{"an action by PATCH", "PATCH", "mend/", good, 200, 403, 200, 401},
			{"an action by DELETE", "DELETE", "burn/", nil, 200, 403, 200, 401},
			{"an action without a transaction", "POST", "late/", nil, 200, 403, 200, 401},
			{"an action that finds nothing itself", "POST", "lost/", nil, 404, 403, 404, 401},
			{"a removal", "DELETE", "", nil, 204, 403, 204, 401},
		} {
			t.Run(c.name, func(t *testing.T) {
				api := api.in(t)
				for caller, want := range map[string]int{"ada": c.owner, "bob": c.other, "max": c.holder, "": c.no} {
					id := api.as("ada").post("/api/books/", fields{"title": c.name + " by " + caller, "pages": 3}).is(201).id()
					before := api.get("/api/books/" + id + "/").is(200).body
					a := api.as(caller).do(c.method, "/api/books/"+id+"/"+c.path, c.body).is(want)
					switch want {
					case 403:
						a.refuses(403, "not_yours").lacks("Changed", "/author")
					case 401:
						a.refuses(401, "authentication_required").head("WWW-Authenticate", `Name realm="library"`)
					}
					if want == 401 || want == 403 {
						if after := api.get("/api/books/" + id + "/").is(200).body; after != before {
							t.Errorf("a refused %s changed the row: %s", c.method, after)
						}
					}
					api.as(caller).do(c.method, "/api/books/"+missing+"/"+c.path, c.body).refuses(404, "not_found")
					api.as("root").do("DELETE", "/api/books/"+id+"/", nil)
				}
			})
		}
	})
}

// TestWritersStamp: Own in Writers sets the owner of a new row, who then may change it. No other
// caller can become the owner.
func TestWritersStamp(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := openBooks()
		made := func(c *framework.Call, in BookInput) (BookView, error) {
			b := &Book{Title: in.Title, Status: "draft"}
			return BookView{ID: b.ID}, framework.Insert(c, b)
		}
		v.Collection = []framework.CollectionAction{framework.OnCollection(http.MethodPost, "make", made)}
		api, _ := promised(t, config(db), countries(), authors(), v)
		api.post("/api/books/", fields{"title": "Nobody's"}).refuses(401, "authentication_required")
		id := api.as("bob").post("/api/books/", fields{"title": "Bob's", "owner_id": idOf("ada")}).is(201).id()
		api.as("ada").patch("/api/books/"+id+"/", fields{"pages": 1}).refuses(403, "not_yours")
		api.as("bob").patch("/api/books/"+id+"/", fields{"pages": 1, "owner_id": idOf("ada")}).is(200)
		api.as("bob").patch("/api/books/"+id+"/", fields{"pages": 2}).is(200)
		api.as("eve").post("/api/books/make/", fields{"title": "Inserted"}).is(200)
		var owner uuid.UUID
		if err := db.NewSelect().Model((*Book)(nil)).Column("owner_id").Where("title = ?", "Inserted").Scan(context.Background(), &owner); err != nil || owner != idOf("eve") {
			t.Errorf("Insert set the owner %s, error %v; want Eve", owner, err)
		}
	})
}

// TestWritersNarrowTheScope: Writers gives no caller a row that the scope does not.
func TestWritersNarrowTheScope(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := openBooks()
		v.Scope = books().Scope // books.view sees all, books.view with books.change changes all
		v.Writers = framework.Where(func(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
			return q.Where("?TableAlias.status = ?", "draft")
		})
		api, _ := promised(t, config(db), countries(), authors(), v)
		draft := "/api/books/" + api.as("ada").post("/api/books/", fields{"title": "Draft"}).is(201).id() + "/"
		out := "/api/books/" + api.as("ada").post("/api/books/", fields{"title": "Out", "status": "out"}).is(201).id() + "/"
		for _, c := range []struct {
			name, caller, path string
			status             int
			code               string
		}{
			{"the owner's draft", "ada", draft, 200, ""},
			{"the owner's book in another state", "ada", out, 403, "not_yours"},
			{"a draft that the caller does not see", "bob", draft, 404, "not_found"},
			{"a book that the caller does not see", "bob", out, 404, "not_found"},
			{"a draft that the caller sees and the scope lets only others change", "vic", draft, 403, "not_yours"},
			{"a draft that the scope lets the holder change", "max", draft, 200, ""},
			{"a book in another state, by the holder", "max", out, 403, "not_yours"},
			{"a draft, without credentials", "", draft, 404, "not_found"},
		} {
			t.Run(c.name, func(t *testing.T) {
				a := api.in(t).as(c.caller).patch(c.path, fields{"pages": 7}).is(c.status)
				if c.code != "" {
					a.refuses(c.status, c.code)
				}
			})
		}
		api.as("ada").patch(draft, fields{"status": "out"}).is(200) // the rule is about the row before the change
		api.as("ada").patch(draft, fields{"status": "draft"}).refuses(403, "not_yours")
	})
}

// TestWritersVia: a caller who may change the book may change its chapters. References are not
// narrowed.
func TestWritersVia(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := chapters()
		v.Scope, v.Permission = framework.Public(), framework.Anyone()
		v.Writers = framework.Via("book", "books")
		api, _ := promised(t, config(db), countries(), authors(), openBooks(), v)
		book := api.as("ada").post("/api/books/", fields{"title": "Emma"}).is(201).id()
		one := "/api/chapters/" + api.as("bob").post("/api/chapters/", fields{"book": book, "number": 1, "title": "One"}).is(201).id() + "/"
		for caller, want := range map[string]int{"ada": 200, "bob": 403, "max": 403, "": 401} {
			api.as(caller).get(one).is(200)
			api.as(caller).patch(one, fields{"title": "by " + caller}).is(want)
		}
		api.as("bob").delete(one).refuses(403, "not_yours")
		api.get(one).says("by ada")
		api.as("ada").delete(one).is(204)
	})
}

// TestWritersByAnotherKey: the row of a Lookup is read before it is changed.
func TestWritersByAnotherKey(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := openBooks()
		v.Lookup = "slug"
		api, _ := promised(t, config(db), countries(), authors(), v)
		api.as("ada").post("/api/books/", fields{"title": "Emma", "slug": "emma"}).is(201)
		for _, method := range []string{"PUT", "PATCH", "DELETE"} {
			body := any(fields{"title": "x", "slug": "emma"})
			if method == "DELETE" {
				body = nil
			}
			api.as("bob").do(method, "/api/books/emma/", body).refuses(403, "not_yours")
			api.do(method, "/api/books/emma/", body).refuses(401, "authentication_required")
			api.as("bob").do(method, "/api/books/none/", body).refuses(404, "not_found")
			api.as("ada").do(method, "/api/books/emma/", body)
		}
		api.get("/api/books/emma/").refuses(404, "not_found") // Ada deleted it
	})
}

// TestWritersOfFiles: a file is read by all, and stored and deleted by the owner. Nothing is
// stored for another caller.
func TestWritersOfFiles(t *testing.T) {
	peopleDatabases(t, func(t *testing.T, db *sqldb.DB) {
		storage := disk(t)
		v := peopleWith(storage)
		v.Permission, v.Scope, v.Writers = framework.Anyone(), framework.Public(), framework.Own(func(p *Person) *uuid.UUID { return &p.OwnerID })
		api := serveFiles(t, fileConfig(db), v)
		letter := "/api/people/" + api.as("ada").post("/api/people/", fields{"name": "Ada"}).is(201).id() + "/letter/"
		api.as("bob").upload(letter, "text/plain", []byte("Bob was here")).refuses(403, "not_yours")
		api.upload(letter, "text/plain", []byte("Nobody was here")).refuses(401, "authentication_required")
		api.as("bob").delete(letter).refuses(403, "not_yours")
		api.as("ada").delete(letter).refuses(404, "not_found") // there is none yet
		stores(t, storage, 0)
		api.as("ada").upload(letter, "text/plain", []byte("Dear all")).is(200)
		api.as("bob").delete(letter).refuses(403, "not_yours")
		api.as("bob").get(letter).is(200).says("Dear all")
		stores(t, storage, 1)
		api.as("bob").upload(strings.Replace(letter, "letter", "photo", 1), "image/png", pngOf(2, 2)).refuses(403, "not_yours")
		api.as("ada").delete(letter).is(204)
		stores(t, storage, 0)
	})
}

// TestWritersReplay: a repeated request gets the stored answer, although the first one made the
// row one that the caller may no longer change. A new request does not, and neither does a caller
// who may no longer see the row.
func TestWritersReplay(t *testing.T) {
	keyed(t, func(t *testing.T, db *sqldb.DB) {
		n := &tally{}
		v := openBooks()
		hand := func(c *framework.Call, b *Book, in asked) (ran, error) {
			b.OwnerID = idOf("bob")
			if err := framework.Save(c, b); err != nil {
				return ran{}, err
			}
			return n.onRow(c, b, in)
		}
		v.Actions = []framework.Action[Book]{framework.Post("hand", hand).Idempotent()}
		v.Scope = framework.Where(func(_ *framework.Call, q bun.QueryBuilder) bun.QueryBuilder {
			return q.Where("?TableAlias.status <> ?", "lost")
		})
		api := serve(t, config(db), countries(), authors(), v, notes())
		ada := api.as("ada")
		id := ada.post("/api/books/", fields{"title": "Emma"}).is(201).id()
		path, body := "/api/books/"+id+"/hand/", fields{"text": "x"}
		first := ada.under("k").post(path, body).is(200).fresh()
		ada.under("k").post(path, body).replays(first)
		ada.under("l").post(path, body).refuses(403, "not_yours")
		ada.post(path, body).refuses(403, "not_yours")
		api.as("eve").under("k").post(path, body).refuses(403, "not_yours")
		n.ran(t, 1)
		keysKept(t, db, 1)
		api.as("bob").patch("/api/books/"+id+"/", fields{"status": "out"}).is(200)
		if _, err := db.Exec("UPDATE books SET status = 'lost'"); err != nil {
			t.Fatal(err)
		}
		ada.under("k").post(path, body).refuses(404, "not_found")
	})
}

// TestWritersStatements: Writers adds a statement only to a request that it rejects.
func TestWritersStatements(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		n := frameworktest.CountStatements(db)
		with, without := openBooks(), openBooks()
		without.Name, without.Writers, without.Actions = "free", framework.Scope{}, lending()
		api := serve(t, config(db), countries(), authors(), with, without)
		for _, c := range []struct {
			method, path string
			body         any
		}{
			{"PUT", "", fields{"title": "x"}}, {"PATCH", "", fields{"pages": 3}}, {"PATCH", "", fields{}}, {"PATCH", "", fields{"id": missing}},
			{"POST", "lend/", fields{"title": "x"}}, {"DELETE", "", nil},
		} {
			t.Run(fmt.Sprint(c.method, " ", c.path, c.body), func(t *testing.T) {
				id := api.in(t).as("ada").post("/api/books/", fields{"title": fmt.Sprint(c)}).is(201).id()
				of := func(caller, viewset string, status int) int {
					return len(n.During(func() { api.in(t).as(caller).do(c.method, "/api/"+viewset+"/"+id+"/"+c.path, c.body).is(status) }))
				}
				missed := len(n.During(func() { api.in(t).as("bob").do(c.method, "/api/free/"+missing+"/"+c.path, c.body).is(404) }))
				if refused := of("bob", "books", 403); refused != missed+1 {
					t.Errorf("a refused request takes %d statements, want %d", refused, missed+1)
				}
				status := map[bool]int{true: 204, false: 200}[c.method == "DELETE" && c.path == ""]
				var written int
				texts := n.During(func() { written = of("ada", "books", status) })
				if first := texts[0]; !strings.Contains(first, `"owner_id" = `) || db.Kind() == sqldb.PostgreSQL && strings.HasPrefix(first, "SELECT") && len(texts) > 1 && !strings.Contains(first, "FOR UPDATE") {
					t.Errorf("the statement that changes or locks the row lacks the owner or the lock: %s", first)
				}
				if status == 204 {
					id = api.in(t).as("ada").post("/api/books/", fields{"title": "again"}).is(201).id()
				}
				if free := of("ada", "free", status); free != written {
					t.Errorf("the owner's request takes %d statements, and %d without Writers", written, free)
				}
			})
		}
	})
}

// TestWritersDocument: the document, the matrix, the routes and OPTIONS know who may change a row.
func TestWritersDocument(t *testing.T) {
	leaves := reference(t, countries(), authors(), openBooks())
	for _, c := range []struct {
		path, method string
		told         bool
	}{
		{"{id}/", "get", false}, {"", "get", false}, {"", "post", false}, {"{id}/look/", "get", false}, {"{id}/vote/", "post", false},
		{"{id}/", "put", true}, {"{id}/", "patch", true}, {"{id}/", "delete", true}, {"{id}/lend/", "post", true}, {"{id}/burn/", "delete", true},
	} {
		at := "/paths/~1api~1books~1" + strings.ReplaceAll(c.path, "/", "~1") + "/" + c.method
		told := false
		for leaf := range leaves {
			told = told || strings.HasPrefix(leaf, at+"/responses/403/")
		}
		if told != c.told {
			t.Errorf("%s %s has a 403: %v, want %v", c.method, c.path, told, c.told)
		}
		const said = "For all callers; only the caller's own rows, or all that the caller may see with the permission books.change."
		if got := leaves[at+"/description"]; strings.Contains(got, said) != c.told {
			t.Errorf("%s %s is described as %q", c.method, c.path, got)
		}
	}
}

// TestWritersAccess: the matrix of permissions and the routes.
func TestWritersAccess(t *testing.T) {
	api := framework.New(config(sqlite(t)))
	api.Register(countries(), authors(), openBooks())
	if err := api.Check(); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"GET list": "allowed allowed allowed", "GET retrieve": "allowed allowed allowed", "POST create": "refused allowed allowed", //nolint:dupword // one word for each caller
		"PUT update": "scoped scoped allowed", "PATCH patch": "scoped scoped allowed", "DELETE delete": "scoped scoped allowed", //nolint:dupword // one word for each caller
		"GET look": "allowed allowed allowed", "POST lend": "scoped scoped allowed", "POST vote": "allowed allowed allowed", //nolint:dupword // one word for each caller
	}
	found := 0
	for _, row := range api.Access(nil, callers["ada"], callers["max"]) {
		expected, ok := want[row.Method+" "+row.Name]
		if row.ViewSet != "books" || !ok {
			continue
		}
		found++
		if got := fmt.Sprintf("%s %s %s", row.Access[0], row.Access[1], row.Access[2]); got != expected {
			t.Errorf("%s %s: %s, want %s", row.Method, row.Name, got, expected)
		}
		writers := ""
		if strings.HasPrefix(expected, "scoped") {
			writers = "own, unless books.change"
		}
		if row.Writers != writers {
			t.Errorf("%s %s: Writers is %q, want %q", row.Method, row.Name, row.Writers, writers)
		}
	}
	if found != len(want) {
		t.Errorf("%d of %d routes were found", found, len(want))
	}
	if got := strings.Join(api.Permissions(), " "); !strings.Contains(got, "books.change") {
		t.Errorf("the permissions are %q", got)
	}
}

// TestWritersMistakes: what stops a program with Writers.
func TestWritersMistakes(t *testing.T) {
	own := framework.Own((*Book).owner)
	db := sqlite(t)
	for _, c := range []struct {
		name   string
		change func(*framework.ViewSet[Book])
		want   string
	}{
		{"Public", func(v *framework.ViewSet[Book]) { v.Writers = framework.Public() }, `books: writers: Public lets every caller change every row in scope, as without Writers; leave it out`},
		{"Unless without a rule", func(v *framework.ViewSet[Book]) {
			v.Writers, v.Actions = framework.Scope{}.Unless(framework.Staff()), nil
		}, `books: writers: Unless needs a rule to lift; begin with framework.Own, Via or Where`},
		{"no function", func(v *framework.ViewSet[Book]) { v.Writers = framework.Where(nil) }, `books: writers: it was given no function`},
		{"the scope says it already", func(v *framework.ViewSet[Book]) { v.Scope = own }, `books: writers: the scope leaves a caller only the rows that the caller owns; leave Writers out, or widen the scope`},
		{"another model", func(v *framework.ViewSet[Book]) { v.Writers = framework.Own((*Profile).owner) }, `books: writers: Own takes a field of Profile, this viewset's model is Book`},
		{"a bad permission", func(v *framework.ViewSet[Book]) { v.Writers = own.Unless(framework.Holds("Moderate")) }, `books: writers: "Moderate" is no name of a permission, which is a resource and a right, as in "patients.view"`},
		{"Via to a viewset without an owner", func(v *framework.ViewSet[Book]) { v.Writers = framework.Via("author", "authors") }, `books: writers: Via "author" leads to authors, which is Public: its rows have no owner, so every caller would have every row; say Public, or lead to a viewset with Own`},
		{"Via to nowhere", func(v *framework.ViewSet[Book]) { v.Writers = framework.Via("author", "autors") }, `books: writers: no viewset "autors" is registered; did you mean "authors"?`},
		{"nothing changes", func(v *framework.ViewSet[Book]) {
			v.Verbs, v.Actions = framework.ReadOnly[BookView](), nil
		}, `books: writers: no verb, action or file of the viewset changes a row; leave Writers out`},
		{"ByReaders without Writers", func(v *framework.ViewSet[Book]) { v.Writers = framework.Scope{} }, `books: action "vote": ByReaders has no effect: the viewset has no Writers; leave it out`},
		{"ByReaders of an action that reads", func(v *framework.ViewSet[Book]) { v.Actions[0] = v.Actions[0].ByReaders() }, `books: action "look": ByReaders has no effect on an action that only reads; leave it out`},
		{"an input that writes the owner", func(v *framework.ViewSet[Book]) { v.Verbs.Patch = framework.Accepts[ownerInput, BookView]() }, `books: patch: ownerInput.OwnerID writes the owner, which the scope stamps; leave it out, or set it in a function of Fills`},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := openBooks()
			c.change(&v)
			api := framework.New(config(db))
			api.Register(countries(), authors(), v)
			expectMistakes(t, api.Check(), []string{c.want})
		})
	}
	t.Run("a single resource", func(t *testing.T) {
		api := framework.New(config(db))
		api.Register(framework.ViewSet[Profile]{
			Name: "profile", Single: true, Verbs: framework.Verbs{Retrieve: framework.Shows[ProfileView](), Delete: framework.Deletes()},
			Scope: framework.Own((*Profile).owner), Writers: framework.Own((*Profile).owner),
		})
		expectMistakes(t, api.Check(), []string{`profile: writers: a single resource is the caller's own row; leave Writers out`})
	})
}
