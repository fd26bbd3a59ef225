package framework_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A witness is an observer that records its calls.
type witness struct {
	name  string
	log   []slog.Attr
	ended chan struct{} // one for each End

	mu    sync.Mutex
	began int
	said  []framework.Outcome
	trail []string // what each End finds in its context
}

func newWitness(name string) *witness { return &witness{name: name, ended: make(chan struct{}, 1000)} }

// witnessKey finds the names of the witnesses that a request has passed.
type witnessKey struct{}

func (w *witness) Begin(ctx context.Context, _ *http.Request) context.Context {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.began++
	return context.WithValue(ctx, witnessKey{}, passed(ctx)+w.name)
}

func (w *witness) End(ctx context.Context, o framework.Outcome) []slog.Attr {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said, w.trail = append(w.said, o), append(w.trail, passed(ctx))
	w.ended <- struct{}{}
	return w.log
}

func passed(ctx context.Context) string {
	names, _ := ctx.Value(witnessKey{}).(string)
	return names
}

// last returns the outcome of the only request since the last call. The client may have its
// answer before the outcome is recorded.
func (w *witness) last(t *testing.T) framework.Outcome {
	t.Helper()
	<-w.ended
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.said) != 1 || w.began != 1 {
		t.Fatalf("it was told of %d requests, and of the end of %d; want one", w.began, len(w.said))
	}
	o := w.said[0]
	w.began, w.said, w.trail = 0, nil, nil
	return o
}

// guarded is a library with a prefix that is guarded, and every way to fail.
func guarded(db *sqldb.DB, observers ...framework.Observer) framework.Config {
	c := config(db)
	c.Guards = []framework.Guard{{Under: "admin", Permission: framework.Staff()}}
	c.Hosts = []string{"127.0.0.1"}
	c.Codes = []framework.CodeInfo{{Code: "teapot", Status: 418, Title: "A teapot", Text: "It is not a coffee pot."}}
	c.Observers = observers
	return c
}

