package sqldb

import (
	"context"
	"errors"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb/internal/fault"
)

// InTx runs fn in one transaction: committed when fn returns nil, rolled back when it
// returns an error or panics, and a panic goes on. The error of fn reaches the caller
// unchanged. If a statement failed on PostgreSQL and was not rolled back to a savepoint,
// and fn returns nil, InTx returns an error, and nothing is committed. On SQLite that holds
// only if the statement ended with its context, or SQLite rolled the transaction back.
//
// If the database requires it (serialization failure, deadlock, a busy SQLite file, a
// prepared statement that no longer fits, a parameter whose type PostgreSQL cannot infer),
// in fn or at the commit, the whole transaction is run again, up to five times in all with
// growing, random pauses, while ctx lasts. So fn must be safe to repeat: it keeps its
// effects inside the transaction and resets what it assigns outside. If the connection
// breaks during the commit, the outcome is unknown: InTx returns an error and does not
// repeat.
//
// On SQLite the writers of this DB wait for each other in a queue, for as long as
// [Options.QueueTimeout] and ctx allow, so they do not find the file busy. For a writer of
// another process they wait until the deadline of ctx, or, without a deadline, for
// [Options.StatementTimeout]. A transaction inside a transaction could never begin on
// SQLite, so it is an error on both databases.
func (db *DB) InTx(ctx context.Context, fn func(ctx context.Context, s *Session) error) error {
	if db.pool.Inside(ctx) {
		return errInside
	}
	return db.retryTx(ctx, func(ctx context.Context, tx *bun.Tx) error {
		return fn(ctx, &Session{db: db, tx: tx, reader: txReader{db, tx}})
	})
}

var errInside = errors.New("sqldb: InTx was called inside InTx of the same database; use the session that the outer function was given")

// Retry runs fn, and again where [DB.InTx] would run its transaction again, up to five times
// in all: for a single statement that is its own transaction. It returns the last error of fn.
// fn must be safe to repeat.
func (db *DB) Retry(ctx context.Context, fn func() error) error {
	for attempt := 1; ; attempt++ {
		err := fn()
		if attempt == fault.Attempts || !fault.Retries(err) || !fault.Pause(ctx, attempt) {
			return err
		}
	}
}

// retryTx runs fn in one transaction, and repeats it if the database requires that.
func (db *DB) retryTx(ctx context.Context, fn func(context.Context, *bun.Tx) error) error {
	return db.Retry(ctx, func() error { return db.pool.InTx(ctx, db.DB, fn) })
}
