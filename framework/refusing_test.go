package framework_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/httpserver"
	"trestle.example/framework/sqldb"
)

// TestRefusing: the handler answers every request with the given error, without the
// database. At the level info the log has none of these requests.
func TestRefusing(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		var log bytes.Buffer
		c := config(db)
		c.CORS = []string{"https://app.example.org"}
		c.Log = slog.New(slog.NewTextHandler(&log, nil))
		for code, refusal := range map[string]*framework.Error{"overloaded": framework.Overloaded(), "unavailable": framework.Unavailable()} {
			api := framework.New(c)
			api.Register(shelves()...)
			handler, err := api.Refusing(refusal)
			if err != nil {
				t.Fatal(err)
			}
			sent := &client{Client: frameworktest.New(t, handler), tb: t}
			n := frameworktest.CountStatements(db)
			statements(t, n, 0, func() {
				for _, request := range []string{"GET /api/books/", "POST /api/books/", "GET /nowhere", "DELETE /api/", "GET /api/errors/not_found"} {
					method, path, _ := strings.Cut(request, " ")
					a := sent.as("ada").with("Origin", "https://app.example.org").do(method, path, nil).refuses(503, code).head("Retry-After", "1")
					a.head("Access-Control-Allow-Origin", "https://app.example.org").head("X-Content-Type-Options", "nosniff")
					if a.problem().Instance != "urn:uuid:"+a.header.Get("X-Request-Id") {
						a.failf("it has no id")
					}
				}
				preflight(sent.with("Origin", "https://app.example.org"), true, "https://app.example.org")
			})
		}
		if log.Len() > 0 && strings.Contains(log.String(), "status=503") {
			t.Errorf("each request is logged: %s", &log)
		}
	})
}

// TestBodiesOfOneAddress: bodies that an address holds in memory are limited together;
// one too many is answered 503 overloaded, and those of another address are served.
func TestBodiesOfOneAddress(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		api := framework.New(config(db))
		api.Register(shelves()...)
		handler, err := api.Handler()
		if err != nil {
			t.Fatal(err)
		}
		send := func(address string, body io.Reader) *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/books/", body)
			r.Header = http.Header{"Authorization": {"Name ada"}, "Content-Type": {"application/json"}}
			r.RemoteAddr = address + ":1000"
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			return w
		}
		const large = 1 << 20
		more, held := make(chan struct{}), make(chan struct{}, 64)
		rest := func() io.Reader { // comes when more is closed
			return readerFunc(func([]byte) (int, error) { held <- struct{}{}; <-more; return 0, io.EOF })
		}
		var all sync.WaitGroup
		for range 32 {
			all.Go(func() { send("192.0.2.1", io.MultiReader(io.LimitReader(endless{}, large), rest())) })
			<-held
		}
		got := send("192.0.2.1", io.LimitReader(endless{}, large))
		if got.Code != http.StatusServiceUnavailable || !strings.Contains(got.Body.String(), "overloaded") || got.Header().Get("Retry-After") != "1" {
			t.Errorf("one too many is answered %d %s", got.Code, got.Body)
		}
		if got := send("192.0.2.1", strings.NewReader(`{"title": "Small"}`)); got.Code != http.StatusCreated {
			t.Errorf("a small one is answered %d %s", got.Code, got.Body)
		}
		padded := func(title string) io.Reader {
			return strings.NewReader(`{"title": "` + title + `"` + strings.Repeat(" ", large-64) + "}")
		}
		if got := send("192.0.2.2", padded("Ulysses")); got.Code != http.StatusCreated {
			t.Errorf("that of another address is answered %d %s", got.Code, got.Body)
		}
		close(more)
		all.Wait()
		if got := send("192.0.2.1", padded("Emma")); got.Code != http.StatusCreated {
			t.Errorf("one that comes when the others are gone is answered %d %s", got.Code, got.Body)
		}
	})
}

// readerFunc is a reader by one function.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestRefusingOfAMistake(t *testing.T) {
	api := framework.New(framework.Config{})
	if _, err := api.Refusing(framework.Overloaded()); err == nil {
		t.Error("an API without a database refuses")
	}
}

