package compression_test

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"trestle.example/framework"
	"trestle.example/framework/internal/compression"
)

// compressed is a handler with a compressor.
func compressed(tb testing.TB, serve http.HandlerFunc) http.Handler {
	tb.Helper()
	c, err := compression.New()
	if err != nil {
		tb.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.Serve(w, r, func(w http.ResponseWriter) { serve(w, r) })
	})
}

// readParts reads three lines of a stream, and calls next after each.
func readParts(t *testing.T, server *httptest.Server, accepts string, next func()) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", accepts)
	got, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	var body io.Reader = got.Body
	switch got.Header.Get("Content-Encoding") {
	case "gzip":
		body, err = gzip.NewReader(body)
	case "zstd":
		body, err = zstd.NewReader(body, zstd.WithDecoderConcurrency(1))
	}
	if err != nil {
		t.Fatal(err)
	}
	if (got.Header.Get("Content-Encoding") == "") != (accepts == "") {
		t.Errorf("Content-Encoding is %q", got.Header.Get("Content-Encoding"))
	}
	lines := bufio.NewReader(body)
	for range 3 {
		if text, err := lines.ReadString('\n'); err != nil || !strings.Contains(text, "a line") {
			t.Fatalf("%q, %v", text, err)
		}
		next()
	}
}

// TestWhatIsCompressed: the headers of an answer decide.
func TestWhatIsCompressed(t *testing.T) {
	for _, test := range []struct {
		name   string
		header http.Header
		body   string
		want   bool
	}{
		{"JSON", http.Header{"Content-Type": {"application/json"}}, long, true},
		{"JSON with a charset", http.Header{"Content-Type": {"application/json; charset=utf-8"}}, long, true},
		{"errors", http.Header{"Content-Type": {"application/problem+json"}}, long, true},
		{"another JSON", http.Header{"Content-Type": {"application/vnd.api+json"}}, long, true},
		{"CSV", http.Header{"Content-Type": {"text/csv; header=present"}}, long, true},
		{"a short body", http.Header{"Content-Type": {"application/json"}}, "{}", false},
		{"a short body of a known length", http.Header{"Content-Type": {"application/json"}, "Content-Length": {"2"}}, "{}", false},
		{"no body", http.Header{"Content-Type": {"application/json"}}, "", false},
		{"events", http.Header{"Content-Type": {"text/event-stream"}}, long, false},
		{"a picture", http.Header{"Content-Type": {"image/png"}}, long, false},
		{"an archive", http.Header{"Content-Type": {"application/zip"}}, long, false},
		{"plain text", http.Header{"Content-Type": {"text/plain"}}, long, false},
		{"no type", http.Header{}, long, false},
		{"a wrong type", http.Header{"Content-Type": {"json"}}, long, false},
		{"a body that is compressed", http.Header{"Content-Type": {"application/json"}, "Content-Encoding": {"br"}}, long, false},
		{"a part", http.Header{"Content-Type": {"application/json"}, "Content-Range": {"bytes 0-1/2"}}, long, false},
		{"a body that has parts", http.Header{"Content-Type": {"application/json"}, "Accept-Ranges": {"bytes"}}, long, false},
		{"a cookie", http.Header{"Content-Type": {"application/json"}, "Set-Cookie": {"a=b"}}, long, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := newServer(t, compressed(t, func(w http.ResponseWriter, _ *http.Request) {
				maps.Copy(w.Header(), test.header)
				_, _ = io.WriteString(w, test.body)
			}))
			got := send(t, server, "GET", "/", "", "Accept-Encoding", "zstd")
			want := test.header.Get("Content-Encoding")
			if test.want {
				want = "zstd"
			}
			if coding := got.header.Get("Content-Encoding"); coding != want || got.body != test.body {
				t.Errorf("Content-Encoding is %q; want %q", coding, want)
			}
		})
	}
}

// TestHeadersAreSentAtOnce: a flush before the first byte of an answer that is not compressed sends the headers, as streams of events need.
func TestHeadersAreSentAtOnce(t *testing.T) {
	goOn := make(chan struct{})
	server := newServer(t, compressed(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		<-goOn
	}))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "gzip")
	got, err := http.DefaultTransport.RoundTrip(r) // returns with the headers
	close(goOn)
	if err != nil {
		t.Fatal(err)
	}
	_ = got.Body.Close()
}

