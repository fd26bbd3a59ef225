package sqldb

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
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
// timeout allows, so they do not meet a busy file. A transaction inside a
// transaction, which could never begin there, is an error on both databases.
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
	tx, err := db.DB.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done {
			_ = tx.Rollback()
		}
	}()
	if err := fn(ctx, &Session{db: db, tx: &tx}); err != nil {
		return err
	}
	done = true
	return tx.Commit()
}

// queue waits for the one writer's place on SQLite, where writers would
// otherwise poll a busy file.
func (db *DB) queue(ctx context.Context) (release func(), err error) {
	if db.core.kind != SQLite {
		return func() {}, nil
	}
	ctx, cancel := db.core.deadline(ctx)
	defer cancel()
	select {
	case db.writer <- struct{}{}:
		return func() { <-db.writer }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("sqldb: waiting for another writer of the SQLite file: %w", ctx.Err())
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
