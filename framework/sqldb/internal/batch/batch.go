// Package batch sends writes together that wait while others run, in one transaction. On PostgreSQL, writes with the same text are
// one statement.
package batch

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework/internal/fair"
	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/dialect"
	"trestle.example/framework/sqldb/internal/fault"
	"trestle.example/framework/sqldb/internal/pool"
	"trestle.example/framework/sqldb/internal/sqltext"
)

// Options are what a Queue needs beside its pool.
type Options struct {
	Kind             dialect.Kind
	StatementTimeout time.Duration
	Conns            int // of the pool
	// Deadline gives a context without a deadline the default one.
	Deadline func(context.Context) (context.Context, context.CancelFunc)
	// InTx runs fn in one transaction, and again if the database requires that.
	InTx func(ctx context.Context, fn func(context.Context, *bun.Tx) error) error
}

// A Queue is the writes of a database that run, and those that wait for them. It is safe for
// concurrent use.
type Queue struct {
	pool    *pool.Pool
	options Options
	lines   lines

	// Joins are the statements of several writes with one text.
	Joins sqltext.Memo[sqltext.JoinedKey, string]

	apart     sqltext.TextSet        // writes that are not sent together
	isolation atomic.Pointer[string] // of transactions, when it is known
}

// New makes the queue of a pool.
func New(p *pool.Pool, o Options) *Queue { return &Queue{pool: p, options: o} }

// Apart reports whether a statement is known to run by itself.
func (q *Queue) Apart(text string) bool { return q.apart.Has(text) }

// Lines returns how many lines have a write that runs or waits.
func (q *Queue) Lines() int { return q.lines.count() }

// Waiting returns how many writes of a line wait for those that run.
func (q *Queue) Waiting(line string) int { return q.lines.waiting(line) }

// Occupy takes all slots of a line, as if statements ran, until release. Tests use it to
// make writes wait. A line is the text of a statement, "" on SQLite.
func (q *Queue) Occupy(line string) (release func()) {
	atOnce := q.writesAtOnce(false)
	for range atOnce {
		q.lines.enter(&write{line: line}, atOnce)
	}
	return func() {
		for range atOnce {
			q.leaveWrites(line)
		}
	}
}

// A Write is a write of one row: a statement, and those that follow it in its transaction.
type Write struct {
	Statement

	Row string // the key of the row
	// Next makes the statement that follows those that returned some results. It returns false after the
	// last one. It may run in another goroutine, also after the request of the write ended, and again if the
	// transaction runs again. A nil Next means that no statement follows.
	Next func(done []*connection.Result) (Statement, bool, error)
}

// A Statement is the text and the parameters of a statement.
type Statement struct {
	Text string
	Args []any
}

// Run runs a write of one row. Run calls alone if the write may run at once, if it waited
// too long for other writes, or if it was sent with others, failed and nothing was done.
// Otherwise the write is sent with other writes, and Run returns the rows of its statements after the commit,
// or their error.
func (q *Queue) Run(ctx context.Context, of Write, alone func(context.Context) ([]*connection.Result, error)) ([]*connection.Result, error) {
	w := &write{Write: of, client: fair.ClientOf(ctx), over: make(chan struct{})}
	if q.options.Kind == dialect.PostgreSQL {
		w.line, w.row = of.Text, of.Row
	}
	if !q.lines.enter(w, q.writesAtOnce(of.Next != nil)) {
		switch err := q.wait(ctx, w); {
		case errors.Is(err, errApart):
			return alone(ctx)
		case err != nil: // the write may still run, and set its result
			return nil, err
		case !w.alone:
			return w.results, nil
		}
	}
	// On PostgreSQL a write that waits for a lock keeps its slot for a short time only.
	leave := sync.OnceFunc(func() { q.leaveWrites(w.line) })
	defer leave()
	if q.options.Kind == dialect.PostgreSQL { // on SQLite the next batches would wait for the same writer, and might be first
		defer time.AfterFunc(slotKept, leave).Stop()
	}
	ctx = fair.Begun(ctx) // so that alone needs no second turn
	turn, err := q.awaitWriter(ctx, w.line, w.client)
	if err != nil {
		return nil, err
	}
	defer turn.End()
	return alone(ctx)
}