// limited serves resources within limits, and returns where.
func limited(t *testing.T, c framework.Config, limits httpserver.Limits, resources ...framework.Resource) string {
	t.Helper()
	api := framework.New(c)
	api.Register(resources...)
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	server := httpserver.New(handler, httpserver.Options{Limits: limits, Log: slog.New(slog.DiscardHandler)})
	go func() { ended <- server.Serve(t.Context(), on) }()
	t.Cleanup(func() {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return on.Addr().String()
}

// TestABodyThatStalls is answered 408 as a problem, compressed or not, and the
// connection ends. The log has the same status.
func TestABodyThatStalls(t *testing.T) {
	both(t, func(t *testing.T, db *sqldb.DB) {
		c, logged := config(db), &lines{}
		c.Log = slog.New(slog.NewTextHandler(logged, nil))
		at := limited(t, c, httpserver.Limits{Stall: 20 * time.Millisecond}, shelves()...)
		for name, head := range map[string]string{
			"plain":                  "Content-Length: 50\r\n\r\n{\"title\":",
			"nothing of it":          "Content-Length: 50\r\n\r\n",
			"in chunks":              "Transfer-Encoding: chunked\r\n\r\n3\r\n{\"t\r\n",
			"compressed":             "Content-Length: 50\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff\xaaV",
			"compressed, its head":   "Content-Length: 50\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b",
			"the answer is demanded": "Content-Length: 50\r\nExpect: 100-continue\r\n\r\n",
		} {
			c, err := net.Dial("tcp", at)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = fmt.Fprintf(c, "POST /api/books/ HTTP/1.1\r\nHost: x\r\nAuthorization: Name ada\r\nContent-Type: application/json\r\n%s", head)
			text, err := io.ReadAll(c)
			_ = c.Close()
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			got := strings.TrimPrefix(string(text), "HTTP/1.1 100 Continue\r\n\r\n")
			for _, words := range []string{"HTTP/1.1 408 Request Timeout", "Connection: close", "Content-Type: application/problem+json", `"code":"request_timeout"`, "/api/errors/request_timeout"} {
				if !strings.Contains(got, words) {
					t.Errorf("%s: the answer is %q; want %q in it", name, got, words)
				}
			}
		}
		if said := logged.String(); strings.Count(said, "status=408") != 6 || strings.Contains(said, "status=499") {
			t.Errorf("the log says %s; want six lines with the status 408", said)
		}
	})
}

// TestABodyOf200MB: a body of 200 MB, compressed to 200 KB, is rejected and takes no
// memory.
func TestABodyOf200MB(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = io.Copy(z, io.LimitReader(endless{}, 200<<20))
	_ = z.Close()
	deep := strings.Repeat(`{"x":`, 10_000) + "1" + strings.Repeat("}", 10_000)
	both(t, func(t *testing.T, db *sqldb.DB) {
		at := limited(t, config(db), httpserver.Limits{}, shelves()...)
		send := func(body []byte, coding string) (int, string) {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+at+"/api/books/", bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			r.Header = http.Header{"Authorization": {"Name ada"}, "Content-Type": {"application/json"}, "Content-Encoding": {coding}}
			r.Close = true
			got, err := new(http.Client).Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer got.Body.Close()
			text, _ := io.ReadAll(got.Body)
			return got.StatusCode, string(text)
		}
		send([]byte("{}"), "identity")
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for range 3 {
			if status, text := send(bomb.Bytes(), "gzip"); status != http.StatusRequestEntityTooLarge || !strings.Contains(text, "body_too_large") {
				t.Errorf("it is answered %d %s", status, text)
			}
		}
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 3*16<<20 {
			t.Errorf("three of them took %d MiB", taken>>20)
		}
		if status, text := send([]byte(deep), "identity"); status != http.StatusBadRequest || !strings.Contains(text, "nested more than 32") {
			t.Errorf("a body of 10,000 levels is answered %d %s", status, text)
		}
	})
}

// endless is a text without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestNoHost: a request without a host is rejected, whatever PublicURL is.
func TestNoHost(t *testing.T) {
	for _, url := range []string{"", "https://books.example.org"} {
		c := config(sqlite(t))
		c.PublicURL = url
		at := limited(t, c, httpserver.Limits{}, countries())
		for _, request := range []string{"GET /api/ HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n", "GET /api/ HTTP/1.0\r\n\r\n"} {
			conn, err := net.Dial("tcp", at)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(conn, request)
			text, _ := io.ReadAll(conn)
			_ = conn.Close()
			if got := string(text); !strings.Contains(got, " 400 ") || !strings.Contains(got, `"code":"invalid_host"`) {
				t.Errorf("%q with the public URL %q is answered %q", request, url, got)
			}
		}
	}
}

// wary is a filter that rejects every value, with a code but without a fault.
type wary struct{ err error }

func (w wary) Bind(*framework.Facts) (framework.BoundFilter, error) {
	return framework.BoundFilter{
		Params: []framework.Param{{Name: "wary"}},
		Read:   func(*framework.Call, framework.Values) (framework.Narrow, error) { return nil, w.err },
	}, nil
}

func (wary) String() string { return "wary" }

// TestAFilterThatRejects: whatever error a filter returns, the list is not answered.
func TestAFilterThatRejects(t *testing.T) {
	for name, c := range map[string]struct {
		err    error
		status int
	}{
		"invalid_parameter without a fault": {framework.Refuse(400, "invalid_parameter", "Not this one."), 400},
		"another code":                      {framework.Refuse(400, "not_now", "Not this one."), 400},
		"another status":                    {framework.Refuse(409, "not_now", "Not this one."), 409},
		"a fault":                           {framework.InvalidParameter("wary", "must not be sent"), 400},
	} {
		t.Run(name, func(t *testing.T) {
			v := books()
			v.Filters = []framework.Filter{wary{c.err}}
			ada := serve(t, config(sqlite(t)), v, authors(), countries()).as("ada")
			ada.get("/api/books/?wary=1").is(c.status).lacks("count")
			ada.get("/api/books/").is(200)
		})
	}
}
