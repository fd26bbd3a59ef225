package framework_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"trestle.example/framework"
)

// A watchedText reports how many bodies are being parsed.
type watchedText string

var (
	parsing, mostParsing atomic.Int64
	whileParsing         atomic.Pointer[func()]
)

// UnmarshalText implements [encoding.TextUnmarshaler].
func (w *watchedText) UnmarshalText(text []byte) error {
	n := parsing.Add(1)
	defer parsing.Add(-1)
	for most := mostParsing.Load(); n > most && !mostParsing.CompareAndSwap(most, n); most = mostParsing.Load() {
	}
	(*whileParsing.Load())()
	*w = watchedText(text)
	return nil
}

type watchedInput struct {
	Text watchedText `json:"text"`
}

// TestLargeBodiesLeaveProcessorsFree: at most half of the processors parse large bodies.
// Small bodies do not wait.
func TestLargeBodiesLeaveProcessorsFree(t *testing.T) {
	const requests = 8
	tools := framework.ViewSet[Note]{Name: "tools", Scope: framework.Public(), Collection: []framework.CollectionAction{
		framework.OnCollection("POST", "read", func(*framework.Call, watchedInput) (framework.None, error) { return framework.None{}, nil }).Untransacted(),
	}}
	api := framework.New(config(sqlite(t)))
	api.Register(tools)
	handler, err := api.Handler()
	if err != nil {
		t.Fatal(err)
	}
	most := int64(max(1, runtime.GOMAXPROCS(0)/2))
	all := parseAtOnce(t, handler, 64<<10, requests, most)
	if all != most {
		t.Errorf("%d large bodies are parsed at once; want %d", all, most)
	}
	if all = parseAtOnce(t, handler, 64, requests, requests); all != requests {
		t.Errorf("%d small bodies are parsed at once; want %d", all, requests)
	}
}

// parseAtOnce sends bodies of a size and returns how many are parsed at once. No parse
// ends before the server read all bodies and as many as expected are being parsed.
func parseAtOnce(t *testing.T, handler http.Handler, size, requests int, expected int64) int64 {
	t.Helper()
	var read, all sync.WaitGroup
	release := make(chan struct{})
	hold := func() { <-release }
	whileParsing.Store(&hold)
	mostParsing.Store(0)
	read.Add(requests)
	for range requests {
		all.Go(func() {
			body := &atItsEnd{Reader: strings.NewReader(`{"text": "x"` + strings.Repeat(" ", size) + "}"), ended: sync.OnceFunc(read.Done)}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/tools/read/", body)
			r.Header = http.Header{"Authorization": {"Name ada"}, "Content-Type": {"application/json"}}
			w := httptest.NewRecorder()
			if handler.ServeHTTP(w, r); w.Code != http.StatusNoContent {
				t.Errorf("a body with %d bytes is answered %d %s", size, w.Code, w.Body)
			}
		})
	}
	read.Wait()
	for mostParsing.Load() < expected {
		runtime.Gosched() // a body that is never parsed ends the test by its time limit
	}
	for range 1000 {
		runtime.Gosched() // so that one too many can begin
	}
	close(release)
	all.Wait()
	return mostParsing.Load()
}

// atItsEnd reports that a body was read.
type atItsEnd struct {
	io.Reader

	ended func()
}

func (a *atItsEnd) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	if err != nil {
		a.ended()
	}
	return n, err
}
