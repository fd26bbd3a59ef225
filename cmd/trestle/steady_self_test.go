package main

import (
	"context"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// calm is a stream of one errand to a handler.
func calm(tb testing.TB, handler http.HandlerFunc) *stream {
	tb.Helper()
	server := httptest.NewServer(handler)
	tb.Cleanup(server.Close)
	s := newStream(server.Listener.Addr().String(), 1, errand{
		name: "read", weight: 1, next: func(*rand.Rand) []byte { return []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n") },
	})
	tb.Cleanup(s.close)
	return s
}

// TestAStallIsSeenByAllWhoComeMeanwhile: measured from when a request is sent,
// over four connections, a stall of a third of the time would be seen by four
// of a thousand.
func TestAStallIsSeenByAllWhoComeMeanwhile(t *testing.T) {
	t.Parallel()
	const stall = 400 * time.Millisecond
	released, stop := context.WithCancel(t.Context())
	var first sync.Once
	s := calm(t, func(w http.ResponseWriter, _ *http.Request) {
		first.Do(func() { time.AfterFunc(stall, stop) })
		<-released.Done()
	})
	s.most = 4
	p := s.run(t.Context(), 1000, time.Second).wait().check(t)
	if p.accepted.n != 1000 || p.offered != 1000 {
		t.Errorf("it offered %d requests, and %d were done; want 1000", p.offered, p.accepted.n)
	}
	for q, least := range map[float64]time.Duration{0.99: stall * 9 / 10, 0.8: stall * 4 / 10} {
		if got := p.accepted.quantile(q); got < least {
			t.Errorf("p%.0f is %s; want %s at least", 100*q, got, least)
		}
	}
}

// TestWhatIsRefusedAndWhatIsStrange to a stream.
func TestWhatIsRefusedAndWhatIsStrange(t *testing.T) {
	t.Parallel()
	answer := func(status int, retryAfter, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			if retryAfter != "" {
				w.Header().Set("Retry-After", retryAfter)
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	const overloaded = `{"code":"overloaded"}`
	for name, test := range map[string]struct {
		handler                    http.HandlerFunc
		accepted, refused, strange int
	}{
		"done":                               {answer(200, "", "{}"), 10, 0, 0},
		"done without a body":                {answer(204, "", ""), 10, 0, 0},
		"overloaded":                         {answer(503, "1", overloaded), 0, 10, 0},
		"too many by one client":             {answer(429, "7", ""), 0, 10, 0},
		"overloaded, without Retry-After":    {answer(503, "", overloaded), 0, 0, 10},
		"overloaded, and wait until Tuesday": {answer(503, "Tuesday", overloaded), 0, 0, 10},
		"away for another reason":            {answer(503, "1", `{"code":"unavailable"}`), 0, 0, 10},
		"a fault of the server":              {answer(500, "1", ""), 0, 0, 10},
		"not found":                          {answer(404, "", ""), 0, 0, 10},
		"no answer":                          {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, 0, 0, 10},
		"an answer that breaks off": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "10")
			_, _ = w.Write([]byte("{"))
		}, 0, 0, 10},
		"an answer without a length": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte("{"))
			w.(http.Flusher).Flush()
		}, 0, 0, 10},
		"done, and the connection ends": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Connection", "close")
			w.WriteHeader(http.StatusOK)
		}, 10, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := calm(t, test.handler).run(t.Context(), 1000, 10*time.Millisecond).wait()
			if p.accepted.n != test.accepted || p.refused.n != test.refused || p.odd != test.strange {
				t.Errorf("%s\n%s\nwant %d done, %d refused, %d strange", p, strings.Join(p.strange, "\n"), test.accepted, test.refused, test.strange)
			}
		})
	}
}

// TestNobodyThereIsStrange.
func TestNobodyThereIsStrange(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := calm(t, func(http.ResponseWriter, *http.Request) {})
	s.address = listener.Addr().String()
	listener.Close()
	if p := s.run(t.Context(), 1000, 10*time.Millisecond).wait(); p.odd != 10 {
		t.Errorf("%s; want 10 strange", p)
	}
}

// TestASpreadKnowsQuantilesToWithinOneIn64.
func TestASpreadKnowsQuantilesToWithinOneIn64(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 0))
	var one, other spread
	var all []time.Duration
	for range 10_000 {
		d := time.Duration(dice.Int64N(int64(1) << dice.IntN(41))).Truncate(time.Microsecond)
		all = append(all, d)
		if dice.IntN(2) == 0 {
			one.add(d)
		} else {
			other.add(d)
		}
	}
	one.merge(&other)
	slices.Sort(all)
	for _, q := range []float64{0.0001, 0.25, 0.5, 0.9, 0.99, 0.999, 1} {
		want := all[int(q*float64(len(all)))-1]
		if got := one.quantile(q); got < want || got > want+want/64+time.Microsecond {
			t.Errorf("the quantile %v is %s; want %s", q, got, want)
		}
	}
	if got := new(spread).quantile(0.99); got != 0 {
		t.Errorf("of nothing the p99 is %s", got)
	}
}

// TestErrandsComeByTheirWeights.
func TestErrandsComeByTheirWeights(t *testing.T) {
	t.Parallel()
	s := newStream("", uint64(time.Now().UnixNano()), errand{weight: 1}, errand{weight: 0}, errand{weight: 3})
	drawn := make([]int, len(s.errands))
	for range 10_000 {
		drawn[s.draw()]++
	}
	if drawn[1] != 0 || drawn[0] < 2000 || drawn[0] > 3000 {
		t.Errorf("of weights 1, 0 and 3 they come %v times", drawn)
	}
}

// BenchmarkStream is what a request costs here, server included.
func BenchmarkStream(b *testing.B) {
	s := calm(b, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("{}")) })
	began := time.Now()
	p := s.run(b.Context(), 20_000, time.Duration(b.N)*time.Second/20_000).wait()
	b.ReportMetric(float64(p.accepted.n)/time.Since(began).Seconds(), "answers/s")
	b.ReportMetric(float64(p.accepted.quantile(0.99).Microseconds()), "p99-µs")
	if p.odd > 0 {
		b.Error(strconv.Itoa(p.odd) + " are strange")
	}
}
