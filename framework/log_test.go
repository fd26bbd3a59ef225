package framework_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
	"unicode"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/internal/journal"
)

// lines collects what is logged.
type lines = journal.Journal

// TestLog: one line for each request, with its id and never with what a client
// keeps to itself; the cause of a failure is there and only there.
func TestLog(t *testing.T) {
	logged := &lines{}
	c := config(sqlite(t))
	c.Log = slog.New(slog.NewTextHandler(logged, nil))
	api := framework.New(c)
	api.Register(breaking()...)
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	sent := frameworktest.New(t, handler)
	ada := &client{Client: sent, tb: t, url: sent.URL()}
	ada = ada.as("ada").with("X-Request-Id", "theirs").with("Cookie", "canary=1")
	path := "/api/books/" + ada.post("/api/books/?q=canary", fields{"title": "canary"}).is(201).id() + "/"
	failed := ada.post(path+"fail/", nil).is(500).header.Get("X-Request-Id")
	ada.post(path+"panic/", nil).is(500)
	ada.post(path+"unspoken/", nil).is(500)
	ada.get("/nowhere/canaries-fly").is(404)
	said := strings.Split(strings.TrimSpace(logged.String()), "\n")
	if len(said) != 5 {
		t.Fatalf("want a line for each request, got\n%s", logged)
	}
	for i, want := range []string{"level=INFO", "books_secret", "panic", "func()", "status=404"} {
		if !strings.Contains(said[i], want) {
			t.Errorf("want %q in %s", want, said[i])
		}
	}
	if !strings.Contains(said[1], failed) || !strings.Contains(said[1], "level=ERROR") {
		t.Errorf("want the request's id %s in %s", failed, said[1])
	}
	for _, line := range said[:4] {
		if strings.Contains(line, "canary") || strings.Contains(line, "Name ada") {
			t.Errorf("a log holds no query, no body and no credentials: %s", line)
		}
	}
	for _, want := range []string{"client_id=theirs", "caller=" + callers["ada"].IDText(), "took="} {
		if !strings.Contains(said[0], want) {
			t.Errorf("want %q in %s", want, said[0])
		}
	}
}

// The line of a request has the client's address, the route and the size of the
// answer, whether anything observes the requests or not.
func TestLogOfARequest(t *testing.T) {
	for name, observers := range map[string][]framework.Observer{"without observers": nil, "with an observer": {newWitness("")}} {
		t.Run(name, func(t *testing.T) {
			logged := &lines{}
			handler := handlerLoggingTo(t, logged, "json", func(c *framework.Config) {
				c.Observers, c.TrustedProxies = observers, []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")}
			})
			for _, c := range []struct {
				name, method, path, forwarded string
				route, address                any
				empty                         bool
			}{
				{"one row", "GET", "/api/books/" + missing + "/", "", "/api/books/{id}/", "192.0.2.1", false},
				{"without the slash", "GET", "/api/books", "", "/api/books/", "192.0.2.1", false},
				{"the head alone", "HEAD", "/api/", "", "/api/", "192.0.2.1", true},
				{"a path at which nothing is served", "GET", "/nowhere/x", "", nil, "192.0.2.1", false},
				{"through a trusted proxy", "GET", "/api/", "203.0.113.9", "/api/", "203.0.113.9", false},
				{"through a proxy that lies", "GET", "/api/", "nonsense", "/api/", "192.0.2.1", false},
			} {
				t.Run(c.name, func(t *testing.T) {
					before := len(logged.String())
					r, w := httptest.NewRequest(c.method, c.path, nil), httptest.NewRecorder() // from 192.0.2.1
					r.Header.Set("X-Forwarded-For", c.forwarded)
					handler.ServeHTTP(w, r)
					var line map[string]any
					if err := json.Unmarshal([]byte(logged.String()[before:]), &line); err != nil {
						t.Fatal(err)
					}
					bytes := float64(w.Body.Len())
					if c.empty {
						bytes = 0
					}
					if line["route"] != c.route || line["address"] != c.address || line["bytes"] != bytes {
						t.Errorf("the line is %v; want the route %v, the address %v and %v bytes", line, c.route, c.address, bytes)
					}
				})
			}
		})
	}
}

