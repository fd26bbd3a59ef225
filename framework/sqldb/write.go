package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/fair"
	"trestle.example/framework/sqldb/internal/fault"
)

// Write runs a statement that changes one row and has a RETURNING clause, and
// reads what it returns. It is [Session.Read] but for this: outside a transaction,
// writes that wait while others run are sent together, with one commit. On
// PostgreSQL those with the same text are one statement, on SQLite all are one
// transaction. Each is answered when that is committed. If it fails, nothing of it
// was done and each is run by itself, so that no write fails of another's fault; if
// nobody can know whether it was done, as when the connection breaks, that is the
// error of each. Together they wait for locks only for a moment before each goes
// its own way.
//
// row is the key of the row, of which two are never one statement. It must be of a
// kind that [Session.ReadBy] shares, or the write is run by itself.
//
// What PostgreSQL does once for a statement is done once for all of its writes:
// triggers FOR EACH STATEMENT, and notifications that are equal.
// [Options.WritesApart] turns it off, and so does a database whose transactions are
// not READ COMMITTED.
func (s *Session) Write(ctx context.Context, q schema.QueryAppender, row any) (*Result, error) {
	key, single := keyText(row)
	options := s.db.core.options
	if sharing == "off" || !single || s.tx != nil || ctx.Value(txKey{}) == s.db || options.NoPrepare || options.WritesApart {
		return s.Read(ctx, q)
	}
	text, args, err := s.db.render(q)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 || len(args) > maxParams/writesMost || s.db.inlined.has(text) || s.db.apart.has(text) {
		return s.Read(ctx, q)
	}
	w := &write{text: text, args: args, client: fair.ClientOf(ctx), over: make(chan struct{})}
	if s.db.core.kind == PostgreSQL {
		w.line, w.row = text, key
	}
	if !s.db.writes.enter(w, s.db.writesAtOnce()) {
		switch err := s.db.wait(ctx, w); {
		case errors.Is(err, errApart):
			return s.Read(ctx, q)
		case err != nil: // it may still be on its way, and its result another's to write
			return nil, err
		case !w.alone:
			return w.result, nil
		}
	}
	// What a lock holds up keeps no place from others.
	leave := sync.OnceFunc(func() { s.db.leaveWrites(w.line) })
	defer leave()
	if s.db.core.kind == PostgreSQL { // on SQLite it would meet the next batch at the writer, and come after each
		defer time.AfterFunc(placeKept, leave).Stop()
	}
	ctx = fair.Begun(ctx) // so that Read knows of the turn
	turn, err := s.db.awaitWriter(ctx, w.line, w.client)
	if err != nil {
		return nil, err
	}
	defer turn.End()
	return s.Read(ctx, q)
}

const (
	// writesPatience is how long a write on PostgreSQL waits while no write before it
	// ends.
	writesPatience = 100 * time.Millisecond
	// placeKept is how long a write that runs by itself keeps others waiting.
	placeKept = 20 * time.Millisecond
)

// errApart says that writes are to be run each by itself: they failed together
// and nothing was done, or nobody was there to send them.
var errApart = errors.New("sqldb: each is run by itself")

// wait is for a write to be sent or to be let go by itself; errApart is for one
// that has no place and need not wait for any.
func (db *DB) wait(ctx context.Context, w *write) error {
	asked := time.Now()
	defer func() { fair.Waited(ctx, time.Since(asked)) }()
	left, limited := db.slots.Left(ctx)
	if !limited {
		left = math.MaxInt64
	}
	patience := db.patience(left)
	look := time.NewTimer(min(left, patience))
	defer look.Stop()
	for waits := true; waits; {
		select {
		case <-w.over:
			return w.err
		case <-look.C:
			waited := time.Since(asked)
			still := db.writes.still(w, waited)
			switch late := waited >= left; {
			case !late && still < patience:
				look.Reset(min(left-waited, patience-still))
			case !db.writes.withdraw(w):
				waits = false
			case late:
				return waitError(db.slots.GiveUp())
			default:
				return errApart
			}
		case <-ctx.Done():
			waits = false
		}
	}
	select { // it was sent, or its client is gone
	case <-w.over:
		return w.err
	case <-ctx.Done():
	}
	if db.writes.abandon(w) {
		db.leaveWrites(w.line)
	}
	return ctx.Err()
}

// patience is how long a write waits for others while none of them ends, if its request
// may wait for so long. Then it runs by itself: on PostgreSQL the others may wait for a
// lock that it does not need. On SQLite it would wait for the same writer.
func (db *DB) patience(left time.Duration) time.Duration {
	if db.core.kind == SQLite {
		return min(left, db.core.options.StatementTimeout)
	}
	return writesPatience
}