const (
	// writesWaitLimit is how long a write on PostgreSQL waits while no write of its
	// line ends.
	writesWaitLimit = 100 * time.Millisecond
	// slotKept is the longest time for which a write on PostgreSQL that runs by itself
	// keeps its slot.
	slotKept = 20 * time.Millisecond
)

// errApart means that a write runs by itself: writes that were sent together failed and
// changed nothing, they cannot be sent together, fewer than two are left, or the write
// waited too long.
var errApart = errors.New("sqldb: each is run by itself")

// wait waits until a write was sent, or may run by itself. It returns errApart if the
// write has no slot and may run without one.
func (q *Queue) wait(ctx context.Context, w *write) error {
	asked := time.Now()
	defer func() { fair.Waited(ctx, time.Since(asked)) }()
	left, limited := q.pool.Slots.Left(ctx)
	if !limited {
		left = math.MaxInt64
	}
	limit := q.waitLimit(left)
	look := time.NewTimer(min(left, limit))
	defer look.Stop()
	for waits := true; waits; {
		select {
		case <-w.over:
			return w.err
		case <-look.C:
			waited := time.Since(asked)
			still := q.lines.still(w, waited)
			switch late := waited >= left; {
			case !late && still < limit:
				look.Reset(min(left-waited, limit-still))
			case !q.lines.withdraw(w):
				waits = false
			case late:
				return fault.WaitError(q.pool.Slots.GiveUp())
			default:
				return errApart
			}
		case <-ctx.Done():
			waits = false
		}
	}
	select { // the write is no longer in the line, or its context ended
	case <-w.over:
		return w.err
	case <-ctx.Done():
	}
	if q.lines.abandon(w) {
		q.leaveWrites(w.line)
	}
	return ctx.Err()
}

// waitLimit returns how long a write waits while no other write of its line ends; then it
// runs by itself. On PostgreSQL that is short, because the other writes may wait for a lock
// that it does not need. On SQLite it is StatementTimeout, but at most left, because the
// write would wait for the same writer.
func (q *Queue) waitLimit(left time.Duration) time.Duration {
	if q.options.Kind == dialect.SQLite {
		return min(left, q.options.StatementTimeout)
	}
	return writesWaitLimit
}

// awaitWriter waits for SQLite's writer, for the next statement of a line. The writes that
// wait behind it join its turn, so the turn comes as soon as that of any of their clients
// would. The turn is nil on PostgreSQL, and if the request already has the writer.
func (q *Queue) awaitWriter(ctx context.Context, of string, clients ...fair.Client) (*fair.Turn, error) {
	if q.options.Kind == dialect.PostgreSQL || q.pool.Writer.Holds(ctx) {
		return nil, nil //nolint:nilnil // a nil turn ends like any other
	}
	ctx, cancel := q.options.Deadline(ctx)
	defer cancel()
	turn := q.lines.enterTurn(of, q.pool.Writer, clients)
	if err := turn.Wait(ctx); err != nil {
		return nil, fault.WaitError(err)
	}
	return turn, nil
}

// writesAtOnce returns how many statements of a line run before other writes wait. Writes of several statements wait sooner: their
// transactions take longer, and more of them are then one transaction.
func (q *Queue) writesAtOnce(several bool) int {
	switch {
	case q.options.Kind == dialect.SQLite:
		return 1 // it has one writer
	case several:
		return max(1, q.options.Conns/16)
	}
	return max(1, q.options.Conns/8)
}

// leaveWrites gives the slot of a statement to the writes that wait, or makes it free.
func (q *Queue) leaveWrites(of string) {
	b := q.lines.next(of)
	if b == nil {
		return
	}
	go func() {
		defer q.leaveWrites(of)
		defer b.cancel()
		err := q.together(b)
		for _, w := range b.writes {
			w.err = err
			close(w.over)
		}
	}()
}

// together sends the writes of a batch and returns their error: errApart if nothing was
// done and each is to run by itself.
func (q *Queue) together(b *batch) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("sqldb: writes that were sent together panicked: %v", p)
		}
	}()
	switch {
	case q.options.Kind == dialect.SQLite:
		err = q.inOneTx(b)
	case slices.ContainsFunc(b.writes, func(w *write) bool { return w.Next != nil }):
		err = q.inStatements(b)
	default:
		err = q.inOneStatement(b)
	}
	if b.ctx.Err() != nil {
		return b.ctx.Err() // every client disconnected, so the statement itself may be valid
	}
	return q.asApart(b.writes[0].Text, err)
}
