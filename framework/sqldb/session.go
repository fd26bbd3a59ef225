package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/fault"
)

// Session is where statements run: the pool, one transaction, or the pool with reads that a
// replica may answer ([Session.Replica]). A Session of a transaction is not safe for
// concurrent use, and ends with the transaction; any other Session is safe.
type Session struct {
	db     *DB
	tx     *bun.Tx // nil on the pool
	reader reader
}

// A reader answers the reads of a session: on the pool, in its transaction, or on the replica.
type reader interface {
	read(ctx context.Context, q schema.QueryAppender) (*Result, error)
	readBy(ctx context.Context, l *Lookup, key any, most int64, values ...any) (*Result, error)
	count(ctx context.Context, q schema.QueryAppender) (driver.Value, error)
}

// Session returns a session of the pool: each of its statements takes whichever connection
// is free.
func (db *DB) Session() *Session { return &Session{db: db, reader: db.reader} }

// IDB returns the pool or the transaction, for code that uses bun itself. The queries that
// bun builds wait for a connection as those of a Session do. A raw statement that is run by
// a method of [bun.DB], and a transaction that it begins, do not wait in that queue: use
// [DB.InTx].
func (s *Session) IDB() bun.IDB {
	if s.tx != nil {
		return *s.tx
	}
	return s.db.DB
}

// DB returns the database of the session.
func (s *Session) DB() *DB { return s.db }

// InTx reports whether the session is one transaction.
func (s *Session) InTx() bool { return s.tx != nil }

// LockName waits until no other transaction has the lock of a name, and holds it until the transaction
// of the session ends. It is for what no row represents yet, such as the next free number. On SQLite
// it does nothing, because a transaction of this package is already the only writer. Outside of a
// transaction, the lock ends at once. Transactions that lock several names in different orders may wait
// for each other; PostgreSQL then ends one of them, and [DB.InTx] repeats it.
func (s *Session) LockName(ctx context.Context, name string) error {
	if s.db.Kind() != PostgreSQL {
		return nil
	}
	_, err := s.Exec(ctx, bun.SafeQuery("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", Param(name)))
	return err
}

// Query runs a statement and returns its rows, which the caller closes. Every text,
// time and binary value of the statement, and every [Param], is sent beside the
// text, and the statement is prepared. If the context has no deadline,
// [Options.StatementTimeout] limits the time until the rows are closed. The rows
// hold a connection until then. A statement is sent as text instead, with its
// values in it, with [Options.NoPrepare], on PostgreSQL with SetLocal or ReadOnly,
// with more than 32,000 values, or if PostgreSQL cannot infer the type of a value.
// A text that holds a NUL or is not UTF-8 is a [*TextError] and nothing is sent.
//
// Model hooks of bun do not run here.
func (s *Session) Query(ctx context.Context, q schema.QueryAppender) (*sql.Rows, error) {
	if s.tx != nil {
		return send(ctx, s.db, true, q, s.tx.Tx.QueryContext)
	}
	return send(ctx, s.db, false, q, s.db.pool.Query)
}

// Exec is Query for a statement without rows.
func (s *Session) Exec(ctx context.Context, q schema.QueryAppender) (sql.Result, error) {
	if s.tx != nil {
		return send(ctx, s.db, true, q, s.tx.Tx.ExecContext)
	}
	return send(ctx, s.db, false, q, s.db.pool.Exec)
}

// send renders and runs a statement. PostgreSQL cannot always infer the type of a
// parameter, as in jsonb_build_object($1), where a value in the text works. If PostgreSQL
// answers with a code that may mean that (a syntax error has such a code too), send sends
// the statement again as text, now and from then on. In a transaction, which the error has
// ended, send returns a fault.UntypedError instead, and [DB.InTx] begins again.
func send[T any](ctx context.Context, db *DB, inTx bool, q schema.QueryAppender, run func(context.Context, string, ...any) (T, error)) (T, error) {
	var none T
	text, args, err := db.statements.Render(q)
	if err != nil {
		return none, err
	}
	if db.inlined.Has(text) {
		return sendText(ctx, db, q, run)
	}
	if !db.options.NoPrepare {
		ctx = connection.Prepare(ctx)
	}
	res, err := run(ctx, text, args...)
	if len(args) == 0 || !fault.IsUntyped(err) {
		return res, err
	}
	db.inlined.Add(text)
	if inTx {
		return none, &fault.UntypedError{Err: err}
	}
	return sendText(ctx, db, q, run)
}

func sendText[T any](ctx context.Context, db *DB, q schema.QueryAppender, run func(context.Context, string, ...any) (T, error)) (T, error) {
	text, err := db.statements.Inline(q)
	if err != nil {
		var none T
		return none, err
	}
	return run(connection.Unprepare(ctx), text)
}
