package framework_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
)

// protect serves the shelves, and beside them a handler for a permission at /beside/.
func protect(t *testing.T, c framework.Config, p framework.Permission, next http.HandlerFunc) *client {
	t.Helper()
	api := framework.New(c)
	api.Register(shelves()...)
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	beside, err := api.Protect(p, next)
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", handler)
	mux.Handle("/beside/{name}", beside)
	sent := frameworktest.New(t, mux)
	return &client{Client: sent, tb: t, url: sent.URL()}
}

// greet writes the name of the caller and how many books the database has.
func greet(w http.ResponseWriter, r *http.Request) {
	c := framework.CallOf(r.Context())
	n, err := c.DB.NewSelect().Table("books").Count(c)
	if _, dated := c.Deadline(); dated || err != nil {
		http.Error(w, fmt.Sprint("want no deadline, and no error: ", err), http.StatusTeapot)
		return
	}
	fmt.Fprintf(w, "%s, %d books, %s", c.Caller.Name, n, r.PathValue("name"))
}

// TestProtect: a handler beside the API has the callers, permissions, guards, rates and errors
// of an endpoint.
func TestProtect(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		logged := &lines{}
		c := config(db)
		c.Log, c.CORS = slog.New(slog.NewTextHandler(logged, nil)), []string{"https://app.example.org"}
		c.Throttles = []framework.Throttle{throttle.User(new(throttle.Memory), hourly(t, 4))}
		c.Guards = []framework.Guard{{Under: "../beside/guarded", Permission: framework.Staff()}}
		watching := newWitness("w")
		c.Observers = []framework.Observer{watching}
		api := protect(t, c, framework.Holds("books.view"), greet)

		api.as("vic").get("/beside/x").is(200).says("Vic, 0 books, x").head("X-Content-Type-Options", "nosniff").head("Cache-Control", "no-store")
		if o := watching.last(t); o.Path != "/beside/{name}" || o.Name != "handler" || o.Status != 200 || o.Bytes == 0 {
			t.Errorf("the observer gets %+v", o)
		}
		if text := logged.String(); !strings.Contains(text, "route=/beside/{name}") || !strings.Contains(text, "caller="+callers["vic"].IDText()) || !strings.Contains(text, "status=200") {
			t.Errorf("the log is %s", text)
		}
		api.get("/beside/x").refuses(401, "authentication_required").head("Www-Authenticate", `Name realm="library"`)
		api.as("nobody").get("/beside/x").refuses(401, "invalid_token")
		api.as("ada").get("/beside/x").refuses(403, "forbidden").says(`it needs the permission \"books.view\"`)
		api.as("vic").post("/beside/x", nil).is(200)
		preflight(api.with("Origin", "https://app.example.org"), true, "https://app.example.org")

		for range 2 {
			api.as("vic").get("/beside/x").is(200)
		}
		api.as("vic").get("/beside/x").refuses(429, "rate_limited").head("Retry-After", "3600")
		api.as("root").get("/beside/x").is(200)
	})
}

// TestProtectChecksTheHostAndTheGuards: neither reaches the handler.
func TestProtectChecksTheHostAndTheGuards(t *testing.T) {
	c := config(sqlite(t))
	c.Prefix, c.Hosts = "/", []string{"api.example.org"}
	c.Guards = []framework.Guard{{Under: "beside/guarded", Permission: framework.Staff()}}
	api := protect(t, c, framework.Anyone(), func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "reached") })
	here := api.with("Host", "api.example.org")
	here.get("/beside/x").is(200).says("reached")
	api.with("Host", "evil.example").get("/beside/x").refuses(400, "invalid_host").lacks("reached")
	here.get("/beside/guarded").refuses(401, "authentication_required").lacks("reached")
	here.as("ada").get("/beside/guarded").refuses(403, "forbidden").lacks("reached")
	here.as("eve").get("/beside/guarded").is(200)
}

// TestProtectPanics: a panic is 500 and is logged, and closes the connection if the answer has
// begun.
func TestProtectPanics(t *testing.T) {
	logged := &lines{}
	c := config(sqlite(t))
	c.Log = slog.New(slog.NewTextHandler(logged, nil))
	api := protect(t, c, framework.Anyone(), func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("name") == "late" {
			fmt.Fprint(w, "begun")
			w.(http.Flusher).Flush()
		}
		panic("a canary")
	})
	api.get("/beside/early").refuses(500, "internal").lacks("canary")
	r, err := http.Get(api.url + "/beside/late")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if body, err := io.ReadAll(r.Body); err == nil || string(body) != "begun" {
		t.Errorf("the answer is %q, error %v; want a connection that is closed", body, err)
	}
	if n := strings.Count(logged.String(), "a canary"); n != 2 {
		t.Errorf("the log has %d panics; want 2:\n%s", n, logged)
	}
}

