// Package share lets equal reads that wait at the same time have one execution.
package share

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"trestle.example/framework/internal/fair"
	"trestle.example/framework/sqldb/internal/fault"
	"trestle.example/framework/sqldb/internal/pool"
)

// A Group lets reads with one key that wait at the same time share one execution. The
// execution begins after the last of its members arrived, so each member gets every write
// that was committed before the member began.
//
// A read runs at once if a slot is free, fewer than atOnce executions of its key run, and no
// round waits. Otherwise it is a member of the next round. The members of a round share one
// turn in the queue for connections. The turn comes when it is the turn of any member.
// Members of one key differ in a text; an execution gets the texts of all. The zero Group
// waits for no slots. It is safe for concurrent use.
type Group[T any] struct {
	// slots are for the connections that executions need; nil for none.
	slots *fair.Queue
	// atOnce is how many executions of one key may run at the same time; 0 means 1.
	atOnce int

	mu      sync.Mutex
	running map[Key]*executions[T]
}

// New makes a group. Its executions need slots; nil for none. At most atOnce executions of one
// key run at the same time; 0 means 1.
func New[T any](slots *fair.Queue, atOnce int) *Group[T] {
	return &Group[T]{slots: slots, atOnce: atOnce}
}

// Waiting returns how many reads with a key wait for the next execution.
func (s *Group[T]) Waiting(key Key) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.running[key]; e != nil && e.next != nil {
		return len(e.next.members)
	}
	return 0
}

// Running returns how many keys have an execution or reads that wait.
func (s *Group[T]) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.running)
}

// executions are those that run, and the round that is next.
type executions[T any] struct {
	running int
	next    *round[T] // nil if no read waits
}

// waitLimit is how long a read waits for the execution before its round, and again for that
// of its round: one connection that is stuck does not hold up all equal reads. It does not
// include the wait for a connection.
const waitLimit = time.Second

// A Run makes one answer for all members, which differ in these texts.
type Run[T any] func(ctx context.Context, of []string) (T, error)

// A round is one execution and its members.
type round[T any] struct {
	run    Run[T]
	ctx    context.Context //nolint:containedctx // it is the execution's own, which outlives each member
	cancel context.CancelFunc
	over   chan struct{}
	result T
	err    error

	// The mutex of the group guards these.
	members []*member  // those that wait; the last that leaves ends the round
	turn    *fair.Turn // nil while atOnce executions run, and without slots
	began   time.Time  // zero until the execution of the round begins
}

// A member is a read that waits for a round.
type member struct {
	of     string // the text in which members differ
	client fair.Client
}

// Do returns the answer of run, which members share and must not change. It calls run at
// once for a read that holds a connection already. If a round fails or panics, or takes
// longer than waitLimit, each member calls its own run. If the database is unavailable, too
// slow or has no connection free, each member fails instead.
func (s *Group[T]) Do(ctx context.Context, key Key, of string, run Run[T]) (T, error) {
	if s.slots != nil && (s.slots.Holds(ctx) || pool.InTransaction(ctx)) { // it has a connection and must not wait for others
		return run(ctx, []string{of})
	}
	ctx = fair.Begun(ctx) // so that run needs no second slot
	r, m, turn := s.join(ctx, key, of, run)
	if r == nil {
		defer s.ended(key)
		return runWith(ctx, turn, []string{of}, run)
	}
	answered, err := s.await(ctx, key, m, r)
	switch {
	case !answered:
		return run(ctx, []string{of})
	case err != nil: // the execution may still write its result
		var none T
		return none, err
	}
	return r.result, nil
}

// runWith runs an execution with its turn.
func runWith[T any](ctx context.Context, turn *fair.Turn, of []string, run Run[T]) (result T, err error) {
	if turn != nil {
		if err := turn.Wait(ctx); err != nil {
			return result, fault.WaitError(err)
		}
		defer turn.End()
	}
	return run(ctx, of)
}

// join makes a read a member of the next round. For a read that may run at once it returns
// no round, but a turn that has come, or nil without slots.
func (s *Group[T]) join(ctx context.Context, key Key, of string, run Run[T]) (*round[T], *member, *fair.Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, m := s.executions(key), &member{of, fair.ClientOf(ctx)}
	switch {
	case e.next != nil && e.next.turn != nil:
		e.next.turn.Join(m.client)
	case e.next != nil: // it waits for the execution before it
	case e.running >= max(1, s.atOnce):
		e.next = newRound(ctx, run, nil)
	default:
		var turn *fair.Turn
		if s.slots != nil {
			turn = s.slots.Enter(m.client)
		}
		if turn == nil || !turn.Waits() {
			e.running++
			return nil, nil, turn
		}
		e.next = newRound(ctx, run, turn)
		go s.lead(key, e.next)
	}
	e.next.members = append(e.next.members, m)
	return e.next, m, nil
}

// executions are those of a key, with s.mu held.
func (s *Group[T]) executions(key Key) *executions[T] {
	e := s.running[key]
	if e == nil {
		if s.running == nil {
			s.running = map[Key]*executions[T]{}
		}
		e = &executions[T]{}
		s.running[key] = e
	}
	return e
}