// awaitWriter waits for SQLite's writer, for the next statement of a line. Those who wait
// behind it share its turn, so that none of them waits for the rank of another. The turn
// is nil if there is none to wait for.
func (db *DB) awaitWriter(ctx context.Context, of string, clients ...fair.Client) (*fair.Turn, error) {
	if db.core.kind == PostgreSQL || db.writer.Holds(ctx) {
		return nil, nil //nolint:nilnil // a nil turn ends like any other
	}
	ctx, cancel := db.core.deadline(ctx)
	defer cancel()
	turn := db.writes.enterTurn(of, db.writer, clients)
	if err := turn.Wait(ctx); err != nil {
		return nil, waitError(err)
	}
	return turn, nil
}

// writesAtOnce is how many of a line run before others wait.
func (db *DB) writesAtOnce() int {
	if db.core.kind == SQLite {
		return 1 // it has one writer
	}
	return max(1, db.core.options.MaxConns/8)
}

// leaveWrites hands the place of a statement that is over to those who wait.
func (db *DB) leaveWrites(of string) {
	b := db.writes.next(of)
	if b == nil {
		return
	}
	go func() {
		defer db.leaveWrites(of)
		defer b.cancel()
		err := db.together(b)
		for _, w := range b.writes {
			w.err = err
			close(w.over)
		}
	}()
}

// together answers each write of a batch, or errApart if nothing was done.
func (db *DB) together(b *batch) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("sqldb: writes that were sent together panicked: %v", p)
		}
	}()
	if db.core.kind == SQLite {
		err = db.inOneTx(b)
	} else {
		err = db.inOneStatement(b)
	}
	if b.ctx.Err() != nil {
		return b.ctx.Err() // everybody has gone, which says nothing of the statement
	}
	return db.asApart(b.writes[0].text, err)
}

// inOneTx runs writes in a transaction.
func (db *DB) inOneTx(b *batch) error {
	turn, err := db.awaitWriter(b.ctx, b.writes[0].line, b.clients...)
	if err != nil {
		return err
	}
	defer turn.End()
	return db.InTx(b.ctx, func(ctx context.Context, s *Session) error {
		for _, w := range db.writes.remaining(b) {
			rows, err := s.tx.Tx.QueryContext(ctx, w.text, w.args...)
			if err != nil {
				return err
			}
			if w.result, err = drain(rows); err != nil {
				return err
			}
		}
		return nil
	})
}

// inOneStatement runs writes with one text as one statement. They have their
// connection first: who is told meanwhile that it took too long wrote nothing.
func (db *DB) inOneStatement(b *batch) error {
	switch committed, err := db.readCommitted(b.ctx); {
	case err != nil:
		return err
	case !committed:
		db.apart.add(b.writes[0].text)
		return errApart
	}
	return db.onConn(b.ctx, true, func(c *conn) error {
		some := db.writes.remaining(b)
		if len(some) < 2 {
			return errApart
		}
		text := db.joins.of(joinedKey{some[0].text, len(some)}, joined)
		if text == "" {
			db.apart.add(some[0].text)
			return errApart
		}
		var args []driver.NamedValue
		for _, w := range some {
			for _, v := range w.args {
				args = append(args, driver.NamedValue{Ordinal: len(args) + 1, Value: v})
			}
		}
		all, err := c.read(b.ctx, text, args)
		if err == nil {
			share(all, some)
		}
		return err
	})
}

// share gives each of the writes its rows.
func share(all *Result, some []*write) {
	for _, w := range some {
		w.result = &Result{columns: all.columns - 1}
	}
	for i := range all.Len() {
		if row := all.Row(i); row[0].(int64) >= 0 { //nolint:forcetypeassert // the statement says so
			r := some[row[0].(int64)].result //nolint:forcetypeassert // the same
			r.values = append(r.values, row[1:]...)
		}
	}
}

// readCommitted reports whether each write would see what others committed before
// it, so that it makes no difference whether they are one transaction.
func (db *DB) readCommitted(ctx context.Context) (bool, error) {
	if known := db.isolation.Load(); known != nil {
		return *known == "read committed", nil
	}
	r, err := db.read(ctx, "SELECT current_setting('transaction_isolation')", nil)
	var isolation string
	if err == nil {
		err = r.Scan(0, &isolation)
	}
	if err != nil {
		return false, err
	}
	db.isolation.Store(&isolation)
	return isolation == "read committed", nil
}

// asApart is the error of writes that were sent together: errApart if nothing
// was done. A server that takes no such statement is not asked again, nor one whose
// answer cannot be read.
func (db *DB) asApart(text string, err error) error {
	failure, known := Classify(err)
	switch {
	case err == nil || errors.Is(err, errApart):
		return err
	case fault.State(err) == "57014": // the server ended it, and all that it did
	case failure.Kind == Unavailable || failure.Kind == Timeout:
		return err
	case !known && db.core.kind == PostgreSQL:
		db.apart.add(text)
		return err
	case isUntyped(err) || fault.State(err) == "0A000":
		db.apart.add(text)
	}
	return errApart
}
