package httpserver

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// TestWhoComesBackGoesFirst, before one who was never let in, and is not refused.
func TestWhoComesBackGoesFirst(t *testing.T) {
	t.Parallel()
	g := NewGate(http.NotFoundHandler(), GateOptions{Requests: 1, Patience: patience})
	if !g.enter(t.Context()) {
		t.Fatal("nobody is let in")
	}
	order := make(chan string, 2)
	go func() { g.enter(t.Context()); order <- "new" }()
	waits := func(n int) {
		await(t, "them to wait", func() bool { _, waiting, _ := g.counts(); return waiting == n })
	}
	waits(1)
	go func() { g.comeBack(nil); order <- "back" }()
	waits(2)
	pass := func() { g.mu.Lock(); g.pass(); g.mu.Unlock() }
	pass()
	got := []string{<-order}
	pass()
	got = append(got, <-order)
	if !slices.Equal(got, []string{"back", "new"}) {
		t.Errorf("they are let in as %v", got)
	}
	g.patience = time.Millisecond
	g.comeBack(nil)
	if running, _, _ := g.counts(); running != 2 {
		t.Errorf("%d are in; who was in stays in", running)
	}
	g.patience = patience
	go func() { g.enter(t.Context()); order <- "newer" }()
	waits(1)
	pass()
	if running, waiting, _ := g.counts(); running != 1 || waiting != 1 {
		t.Errorf("%d are in and %d wait; nobody is let in before the limit holds again", running, waiting)
	}
	pass()
	<-order
}

// TestThoseWhoComeBackTakeTurns with those who were never let in, however many they are
// and whether there is a place for all who are in or not.
func TestThoseWhoComeBackTakeTurns(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		patience time.Duration
		in       int
	}{
		"within the limit": {patience, 2},
		"beyond it":        {time.Nanosecond, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := NewGate(http.NotFoundHandler(), GateOptions{Requests: 2, Burst: patience, Patience: test.patience})
			g.backFor = patience
			g.running, g.full = test.in, time.Now()
			const many, few = 100, 3
			in := make(chan string, many+few)
			for range many {
				go func() { g.comeBack(nil); in <- "back" }()
			}
			await(t, "those who come back to wait", func() bool {
				g.mu.Lock()
				defer g.mu.Unlock()
				return len(g.back) == many && !slices.ContainsFunc(g.back, func(w *waiter) bool { return w.tired != (test.in > 2) })
			})
			for range few {
				go func() { g.enter(t.Context()); in <- "new" }()
			}
			await(t, "the others to wait", func() bool { _, waiting, _ := g.counts(); return waiting == many+few })
			var order []string
			for range many + few {
				g.mu.Lock()
				g.pass()
				g.mu.Unlock()
				order = append(order, <-in)
			}
			first := []string{"back", "new", "back", "new", "back", "new", "back"}
			if !slices.Equal(order[:len(first)], first) || slices.Contains(order[len(first):], "new") {
				t.Errorf("they are let in as %v", order)
			}
			if running, waiting, _ := g.counts(); running != test.in || waiting != 0 {
				t.Errorf("%d are in and %d wait; want %d and none", running, waiting, test.in)
			}
		})
	}
}

// TestWhoComesBackBeyondTheLimit lets one in for itself who was never let in, as long as
// somebody waits; else it goes on alone.
func TestWhoComesBackBeyondTheLimit(t *testing.T) {
	t.Parallel()
	g := NewGate(http.NotFoundHandler(), GateOptions{Requests: 3, Burst: patience, Patience: time.Nanosecond})
	g.running, g.full = 3, time.Now()
	for range 4 {
		go g.enter(t.Context())
	}
	are := func(wantIn, wantWaiting int) {
		t.Helper()
		if running, waiting, _ := g.counts(); running != wantIn || waiting != wantWaiting {
			t.Errorf("%d are in and %d wait; want %d and %d", running, waiting, wantIn, wantWaiting)
		}
	}
	pass := func() { g.mu.Lock(); g.pass(); g.mu.Unlock() }
	await(t, "them to wait", func() bool { _, waiting, _ := g.counts(); return waiting == 4 })
	g.comeBack(nil)
	g.comeBack(nil)
	are(5, 4)
	pass()
	pass()
	are(5, 2) // two for two
	pass()
	pass()
	are(3, 2)
	pass()
	pass()
	are(3, 0)
	g.comeBack(nil)
	are(4, 0)
	pass()
	are(3, 0)

	ctx, leave := context.WithCancel(t.Context())
	left := make(chan bool)
	go func() { left <- g.enter(ctx) }()
	await(t, "one to wait", func() bool { _, waiting, _ := g.counts(); return waiting == 1 })
	g.comeBack(nil)
	leave()
	<-left
	pass()
	if are(3, 0); g.owed != 0 {
		t.Errorf("%d are owed to nobody", g.owed)
	}
}

