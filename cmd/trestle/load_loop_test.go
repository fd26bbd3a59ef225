package main

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"trestle.example/internal/proving"
)

// A loop is a closed loop: each of its clients has one connection, and sends the
// next request when the one before is answered. An answer counts if it came
// between warm-up and end; an answer other than 2xx always counts.
type loop struct {
	address string
	from    []string // source addresses, which the connections use in turn; nil for the usual one
	conns   int
	every   time.Duration // from one request of a client to its next; 0 for none
	seed    uint64
	errands []errand // next may have many callers at once
}

const (
	// loopLimit is how long a client waits for an answer.
	loopLimit = 10 * time.Second
	// loopRest is how long a client without an answer waits before it connects again.
	loopRest = 10 * time.Millisecond
)

// loopWarmUp is how long a loop runs before its answers count.
func loopWarmUp() time.Duration {
	if proving.On() {
		return time.Second
	}
	return 100 * time.Millisecond
}

// run measures for a while, after the warm-up.
func (l loop) run(ctx context.Context, lasts time.Duration) *phase {
	began := time.Now()
	ctx, cancel := context.WithDeadline(ctx, began.Add(loopWarmUp()+lasts))
	defer cancel()
	return l.until(ctx, began.Add(loopWarmUp()), lasts)
}

// begin starts the loop, and returns when its warm-up is over. The function that it
// returns ends the loop, and returns what was answered until then.
func (l loop) begin(t *testing.T) (end func() *phase) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	measured := make(chan *phase, 1)
	began := time.Now()
	go func() { measured <- l.until(ctx, began, time.Hour) }()
	ended := sync.OnceValue(func() *phase {
		cancel()
		p := <-measured
		p.lasts = time.Since(began)
		return p
	})
	t.Cleanup(func() { ended() })
	_ = pause(ctx, loopWarmUp())
	return ended
}

// until runs the clients until the context ends.
func (l loop) until(ctx context.Context, from time.Time, lasts time.Duration) *phase {
	p := &phase{stream: &stream{errands: l.errands}, lasts: lasts, counts: map[outcome]int{}}
	var all sync.WaitGroup
	for i := range l.conns {
		all.Go(func() {
			w := wire{address: l.address}
			if len(l.from) > 0 {
				w.from = l.from[i%len(l.from)]
			}
			defer w.close()
			l.client(ctx, &w, rand.New(rand.NewPCG(l.seed, uint64(i))), p, from)
		})
	}
	all.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range p.counts {
		p.offered += n
	}
	return p
}

// client sends one request after the other.
func (l loop) client(ctx context.Context, w *wire, dice *rand.Rand, p *phase, from time.Time) {
	for ctx.Err() == nil {
		which := drawn(l.errands, dice)
		sent := time.Now()
		got, err := w.send(l.errands[which].next(dice), loopLimit)
		done := time.Now()
		if rest := l.every - done.Sub(sent); err != nil || rest > 0 {
			_ = pause(ctx, max(rest, loopRest))
		}
		if good := err == nil && got.status/100 == 2; good && (done.Before(from) || ctx.Err() != nil) {
			continue
		}
		p.note(which, got, err, done.Sub(sent))
	}
}

// drawn chooses an errand by its weight.
func drawn(errands []errand, dice *rand.Rand) int {
	return (&stream{errands: errands, dice: dice}).draw()
}

// others counts the answers other than 2xx, and the requests without an answer.
func (p *phase) others() (n int) {
	for what, times := range p.counts {
		if what.status/100 != 2 {
			n += times
		}
	}
	return n
}

// faults counts the answers of 5xx other than 503, and the requests without an
// answer.
func (p *phase) faults() (n int) {
	for what, times := range p.counts {
		if what.status == 0 || what.status/100 == 5 && what.status != http.StatusServiceUnavailable {
			n += times
		}
	}
	return n
}