// TestProtectStreams: a stream of events goes on beyond the timeout of the API, arrives part by
// part, and ends when its client leaves.
func TestProtectStreams(t *testing.T) {
	c := config(sqlite(t))
	c.Timeout = 20 * time.Millisecond
	next, ended := make(chan string), make(chan error, 1)
	api := protect(t, c, framework.Authenticated(), func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for {
			select {
			case event := <-next:
				fmt.Fprintf(w, "data: %s\n\n", event)
				w.(http.Flusher).Flush()
			case <-r.Context().Done():
				ended <- context.Cause(r.Context())
				return
			}
		}
	})
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, api.url+"/beside/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Name ada")
	go func() { next <- "one" }()
	resp, err := (&http.Client{Timeout: time.Minute}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for _, want := range []string{"one", "two"} {
		if lines.Scan(); lines.Text() != "data: "+want {
			t.Fatalf("the event is %q; want %q", lines.Text(), want)
		}
		lines.Scan()
		select { // longer than the timeout of the API
		case err := <-ended:
			t.Fatalf("the stream ended by itself: %v", err)
		case <-time.After(3 * c.Timeout):
		}
		if want == "one" {
			next <- "two"
		}
	}
	leave()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the stream ended with %v", err)
	}
}

// TestProtectHijacks: a handler may take the connection, as websockets do.
func TestProtectHijacks(t *testing.T) {
	logged := &lines{}
	c := config(sqlite(t))
	c.Log = slog.New(slog.NewTextHandler(logged, nil))
	done := make(chan struct{})
	api := protect(t, c, framework.Authenticated(), func(w http.ResponseWriter, r *http.Request) {
		defer close(done)
		conn, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		fmt.Fprintf(rw, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		_ = rw.Flush()
		line, _ := rw.ReadString('\n')
		fmt.Fprintf(rw, "%s says %s", framework.CallOf(r.Context()).Caller.Name, line)
		_ = rw.Flush()
	})
	conn, err := net.Dial("tcp", strings.TrimPrefix(api.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /beside/socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\nAuthorization: Name ada\r\n\r\nhello\n")
	text, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 101 ") || !strings.HasSuffix(string(text), "Ada says hello\n") {
		t.Errorf("the connection has %q, error %v", text, err)
	}
	<-done
}

// TestAConnectionOutlivesItsHandler: a handler may take the connection and return, as servers of
// websockets do. No time limit of the API or of the request ends the connection then.
func TestAConnectionOutlivesItsHandler(t *testing.T) {
	logged := &lines{}
	c := config(sqlite(t))
	c.Timeout, c.Log = 20*time.Millisecond, slog.New(slog.NewTextHandler(logged, nil))
	taken := make(chan net.Conn, 1)
	api := protect(t, c, framework.Anyone(), func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		if r.PathValue("name") == "panic" {
			panic("a canary")
		}
		taken <- conn
	})
	dial := func(name string) net.Conn {
		conn, err := net.Dial("tcp", strings.TrimPrefix(api.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		fmt.Fprintf(conn, "GET /beside/%s HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n", name)
		return conn
	}
	here, there := dial("socket"), <-taken
	defer there.Close()
	<-time.After(5 * c.Timeout) // longer than the timeout of the API
	fmt.Fprintln(here, "hello")
	line, err := bufio.NewReader(there).ReadString('\n')
	if err == nil {
		_, err = fmt.Fprint(there, "you say ", line)
	}
	if err != nil || line != "hello\n" {
		t.Fatalf("the server read %q, error %v", line, err)
	}
	if line, err = bufio.NewReader(here).ReadString('\n'); line != "you say hello\n" {
		t.Errorf("the client read %q, error %v", line, err)
	}

	here = dial("panic") // the connection is closed
	_ = here.SetReadDeadline(time.Now().Add(10 * time.Second))
	if text, err := io.ReadAll(here); err != nil || len(text) > 0 {
		t.Errorf("after a panic the client read %q, error %v", text, err)
	}
	if !strings.Contains(logged.String(), "a canary") {
		t.Errorf("the log lacks the panic: %s", logged)
	}
}

// TestIdentify: a handler of one's own finds out who calls, and answers errors as the API does.
func TestIdentify(t *testing.T) {
	logged := &lines{}
	c := config(sqlite(t))
	c.Log, c.Hosts = slog.New(slog.NewTextHandler(logged, nil)), []string{"api.example.org"}
	api := framework.New(c)
	api.Register(shelves()...)
	if err := api.Check(); err != nil {
		t.Fatal(err)
	}
	sent := frameworktest.New(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller, err := api.Identify(r)
		switch {
		case err != nil:
			api.WriteError(w, r, err)
		case caller.Caller.Anonymous():
			fmt.Fprint(w, "hello, stranger")
		case caller.Caller.Name == "Eve":
			api.WriteError(w, r, errors.New("a canary"))
		default:
			fmt.Fprint(w, "hello, ", caller.Caller.Name)
		}
	}))
	page := (&client{Client: sent, tb: t, url: sent.URL()}).with("Host", "api.example.org")
	page.get("/").is(200).says("hello, stranger")
	page.as("ada").get("/").is(200).says("hello, Ada")
	page.as("nobody").get("/").refuses(401, "invalid_token").head("Www-Authenticate", `Name realm="library"`).head("X-Content-Type-Options", "nosniff")
	page.with("Host", "evil.example").get("/").refuses(400, "invalid_host")
	page.as("eve").get("/").refuses(500, "internal").lacks("canary")
	if text := logged.String(); strings.Count(text, "level=ERROR") != 1 || !strings.Contains(text, "a canary") {
		t.Errorf("the log is %s; want the error of status 500 alone", text)
	}
}

// TestMistakesOfProtect: a permission without a meaning is an error at start.
func TestMistakesOfProtect(t *testing.T) {
	for name, c := range map[string]struct {
		permission framework.Permission
		next       http.Handler
		want       string
	}{
		"no permission":    {nil, http.NotFoundHandler(), "API.Protect: the permission is nil; framework.Anyone() permits every caller"},
		"no handler":       {framework.Anyone(), nil, "API.Protect: the handler is nil"},
		"no name":          {framework.Holds("view"), http.NotFoundHandler(), `API.Protect: "view" is no name of a permission`},
		"nothing is wrong": {framework.Holds("books.view"), http.NotFoundHandler(), ""},
	} {
		t.Run(name, func(t *testing.T) {
			api := framework.New(config(sqlite(t)))
			_, err := api.Protect(c.permission, c.next)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v; want %q", err, c.want)
			}
		})
	}
}

