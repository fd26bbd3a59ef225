package fair

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// long is a half-life in which no test forgets anything.
const long = 1000 * time.Hour

func caller(name string) Client { return Client{Caller: name, Address: "of " + name} }

func anonymous(address string) Client { return Client{Anonymous: true, Address: address} }

func unknown(address string) Client { return Client{Address: address} }

// came reports whether a turn holds a slot.
func came(t *Turn) bool {
	t.queue.mu.Lock()
	defer t.queue.mu.Unlock()
	return t.by != nil && !t.over
}

// shed reports whether a turn was ended without a slot.
func shed(t *Turn) bool {
	if t.ready != nil {
		select {
		case <-t.ready:
		default:
			return false
		}
	}
	return !came(t)
}

// uses has a client hold a slot that is free.
func uses(t *testing.T, q *Queue, c Client, d, fine time.Duration) {
	t.Helper()
	turn := q.Enter(c)
	if !came(turn) {
		t.Fatalf("%v waits; want a free slot", c)
	}
	pass(d)
	turn.EndFined(fine)
}

// An acquisition is a call of Acquire in its own goroutine. Use its fields only after
// synctest.Wait.
type acquisition struct {
	turn *Turn
	err  error
	over atomic.Bool
	took time.Duration
}

// ask acquires a slot in a goroutine.
func ask(ctx context.Context, q *Queue) *acquisition {
	a := &acquisition{}
	go func() {
		began := time.Now()
		a.turn, a.err = q.Acquire(ctx)
		a.took = time.Since(began)
		a.over.Store(true)
	}()
	synctest.Wait()
	return a
}

// isIdle checks that no slot is held and that no turn waits.
func (q *Queue) isIdle(t *testing.T) {
	t.Helper()
	if s := q.Stats(); s.Used != 0 || s.Waiting != 0 {
		t.Errorf("%d slots are held and %d turns wait; want none", s.Used, s.Waiting)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.free != q.options.Slots || len(q.lines) != 0 {
		t.Errorf("%d slots are free and %d lines are left; want %d and none", q.free, len(q.lines), q.options.Slots)
	}
	for key, a := range q.accounts {
		if !a.idle() {
			t.Errorf("the account %v is %+v; want it idle", key, *a)
		}
	}
}

// in runs a test in fake time.
func in(t *testing.T, name string, test func(t *testing.T)) {
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

// pass lets time pass by the clock of the bubble.
func pass(d time.Duration) { <-time.After(d) }
