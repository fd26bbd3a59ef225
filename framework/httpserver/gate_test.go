package httpserver

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// waitingAre returns when so many requests wait for their turn.
func (s *served) waitingAre(n int) {
	s.t.Helper()
	await(s.t, "requests to wait", func() bool { return s.Stats().Waiting == n })
}

// ask sends a request in the background.
func (s *served) ask(path string) <-chan reply {
	got := make(chan reply, 1)
	go func() { got <- s.get(client(s.t), "GET "+path) }()
	return got
}

// TestTooManyRequests: what is too much is refused at once, the newest as long as all
// others can be answered in time, else the oldest; health is asked beside all of it.
func TestTooManyRequests(t *testing.T) {
	t.Parallel()
	t.Run("the newest", func(t *testing.T) { t.Parallel(); refusesOneOfFive(t, patience/2-1, 5) })
	t.Run("the oldest", func(t *testing.T) { t.Parallel(); refusesOneOfFive(t, patience/2, 3) })
}

// refusesOneOfFive of which two are at work and two wait, for so long when the last
// comes.
func refusesOneOfFive(t *testing.T, waited time.Duration, which int) {
	t.Helper()
	b := newBlocker()
	s := serving(t, b, Options{Limits: Limits{Requests: 2, Queue: 2, Patience: patience}})
	first, second := s.ask("/1"), s.ask("/2")
	<-b.entered
	<-b.entered
	s.longFull()
	third := s.ask("/3")
	s.waitingAre(1)
	fourth := s.ask("/4")
	s.waitingAre(2)
	now := time.Now().Add(waited)
	s.gate.mu.Lock()
	s.gate.waiting[0].since, s.gate.waiting[1].since = now.Add(-waited), now
	s.gate.now = func() time.Time { return now } // it is asked by who holds s.gate.mu
	s.gate.mu.Unlock()
	all := []<-chan reply{first, second, third, fourth, s.ask("/5")}
	got := (<-all[which-1]).is(t, http.StatusServiceUnavailable, `"code":"overloaded"`, `"status":503`)
	if got.header.Get("Retry-After") != "1" || got.header.Get("Content-Type") != "application/problem+json" {
		t.Errorf("it is refused with %v", got.header)
	}
	s.get(client(t), "GET /livez").is(t, http.StatusOK)
	s.get(client(t), "GET /readyz").is(t, http.StatusOK)
	s.waitingAre(2)
	for range 4 {
		b.let <- struct{}{}
	}
	for _, one := range slices.Delete(all, which-1, which) {
		(<-one).is(t, http.StatusOK)
	}
	if stats := s.Stats(); stats.Running != 0 || stats.Waiting != 0 || stats.Refused != 1 {
		t.Errorf("in the end: %+v", stats)
	}
	if n := strings.Count(s.log.String(), "more requests than can be answered"); n != 1 {
		t.Errorf("the log tells of it %d times: %s", n, s.log)
	}
}

// longFull says that all places, which are taken, have been so for long.
func (s *served) longFull() {
	s.gate.mu.Lock()
	defer s.gate.mu.Unlock()
	s.gate.spent = s.gate.burst
}

// TestWhoseTurnItIs: that of who came first, unless somebody has waited for half
// of the patience, which is when not all can be answered in time: then it is that
// of who came last. Who came in a burst keeps its turn.
func TestWhoseTurnItIs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		burst bool
		later time.Duration // than all came
		want  string
	}{
		"while all wait shortly, in their order": {false, patience/2 - 1, "/1 /2 /3"},
		"under overload, the newest first":       {false, patience / 2, "/3 /2 /1"},
		"after a burst, in their order":          {true, patience - 1, "/1 /2 /3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBlocker()
			s := serving(t, b, Options{Limits: Limits{Requests: 1, Burst: 2 * patience, Patience: patience}})
			now := time.Now()
			s.gate.mu.Lock()
			s.gate.now = func() time.Time { return now } // it is asked by who holds s.gate.mu
			s.gate.mu.Unlock()
			all := []<-chan reply{s.ask("/0")}
			served := []string{<-b.entered}[1:]
			if !test.burst {
				s.longFull()
			}
			for i := range 3 {
				all = append(all, s.ask(fmt.Sprintf("/%d", i+1)))
				s.waitingAre(i + 1)
			}
			s.gate.mu.Lock()
			now = now.Add(test.later)
			s.gate.mu.Unlock()
			for range 3 {
				b.let <- struct{}{}
				served = append(served, <-b.entered)
			}
			b.let <- struct{}{}
			if got := strings.Join(served, " "); got != test.want {
				t.Errorf("served in the order %s; want %s", got, test.want)
			}
			for _, one := range all {
				(<-one).is(t, http.StatusOK)
			}
		})
	}
}

