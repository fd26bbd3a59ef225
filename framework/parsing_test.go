package framework_test

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

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
	send := func(size int, while func()) {
		t.Helper()
		whileParsing.Store(&while)
		mostParsing.Store(0)
		var all sync.WaitGroup
		for range requests {
			all.Go(func() {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/tools/read/", strings.NewReader(`{"text": "x"`+strings.Repeat(" ", size)+"}"))
				r.Header = http.Header{"Authorization": {"Name ada"}, "Content-Type": {"application/json"}}
				w := httptest.NewRecorder()
				if handler.ServeHTTP(w, r); w.Code != http.StatusNoContent {
					t.Errorf("a body with %d bytes is answered %d %s", size, w.Code, w.Body)
				}
			})
		}
		all.Wait()
	}
	send(64<<10, func() { time.Sleep(10 * time.Millisecond) })
	if got, most := mostParsing.Load(), int64(max(1, runtime.GOMAXPROCS(0)/2)); got > most {
		t.Errorf("%d large bodies are parsed at once; want at most %d", got, most)
	}
	send(64, func() {
		for end := time.Now().Add(time.Second); mostParsing.Load() < requests && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
	})
	if got := mostParsing.Load(); got != requests {
		t.Errorf("%d small bodies are parsed at once; want %d", got, requests)
	}
}