// TestMostAtOnce: beyond a number of answers at once, further ones are sent as they are. When those end, answers are compressed again.
func TestMostAtOnce(t *testing.T) {
	var begun, ended sync.WaitGroup
	goOn := make(chan struct{})
	handler := compressed(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, long)
		if r.URL.Path == "/slow" {
			begun.Done()
			<-goOn
		}
	})
	coding := func(path string) string {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody)
		r.Header.Set("Accept-Encoding", "gzip")
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w.Header().Get("Content-Encoding")
	}
	begun.Add(compression.Most)
	for range compression.Most {
		ended.Go(func() {
			if got := coding("/slow"); got != "gzip" {
				t.Errorf("a slow answer has %q", got)
			}
		})
	}
	begun.Wait()
	for range 3 {
		if got := coding("/"); got != "" {
			t.Errorf("an answer beyond the limit has %q", got)
		}
	}
	close(goOn)
	ended.Wait()
	if got := coding("/"); got != "gzip" {
		t.Errorf("an answer after the others has %q", got)
	}
}

// mostMemory is the memory that one compressor may need.
const mostMemory = 3 << 19

// TestMemory: as many compressors as there may be at once need a bounded memory.
func TestMemory(t *testing.T) {
	for _, accepts := range []string{"gzip", "zstd"} {
		var begun, ended sync.WaitGroup
		goOn := make(chan struct{})
		handler := compressed(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for range 64 {
				_, _ = io.WriteString(w, long)
			}
			begun.Done()
			<-goOn
		})
		before := heap()
		begun.Add(compression.Most)
		for range compression.Most {
			ended.Go(func() {
				r := httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/", http.NoBody)
				r.Header.Set("Accept-Encoding", accepts)
				handler.ServeHTTP(discard{http.Header{}}, r)
			})
		}
		begun.Wait()
		each := (heap() - before) / compression.Most
		close(goOn)
		ended.Wait()
		t.Logf("FIGURE a compressor of %s needs %d KB", accepts, each>>10)
		if each > mostMemory {
			t.Errorf("a compressor of %s needs %d KB; want at most %d KB", accepts, each>>10, mostMemory>>10)
		}
	}
}

func heap() int64 {
	for range 3 { // a pool keeps what is free during one collection
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

type discard struct{ header http.Header }

func (d discard) Header() http.Header       { return d.header }
func (discard) Write(p []byte) (int, error) { return len(p), nil }
func (discard) WriteHeader(int)             {}

// TestClientsThatDisconnect: the error of a client that disconnected reaches the writer of a compressed stream, which then ends.
func TestClientsThatDisconnect(t *testing.T) {
	for _, accepts := range []string{"", "gzip", "zstd"} {
		failed := make(chan error, 1)
		server := newServer(t, compressed(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for {
				if _, err := io.WriteString(w, long); err != nil {
					failed <- err
					return
				}
				if err := http.NewResponseController(w).Flush(); err != nil {
					failed <- err
					return
				}
			}
		}))
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: "+accepts+"\r\n\r\n")
		_, _ = conn.Read(make([]byte, 1))
		_ = conn.Close()
		if err := <-failed; err == nil {
			t.Error("no error")
		}
	}
}

// TestHandlersTakeTheConnection: a handler may take the connection over, as for websockets.
func TestHandlersTakeTheConnection(t *testing.T) {
	server := newServer(t, compressed(t, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 418 Teapot\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		_ = conn.Close()
	}))
	for _, accepts := range []string{"", "gzip"} {
		if got := send(t, server, "GET", "/", "", "Accept-Encoding", accepts); got.status != http.StatusTeapot {
			t.Errorf("%q: %d, %v", accepts, got.status, got.broken)
		}
	}
}

// sizes observes the sizes of answers.
type sizes struct {
	mu  sync.Mutex
	all []int64
}

func (*sizes) Begin(ctx context.Context, _ *http.Request) context.Context { return ctx }

func (s *sizes) End(_ context.Context, o framework.Outcome) []slog.Attr {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, o.Bytes)
	return nil
}

func (s *sizes) last() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[len(s.all)-1]
}

// FuzzAcceptEncoding: whatever the header says, the answer is 200 with the same body, in a coding that the header names.
func FuzzAcceptEncoding(f *testing.F) {
	for _, seed := range []string{"gzip", "zstd", "gzip, zstd;q=0.1", "*", "gzip;q=0", "gzip;q=nan", ";;;", "GZIP ; Q=1", "br, identity;q=0", ",,gzip"} {
		f.Add(seed)
	}
	handler := compressed(f, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, long)
	})
	f.Fuzz(func(t *testing.T, accepts string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		r.Header.Set("Accept-Encoding", accepts)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		coding := w.Header().Get("Content-Encoding")
		if body := unpacked(t, coding, w.Body.Bytes()); w.Code != http.StatusOK || body != long {
			t.Errorf("%q: the answer is %d %q with %d bytes", accepts, w.Code, coding, len(body))
		}
		if !strings.Contains(strings.ToLower(accepts), coding) {
			t.Errorf("%q: the answer has %q", accepts, coding)
		}
	})
}