// TestABurstIsNotOverload: who comes when all places have not been taken for long waits
// for theirs, who comes later is told soon to come again.
func TestABurstIsNotOverload(t *testing.T) {
	t.Parallel()
	b := newBlocker()
	s := serving(t, b, Options{Limits: Limits{Requests: 1, Burst: patience, Patience: time.Nanosecond}})
	now := time.Now()
	s.gate.mu.Lock()
	s.gate.now = func() time.Time { return now } // it is asked by who holds s.gate.mu
	s.gate.mu.Unlock()
	later := func(by time.Duration) { s.gate.mu.Lock(); now = now.Add(by); s.gate.mu.Unlock() }
	at := []<-chan reply{s.ask("/")}
	<-b.entered
	later(patience / 2)
	at = append(at, s.ask("/"))
	s.waitingAre(1)
	s.gate.mu.Lock()
	if left := s.gate.waiting[0].patience; left != patience/2 {
		t.Errorf("who comes in the middle of a burst waits for %s; want %s, which is left of it", left, patience/2)
	}
	s.gate.mu.Unlock()
	later(patience / 2)
	s.get(client(t), "GET /").is(t, http.StatusServiceUnavailable)
	s.waitingAre(1)
	for _, one := range at {
		b.let <- struct{}{}
		(<-one).is(t, http.StatusOK)
	}

	<-b.entered // the second
	at = []<-chan reply{s.ask("/")}
	<-b.entered
	s.get(client(t), "GET /").is(t, http.StatusServiceUnavailable) // a place was free for a moment only
	b.let <- struct{}{}
	(<-at[0]).is(t, http.StatusOK)
	later(patience) // until all of the burst has come back
	at[0] = s.ask("/")
	<-b.entered
	at = append(at, s.ask("/"))
	s.waitingAre(1)
	for _, one := range at {
		b.let <- struct{}{}
		(<-one).is(t, http.StatusOK)
	}
}

// TestWhoWaitsInVain is refused when its patience ends, or its client is gone.
func TestWhoWaitsInVain(t *testing.T) {
	t.Parallel()
	b := newBlocker()
	s := serving(t, b, Options{Limits: Limits{Requests: 1, Burst: time.Nanosecond, Patience: time.Millisecond}})
	first := s.ask("/")
	<-b.entered
	s.get(client(t), "GET /").is(t, http.StatusServiceUnavailable)

	patient := serving(t, b, Options{Limits: Limits{Requests: 1, Patience: patience}})
	second := patient.ask("/")
	<-b.entered
	gone := patient.dial().says("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
	patient.waitingAre(1)
	_ = gone.Close()
	patient.waitingAre(0)
	b.let <- struct{}{}
	b.let <- struct{}{}
	(<-first).is(t, http.StatusOK)
	(<-second).is(t, http.StatusOK)
}

// TestAPlaceIsGivenBack when the answer begins, whether it is taken or not, and
// when the handler panics.
func TestAPlaceIsGivenBack(t *testing.T) {
	t.Parallel()
	let, entered := make(chan struct{}), make(chan struct{})
	s := serving(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/panics":
			panic(http.ErrAbortHandler)
		case "/announces":
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusOK)
			entered <- struct{}{}
			<-let
		case "/writes":
			_, _ = io.WriteString(w, "begun")
			_ = http.NewResponseController(w).Flush()
			entered <- struct{}{}
			<-let
		}
	}), Options{Limits: Limits{Requests: 1, Patience: patience}})
	s.get(client(t), "GET /panics").is(t, 0)
	one, two := s.ask("/announces"), s.ask("/writes")
	<-entered
	<-entered
	s.get(client(t), "GET /").is(t, http.StatusOK)
	close(let)
	(<-one).is(t, http.StatusOK)
	(<-two).is(t, http.StatusOK, "begun")
	await(t, "all to have ended", func() bool { return s.Stats().Running == 0 })
}

// TestNoMoreThanTheGateAllows are with the handler, whatever comes, and each
// request is answered.
func TestNoMoreThanTheGateAllows(t *testing.T) {
	t.Parallel()
	const limit, clients, each = 4, 64, 200
	var now, most, served, refused atomic.Int64
	g := NewGate(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		n := now.Add(1)
		for seen := most.Load(); n > seen && !most.CompareAndSwap(seen, n); seen = most.Load() {
		}
		runtime.Gosched()
		now.Add(-1)
		_, _ = io.WriteString(w, "ok")
	}), GateOptions{Requests: limit, Queue: 8, Burst: time.Nanosecond, Patience: time.Millisecond})
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for range each {
				w := httptest.NewRecorder()
				g.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
				if w.Code == http.StatusOK {
					served.Add(1)
				} else {
					refused.Add(1)
				}
			}
		})
	}
	all.Wait()
	running, waiting, counted := g.counts()
	if most.Load() > limit || served.Load()+refused.Load() != clients*each || counted != refused.Load() || running != 0 || waiting != 0 {
		t.Errorf("at most %d at once, %d served, %d refused (%d counted); in the end %d running, %d waiting",
			most.Load(), served.Load(), refused.Load(), counted, running, waiting)
	}
}

func TestAGateWithoutALimit(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("it is made")
		}
	}()
	NewGate(http.NotFoundHandler(), GateOptions{})
}

// BenchmarkGate is what a request costs that is let in at once.
func BenchmarkGate(b *testing.B) {
	nothing := http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})
	for name, handler := range map[string]http.Handler{"without": nothing, "with": NewGate(nothing, GateOptions{Requests: 1000})} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
				for pb.Next() {
					handler.ServeHTTP(w, r)
				}
			})
		})
	}
}

// BenchmarkRefusal is what a request costs that is refused.
func BenchmarkRefusal(b *testing.B) {
	g := NewGate(http.NotFoundHandler(), GateOptions{Requests: 1, Burst: time.Nanosecond, Patience: time.Nanosecond})
	g.enter(b.Context())
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	b.ReportAllocs()
	for b.Loop() {
		g.ServeHTTP(httptest.NewRecorder(), r)
	}
}
