package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// A poolWait ends the waits for a connection of a pool that stands still: all are
// in use, and for a while nobody was given one. A pool that moves is waited for, as
// long as the context of who waits allows.
//
// The pool gives a connection that comes free to any of those who wait, so that of many
// some wait for several times as long as the rest. Therefore no more ask it at once than
// it has connections, but for who was given one of no use; others line up for that.
type poolWait struct {
	pool   *sql.DB
	limit  time.Duration // Options.PoolWait
	asking chan struct{} // holds one for each who asks the pool, in the order of their coming
	given  atomic.Uint64 // how many connections were handed out
}

func (p *poolWait) init(pool *sql.DB, limit time.Duration) {
	p.pool, p.limit = pool, limit
	p.asking = make(chan struct{}, pool.Stats().MaxOpenConnections)
}

// A poolError says that a pool stood still.
type poolError struct{ limit time.Duration }

func (e *poolError) Error() string {
	return fmt.Sprintf("sqldb: all connections of the pool are in use, and none came free for %s; what holds them must end, as a wait for a lock, "+
		"a long statement or a long transaction, or the pool must have more (Options.MaxConns)", e.limit)
}

// give counts a connection that is handed out to who asked with a context.
func (p *poolWait) give(asked context.Context) {
	if t, ok := asked.(*turn); ok && t.of == nil {
		return // it is of another pool with the same connector
	}
	p.given.Add(1)
}

// waiting asks a pool for a connection, or for what it does with one. Of no poolWait
// that is waited for as long as the context allows.
func waiting[T any](ctx context.Context, p *poolWait, ask func(context.Context) (T, error)) (T, error) {
	t := p.turn(ctx)
	defer t.end()
	if err := t.lineUp(); err != nil {
		var none T
		return none, err
	}
	return ask(t)
}

// turn is the context by which to ask the pool for a connection, once. Its end
// must be called when the answer is there.
func (p *poolWait) turn(ctx context.Context) *turn { return &turn{Context: ctx, of: p} }

// seen is how many connections were handed out so far.
func (p *poolWait) seen() uint64 {
	if p == nil {
		return 0
	}
	return p.given.Load()
}

// stood is the error for who has waited for others who use the pool, if it has
// stood still since so many connections were handed out; nil if it has not, or not
// for long enough.
func (p *poolWait) stood(ctx context.Context, since uint64, waited time.Duration) error {
	if p == nil || waited < p.limit || p.given.Load() != since || ctx.Value(unlimitedKey{}) != nil || !p.full() {
		return nil
	}
	return &poolError{p.limit}
}

// full reports whether every connection that there may be is in use.
func (p *poolWait) full() bool {
	s := p.pool.Stats()
	return s.MaxOpenConnections > 0 && s.InUse >= s.MaxOpenConnections
}

// A turn is the context of a statement while it asks for a connection. It ends
// before that one does only while it waits and the pool stands still; neither a
// connection that is made for it nor the statement has that end.
//
// The pool asks a context for Done first to see whether it has ended, and again
// only if no connection is free, or the one that was free is too old. So who is given
// one at once pays for nothing else.
type turn struct {
	context.Context

	of      *poolWait // nil for none
	asking  bool      // it is one of those who ask the pool
	asked   bool      // the pool has looked whether it has ended
	over    bool      // it is the statement's context again
	lookout *lookout  // while it waits
}

// lineUp waits until it may ask the pool; whoever does not wait pays for nothing else.
func (t *turn) lineUp() error {
	if t.of == nil {
		return nil
	}
	select {
	case t.of.asking <- struct{}{}:
		t.asking = true
		return nil
	default:
	}
	t.asked = true // so that Done is that of one who waits
	select {
	case t.of.asking <- struct{}{}:
		t.asking, t.asked = true, false
		return nil
	case <-t.Done():
		return t.Err()
	}
}

// Done implements [context.Context].
func (t *turn) Done() <-chan struct{} {
	switch {
	case t.over || t.of == nil:
		return t.Context.Done()
	case !t.asked:
		t.asked = true
		return t.Context.Done()
	case t.lookout == nil && t.Value(unlimitedKey{}) != nil:
		return t.Context.Done()
	case t.lookout == nil:
		t.lookout = t.of.lookout(t.Context)
	}
	return t.lookout.Done()
}

// Err implements [context.Context].
func (t *turn) Err() error {
	if t.lookout != nil && !t.over {
		if still := context.Cause(t.lookout); isStandstill(still) {
			return still
		}
	}
	return t.Context.Err()
}

// end is for who waits no more.
func (t *turn) end() {
	if t.over {
		return // others may have the context by now
	}
	t.over = true
	if t.asking {
		t.asking = false
		<-t.of.asking
	}
	if t.lookout != nil {
		t.lookout.leave()
	}
}

// again is for who asks once more, as database/sql does with the same context if the
// connection turned out to be of no use.
func (t *turn) again() { t.asked, t.over, t.lookout = false, false, nil }

// own is the context of the statement for which somebody asks.
func own(ctx context.Context) context.Context {
	if t, ok := ctx.(*turn); ok {
		return t.Context
	}
	return ctx
}

// taken runs a statement that has its connection.
func taken[T any](ctx context.Context, run func(context.Context) (T, error)) (T, error) {
	t, ok := ctx.(*turn)
	if !ok {
		return run(ctx)
	}
	t.end()
	v, err := run(t.Context)
	if errors.Is(err, driver.ErrBadConn) {
		t.again()
	}
	return v, err
}

// A lookout is the context of one who waits: it looks now and then whether
// anybody was given a connection, and ends if nobody was.
type lookout struct {
	context.Context

	of     *poolWait
	cancel context.CancelCauseFunc

	mu   sync.Mutex
	seen uint64
	tick *time.Timer
}

func (p *poolWait) lookout(ctx context.Context) *lookout {
	l := &lookout{of: p, seen: p.given.Load()}
	l.Context, l.cancel = context.WithCancelCause(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tick = time.AfterFunc(p.limit, l.look)
	return l
}

func (l *lookout) look() {
	full := l.of.full() // before the lock is taken: the pool has its own while it looks for Done
	l.mu.Lock()
	defer l.mu.Unlock()
	given := l.of.given.Load()
	switch {
	case l.Err() != nil: // nobody waits
	case full && given == l.seen:
		l.cancel(&poolError{l.of.limit})
	default:
		l.seen = given
		l.tick.Reset(l.of.limit)
	}
}

func (l *lookout) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cancel(nil)
	l.tick.Stop()
}