// TestMounted: below any prefix of a program's own router the API answers the same, and its
// links lead back to itself. Two APIs of one program share users and database.
func TestMounted(t *testing.T) {
	db := sqlite(t)
	mount := func(prefix string) http.Handler {
		c := config(db)
		c.Prefix = prefix
		api := framework.New(c)
		api.Register(shelves()...)
		handler, err := api.Handler()
		if err != nil {
			t.Fatal(err)
		}
		return handler
	}
	v1, v2 := mount("/shop/v1"), mount("/shop/v2")
	mux := http.NewServeMux()
	mux.Handle("/shop/v1/", v1)
	mux.Handle("/shop/v2/", v2)
	router := echo.New()
	router.Any("/shop/v1/*", echo.WrapHandler(v1))
	router.Any("/shop/v2/*", echo.WrapHandler(v2))
	for name, router := range map[string]http.Handler{"net/http": mux, "echo": router} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(router)
			defer server.Close()
			sent := frameworktest.New(t, router)
			ada := (&client{Client: sent, tb: t, url: sent.URL()}).as("ada")
			for i := range 4 {
				created := ada.post("/shop/v1/books/", fields{"title": fmt.Sprint(name, i)}).is(201)
				location := created.header.Get("Location")
				if !strings.HasPrefix(location, sent.URL()+"/shop/v1/books/") {
					t.Fatalf("the Location is %q", location)
				}
				ada.get(strings.TrimPrefix(location, sent.URL())).is(200)
				ada.get(strings.Replace(strings.TrimPrefix(location, sent.URL()), "v1", "v2", 1)).is(200)
			}
			next := ada.get("/shop/v2/books/").list().Next
			if next == nil || !strings.HasPrefix(*next, sent.URL()+"/shop/v2/books/?page=2") {
				t.Fatalf("the next page is %v", next)
			}
			ada.get(strings.TrimPrefix(*next, sent.URL())).is(200)
			if at := ada.get("/shop/v1/boks/").refuses(404, "not_found").problem().Type; at != "/shop/v1/errors/not_found" {
				t.Errorf("the type of an error is %q", at)
			}
			ada.get("/shop/v1/errors/not_found").is(200)
			ada.get("/shop/v2/openapi.json").is(200).says("/shop/v2/books/").lacks("/shop/v1")
		})
	}
}

// TestProtectOutlivesTheServersTimes: a stream goes on beyond the time limits of the server.
func TestProtectOutlivesTheServersTimes(t *testing.T) {
	api := framework.New(config(sqlite(t)))
	const limit = 50 * time.Millisecond
	beside, err := api.Protect(framework.Anyone(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i := range 4 {
			fmt.Fprintf(w, "%d", i)
			w.(http.Flusher).Flush()
			select {
			case <-time.After(limit):
			case <-r.Context().Done():
				return
			}
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(beside)
	server.Config.ReadTimeout, server.Config.WriteTimeout = limit, limit
	server.Start()
	defer server.Close()
	resp, err := http.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err != nil || string(text) != "0123" {
		t.Errorf("the stream is %q, error %v", text, err)
	}
}