// handlerLoggingTo is a library whose log has one of the two forms.
func handlerLoggingTo(t *testing.T, w io.Writer, form string, change func(*framework.Config)) http.Handler {
	t.Helper()
	c := config(sqlite(t))
	c.Log = slog.New(slog.NewTextHandler(w, nil))
	if form == "json" {
		c.Log = slog.New(slog.NewJSONHandler(w, nil))
	}
	if change != nil {
		change(&c)
	}
	api := framework.New(c)
	api.Register(breaking()...)
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

// TestNobodyForgesALine: whatever a client sends, its request is one line of
// characters that are seen, and obeyed by no terminal.
func TestNobodyForgesALine(t *testing.T) {
	const forged = "level=ERROR msg=forged"
	for _, form := range []string{"text", "json"} {
		for name, odd := range map[string]string{
			"a line break":                 "\r\n" + forged,
			"a line feed":                  "\n" + forged,
			"a NUL":                        "\x00" + forged,
			"a command to the terminal":    "\x1b[2J" + forged,
			"a command of one character":   "\u009b2J" + forged,
			"a next line":                  "\u0085" + forged,
			"a line separator":             "\u2028" + forged,
			"a text that runs backwards":   "\u202e" + forged,
			"a DEL":                        "\x7f" + forged,
			"quotes":                       "\" status=200\n",
			"bytes that are no characters": "\xff\xfe" + forged,
		} {
			t.Run(form+", "+name, func(t *testing.T) {
				logged := &lines{}
				handler := handlerLoggingTo(t, logged, form, nil)
				for where, change := range map[string]func(r *http.Request){
					"the path":         func(r *http.Request) { r.URL.Path = "/api/" + odd },
					"the method":       func(r *http.Request) { r.Method = "GET" + odd },
					"a request's id":   func(r *http.Request) { r.Header["X-Request-Id"] = []string{odd} },
					"a long id":        func(r *http.Request) { r.Header["X-Request-Id"] = []string{strings.Repeat("é", 64)[1:] + odd} },
					"the host":         func(r *http.Request) { r.Host = odd },
					"a forwarded name": func(r *http.Request) { r.Header["X-Forwarded-For"] = []string{odd} },
				} {
					before := logged.String()
					r := httptest.NewRequest(http.MethodGet, "/api/books/", nil)
					change(r)
					handler.ServeHTTP(httptest.NewRecorder(), r)
					said := strings.TrimPrefix(logged.String(), before)
					if line, rest, whole := strings.Cut(said, "\n"); !whole || rest != "" || strings.ContainsFunc(line, unseen) || strings.HasPrefix(line, forged) {
						t.Errorf("%s makes the log say %q", where, said)
					}
					if form == "json" && !json.Valid([]byte(said)) {
						t.Errorf("%s makes what is no JSON: %q", where, said)
					}
				}
			})
		}
	}
}

func unseen(r rune) bool { return !unicode.IsPrint(r) }

// TestALogIsReadable: what is no trick is shown as it was sent.
func TestALogIsReadable(t *testing.T) {
	logged := &lines{}
	handler := handlerLoggingTo(t, logged, "json", nil)
	r := httptest.NewRequest(http.MethodGet, "/api/%E0%A4%A8%E0%A4%AE/a%20b%25c/", nil)
	r.Header.Set("X-Request-Id", "नम 100%")
	handler.ServeHTTP(httptest.NewRecorder(), r)
	var line struct {
		Path     string `json:"path"`
		ClientID string `json:"client_id"`
	}
	if err := json.Unmarshal([]byte(logged.String()), &line); err != nil || line.Path != "/api/नम/a b%c/" || line.ClientID != "नम 100%" {
		t.Errorf("the log says %s", logged)
	}
}

// TestSlowRequests are warnings from a time on, failures errors all the same.
func TestSlowRequests(t *testing.T) {
	for name, test := range map[string]struct {
		slow       time.Duration
		path, want string
	}{
		"nothing is slow":           {0, "/api/books/", "level=INFO"},
		"faster than that":          {time.Hour, "/api/books/", "level=INFO"},
		"slower than that":          {1, "/api/books/", "level=WARN"},
		"slower, and nobody's path": {1, "/nowhere", "level=WARN"},
	} {
		t.Run(name, func(t *testing.T) {
			logged := &lines{}
			handler := handlerLoggingTo(t, logged, "text", func(c *framework.Config) { c.Slow = test.slow })
			handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, test.path, nil))
			if said := logged.String(); !strings.Contains(said, test.want) || strings.Count(said, "\n") != 1 {
				t.Errorf("the log says %s; want %s", said, test.want)
			}
		})
	}
	logged := &lines{}
	ada := frameworktest.New(t, handlerLoggingTo(t, logged, "text", func(c *framework.Config) { c.Slow = 1 })).With("Authorization", "Name ada")
	var book struct{ ID string }
	ada.Post("/api/books/", fields{"title": "Emma"}).Expect(201).JSON(&book)
	ada.Post("/api/books/"+book.ID+"/fail/", nil).Expect(500)
	if said := logged.String(); !strings.Contains(said, "level=ERROR") {
		t.Errorf("a slow failure is no error: %s", said)
	}
}

