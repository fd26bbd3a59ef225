package compression_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/frameworktest/contract"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/apitest"
)

// TestAnswers: which answers are compressed. Each has the same body after decompression, for each client.
func TestAnswers(t *testing.T) {
	both(t, nil, func(t *testing.T, server *httptest.Server) {
		for _, test := range []struct {
			name         string
			method, path string
			accept       string
			status       int
			compressed   bool
			vary         bool // it has Accept-Encoding in Vary
		}{
			{"a list", "GET", "/api/papers/", "", 200, true, true},
			{"a row", "GET", "/api/papers/2/", "", 200, true, true},
			{"a short row", "GET", "/api/papers/1/", "", 200, false, true},
			{"an answer of a function", "GET", "/api/papers/open/", "", 200, true, true},
			{"an answer with a secret", "GET", "/api/papers/secret/", "", 200, false, false},
			{"an answer with credentials", "POST", "/api/papers/sign/", "", 200, false, false},
			{"an answer with a cookie", "GET", "/api/papers/cookie/", "", 200, false, true},
			{"an export to CSV", "GET", "/api/papers/?format=csv", "", 200, true, true},
			{"an export to NDJSON", "GET", "/api/papers/?format=ndjson", "", 200, true, true},
			{"a stream of NDJSON", "GET", "/api/papers/lines/", "", 200, true, true},
			{"a stream of CSV", "GET", "/api/papers/lines/", "text/csv", 200, true, true},
			{"a stream of events", "GET", "/api/papers/lines/", "text/event-stream", 200, false, true},
			{"bytes", "GET", "/api/papers/bytes/", "", 200, false, false},
			{"a file", "GET", "/api/papers/3/scan/", "", 200, false, false},
			{"an error", "GET", "/api/papers/9/", "", 404, false, true},
			{"a long error", "GET", "/api/papers/?page=" + strings.Repeat("x", 10) + "&ordering=" + strings.Repeat("title,", 100), "", 404, false, true},
			{"HEAD", "HEAD", "/api/papers/2/", "", 200, false, true},
			{"HEAD of a stream", "HEAD", "/api/papers/lines/", "", 200, false, true},
			{"OPTIONS", "OPTIONS", "/api/papers/", "", 200, false, false},
			{"another method", "POST", "/api/papers/2/", "", 405, false, false},
			{"no such path", "GET", "/api/nothing/", "", 404, false, false},
			{"the API root", "GET", "/api/", "", 200, false, false},
		} {
			t.Run(test.name, func(t *testing.T) {
				plain := send(t, server, test.method, test.path, "", "Accept", test.accept)
				for accepts, want := range map[string]string{
					"gzip": "gzip", "zstd": "zstd", "gzip, deflate, br, zstd": "zstd", "zstd;q=0.5, gzip": "gzip", "br": "", "gzip;q=0, zstd;q=0": "", "identity": "", "gzip;q=x": "",
				} {
					got := send(t, server, test.method, test.path, "", "Accept", test.accept, "Accept-Encoding", accepts)
					if !test.compressed {
						want = ""
					}
					if coding := got.header.Get("Content-Encoding"); coding != want || got.status != test.status {
						t.Errorf("%s: the answer is %d %q; want %d %q", accepts, got.status, coding, test.status, want)
					}
					if id := plain.header.Get("X-Request-Id"); strings.ReplaceAll(got.body, got.header.Get("X-Request-Id"), id) != plain.body {
						t.Errorf("%s: the body is %.500q; want %.500q", accepts, got.body, plain.body)
					}
					if vary := strings.Join(got.header.Values("Vary"), ","); strings.Contains(vary, "Accept-Encoding") != test.vary {
						t.Errorf("%s: Vary is %q", accepts, vary)
					}
					if want != "" && len(got.sent)*2 > len(plain.sent) {
						t.Errorf("%s: %d bytes are sent instead of %d", accepts, len(got.sent), len(plain.sent))
					}
					if got.header.Get("No-Gzip-Compression") != "" {
						t.Error("a header of the compressor is sent")
					}
				}
			})
		}
	})
}

