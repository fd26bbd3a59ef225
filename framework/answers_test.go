package framework_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// TestFindIsBounded: what a function finds outside of pages has an end.
func TestFindIsBounded(t *testing.T) {
	type found struct {
		Books []BookView `json:"books"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := authors()
		v.Collection = []framework.CollectionAction{framework.OnCollection("GET", "books", func(c *framework.Call, _ framework.None) (found, error) {
			rows, err := framework.Find[BookView](c, "books", nil)
			return found{rows}, err
		})}
		c := config(db)
		c.MaxRows = 3
		ada := serve(t, c, countries(), v, books()).as("ada")
		ada.get("/api/authors/books/").is(200).says(`{"books":[]}`)
		for _, title := range []string{"A", "B", "C"} {
			ada.post("/api/books/", fields{"title": title}).is(201)
		}
		ada.get("/api/authors/books/").is(200).says(`"title":"A"`, `"title":"C"`)
		ada.as("bob").post("/api/books/", fields{"title": "D"}).is(201)
		ada.get("/api/authors/books/").is(200)
		ada.post("/api/books/", fields{"title": "D"}).is(201)
		ada.get("/api/authors/books/").refuses(409, "too_many_rows").says("more than 3 rows").lacks(`"title":"A"`)
		ada.get("/api/errors/too_many_rows").is(200)
	})
}

// TestFindOne: one row as a viewset shows it, if the caller may see it.
func TestFindOne(t *testing.T) {
	type of struct {
		Book uuid.UUID `json:"book" validate:"required"`
	}
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := authors()
		read := func(c *framework.Call, in of) (BookView, error) {
			return framework.FindOne[BookView](c, "books", in.Book)
		}
		v.Collection = []framework.CollectionAction{
			framework.OnCollection("GET", "book", read), framework.OnCollection("POST", "book", read),
			framework.OnCollection("GET", "text", func(c *framework.Call, in struct {
				Book string `json:"book"`
			}) (BookView, error) {
				return framework.FindOne[BookView](c, "books", in.Book)
			}),
			framework.OnCollection("GET", "stranger", func(c *framework.Call, in of) (CountryView, error) {
				return framework.FindOne[CountryView](c, "books", in.Book)
			}),
		}
		api := serve(t, config(db), countries(), v, books())
		emma := api.as("ada").post("/api/books/", fields{"title": "Emma"}).is(201)
		want := api.as("ada").get("/api/books/" + emma.id() + "/").is(200).body
		for caller, status := range map[string]int{"ada": 200, "vic": 200, "root": 200, "bob": 404, "eve": 404} {
			for _, a := range []*answer{
				api.as(caller).get("/api/authors/book/?book=" + emma.id()), api.as(caller).post("/api/authors/book/", fields{"book": emma.id()}),
			} {
				if a.is(status); status == 200 && a.body != want {
					a.failf("want %s", want)
				}
			}
		}
		sameRefusal(t, api.as("bob").get("/api/authors/book/?book="+emma.id()), api.as("bob").get("/api/authors/book/?book="+missing))
		api.as("ada").get("/api/authors/text/?book=" + emma.id()).is(200) // a text is read as in a path
		sameRefusal(t, api.as("ada").get("/api/authors/text/?book=emma"), api.as("ada").get("/api/authors/text/?book="+missing))
		api.as("ada").get("/api/authors/stranger/?book="+emma.id()).refuses(500, "internal")
	})
}

// TestLocation: 201 says where the row is, if it has an address.
func TestLocation(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		slug, bare, blind, isbn := books(), books(), books(), books()
		slug.Name, slug.Lookup = "slugs", "slug"
		isbn.Name, isbn.Lookup = "isbns", "isbn"
		bare.Name, bare.Slash = "bare", framework.WithoutSlash
		blind.Name, blind.Verbs.Retrieve = "blind", framework.Verb{}
		ada := serve(t, config(db), countries(), authors(), books(), slug, isbn, bare, blind, profile(), notes()).as("ada")
		located := func(a *answer) string {
			t.Helper()
			at := a.is(201).header.Get("Location")
			if got := ada.get(at).is(200); got.body != a.body {
				got.failf("Location leads to this, the answer was %s", a.body)
			}
			return at
		}
		made := ada.post("/api/books/", fields{"title": "Emma"})
		if at := located(made); at != ada.url+"/api/books/"+made.id()+"/" {
			t.Errorf("Location is %q", at)
		}
		made = ada.post("/api/bare/", fields{"title": "Bare"})
		if at := located(made); at != ada.url+"/api/bare/"+made.id() {
			t.Errorf("Location is %q", at)
		}
		if at := located(ada.post("/api/notes/", fields{"room": "x"})); at != ada.url+"/api/notes/1/" {
			t.Errorf("Location is %q", at)
		}
		for _, name := range []string{"emma", "a b", "a/b", "a?b#c", "50%", "%2F", "né", `a\b`, "a;b", "a+b", "..a"} {
			if at := located(ada.post("/api/slugs/", fields{"title": name, "slug": name})); at != ada.url+"/api/slugs/"+url.PathEscape(name)+"/" {
				t.Errorf("Location of %q is %q", name, at)
			}
		}
		ada.post("/api/slugs/", fields{"title": "Nameless"}).is(201).head("Location", "")
		ada.post("/api/isbns/", fields{"title": "Numberless"}).is(201).head("Location", "")
		located(ada.post("/api/isbns/", fields{"title": "Numbered", "isbn": "12345"}))
		at := ada.post("/api/blind/", fields{"title": "Blind"}).is(201).header.Get("Location") // where GET alone is not offered
		ada.get(at).is(405)
		ada.delete(at).is(204)
		ada.put("/api/profile/", fields{"nickname": "ada"}).is(201).head("Location", ada.url+"/api/profile/")
		ada.put("/api/profile/", fields{"nickname": "bob"}).is(200).head("Location", "")
		ada.post("/api/books/", fields{"title": "Emma"}).is(409).head("Location", "")
	})
}

// TestTypesOfProblems: a type leads to a page of this server, or is about:blank.
func TestTypesOfProblems(t *testing.T) {
	c := config(sqlite(t))
	c.Codes = []framework.CodeInfo{{Code: "declared", Status: 409, Title: "Declared", Text: "It is."}}
	c.Hosts = []string{"127.0.0.1"}
	v := notes()
	refuse := func(code string) framework.CollectionAction {
		return framework.OnCollection("POST", code, func(*framework.Call, framework.None) (framework.None, error) {
			return framework.None{}, framework.Conflict(code, "It is refused.")
		})
	}
	v.Collection = []framework.CollectionAction{refuse("declared"), refuse("undeclared")}
	ada := serve(t, c, v).as("ada")
	if p := ada.post("/api/notes/declared/", nil).refuses(409, "declared").problem(); p.Type != "/api/errors/declared" || p.Title != "Declared" {
		t.Errorf("got %+v", p)
	}
	ada.get("/api/errors/declared").is(200)
	if p := ada.post("/api/notes/undeclared/", nil).refuses(409, "undeclared").problem(); p.Type != "about:blank" || p.Title != "Conflict" {
		t.Errorf("got %+v", p)
	}
	ada.get("/api/errors/undeclared").is(404)
	for _, path := range []string{"/api/notes/", "/nowhere", "/api/"} {
		a := ada.with("Host", "evil.example").get(path).refuses(400, "invalid_host")
		if a.lacks("evil"); a.problem().Type != "/api/errors/invalid_host" {
			a.failf("the type leads to a host that somebody made up")
		}
	}
}

// TestStrictAtOnce: a strict viewset reports unknown names and faults in one answer.
func TestStrictAtOnce(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v := books()
		v.Strict = framework.Strict
		v.Actions = []framework.Action[Book]{framework.Post("copy", copyOut)}
		v.Collection = []framework.CollectionAction{framework.OnCollection("GET", "aloud", func(_ *framework.Call, in span) (span, error) { return in, nil })}
		ada := serve(t, config(db), countries(), authors(), v).as("ada")
		path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/"

		ada.get("/api/books/?serach=x&min_pages=many&ordering=titel&status=burnt").refuses(400, "invalid_parameter").
			fault("serach", "invalid_parameter").fault("min_pages", "invalid_parameter").fault("ordering", "invalid_parameter").fault("status", "invalid_parameter")
		ada.get("/api/books/aloud/?pagse=3&loud=very").refuses(400, "invalid_parameter").
			fault("pagse", "invalid_parameter").fault("loud", "invalid_parameter").fault("title", "invalid_parameter")
		for _, c := range []struct {
			name, method, path string
			body               fields
			unknown            string
			faults             map[string]string
		}{
			{"a new row", "POST", "/api/books/", fields{"titel": "x", "pages": -1, "author": missing}, "/titel", map[string]string{"/title": "required", "/pages": "min", "/author": "invalid_reference"}},
			{"a replacement", "PUT", path, fields{"titel": "x", "pages": -1}, "/titel", map[string]string{"/title": "required", "/pages": "min"}},
			{"a change", "PATCH", path, fields{"pagse": 3, "title": ""}, "/pagse", map[string]string{"/title": "required"}},
			{"an action", "POST", path + "copy/", fields{"tims": 2, "times": 9}, "/tims", map[string]string{"/times": "max"}},
		} {
			t.Run(c.name, func(t *testing.T) {
				a := ada.in(t).do(c.method, c.path, c.body).is(400).fault(c.unknown, "unknown_field")
				for at, code := range c.faults {
					a.fault(at, code)
				}
			})
		}
	})
}

// TestListsAreNeverNull, however deep in an answer.
func TestListsAreNeverNull(t *testing.T) {
	type leaf struct {
		Tags  []string       `json:"tags"`
		Count map[string]int `json:"count"`
	}
	type tree struct {
		Leaves []leaf           `json:"leaves"`
		One    leaf             `json:"one"`
		Named  map[string]leaf  `json:"named"`
		Far    *leaf            `json:"far"`
		Any    any              `json:"any"`
		Nobody *leaf            `json:"nobody"`
		Rows   [][]string       `json:"rows"`
		Table  map[string][]int `json:"table"`
	}
	v := countries()
	v.Verbs.Retrieve = framework.Computes(func(*framework.Call, *Country) (tree, error) {
		return tree{Named: map[string]leaf{"a": {}}, Far: &leaf{}, Any: leaf{}, Rows: [][]string{nil}, Table: map[string][]int{"a": nil}}, nil
	})
	v.Collection = []framework.CollectionAction{framework.OnCollection("GET", "tree", func(*framework.Call, framework.None) ([]tree, error) {
		return []tree{{}}, nil
	})}
	ada := serve(t, config(sqlite(t)), v).as("ada")
	id := ada.post("/api/countries/", fields{"name": "Chile"}).is(201).id()
	ada.get("/api/countries/" + id + "/").is(200).says(`{"leaves":[],"one":{"tags":[],"count":{}},"named":{"a":{"tags":[],"count":{}}},` +
		`"far":{"tags":[],"count":{}},"any":{"tags":[],"count":{}},"nobody":null,"rows":[[]],"table":{"a":[]}}`)
	ada.get("/api/countries/tree/").is(200).says(`[{"leaves":[],"one":{"tags":[],"count":{}},"named":{},"far":null,"any":null,"nobody":null,"rows":[],"table":{}}]`)
}

// waited is a log that says when a line was written.
type waited struct {
	lines
	written chan struct{}
	once    sync.Once
}

func (w *waited) Write(p []byte) (int, error) {
	defer w.once.Do(func() { close(w.written) })
	return w.lines.Write(p)
}

// TestAClientThatHangsUp is no failure of the server: 499 in the log, and no
// error.
func TestAClientThatHangsUp(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		for name, work := range map[string]func(c *framework.Call) error{
			"while a function waits":   func(c *framework.Call) error { <-c.Done(); return c.Err() },
			"while a statement runs":   func(c *framework.Call) error { _, err := c.DB.NewRaw(slowly(c)).Exec(c); return err },
			"and the function is done": func(c *framework.Call) error { <-c.Done(); return nil },
		} {
			for _, method := range []string{"GET", "POST"} {
				t.Run(name+", "+method, func(t *testing.T) {
					logged, begun := &waited{written: make(chan struct{})}, make(chan struct{})
					c, v := config(db), notes()
					c.Log = slog.New(slog.NewTextHandler(logged, nil))
					v.Collection = []framework.CollectionAction{framework.OnCollection(method, "wait", func(c *framework.Call, _ framework.None) (framework.None, error) {
						close(begun)
						return framework.None{}, work(c)
					})}
					api := serve(t, c, v)
					ctx, hangUp := context.WithCancel(t.Context())
					go func() { <-begun; hangUp() }()
					r, err := http.NewRequestWithContext(ctx, method, api.url+"/api/notes/wait/", strings.NewReader(""))
					if err != nil {
						t.Fatal(err)
					}
					r.Header.Set("Authorization", "Name ada")
					if resp, err := (&http.Client{Timeout: time.Minute}).Do(r); err == nil {
						resp.Body.Close()
						t.Error("the client did not hang up")
					}
					<-logged.written
					if said := logged.String(); strings.Count(said, "\n") != 1 || !strings.Contains(said, "level=INFO") || !strings.Contains(said, "status=499") || strings.Contains(said, "error=") {
						t.Errorf("the log has %s", said)
					}
				})
			}
		}
	})
}

// A parting is a response whose client hangs up as soon as it has all of the body.
type parting struct {
	http.ResponseWriter

	left <-chan struct{}
}

func (p parting) Write(body []byte) (int, error) {
	n, err := p.ResponseWriter.Write(body)
	err = errors.Join(err, http.NewResponseController(p.ResponseWriter).Flush())
	<-p.left
	return n, err
}

// TestAClientThatLeavesWithItsAnswer got it: the log has the answer's status.
func TestAClientThatLeavesWithItsAnswer(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		for path, status := range map[string]string{"/api/notes/": "status=200", "/api/nothing/": "status=404"} {
			t.Run(path, func(t *testing.T) {
				logged, c := &waited{written: make(chan struct{})}, config(db)
				c.Log = slog.New(slog.NewTextHandler(logged, nil))
				api := framework.New(c)
				api.Register(notes())
				handler, err := api.Handler()
				if err != nil {
					t.Fatal(err)
				}
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					handler.ServeHTTP(parting{w, r.Context().Done()}, r)
				}))
				defer server.Close()
				r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, http.NoBody)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Authorization", "Name ada")
				connection := &http.Transport{DisableKeepAlives: true} // which closes it after the body
				resp, err := (&http.Client{Transport: connection, Timeout: time.Minute}).Do(r)
				if err != nil {
					t.Fatal(err)
				}
				if body, err := io.ReadAll(resp.Body); err != nil || len(body) == 0 {
					t.Errorf("the client has %q, %v; want the whole answer", body, err)
				}
				resp.Body.Close()
				<-logged.written
				if said := logged.String(); !strings.Contains(said, status) {
					t.Errorf("the log has %s; want %s", said, status)
				}
			})
		}
	})
}

// TestMoreAnswers: removing and reading may choose their status too.
func TestMoreAnswers(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		v, p := books(), profile()
		v.Verbs.Delete, v.Verbs.Retrieve, v.Verbs.List = framework.Deletes().Answers(200), framework.Shows[BookView]().Answers(203), v.Verbs.List.Answers(206)
		v.Verbs.Patch = v.Verbs.Patch.Answers(202)
		p.Verbs.Update = p.Verbs.Update.Answers(202)
		ada := serve(t, config(db), countries(), authors(), v, p).as("ada")
		path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/"
		ada.get(path).is(203).says("Emma")
		ada.get("/api/books/").is(206).says("Emma")
		ada.patch(path, fields{"pages": 1}).is(202)
		ada.patch(path, fields{}).is(202)
		ada.put("/api/profile/", fields{"nickname": "ada"}).is(202)
		ada.put("/api/profile/", fields{"nickname": "ada"}).is(202)
		if gone := ada.delete(path).is(200); gone.body != "" {
			gone.failf("want no body")
		}
		ada.get(path).refuses(404, "not_found")
	})
}