// TestWhoComesBackForTooLong is told so at every Read, counts as refused, and waits no
// longer.
func TestWhoComesBackForTooLong(t *testing.T) {
	t.Parallel()
	for name, patience := range map[string]time.Duration{"before it is tired": time.Hour, "after": time.Nanosecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := NewGate(http.NotFoundHandler(), GateOptions{Requests: 1, Patience: patience})
			g.running, g.backFor = 2, time.Millisecond
			one := &ticket{ResponseWriter: httptest.NewRecorder(), gate: g, isLent: true}
			g.lent = append(g.lent, one)
			sent := &lentBody{ReadCloser: io.NopCloser(strings.NewReader("all of it")), ticket: one}
			for range 2 {
				if _, err := io.ReadAll(sent); !errors.Is(err, context.Canceled) {
					t.Errorf("its handler is told %v", err)
				}
			}
			one.end()
			running, waiting, refused := g.counts()
			if running != 2 || waiting != 0 || refused != 1 || len(g.lent) != 0 || g.backHas != 0 || one.held {
				t.Errorf("%d are in, %d wait, %d are refused, %d are lent, %d bytes are counted; it has a place: %t",
					running, waiting, refused, len(g.lent), g.backHas, one.held)
			}
		})
	}
	t.Run("but was given a place as its time ended", func(t *testing.T) {
		t.Parallel()
		for range 20 {
			g := NewGate(http.NotFoundHandler(), GateOptions{Requests: 1, Patience: time.Hour})
			g.running, g.backFor = 2, 5*time.Millisecond
			var began time.Time
			in := make(chan bool, 1)
			go func() { began = time.Now(); in <- g.comeBack(nil) }()
			given := false
			for len(in) == 0 && !given {
				g.mu.Lock()
				if len(g.back) == 1 {
					for time.Since(began) < 2*g.backFor {
						runtime.Gosched() // its time ends, and it waits for the lock
					}
					g.running, given = 1, true
					g.pass()
				}
				g.mu.Unlock()
			}
			if is, running := <-in, g.running; is != given || given && running != 1 {
				t.Fatalf("a place was given to it: %t; it is in: %t; %d are", given, is, running)
			}
		}
	})
}

// TestAfterTheEndOfABody no place is lent, for all has come.
func TestAfterTheEndOfABody(t *testing.T) {
	t.Parallel()
	g := NewGate(http.NotFoundHandler(), GateOptions{Requests: 1})
	one := &ticket{ResponseWriter: httptest.NewRecorder(), gate: g, held: g.enter(t.Context()), reads: true}
	one.lend()
	one.works(0, io.EOF)
	if held, err := one.waits(); held || err != nil {
		t.Errorf("its place may be lent: %t, %v", held, err)
	}
	if one.lend(); !one.held || len(g.lent) != 0 {
		t.Errorf("it has a place: %t; %d are lent", one.held, len(g.lent))
	}
}

// TestABodyThatFails has no work, and takes no place for it.
func TestABodyThatFails(t *testing.T) {
	t.Parallel()
	for _, err := range []error{os.ErrDeadlineExceeded, io.ErrUnexpectedEOF} {
		g := NewGate(http.NotFoundHandler(), GateOptions{Requests: 1, Patience: time.Hour})
		one := &ticket{ResponseWriter: httptest.NewRecorder(), gate: g, held: g.enter(t.Context()), reads: true}
		one.lend()
		g.enter(t.Context())
		sent := &lentBody{ReadCloser: io.NopCloser(iotest.ErrReader(err)), ticket: one}
		if _, got := io.ReadAll(sent); !errors.Is(got, err) {
			t.Errorf("its handler is told %v; want %v", got, err)
		}
		one.end()
		if running, waiting, _ := g.counts(); running != 1 || waiting != 0 || len(g.lent) != 0 || one.held {
			t.Errorf("%d are in, %d wait, %d are lent; it has a place: %t", running, waiting, len(g.lent), one.held)
		}
	}
}

