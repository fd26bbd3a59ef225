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
	"testing"
	"time"
)

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

// TestACutAtTheEnd of a body, which net/http may take for a client who has gone, leaves
// the connection to no other request.
func TestACutAtTheEnd(t *testing.T) {
	t.Parallel()
	s := serving(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if sent := r.Body.(*body); r.URL.Path == "/cut" { //nolint:forcetypeassert // what the server gives a handler
			sent.over.Store(false) // it has not come so far
			sent.cut()
		}
		_, _ = io.WriteString(w, "done")
	}), Options{})
	one := s.dial()
	for _, path := range []string{"/", "/cut"} {
		one.says("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc", path).next().is(t, http.StatusOK, "done")
	}
	if !one.isClosed() {
		t.Error("its connection is used again")
	}
}

// deadlines notes those of reading.
type deadlines struct {
	http.ResponseWriter

	last time.Time
}

func (d *deadlines) SetReadDeadline(at time.Time) error { d.last = at; return nil }