// TestOutcomes: the outcome of each kind of request.
func TestOutcomes(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		w := newWitness("")
		ada := serve(t, guarded(db, w), breaking()...).as("ada")
		id := ada.post("/api/books/", fields{"title": "Emma"}).is(201).id()
		w.last(t)
		const one = "/api/books/{id}/"
		for _, c := range []struct {
			name, method, path string
			body               any
			caller             string
			want               framework.Outcome
		}{
			{"a list", "GET", "/api/books/", nil, "ada", framework.Outcome{Path: "/api/books/", ViewSet: "books", Name: "list", Status: 200}},
			{"without its slash", "GET", "/api/books?page=1", nil, "ada", framework.Outcome{Path: "/api/books/", ViewSet: "books", Name: "list", Status: 200}},
			{"a row", "GET", "/api/books/" + id + "/", nil, "ada", framework.Outcome{Path: one, ViewSet: "books", Name: "retrieve", Status: 200}},
			{"a row, by HEAD", "HEAD", "/api/books/" + id + "/", nil, "ada", framework.Outcome{Path: one, ViewSet: "books", Name: "retrieve", Status: 200}},
			{"a change", "PATCH", "/api/books/" + id + "/", fields{"pages": 3}, "ada", framework.Outcome{Path: one, ViewSet: "books", Name: "patch", Status: 200}},
			{"OPTIONS", "OPTIONS", "/api/books/", nil, "ada", framework.Outcome{Path: "/api/books/", ViewSet: "books", Name: "options", Status: 200}},
			{"the root", "GET", "/api/", nil, "", framework.Outcome{Path: "/api/", Name: "root", Status: 200}},
			{"the reference", "GET", "/api/openapi.json", nil, "", framework.Outcome{Path: "/api/openapi.json", Name: "document", Status: 200}},
			{"the first page", "GET", "/", nil, "", framework.Outcome{Path: "/", Name: "first", Status: 200}},
			{"a page of a code", "GET", "/api/errors/not_found", nil, "", framework.Outcome{Path: "/api/errors/", Status: 200}},
			{"the pages of codes, by POST", "POST", "/api/errors/", "", "", framework.Outcome{Path: "/api/errors/", Status: 405, Code: "method_not_allowed"}},
			{"no page of a code", "GET", "/api/errors/nothing", nil, "", framework.Outcome{Status: 404, Code: "not_found"}},
			{"a body that is wrong", "POST", "/api/books/", fields{"pages": -1}, "ada", framework.Outcome{Path: "/api/books/", ViewSet: "books", Name: "create", Status: 400, Code: "validation_failed"}},
			{"nobody", "GET", "/api/books/", nil, "", framework.Outcome{Path: "/api/books/", ViewSet: "books", Name: "list", Status: 401, Code: "authentication_required"}},
			{"a row of nobody", "GET", "/api/books/" + missing + "/", nil, "ada", framework.Outcome{Path: one, ViewSet: "books", Name: "retrieve", Status: 404, Code: "not_found"}},
			{"a key that is none", "GET", "/api/books/canary/", nil, "ada", framework.Outcome{Path: one, ViewSet: "books", Name: "retrieve", Status: 404, Code: "not_found"}},
			{"a method that is not offered", "PUT", "/api/books/", "", "ada", framework.Outcome{Path: "/api/books/", ViewSet: "books", Name: "put", Status: 405, Code: "method_not_allowed"}},
			{"a method that somebody made up", "CANARY", "/api/books/", nil, "ada", framework.Outcome{Method: "OTHER", Path: "/api/books/", ViewSet: "books", Status: 405, Code: "method_not_allowed"}},
			{"a path that somebody made up", "GET", "/canary/" + id, nil, "ada", framework.Outcome{Status: 404, Code: "not_found"}},
			{"a path and a method", "CANARY", "/canary/" + id, nil, "ada", framework.Outcome{Method: "OTHER", Status: 404, Code: "not_found"}},
			{"a guarded path", "GET", "/api/admin/canary", nil, "ada", framework.Outcome{ViewSet: "admin", Name: "guard", Status: 403, Code: "forbidden"}},
			{"a guarded path, by a method that somebody made up", "CANARY", "/api/admin/canary", nil, "", framework.Outcome{Method: "OTHER", ViewSet: "admin", Status: 401, Code: "authentication_required"}},
			{"a code that is listed", "POST", "/api/books/" + id + "/teapot/", nil, "ada", framework.Outcome{Path: one + "teapot/", ViewSet: "books", Name: "teapot", Status: 418, Code: "teapot"}},
			{"a code that is not", "POST", "/api/books/" + id + "/wrapped/", nil, "ada", framework.Outcome{Path: one + "wrapped/", ViewSet: "books", Name: "wrapped", Status: 409, Code: "undeclared"}},
			{"a failure", "POST", "/api/books/" + id + "/fail/", nil, "ada", framework.Outcome{Path: one + "fail/", ViewSet: "books", Name: "fail", Status: 500, Code: "internal", Err: errors.New("secret: SELECT title FROM books_secret")}},
			{"a panic", "POST", "/api/books/" + id + "/panic/", nil, "ada", framework.Outcome{Path: one + "panic/", ViewSet: "books", Name: "panic", Status: 500, Code: "internal", Err: errors.New("panic: ")}},
			{"an answer that cannot be written", "POST", "/api/books/" + id + "/unspoken/", nil, "ada", framework.Outcome{Path: one + "unspoken/", ViewSet: "books", Name: "unspoken", Status: 500, Code: "internal", Err: errors.New("func()")}},
		} {
			t.Run(c.name, func(t *testing.T) {
				got := ada.in(t).as(c.caller).with("Accept-Encoding", "identity").do(c.method, c.path, c.body).is(c.want.Status)
				compare(t, w.last(t), c.want, got, c.method)
			})
		}
		ada.with("Host", "evil.example").get("/api/books/").is(400)
		if o := w.last(t); o.Path != "" || o.Code != "invalid_host" {
			t.Errorf("for a host that is not served it is told %+v", o)
		}
	})
}

// compare compares the outcome that an observer received with the wanted one, and with the
// answer.
func compare(t *testing.T, told, want framework.Outcome, got *answer, method string) {
	t.Helper()
	if want.Method == "" {
		want.Method = method
	}
	wantErr, err := want.Err, told.Err
	if (err == nil) != (wantErr == nil) || err != nil && !strings.Contains(err.Error(), wantErr.Error()) {
		t.Errorf("the error is %v; want %v", err, wantErr)
	}
	if told.Duration <= 0 || told.Secure {
		t.Errorf("it took %s, and was secure: %t", told.Duration, told.Secure)
	}
	if id := got.header.Get("X-Request-Id"); id != "" && told.ID.String() != id || told.ID == uuid.Nil {
		t.Errorf("the id is %s; the answer has %s", told.ID, id)
	}
	want.ID, want.Duration, want.Bytes, want.Err, told.Err = told.ID, told.Duration, int64(len(got.body)), nil, nil
	if told != want {
		t.Errorf("it is told\n%+v; want\n%+v", told, want)
	}
	if strings.Contains(strings.ToLower(fmt.Sprint(told)), "canary") {
		t.Errorf("what the client made up is in %+v", told)
	}
}