// TestOnlyDeclared: without Compress nothing of an answer depends on Accept-Encoding.
func TestOnlyDeclared(t *testing.T) {
	both(t, func(c *framework.Config) { c.Compress = false }, func(t *testing.T, server *httptest.Server) {
		got := send(t, server, "GET", "/api/papers/", "", "Accept-Encoding", "gzip, zstd")
		if vary := got.header.Values("Vary"); got.header.Get("Content-Encoding") != "" || strings.Contains(strings.Join(vary, ","), "Encoding") {
			t.Errorf("Content-Encoding is %q, Vary is %q", got.header.Get("Content-Encoding"), vary)
		}
	})
}

// TestTags: the ETag of a compressed answer is weak, and works in If-None-Match and If-Match as the strong one does.
func TestTags(t *testing.T) {
	both(t, nil, func(t *testing.T, server *httptest.Server) {
		strong := send(t, server, "GET", "/api/papers/2/", "").header.Get("ETag")
		for _, accepts := range []string{"gzip", "zstd"} {
			for path, compressed := range map[string]bool{"/api/papers/1/": false, "/api/papers/2/": true, "/api/papers/": true} {
				plain := send(t, server, "GET", path, "").header.Get("ETag")
				want := plain
				if compressed {
					want = "W/" + plain
				}
				if got := send(t, server, "GET", path, "", "Accept-Encoding", accepts).header.Get("ETag"); got != want {
					t.Errorf("%s %s has the ETag %s; want %s", accepts, path, got, want)
				}
				for _, tag := range []string{plain, "W/" + plain, `"other", W/` + plain} {
					got := send(t, server, "GET", path, "", "Accept-Encoding", accepts, "If-None-Match", tag)
					if sent := strings.TrimPrefix(tag, `"other", `); got.status != http.StatusNotModified || got.body != "" || got.header.Get("ETag") != sent || got.header.Get("Content-Encoding") != "" {
						t.Errorf("%s with If-None-Match: %s is answered %d with the ETag %s and %q", path, tag, got.status, got.header.Get("ETag"), got.body)
					}
				}
			}
		}
		weak := "W/" + strong
		for _, step := range []struct {
			tag    string
			status int
		}{{weak, http.StatusOK}, {weak, http.StatusPreconditionFailed}, {strong, http.StatusPreconditionFailed}} {
			got := send(t, server, "PATCH", "/api/papers/2/", `{"title":"new"}`, "If-Match", step.tag, "Accept-Encoding", "gzip")
			if got.status != step.status {
				t.Errorf("If-Match: %s is answered %d; want %d: %.300s", step.tag, got.status, step.status, got.body)
			}
		}
	})
}

// TestRanges: parts of a file and of bytes are those of the plain content.
func TestRanges(t *testing.T) {
	both(t, nil, func(t *testing.T, server *httptest.Server) {
		for path, tag := range map[string]string{"/api/papers/3/scan/": tagOfScan(), "/api/papers/bytes/": `"v1"`} {
			whole := send(t, server, "GET", path, "", "Accept-Encoding", "gzip, zstd")
			if whole.body != string(scan) || whole.header.Get("Accept-Ranges") != "bytes" || whole.header.Get("ETag") != tag {
				t.Errorf("%s: %v", path, whole.header)
			}
			part := send(t, server, "GET", path, "", "Accept-Encoding", "gzip, zstd", "Range", "bytes=10-1999", "If-Range", tag)
			if part.status != http.StatusPartialContent || part.header.Get("Content-Encoding") != "" || part.body != string(scan[10:2000]) {
				t.Errorf("%s: the part is answered %d %q", path, part.status, part.header.Get("Content-Encoding"))
			}
		}
	})
}

