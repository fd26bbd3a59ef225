package httpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strconv"
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

// TestASlowBodyTakesNoPlace, and has one again when it is there.
func TestASlowBodyTakesNoPlace(t *testing.T) {
	t.Parallel()
	s := serving(t, http.HandlerFunc(reads), Options{Limits: Limits{Requests: 1, Patience: patience, Stall: time.Hour, Grace: time.Hour, Read: time.Hour}})
	slow := s.dial().says("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc")
	for range 3 {
		s.get(client(t), "GET /").is(t, http.StatusOK)
	}
	slow.says("def").next().is(t, http.StatusOK, "abcdef")
	if stats := s.Stats(); stats.Running != 0 || stats.Waiting != 0 {
		t.Errorf("in the end: %+v", stats)
	}
}

// TestABodyThatDrips takes no place either, however short each wait for it is.
func TestABodyThatDrips(t *testing.T) {
	t.Parallel()
	s := serving(t, http.HandlerFunc(reads), Options{Limits: Limits{Requests: 1, Patience: patience, Stall: time.Hour, Grace: time.Hour, Read: time.Hour}})
	const drops = 1_000_000 // more than fall
	slow := s.dial().says("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", drops)
	ctx, end := context.WithCancel(t.Context())
	var dripping sync.WaitGroup
	dripping.Go(func() {
		for tick := time.NewTicker(lendAfter / 10); ctx.Err() == nil; <-tick.C {
			slow.says("a")
		}
	})
	await(t, "the place to be lent", func() bool {
		s.gate.mu.Lock()
		defer s.gate.mu.Unlock()
		return len(s.gate.lent) == 1
	})
	for range 20 {
		s.get(client(t), "GET /").is(t, http.StatusOK)
	}
	s.gate.mu.Lock()
	if len(s.gate.lent) != 1 || s.gate.running != 0 {
		t.Errorf("%d places are lent, %d held; the body has not ended", len(s.gate.lent), s.gate.running)
	}
	s.gate.mu.Unlock()
	end()
	dripping.Wait()
}

// TestALentPlaceStaysLent until all of the body is there.
func TestALentPlaceStaysLent(t *testing.T) {
	t.Parallel()
	g := NewGate(http.NotFoundHandler(), GateOptions{Requests: 1})
	lentBy := func() int { g.mu.Lock(); defer g.mu.Unlock(); return len(g.lent) }
	reader, writer := io.Pipe()
	b := &lentBody{ReadCloser: reader, ticket: &ticket{gate: g, held: g.enter(t.Context())}}
	go func() {
		for lentBy() == 0 {
			runtime.Gosched()
		}
		_, _ = io.WriteString(writer, "a")
		_ = writer.Close()
	}()
	if n, err := b.Read(make([]byte, 10)); n != 1 || err != nil || lentBy() != 1 || b.ticket.held {
		t.Errorf("after a part of the body (%d, %v) %d places are lent; its own is held: %t", n, err, lentBy(), b.ticket.held)
	}
	if n, err := b.Read(make([]byte, 10)); n != 0 || err != io.EOF || lentBy() != 0 || !b.ticket.held { //nolint:errorlint // as it is
		t.Errorf("after its end (%d, %v) %d places are lent; its own is held: %t", n, err, lentBy(), b.ticket.held)
	}
}

// TestTooManySlowBodies: the oldest is waited for no longer.
func TestTooManySlowBodies(t *testing.T) {
	t.Parallel()
	s := serving(t, http.HandlerFunc(reads), Options{Limits: Limits{Requests: 1, Patience: patience, Stall: time.Hour, Grace: time.Hour, Read: time.Hour}})
	s.gate.bodies = 4
	slow := make([]*wire, s.gate.bodies+1)
	for i := range slow {
		slow[i] = s.dial().says("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nabc")
		await(t, "the place to be lent", func() bool {
			s.gate.mu.Lock()
			defer s.gate.mu.Unlock()
			return len(s.gate.lent) == min(i+1, s.gate.bodies) && s.gate.running == 0
		})
	}
	slow[0].next().is(t, http.StatusRequestTimeout)
	for _, one := range slow[1:] {
		one.says("def").next().is(t, http.StatusOK, "abcdef")
	}
}

// TestHowManySlowBodies are waited for, and how long is waited for a place again.
func TestHowManySlowBodies(t *testing.T) {
	t.Parallel()
	for requests, want := range map[int]int{1: 512, 128: 512, 129: 516} {
		if got := NewGate(http.NotFoundHandler(), GateOptions{Requests: requests}).bodies; got != want {
			t.Errorf("with %d requests at once, %d; want %d", requests, got, want)
		}
	}
	for patience, want := range map[time.Duration]time.Duration{0: 5 * time.Second, time.Minute: 2 * time.Minute} {
		if got := NewGate(http.NotFoundHandler(), GateOptions{Requests: 1, Patience: patience}).backFor; got != want {
			t.Errorf("where others wait for %s, %s; want %s", patience, got, want)
		}
	}
}

// TestSlowBodiesThatAreLong: they are waited for as long as all of them together are
// not too long, the oldest last.
func TestSlowBodiesThatAreLong(t *testing.T) {
	t.Parallel()
	s := serving(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			w.WriteHeader(http.StatusRequestTimeout)
		}
		fmt.Fprint(w, n)
	}), Options{Limits: Limits{Requests: 4, Stall: time.Hour, Grace: time.Hour, Read: time.Hour}})
	const part = lentBytes/2 - 1<<20
	has := func(lent, bytes int) func() bool {
		return func() bool {
			s.gate.mu.Lock()
			defer s.gate.mu.Unlock()
			return len(s.gate.lent) == lent && s.gate.lentHas == bytes
		}
	}
	slow := make([]*wire, 3)
	for i := range slow {
		slow[i] = s.dial().says("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", part+1, strings.Repeat("x", part))
		await(t, "what came to be counted", has(min(i+1, 2), min(i+1, 2)*part))
	}
	slow[0].next().is(t, http.StatusRequestTimeout)
	for _, one := range slow[1:] {
		one.says("x").next().is(t, http.StatusOK, strconv.Itoa(part+1))
	}
	await(t, "nothing to be counted", has(0, 0))
}