// TestWhoReadsOnAfterTheEnd takes no place, and its body is not waited for.
func TestWhoReadsOnAfterTheEnd(t *testing.T) {
	t.Parallel()
	g := NewGate(http.NotFoundHandler(), GateOptions{Requests: 1})
	one := &ticket{ResponseWriter: httptest.NewRecorder(), gate: g, held: g.enter(t.Context()), reads: true}
	one.lend()
	one.end()
	if len(g.lent) != 0 {
		t.Error("its body is still waited for")
	}
	one.isLent = true // as if it had been lent while it ended
	one.works(0, io.EOF)
	if running, _, _ := g.counts(); running != 0 || one.held {
		t.Errorf("%d are in", running)
	}
}

// TestWhoseBodyEndsAfterTheAnswerBegan takes no place again, which a client would
// keep who takes the answer slowly.
func TestWhoseBodyEndsAfterTheAnswerBegan(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(g *Gate, one *ticket){
		"before": func(_ *Gate, one *ticket) { one.WriteHeader(http.StatusOK); one.works(0, io.EOF) },
		"while a place is waited for": func(g *Gate, one *ticket) {
			g.enter(t.Context())
			ended := make(chan struct{})
			go func() { one.works(0, io.EOF); close(ended) }()
			await(t, "it to wait", func() bool { _, waiting, _ := g.counts(); return waiting == 1 })
			one.WriteHeader(http.StatusOK)
			g.mu.Lock()
			g.pass()
			g.mu.Unlock()
			<-ended
		},
		"while a place is waited for in vain": func(g *Gate, one *ticket) {
			g.enter(t.Context())
			gone, ended := make(chan struct{}), make(chan bool)
			one.gone = gone
			go func() { ended <- one.works(0, io.EOF) }()
			await(t, "it to wait", func() bool { _, waiting, _ := g.counts(); return waiting == 1 })
			one.WriteHeader(http.StatusOK)
			close(gone)
			if !<-ended {
				t.Error("the last Read of its body fails, though it needs no place")
			}
			g.mu.Lock()
			g.pass()
			g.mu.Unlock()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := NewGate(http.NotFoundHandler(), GateOptions{Requests: 1, Patience: patience})
			one := &ticket{ResponseWriter: httptest.NewRecorder(), gate: g, held: g.enter(t.Context()), reads: true}
			one.lend()
			begin(g, one)
			if running, _, _ := g.counts(); running != 0 || one.held {
				t.Errorf("%d are in; its place is held: %t", running, one.held)
			}
		})
	}
}

// TestManyWhoComeBack are twice as many as there are places at the most; the
// others wait for theirs.
func TestManyWhoComeBack(t *testing.T) {
	t.Parallel()
	g := NewGate(http.NotFoundHandler(), GateOptions{Requests: 2, Patience: time.Nanosecond})
	g.backFor = patience
	for range 2 {
		g.enter(t.Context())
	}
	came := make(chan bool, 10)
	for range 10 {
		go func() { came <- g.comeBack(nil) }()
	}
	<-came
	<-came
	tired := func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return !slices.ContainsFunc(g.back, func(w *waiter) bool { return !w.tired })
	}
	await(t, "the others to wait", func() bool {
		running, waiting, _ := g.counts()
		return running == 4 && waiting == 8 && tired()
	})
	for left := 7; left >= 0; left-- { // each that ends lets the next in
		g.mu.Lock()
		g.pass()
		g.mu.Unlock()
		<-came
		if running, waiting, _ := g.counts(); running != 4 || waiting != left {
			t.Fatalf("%d are in, %d wait; want 4 and %d", running, waiting, left)
		}
	}
	for _, want := range []int{3, 2, 1, 0} {
		g.mu.Lock()
		g.pass()
		g.mu.Unlock()
		if running, _, _ := g.counts(); running != want {
			t.Errorf("%d are in; want %d", running, want)
		}
	}
}