// TestCutStreams: a stream that the server cuts off is not complete for any client.
func TestCutStreams(t *testing.T) {
	both(t, nil, func(t *testing.T, server *httptest.Server) {
		for _, accepts := range []string{"", "gzip", "zstd"} {
			if got := send(t, server, "GET", "/api/papers/broken/", "", "Accept-Encoding", accepts); got.broken == nil {
				t.Errorf("%q: the client takes %d bytes for all", accepts, len(got.sent))
			}
		}
	})
}

// TestObservers: observers, and middleware that records what it sends, have the answer before it is compressed.
func TestObservers(t *testing.T) {
	seen := &sizes{}
	both(t, func(c *framework.Config) { c.Observers = []framework.Observer{seen} }, func(t *testing.T, server *httptest.Server) {
		plain := send(t, server, "GET", "/api/papers/2/", "")
		send(t, server, "GET", "/api/papers/2/", "", "Accept-Encoding", "gzip")
		if got := seen.last(); got != int64(len(plain.sent)) {
			t.Errorf("%d bytes are observed; want %d", got, len(plain.sent))
		}
	})
}

// TestReplays: a stored answer is compressed or not as the request that gets it wants it.
func TestReplays(t *testing.T) {
	both(t, nil, func(t *testing.T, server *httptest.Server) {
		body := `{"title":"kept","text":"` + long + `"}`
		first := send(t, server, "POST", "/api/papers/", body, "Authorization", "Name ada", "Idempotency-Key", "one", "Accept-Encoding", "gzip")
		again := send(t, server, "POST", "/api/papers/", body, "Authorization", "Name ada", "Idempotency-Key", "one")
		if first.status != http.StatusCreated || first.body != again.body || again.header.Get("Idempotent-Replayed") != "true" || again.header.Get("Content-Encoding") != "" {
			t.Errorf("%d, then %d %v", first.status, again.status, again.header)
		}
		if "W/"+again.header.Get("ETag") != first.header.Get("ETag") {
			t.Errorf("the ETag is %s, then %s", first.header.Get("ETag"), again.header.Get("ETag"))
		}
	})
}

// TestContract: package contract reads compressed answers.
func TestContract(t *testing.T) {
	apitest.Databases(t, archive, func(t *testing.T, db *sqldb.DB) {
		handler := serve(t, db, nil)
		document := send(t, newServer(t, handler), "GET", "/api/openapi.json", "")
		promised, err := contract.New([]byte(document.body))
		if err != nil {
			t.Fatal(err)
		}
		by := frameworktest.New(t, promised.Wrap(t, handler))
		for _, accepts := range []string{"", "gzip", "zstd"} {
			by.With("Accept-Encoding", accepts).Get("/api/papers/2/").Expect(200)
			by.With("Accept-Encoding", accepts).Get("/api/papers/lines/").Expect(200)
		}
	})
}

func newServer(tb testing.TB, handler http.Handler) *httptest.Server {
	tb.Helper()
	server := httptest.NewServer(handler)
	tb.Cleanup(server.Close)
	return server
}

// TestFlush: a part of a stream arrives before the stream goes on.
func TestFlush(t *testing.T) {
	for _, accepts := range []string{"", "gzip", "zstd"} {
		t.Run(accepts, func(t *testing.T) {
			t.Parallel()
			next, ended := make(chan struct{}), make(chan struct{})
			server := newServer(t, compressed(t, func(w http.ResponseWriter, _ *http.Request) {
				defer close(ended)
				w.Header().Set("Content-Type", "application/x-ndjson")
				for range 3 {
					_, _ = w.Write([]byte(`{"text":"a line"}` + "\n"))
					if err := http.NewResponseController(w).Flush(); err != nil {
						t.Error(err)
					}
					<-next
				}
			}))
			readParts(t, server, accepts, func() { next <- struct{}{} })
			<-ended
		})
	}
}

// waitLimit is how long the tests wait for what must happen.
const waitLimit = time.Minute
