package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework/internal/fair"
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
// On SQLite the writers of this DB wait for each other in a queue, for as long as
// [Options.QueueTimeout] and ctx allow, so they do not find the file busy. For a writer
// of another process they wait as long as ctx allows, or else for the statement
// timeout. A transaction inside a transaction could never begin on SQLite, so it is an
// error on both databases.
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
	turn, err := db.acquire(ctx, true)
	if err != nil {
		return err
	}
	ctx = context.WithValue(ctx, txKey{}, db)
	own, cancel := context.WithCancel(ctx) // with it ends a transaction that nobody could end
	defer cancel()
	begun := false
	defer func() {
		if !begun {
			turn.End()
		}
	}()
	conn, tx, err := db.begin(own)
	if err != nil {
		return err
	}
	begun = true
	over, commits := false, false
	defer func() { giveBack(conn, turn, over) }()
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

// giveBack closes a connection, which waits for its transaction, and ends its turn: if
// the transaction is not over yet, or something panicked before it was, that happens
// beside the caller.
func giveBack(conn bun.Conn, turn *fair.Turn, over bool) {
	end := func() {
		_ = conn.Close()
		turn.End()
	}
	if over {
		end()
		return
	}
	go end()
}

// begin takes a connection of the pool and begins a transaction on it.
func (db *DB) begin(ctx context.Context) (bun.Conn, bun.Tx, error) {
	for attempt := 1; ; attempt++ {
		conn, tx, err := db.beginOnce(ctx)
		if attempt == badConnections || !errors.Is(err, driver.ErrBadConn) {
			return conn, tx, err
		}
	}
}

func (db *DB) beginOnce(ctx context.Context) (bun.Conn, bun.Tx, error) {
	conn, err := db.conn(ctx)
	if err != nil {
		return conn, bun.Tx{}, err
	}
	begun, over := false, false
	defer func() {
		if !begun {
			giveBack(conn, nil, over)
		}
	}()
	tx, err := conn.BeginTx(ctx, nil)
	begun, over = err == nil, true
	return conn, tx, err
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