// TestOneIDJoinsAll: the header, the body, the log, the outcome and the attributes of an
// observer have the same id, for rejected requests and for failed statements.
func TestOneIDJoinsAll(t *testing.T) {
	logged := &lines{}
	w := newWitness("")
	w.log = []slog.Attr{slog.String("trace_id", "0af7651916cd43dd8448eb211c80319c")}
	handler := handlerLoggingTo(t, logged, "text", func(c *framework.Config) { c.Observers = []framework.Observer{w} })
	sent := frameworktest.New(t, handler)
	ada := (&client{Client: sent, tb: t, url: sent.URL()}).as("ada")
	path := "/api/books/" + ada.post("/api/books/", fields{"title": "Emma"}).is(201).id() + "/"
	w.last(t)
	for _, ask := range []func() *answer{
		func() *answer { return ada.get("/nowhere").is(404) },
		func() *answer { return ada.post("/api/books/", fields{}).is(400) },
		func() *answer { return ada.post(path+"mistake/", nil).is(500) },
	} {
		before := logged.String()
		got := ask()
		id, line := got.header.Get("X-Request-Id"), strings.TrimPrefix(logged.String(), before)
		if o := w.last(t); o.ID.String() != id {
			t.Errorf("the outcome has the id %s, the answer %s", o.ID, id)
		}
		if got.problem().Instance != "urn:uuid:"+id || !strings.Contains(line, " id="+id) || !strings.Contains(line, "trace_id=0af7651916cd43dd8448eb211c80319c") {
			t.Errorf("the answer's id is %s, its body %s, the log's line %s", id, got.body, line)
		}
		if failed := got.status == 500; failed != strings.Contains(line, "no such table") || failed != strings.Contains(line, "level=ERROR") {
			t.Errorf("the line says %s", line)
		}
	}
}

// TestALogThatTakesNoLines costs the observers nothing.
func TestALogThatTakesNoLines(t *testing.T) {
	w := newWitness("")
	handler := handlerLoggingTo(t, io.Discard, "text", func(c *framework.Config) {
		c.Log = slog.New(slog.DiscardHandler)
		c.Observers = []framework.Observer{w}
	})
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/api/", nil))
	if o := w.last(t); o.Status != 200 {
		t.Errorf("it is told %+v", o)
	}
}
