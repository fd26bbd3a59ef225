package framework_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/labstack/echo/v4"

	"trestle.example/framework"
)

type tenantKey struct{}

// trail returns a middleware that adds a name to the header Trail and to the context.
func trail(name string) framework.Middleware {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Add("Trail", name)
			ctx := context.WithValue(r.Context(), tenantKey{}, fmt.Sprint(r.Context().Value(tenantKey{}), name))
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
}

// closed is a middleware that answers itself.
func closed(http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprint(w, "closed")
	})
}

// wrapped is a viewset with middleware around all of it, and more around its actions.
func wrapped() framework.ViewSet[Book] {
	echoing := func(c *framework.Call, _ framework.None) (map[string]any, error) {
		return map[string]any{"tenant": fmt.Sprint(c.Value(tenantKey{}))}, nil
	}
	refusing := func(echo.HandlerFunc) echo.HandlerFunc {
		return func(echo.Context) error { return echo.NewHTTPError(http.StatusForbidden, "Not from here.") }
	}
	passing := func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			c.Response().Header().Add("Trail", "echo")
			return next(c)
		}
	}
	failing := func(echo.HandlerFunc) echo.HandlerFunc {
		return func(echo.Context) error { return fmt.Errorf("a canary") }
	}
	v := books()
	v.Middleware = []framework.Middleware{trail("a"), trail("b")}
	v.Verbs.List = v.Verbs.List.Wrap(trail("list"))
	v.Collection = []framework.CollectionAction{
		framework.OnCollection("GET", "tenant", echoing).Wrap(trail("c"), trail("d")).Wrap(trail("e")),
		framework.OnCollection("GET", "closed", echoing).Wrap(closed),
		framework.OnCollection("GET", "refused", echoing).Wrap(framework.FromEcho(refusing)),
		framework.OnCollection("GET", "failed", echoing).Wrap(framework.FromEcho(failing)),
		framework.OnCollection("GET", "passed", echoing).Wrap(framework.FromEcho(passing)),
		framework.OnCollection("GET", "panics", echoing).Wrap(func(http.Handler) http.Handler {
			return http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("a canary") })
		}),
	}
	return v
}

// TestMiddleware: middleware runs from the outside in, around a viewset or one endpoint. It may
// answer itself; every request has one log line and one outcome.
func TestMiddleware(t *testing.T) {
	for _, observed := range []bool{false, true} {
		t.Run(fmt.Sprint("observed ", observed), func(t *testing.T) {
			logged, watching := &lines{}, newWitness("w")
			c := config(sqlite(t))
			c.Log = slog.New(slog.NewTextHandler(logged, nil))
			if observed {
				c.Observers = []framework.Observer{watching}
			}
			plain := authors()
			api := serve(t, c, wrapped(), plain, countries())
			ada := api.as("ada")
			for _, test := range []struct{ path, trail, want string }{
				{"/api/books/", "a b list", `"count":0`},
				{"/api/books/tenant/", "a b c d e", `{"tenant":"<nil>abcde"}`},
				{"/api/books/passed/", "a b echo", `{"tenant":"<nil>ab"}`},
				{"/api/authors/", "", `"count":0`},
			} {
				got := ada.get(test.path).is(200).says(test.want)
				if trail := strings.Join(got.header.Values("Trail"), " "); trail != test.trail {
					got.failf("the trail is %q; want %q", trail, test.trail)
				}
			}
			ada.get("/api/books/closed/").is(418).says("closed")
			ada.get("/api/books/refused/").refuses(403, "rejected").says("Not from here.")
			ada.get("/api/books/failed/").refuses(500, "internal").lacks("canary")
			ada.get("/api/books/panics/").refuses(500, "internal").lacks("canary")
			api.get("/api/books/tenant/").refuses(401, "authentication_required").head("Trail", "a, b, c, d, e") // middleware is outside of the checks
			ada.post("/api/books/", fields{"title": "Emma"}).is(201).head("Trail", "a, b")

			const requests = 10
			if n := strings.Count(logged.String(), "msg=request"); n != requests {
				t.Errorf("the log has %d lines; want %d:\n%s", n, requests, logged)
			}
			if !observed {
				return
			}
			for range requests {
				<-watching.ended
			}
			watching.mu.Lock()
			defer watching.mu.Unlock()
			for i, want := range []int{200, 200, 200, 200, 418, 403, 500, 500, 401, 201} {
				if o := watching.said[i]; o.Status != want || o.ViewSet == "" {
					t.Errorf("outcome %d is %+v; want status %d", i, o, want)
				}
			}
		})
	}
}

// TestMiddlewareThatIsNil is a mistake at start.
func TestMiddlewareThatIsNil(t *testing.T) {
	v := books()
	v.Middleware = []framework.Middleware{nil}
	v.Verbs.List = v.Verbs.List.Wrap(trail("a"), nil)
	api := framework.New(config(sqlite(t)))
	api.Register(v, authors(), countries())
	err := api.Check()
	for _, want := range []string{"books: middleware: the middleware at place 1 is nil", "books: list: the middleware at place"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the mistakes are %v; want %q", err, want)
		}
	}
}

// lingering is an authenticator that leaves goroutines behind, which read the context of the call
// until stop is closed, as database/sql does for the statements of an authenticator.
type lingering struct {
	names

	stop chan struct{}
	left *sync.WaitGroup
}

func (l lingering) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	l.left.Go(func() {
		for {
			select {
			case <-l.stop:
				return
			default:
				c.Done()
				c.Value(tenantKey{})
			}
		}
	})
	return l.names.Authenticate(c, r)
}

// TestContextIsReplacedWhileItIsRead: statements of an authenticator may still read the call when
// its context gets the values of the caller, of middleware and of an answer in parts. The race
// detector reports a context that is replaced in another way.
func TestContextIsReplacedWhileItIsRead(t *testing.T) {
	scheme := lingering{stop: make(chan struct{}), left: &sync.WaitGroup{}}
	c := config(sqlite(t))
	c.Authentication = []framework.Authenticator{scheme}
	exported := wrapped()
	exported.Export = []framework.Media{framework.CSV}
	api, client := serveAPI(t, c, exported, authors(), countries())
	protected, err := api.Protect(framework.Authenticated(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = framework.CallOf(r.Context()).Err()
		fmt.Fprint(w, "beside")
	}))
	if err != nil {
		t.Fatal(err)
	}
	ada := client.as("ada")
	ada.get("/api/books/tenant/").is(200).says(`{"tenant":"<nil>abcde"}`)
	ada.get("/api/books/?format=csv").is(200).says("title")
	ada.get("/api/books/").is(200)

	answer, request := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/beside", nil)
	request.Header.Set("Authorization", "Name ada")
	protected.ServeHTTP(answer, request)
	if answer.Body.String() != "beside" {
		t.Errorf("the handler beside the API answered %d %s", answer.Code, answer.Body)
	}
	close(scheme.stop)
	scheme.left.Wait()
}