// TestWhichSlowBodyIsCut: the oldest if there are too many, the longest if they are too
// long, beside which those count that wait for a place again.
func TestWhichSlowBodyIsCut(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		came   []int
		back   int
		others bool // up to as many as there may be
		cut    []int
	}{
		"none":                            {[]int{1, 2, 3}, 0, false, nil},
		"the oldest of too many":          {[]int{1, 2, 3}, 0, true, []int{0, 1, 2}},
		"the longest, if it is too long":  {[]int{1, lentBytes, 2}, 0, false, []int{1}},
		"the longest, beside those back":  {[]int{1, 5, 2}, lentBytes - 3, false, []int{1}},
		"all, if those back are too long": {[]int{1, 5, 0}, lentBytes + 1, false, []int{0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := NewGate(http.NotFoundHandler(), GateOptions{Requests: 1})
			g.backHas = test.back
			lend := func(came int) *ticket {
				one := &ticket{ResponseWriter: httptest.NewRecorder(), gate: g, held: g.enter(t.Context()), reads: true, came: came}
				one.lend()
				return one
			}
			var all []*ticket
			for _, came := range test.came {
				all = append(all, lend(came))
			}
			if test.others {
				for range g.bodies {
					lend(0)
				}
			}
			var cut []int
			for i, one := range all {
				if one.cut {
					cut = append(cut, i)
				}
			}
			if !slices.Equal(cut, test.cut) {
				t.Errorf("cut are %v; want %v", cut, test.cut)
			}
		})
	}
}

// TestWhatWaitsForAPlaceAgain is counted until it has one.
func TestWhatWaitsForAPlaceAgain(t *testing.T) {
	t.Parallel()
	g := NewGate(http.NotFoundHandler(), GateOptions{Requests: 1, Patience: patience})
	one := &ticket{ResponseWriter: httptest.NewRecorder(), gate: g, held: g.enter(t.Context()), reads: true}
	one.lend()
	one.works(1000, nil)
	g.enter(t.Context())
	ended := make(chan bool)
	go func() { ended <- one.works(24, io.EOF) }()
	has := func(back int) func() bool {
		return func() bool { g.mu.Lock(); defer g.mu.Unlock(); return g.lentHas == 0 && g.backHas == back }
	}
	await(t, "what came to be counted", has(1024))
	g.mu.Lock()
	g.pass()
	g.mu.Unlock()
	if !<-ended || !has(0)() || !one.held {
		t.Error("it has no place, or what came of it is still counted")
	}
}

// TestALongBodyThatEnds ends the wait for no other: it is waited for no longer itself.
func TestALongBodyThatEnds(t *testing.T) {
	t.Parallel()
	g := NewGate(http.NotFoundHandler(), GateOptions{Requests: 2})
	lent := func(came int) *ticket {
		one := &ticket{ResponseWriter: httptest.NewRecorder(), gate: g, held: g.enter(t.Context()), reads: true}
		one.lend()
		one.works(came, nil)
		return one
	}
	long, short := lent(lentBytes-2), lent(1)
	if short.works(2, io.EOF); long.cut || g.lentHas != lentBytes-2 {
		t.Errorf("the other is cut: %t, and %d bytes are counted; want its %d", long.cut, g.lentHas, lentBytes-2)
	}
	if lent(3); !long.cut || g.lentHas != 3 {
		t.Errorf("when others have too much the oldest is cut: %t, and %d bytes are counted; want 3", long.cut, g.lentHas)
	}
}

// TestABodyThatWasCut fails at the next read too, wherever the handler was.
func TestABodyThatWasCut(t *testing.T) {
	t.Parallel()
	g := NewGate(http.NotFoundHandler(), GateOptions{Requests: 1})
	b := &lentBody{ReadCloser: io.NopCloser(strings.NewReader("abc")), ticket: &ticket{gate: g, cut: true}}
	if n, err := b.Read(make([]byte, 3)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%d, %v", n, err)
	}
}

// TestACutMeetsARead: the wait ends whichever comes first, and a body that has come
// to its end is not cut.
func TestACutMeetsARead(t *testing.T) {
	t.Parallel()
	limits := Limits{}.withDefaults()
	made := func(sent string) (*body, *deadlines) {
		w := &deadlines{ResponseWriter: httptest.NewRecorder()}
		return &body{ReadCloser: io.NopCloser(strings.NewReader(sent)), limits: &limits, control: http.NewResponseController(w)}, w
	}
	b, w := made("abc")
	if !b.cut() {
		t.Error("it is not cut")
	}
	_, _ = b.Read(make([]byte, 1))
	if !w.last.Before(time.Now()) {
		t.Errorf("a Read that was about to begin waits until %s", w.last)
	}
	b, w = made("")
	_, _ = b.Read(make([]byte, 1))
	if at := w.last; b.cut() || w.last != at {
		t.Errorf("one that has ended is cut, with the deadline %s", w.last)
	}
}

// deadlines notes those of reading.
type deadlines struct {
	http.ResponseWriter

	last time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error { d.last = at; return nil }

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