// TestContextsOfObservers: what Begin puts into the context is found by the next
// observer, by functions, by statements in and out of transactions, and by End.
func TestContextsOfObservers(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		first, second := newWitness("a"), newWitness("b")
		var mu sync.Mutex
		var strays []string
		counted := 0
		v := notes()
		v.Collection = []framework.CollectionAction{framework.OnCollection("POST", "say", func(c *framework.Call, _ framework.None) (framework.None, error) {
			if passed(c) != "ab" {
				t.Errorf("a function finds %q", passed(c))
			}
			return framework.None{}, nil
		})}
		ada := serve(t, guarded(db, first, second), append(shelves(), v)...).as("ada")
		db.Observe(func(ctx context.Context, e sqldb.Event) {
			mu.Lock()
			defer mu.Unlock()
			if counted++; passed(ctx) != "ab" {
				strays = append(strays, e.SQL)
			}
		})
		path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/"
		ada.get(path).is(200)
		ada.get("/api/books/?search=emma").is(200)
		ada.patch(path, fields{"pages": 3}).is(200)
		ada.post("/api/notes/say/", nil).is(204)
		ada.delete(path).is(204)
		for range 6 {
			<-first.ended
			<-second.ended
		}
		mu.Lock()
		defer mu.Unlock()
		if counted < 6 || len(strays) > 0 {
			t.Errorf("%d statements; those without the context of their request are %q", counted, strays)
		}
		for _, w := range []*witness{first, second} {
			for _, trail := range w.trail {
				if trail != "ab" {
					t.Errorf("the end of a request has the context of %q", trail)
				}
			}
			if len(w.said) != 6 || w.began != 6 {
				t.Errorf("it is told of %d requests and %d ends; want 6", w.began, len(w.said))
			}
		}
	})
}

// TestObserversHearOfABrokenConnection, so that what they count comes out even.
func TestObserversHearOfABrokenConnection(t *testing.T) {
	w, v := newWitness(""), notes()
	v.Collection = []framework.CollectionAction{framework.OnCollection("GET", "abort", func(*framework.Call, framework.None) (framework.None, error) {
		panic(http.ErrAbortHandler)
	})}
	api := framework.New(guarded(sqlite(t), w))
	api.Register(v)
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/api/notes/abort/", nil)
	r.Header.Set("Authorization", "Name ada")
	func() {
		defer func() {
			if err, _ := recover().(error); !errors.Is(err, http.ErrAbortHandler) {
				t.Error("the connection is not broken off")
			}
		}()
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}()
	if o := w.last(t); o.Status != 0 || o.Path != "/api/notes/abort/" || o.Name != "abort" {
		t.Errorf("it is told %+v", o)
	}
}

// TestObserversOfManyAtOnce is for the race detector, and counts.
func TestObserversOfManyAtOnce(t *testing.T) {
	w := newWitness("")
	ada := serve(t, guarded(sqlite(t), w), shelves()...).as("ada")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 10 {
				ada.get("/api/books/").is(200)
			}
		})
	}
	all.Wait()
	for range 80 {
		<-w.ended
	}
	if w.began != 80 || len(w.said) != 80 {
		t.Errorf("it is told of %d requests and %d ends; want 80", w.began, len(w.said))
	}
}

// BenchmarkRequest shows that observers cost nothing where there are none.
func BenchmarkRequest(b *testing.B) {
	for name, observers := range map[string][]framework.Observer{"unobserved": nil, "observed": {idle{}}} {
		b.Run(name, func(b *testing.B) {
			api := framework.New(guarded(sqlite(b), observers...))
			api.Register(shelves()...)
			handler, err := api.Handler()
			if err != nil {
				b.Fatal(err)
			}
			r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1/api/books/"+missing+"/", nil)
			b.ReportAllocs()
			for b.Loop() {
				w := httptest.NewRecorder()
				if handler.ServeHTTP(w, r); w.Code != http.StatusUnauthorized {
					b.Fatalf("status %d", w.Code)
				}
			}
		})
	}
}

// idle is an observer that does nothing.
type idle struct{}

func (idle) Begin(ctx context.Context, _ *http.Request) context.Context { return ctx }

func (idle) End(context.Context, framework.Outcome) []slog.Attr { return nil }
