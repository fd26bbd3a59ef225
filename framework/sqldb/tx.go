package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/uptrace/bun"
)

// maxAttempts is how often InTx begins one transaction in all.
const maxAttempts = 5

// InTx runs fn in one transaction: committed when fn returns nil, rolled back
// when it returns an error or panics, and a panic goes on. What fn returns
// reaches the caller unchanged.
//
// When the database asks for it (serialization failure, deadlock, a busy
// SQLite file), in fn or at the commit, the whole is run again, up to five
// times in all with growing, random pauses, while ctx lasts. So fn must be
// safe to repeat: it keeps its effects inside the transaction and resets what
// it assigns outside. An error of the commit where the connection broke means
// that the outcome is unknown; it is not repeated.
//
// On SQLite the writers of this DB queue, as long as ctx or else the statement
// timeout allows, so they do not meet a busy file. A writer at work cannot be told
// there from one that stands still, so [Options.PoolWait] bounds that only while no
// connection is free. A transaction inside a transaction, which could never begin
// there, is an error on both databases.
func (db *DB) InTx(ctx context.Context, fn func(ctx context.Context, s *Session) error) error {
	if ctx.Value(txKey{}) == db {
		return errors.New("sqldb: InTx was called inside InTx of the same database; use the session that the outer function was given")
	}
	return db.Retry(ctx, func() error { return db.once(ctx, fn) })
}

// Retry runs fn, again where [DB.InTx] would run its transaction again: for a
// single statement that is its own transaction. fn must be safe to repeat.
func (db *DB) Retry(ctx context.Context, fn func() error) error {
	for attempt := 1; ; attempt++ {
		err := fn()
		if attempt == maxAttempts || !retries(err) || !pause(ctx, attempt) {
			return err
		}
	}
}

// txKey holds the *DB of the transaction that a context is in.
type txKey struct{}

func (db *DB) once(ctx context.Context, fn func(context.Context, *Session) error) error {
	release, err := db.queue(ctx)
	if err != nil {
		return err
	}
	defer release()
	ctx = context.WithValue(ctx, txKey{}, db)
	own, cancel := context.WithCancel(ctx) // with it ends a transaction that nobody could end
	defer cancel()
	conn, tx, err := db.begin(own)
	if err != nil {
		return err
	}
	over, commits := false, false
	defer func() { giveBack(conn, over) }()
	defer func() {
		if !commits {
			_ = tx.Rollback()
			over = db.ended(ctx)
		}
	}()
	if err := fn(ctx, &Session{db: db, tx: &tx}); err != nil {
		return err
	}
	commits = true
	err = tx.Commit()
	over = db.ended(ctx)
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil { // its end was first: nothing is committed
		return ctx.Err()
	}
	return err
}

// ended reports whether a transaction of a context has ended when its commit or
// rollback returns. On PostgreSQL one whose context has ended is rolled back beside
// us, which may take its time; on SQLite that is quick, and the next writer waits
// for it. One that a panic left to its context may meet that writer, who then waits
// for the file.
func (db *DB) ended(ctx context.Context) bool { return db.core.kind == SQLite || ctx.Err() == nil }

// giveBack closes a connection, which waits for its transaction: if that is not over
// yet, or something panicked before it was, nobody waits for both.
func giveBack(conn bun.Conn, over bool) {
	if over {
		_ = conn.Close()
		return
	}
	go func() { _ = conn.Close() }()
}

// begin waits for a connection, see [Options.PoolWait], and begins a transaction
// on it.
func (db *DB) begin(ctx context.Context) (bun.Conn, bun.Tx, error) {
	for attempt := 1; ; attempt++ {
		conn, tx, err := db.beginOnce(ctx)
		if attempt == badConnections || !errors.Is(err, driver.ErrBadConn) {
			return conn, tx, err
		}
	}
}

func (db *DB) beginOnce(ctx context.Context) (bun.Conn, bun.Tx, error) {
	conn, err := waiting(ctx, &db.core.waits, func(ctx context.Context) (bun.Conn, error) { return db.DB.Conn(ctx) })
	if err != nil {
		return bun.Conn{}, bun.Tx{}, err
	}
	begun, over := false, false
	defer func() {
		if !begun {
			giveBack(conn, over)
		}
	}()
	tx, err := conn.BeginTx(ctx, nil)
	begun, over = err == nil, true
	return conn, tx, err
}

// queue waits for the one writer's place on SQLite, where writers would
// otherwise poll a busy file.
func (db *DB) queue(ctx context.Context) (release func(), err error) {
	if db.core.kind != SQLite {
		return func() {}, nil
	}
	release = func() { <-db.writer }
	select {
	case db.writer <- struct{}{}:
		return release, nil
	default:
	}
	ctx, cancel := db.core.deadline(ctx)
	defer cancel()
	tick := time.NewTicker(db.core.waits.limit)
	defer tick.Stop()
	for {
		given := db.core.waits.seen()
		select {
		case db.writer <- struct{}{}:
			return release, nil
		case <-tick.C: // whoever is next would wait for a connection too
			if err := db.core.waits.stood(ctx, given, db.core.waits.limit); err != nil {
				return nil, err
			}
		case <-ctx.Done():
			return nil, fmt.Errorf("sqldb: waiting for another writer of the SQLite file: %w", ctx.Err())
		}
	}
}

// queueWrite is queue for one statement on the pool, which may also read. One
// that is run beside its caller's own transaction does not wait for that.
func (db *DB) queueWrite(ctx context.Context, s *Session, text string) (release func(), err error) {
	if s.tx != nil || ctx.Value(txKey{}) == db || !isWrite(text) {
		return func() {}, nil
	}
	return db.queue(ctx)
}

func isWrite(text string) bool {
	verb, _, _ := strings.Cut(strings.TrimLeft(text, " \t\r\n("), " ")
	switch strings.ToUpper(verb) {
	case "INSERT", "UPDATE", "DELETE", "REPLACE":
		return true
	}
	return false
}

func retries(err error) bool {
	var untyped *untypedError
	if errors.As(err, &untyped) || isStale(err) {
		return true
	}
	f, ok := Classify(err)
	return ok && f.Kind == Retry
}

// pause waits between 0 and 10, 20, 40... milliseconds; false means that ctx
// ended first.
func pause(ctx context.Context, attempt int) bool {
	limit := 10 * time.Millisecond << min(attempt-1, 6)
	timer := time.NewTimer(rand.N(limit))
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
