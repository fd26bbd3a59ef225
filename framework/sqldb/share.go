package sqldb

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"
)

// shares lets reads that wait at the same time have one execution between them:
// those with one key. While one runs, those who ask wait for the next, which
// begins when the first is over, or a moment later: so it begins after each of them
// asked, and none sees less than it would have seen by itself.
//
// What those of one key differ in is a text, and an execution gets all texts.
type shares[T any] struct {
	// atOnce is how many run before others wait; zero is one.
	atOnce int
	// pace is how long after the start of a round that many shared the next begins at
	// the earliest, so that more share that; zero begins it when the first is over.
	pace time.Duration
	// waits are those for the connections that executions need; nil for none.
	waits *poolWait

	mu      sync.Mutex
	running map[shareKey]*executions[T]
}

// executions are those that run, or pause before the next, and the one that is
// waited for.
type executions[T any] struct {
	running int
	next    *round[T] // nil if nobody waits
	began   time.Time // the last round, if many shared it and nobody has paused for it yet
}

const (
	// sharePace is short beside what an answer takes while many wait, and long
	// beside the statement of one row.
	sharePace = 400 * time.Microsecond
	// many are as many as make a round worth waiting for.
	many = 3
)

// A sharedRun makes one answer for all who are told apart by these texts.
type sharedRun[T any] func(ctx context.Context, of []string) (T, error)

// A round is one execution and those who wait for it.
type round[T any] struct {
	run     sharedRun[T]
	of      []string        // what each of those who still wait asks for
	ctx     context.Context //nolint:containedctx // it is the execution's own, which outlives each of those who wait
	cancel  context.CancelFunc
	waiting int // how many; the last who leaves ends it
	over    chan struct{}
	result  T
	err     error
}

// patience is how long one waits for others: what takes longer is run by
// oneself, so that one connection that is stuck does not hold up all who ask
// for the same.
const patience = time.Second

// do answers what run answers. Those who waited for a round that failed run by
// themselves, but for a database that is not there, takes too long or has no
// connection free: all of them at once would help nobody.
func (s *shares[T]) do(ctx context.Context, key shareKey, of string, run sharedRun[T]) (T, error) {
	r := s.join(ctx, key, of, run)
	if r == nil {
		defer s.next(key)
		return run(ctx, []string{of})
	}
	given := s.waits.seen()
	tired := time.NewTimer(patience)
	defer tired.Stop()
	var none T
	select {
	case <-r.over:
		if fault, _ := Classify(r.err); r.err == nil || fault.Kind == Timeout || fault.Kind == Unavailable {
			return r.result, r.err
		}
	case <-tired.C:
		s.leave(key, of, r)
		if err := s.waits.stood(ctx, given, patience); err != nil {
			return none, err
		}
	case <-ctx.Done():
		s.leave(key, of, r)
		return none, ctx.Err()
	}
	return run(ctx, []string{of})
}

// join returns the round to wait for, or nil for one who may run at once.
func (s *shares[T]) join(ctx context.Context, key shareKey, of string, run sharedRun[T]) *round[T] {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.running[key]
	if e == nil {
		if s.running == nil {
			s.running = map[shareKey]*executions[T]{}
		}
		e = &executions[T]{}
		s.running[key] = e
	}
	if e.running < max(1, s.atOnce) {
		e.running++
		return nil
	}
	r := e.next
	if r == nil {
		r = &round[T]{run: run, over: make(chan struct{})}
		r.ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx)) //nolint:gosec // who runs the round calls it
		e.next = r
	}
	r.waiting++
	r.of = append(r.of, of)
	return r
}

// leave ends a round that nobody waits for any more, also while it runs.
func (s *shares[T]) leave(key shareKey, of string, r *round[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.running[key]
	waits := e != nil && e.next == r // else it has begun, with all that was asked
	if waits {
		at := slices.Index(r.of, of)
		r.of = slices.Delete(r.of, at, at+1)
	}
	if r.waiting--; r.waiting > 0 {
		return
	}
	r.cancel()
	if waits {
		e.next = nil
	}
}

// next begins the round that is waited for, when it is time.
func (s *shares[T]) next(key shareKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.running[key]
	r := e.next
	if r == nil {
		if e.running--; e.running == 0 {
			delete(s.running, key)
		}
		return
	}
	if early := s.pace - time.Since(e.began); early > 0 {
		e.began = time.Time{}
		time.AfterFunc(early, func() { s.next(key) })
		return
	}
	e.next = nil
	if r.waiting >= many {
		e.began = time.Now()
	}
	go func() {
		defer s.next(key)
		defer close(r.over)
		defer r.cancel()
		r.result, r.err = protected(r)
	}()
}

// protected turns a panic, which would end the process, into an error: those
// who wait then meet it each by itself.
func protected[T any](r *round[T]) (result T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("sqldb: a shared read panicked: %v", p)
		}
	}()
	return r.run(r.ctx, r.of)
}

// A shareKey tells reads apart: by their text and each value, with its type.
type shareKey struct{ text, values string }

func shareKeyOf(text string, args []any) shareKey {
	b := make([]byte, 0, 48*len(args))
	for _, v := range args {
		b = append(appendValue(b, v), 0) // which is only in what has its length before it
	}
	return shareKey{text, string(b)}
}

// appendValue writes a value so that no two that differ are written alike.
func appendValue(b []byte, v driver.Value) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, 'n')
	case string:
		b = append(strconv.AppendInt(append(b, 's'), int64(len(v)), 10), ':')
		return append(b, v...)
	case []byte:
		if v == nil { // NULL to some drivers
			return append(b, 'N')
		}
		b = append(strconv.AppendInt(append(b, 'b'), int64(len(v)), 10), ':')
		return append(b, v...)
	case int64:
		return strconv.AppendInt(append(b, 'i'), v, 10)
	case float64:
		return strconv.AppendFloat(append(b, 'f'), v, 'g', -1, 64)
	case bool:
		return strconv.AppendBool(append(b, 'o'), v)
	case time.Time:
		return v.AppendFormat(append(b, 't'), time.RFC3339Nano)
	}
	return fmt.Appendf(append(b, '?'), "%T %#v", v, v) // no driver takes one
}
