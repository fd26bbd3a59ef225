package httpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"time"
)

// A ticket is the place of one request that was let in. It writes the answer,
// with which the place is given back.
type ticket struct {
	http.ResponseWriter

	gate *Gate
	sent io.ReadCloser   // the body
	gone <-chan struct{} // closed when the client has gone; of one with a body

	// Of what follows the mutex of the gate is the guard.
	held   bool
	reads  bool // the handler waits for the body
	isLent bool
	came   int  // bytes of the body
	all    bool // no more of the body comes, which the handler knows, or is about to
	cut    bool // the body is waited for no longer, and had not come whole
	out    bool // it came whole, and there was no place to go on with, or nobody to go on for
	over   bool // the answer has begun, or there will be none: it needs no place any more
}

// WriteHeader begins the answer.
func (t *ticket) WriteHeader(status int) {
	if status >= http.StatusOK { // what is less is no answer yet
		t.release()
	}
	t.ResponseWriter.WriteHeader(status)
}

// Write is part of the answer.
func (t *ticket) Write(p []byte) (int, error) {
	t.release()
	return t.ResponseWriter.Write(p)
}

// FlushError begins the answer, for [http.ResponseController].
func (t *ticket) FlushError() error {
	t.release()
	return http.NewResponseController(t.ResponseWriter).Flush()
}

// Flush implements [http.Flusher].
func (t *ticket) Flush() { _ = t.FlushError() }

// Unwrap is the writer, for [http.ResponseController].
func (t *ticket) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// release gives the place back, once.
func (t *ticket) release() {
	g := t.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	t.over = true
	if t.held {
		t.held = false
		g.pass()
	}
}

// end is when the handler has ended.
func (t *ticket) end() {
	t.release()
	t.gate.mu.Lock()
	defer t.gate.mu.Unlock()
	t.takeBack()
}

// takeBack says that the body is waited for no longer, with g.mu held; it is false
// if the place was not lent.
func (t *ticket) takeBack() bool {
	if !t.isLent {
		return false
	}
	t.isLent = false
	t.forget()
	return true
}

// forget takes it from those whose bodies are waited for, with g.mu held, once.
func (t *ticket) forget() {
	if at := slices.Index(t.gate.lent, t); at >= 0 {
		t.gate.lent = slices.Delete(t.gate.lent, at, at+1)
		t.gate.lentHas -= t.came
	}
}

// lend gives the place to another while the body is waited for.
func (t *ticket) lend() {
	g := t.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	if !t.reads || !t.held {
		return
	}
	t.held, t.isLent = false, true
	g.lent = append(g.lent, t)
	g.lentHas += t.came
	g.endWaits()
	g.pass()
}

// endsWait ends the Read that waits for the body; it is false if all has come, of
// which the handler is about to know.
func (t *ticket) endsWait() bool {
	if b, ok := t.sent.(*body); ok {
		return b.cut()
	}
	_ = http.NewResponseController(t.ResponseWriter).SetReadDeadline(time.Now()) // a writer of another kind has no deadline
	return true
}

// waits notes that the handler waits for the body, with a place that might be lent,
// unless nobody waits any longer.
func (t *ticket) waits() (held bool, err error) {
	t.gate.mu.Lock()
	defer t.gate.mu.Unlock()
	switch {
	case t.cut:
		return false, os.ErrDeadlineExceeded
	case t.out:
		return false, errNoPlace
	}
	t.reads = !t.all
	return t.held && t.reads, nil
}

// works notes that the handler goes on with so many bytes, and takes a place again if
// it was lent and all of the body has come, which err says; it is false if one is needed
// and there is none, as comeBack has it. One whose body fails has no work to do. One that
// was cut gets a place too if all had come by then, and the Read that was cut said so, as
// it does for a body of a length that was announced.
func (t *ticket) works(n int, err error) bool {
	g := t.gate
	g.mu.Lock()
	t.reads = false
	t.came += n
	if t.isLent && !t.cut {
		g.lentHas += n
	}
	whole := errors.Is(err, io.EOF)
	if whole {
		t.all, t.cut = true, false // perhaps before the wait for it was ended
	}
	back := err != nil && t.takeBack() && whole && !t.over // before others' waits are ended
	g.endWaits()
	if back {
		g.backHas += t.came
	}
	g.mu.Unlock()
	if !back {
		return true
	}
	in := g.comeBack(t.gone)
	g.mu.Lock()
	g.backHas -= t.came
	t.out = !in && !t.over
	if t.held = in && !t.over; in && t.over { // nobody would give it back
		g.pass()
	}
	g.mu.Unlock()
	select {
	case <-t.gone:
	default:
		if t.out {
			g.tell()
		}
	}
	return !t.out
}

// errNoPlace ends a request whose body has come: no work is begun for nobody, or without
// a place.
var errNoPlace = fmt.Errorf("httpserver: the client has gone, or there are more requests than can be answered: %w", context.Canceled)

// A lentBody is a request's body, for which a place is not kept for long.
type lentBody struct {
	io.ReadCloser

	ticket *ticket
	timer  *time.Timer   // nil before the first read
	waited time.Duration // by all reads
}

// Read lends the place if all reads together take long: else a client would keep
// it who sends a byte now and then.
func (b *lentBody) Read(p []byte) (int, error) {
	held, err := b.ticket.waits()
	if err != nil {
		return 0, err
	}
	began, left := time.Now(), max(0, lendAfter-b.waited)
	switch {
	case !held: // it is lent
	case b.timer == nil:
		b.timer = time.AfterFunc(left, b.ticket.lend)
	default:
		b.timer.Reset(left)
	}
	n, err := b.ReadCloser.Read(p)
	if held {
		b.timer.Stop()
	}
	b.waited += time.Since(began)
	if !b.ticket.works(n, err) {
		err = errNoPlace
	}
	return n, err
}