// TestWhoComesBackAndHasGone waits no longer, and takes no place but one that was
// given already.
func TestWhoComesBackAndHasGone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		patience time.Duration
		others   int
	}{
		"before it is tired": {time.Hour, 1},
		"after":              {time.Nanosecond, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := NewGate(http.NotFoundHandler(), GateOptions{Requests: 1, Patience: test.patience})
			g.running = test.others
			gone := make(chan struct{})
			one := &ticket{ResponseWriter: httptest.NewRecorder(), gate: g, isLent: true, gone: gone}
			g.lent = append(g.lent, one)
			read := make(chan error)
			go func() {
				_, err := io.ReadAll(&lentBody{ReadCloser: io.NopCloser(strings.NewReader("all of it")), ticket: one})
				read <- err
			}()
			await(t, "it to wait", func() bool {
				g.mu.Lock()
				defer g.mu.Unlock()
				return len(g.back) == 1 && g.back[0].tired == (test.others == 2)
			})
			close(gone)
			if err := <-read; !errors.Is(err, context.Canceled) {
				t.Errorf("its handler is told %v", err)
			}
			if _, waiting, _ := g.counts(); waiting != 0 || one.held {
				t.Errorf("%d wait; it has a place: %t", waiting, one.held)
			}
			one.end()
			if running, _, _ := g.counts(); running != test.others || len(g.lent) != 0 {
				t.Errorf("%d are in after it has ended, %d are lent", running, len(g.lent))
			}
		})
	}
	for name, patience := range map[string]time.Duration{"a place was given to it": time.Hour, "and it was tired": time.Nanosecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 200 { // which of the two it sees first is open
				g := NewGate(http.NotFoundHandler(), GateOptions{Requests: 1, Patience: patience})
				g.running = 2
				gone, in := make(chan struct{}), make(chan bool)
				go func() { in <- g.comeBack(gone) }()
				await(t, "it to wait", func() bool {
					g.mu.Lock()
					defer g.mu.Unlock()
					return len(g.back) == 1 && g.back[0].tired == (patience != time.Hour)
				})
				g.mu.Lock()
				g.running = 1
				g.pass()
				close(gone)
				g.mu.Unlock()
				if is, running := <-in, g.running; !is || running != 1 {
					t.Fatalf("it is in: %t; %d are", is, running)
				}
			}
		})
	}
}

// TestWhoWasCut says so without a place, and takes no room from others.
func TestWhoWasCut(t *testing.T) {
	t.Parallel()
	g := NewGate(http.NotFoundHandler(), GateOptions{Requests: 2, Patience: patience})
	lent := func(came int) *ticket {
		one := &ticket{ResponseWriter: httptest.NewRecorder(), gate: g, held: g.enter(t.Context()), reads: true, came: came}
		one.lend()
		return one
	}
	short, long := lent(10), lent(lentBytes)
	for range 2 {
		g.enter(t.Context())
	}
	if !long.cut || !long.works(0, os.ErrDeadlineExceeded) || long.held {
		t.Errorf("it is cut: %t, and has a place: %t", long.cut, long.held)
	}
	if short.works(10, nil); short.cut || g.lentHas != 20 || g.backHas != 0 {
		t.Errorf("another is cut: %t; %d bytes are waited for, %d wait for a place", short.cut, g.lentHas, g.backHas)
	}
}

// TestABodyThatCameBeforeItWasCut is whole: its handler has a place to work in.
func TestABodyThatCameBeforeItWasCut(t *testing.T) {
	t.Parallel()
	g := NewGate(http.NotFoundHandler(), GateOptions{Requests: 1})
	one := &ticket{ResponseWriter: httptest.NewRecorder(), gate: g, held: g.enter(t.Context()), reads: true, came: lentBytes + 1}
	if one.lend(); !one.cut || g.running != 0 {
		t.Fatalf("it is cut: %t, and %d have places", one.cut, g.running)
	}
	if !one.works(0, io.EOF) || !one.held || g.running != 1 || g.lentHas != 0 || g.backHas != 0 {
		t.Errorf("it has a place: %t, as %d have; %d bytes are waited for, %d wait for a place", one.held, g.running, g.lentHas, g.backHas)
	}
	if _, err := one.waits(); err != nil {
		t.Errorf("where it ends there is %v", err)
	}
}