func newRound[T any](ctx context.Context, run Run[T], turn *fair.Turn) *round[T] {
	r := &round[T]{run: run, over: make(chan struct{}), turn: turn}
	r.ctx, r.cancel = context.WithCancel(fair.Apart(context.WithoutCancel(ctx))) //nolint:gosec // lead calls it
	return r
}

// await waits for a round. answered is false for a read that must run by itself: the round
// failed although the database is available and not too slow, or it takes longer than
// waitLimit. If answered is true, err is the error of the round or of the wait.
func (s *Group[T]) await(ctx context.Context, key Key, m *member, r *round[T]) (answered bool, err error) {
	asked := time.Now()
	defer func() { s.waited(ctx, r, asked) }()
	late := time.NewTimer(s.within(ctx, waitLimit))
	defer late.Stop()
	for {
		select {
		case <-r.over:
			failure, _ := fault.Classify(r.err)
			return r.err == nil || failure.Kind == fault.Timeout || failure.Kind == fault.Unavailable, r.err
		case <-late.C:
			more, err := s.again(ctx, r, asked)
			if more > 0 {
				late.Reset(more)
				continue
			}
			s.leave(key, m, r)
			return err != nil, err
		case <-ctx.Done():
			s.leave(key, m, r)
			return true, ctx.Err()
		}
	}
}

// within returns the shorter of two times: most, and the time for which the request may
// still wait.
func (s *Group[T]) within(ctx context.Context, most time.Duration) time.Duration {
	if s.slots == nil {
		return most
	}
	if left, limited := s.slots.Left(ctx); limited {
		return min(most, left)
	}
	return most
}

// again returns how much longer a read waits for its round. If that is not more than zero,
// the read runs by itself, or, if no connection came free, fails with the error.
func (s *Group[T]) again(ctx context.Context, r *round[T], asked time.Time) (more time.Duration, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !r.began.IsZero():
		return waitLimit - time.Since(r.began), nil
	case r.turn == nil:
		return waitLimit - time.Since(asked), nil
	}
	left, limited := s.slots.Left(ctx)
	switch left -= time.Since(asked); {
	case !limited:
		return waitLimit, nil
	case left <= 0:
		return 0, fault.WaitError(s.slots.GiveUp())
	}
	return left, nil
}

// waited counts the time until the round of a read began as time for which its request
// waited.
func (s *Group[T]) waited(ctx context.Context, r *round[T], asked time.Time) {
	s.mu.Lock()
	began := r.began
	s.mu.Unlock()
	if began.IsZero() {
		began = time.Now()
	}
	fair.Waited(ctx, max(0, began.Sub(asked)))
}

// leave takes a member out of a round. The last one ends the round, also while it runs.
func (s *Group[T]) leave(key Key, m *member, r *round[T]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.Index(r.members, m)
	if r.members = slices.Delete(r.members, at, at+1); len(r.members) > 0 {
		return
	}
	r.cancel()
	if e := s.running[key]; e != nil && e.next == r {
		e.next = nil
		s.forget(key, e)
	}
}

// forget deletes the entry of a key that has no executions and no round.
func (s *Group[T]) forget(key Key, e *executions[T]) {
	if e.running == 0 && e.next == nil {
		delete(s.running, key)
	}
}

// lead waits for the turn of a round and runs it.
func (s *Group[T]) lead(key Key, r *round[T]) {
	defer r.cancel()
	defer close(r.over)
	if r.turn != nil {
		if err := r.turn.Wait(r.ctx); err != nil {
			r.err = fault.WaitError(err)
			s.begin(key, r, false)
			return
		}
		defer r.turn.End()
	}
	if of, begun := s.begin(key, r, true); begun {
		defer s.ended(key)
		r.result, r.err = protected(r, of)
	}
}

// begin begins a round, or removes it if runs is false. It returns false if runs is false,
// and for a round that all members have left.
func (s *Group[T]) begin(key Key, r *round[T], runs bool) (of []string, begun bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.running[key]
	if e == nil || e.next != r {
		return nil, false
	}
	e.next = nil
	if !runs {
		s.forget(key, e)
		return nil, false
	}
	e.running++
	r.began = time.Now()
	for _, m := range r.members {
		of = append(of, m.of)
	}
	return of, true
}

// ended records that an execution of a key has ended. A round that waited for this then waits
// for its turn, or runs at once without slots.
func (s *Group[T]) ended(key Key) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.running[key]
	e.running--
	switch r := e.next; {
	case r == nil:
		s.forget(key, e)
	case r.turn == nil: // else it waits already
		s.enter(key, r)
	}
}

func (s *Group[T]) enter(key Key, r *round[T]) {
	if s.slots != nil {
		clients := make([]fair.Client, len(r.members))
		for i, m := range r.members {
			clients[i] = m.client
		}
		r.turn = s.slots.Enter(clients...)
	}
	go s.lead(key, r)
}

// protected turns a panic, which would end the process, into an error. Then each member
// runs by itself, and may panic on its own goroutine.
func protected[T any](r *round[T], of []string) (result T, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("sqldb: a shared read panicked: %v", p)
		}
	}()
	return r.run(r.ctx, of)
}
