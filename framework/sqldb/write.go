package sqldb

import (
	"context"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/batch"
	"trestle.example/framework/sqldb/internal/sqltext"
)

// Write runs a statement that changes one row and has a RETURNING clause, and reads what it
// returns. It is like [Session.Read], with one difference: outside a transaction, writes
// that wait while others run are sent together, with one commit. On PostgreSQL those with
// the same text are one statement, on SQLite all are one transaction. Each write returns
// when that is committed. If the statement or transaction fails and nothing was done, each
// write is run by itself. If the outcome is unknown, the time is over or the database is
// unavailable, each write returns that error and is not run again. Together they wait for
// locks for a short time only, then each runs by itself.
//
// row is the key of the row; two writes of one row are never in one statement. If it is not
// of a type that [Session.ReadBy] shares, the write is run by itself.
//
// What PostgreSQL does once for a statement is done once for all of its writes: triggers
// FOR EACH STATEMENT, and notifications that are equal. Each write runs by itself with
// [Options.WritesApart] or [Options.NoPrepare], on PostgreSQL with SetLocal or ReadOnly,
// and in a PostgreSQL database whose transactions are not READ COMMITTED.
func (s *Session) Write(ctx context.Context, q schema.QueryAppender, row any) (*Result, error) {
	done, err := s.write(ctx, q, row, nil, func(ctx context.Context) ([]*Result, error) {
		r, err := s.Read(ctx, q)
		return []*Result{r}, err
	})
	if err != nil {
		return nil, err
	}
	return done[0], nil
}

// A Next makes the statement that follows those of a write that returned some results, in their order. It
// returns nil after the last one. See [Session.WriteThen].
type Next func(done []*Result) (schema.QueryAppender, error)

// WriteThen is like [Session.Write] for a write of several statements, which are one transaction. It runs q, and
// then the statements that next makes, until it returns nil. If next returns an error, nothing is written.
// WriteThen returns the rows of each statement. On PostgreSQL, q changes the row, and writes whose q has the same text are sent together: first
// their statements q as one, then the statements that follow as one, if these have the same text too and RETURNING. On SQLite, q may also be a
// query.
//
// next may run in another goroutine, and again if the transaction runs again. If WriteThen returns an error, next may
// still run. So it must not use what belongs to the request, and its results count only without an
// error. In a session of a transaction, the statements run in that transaction.
func (s *Session) WriteThen(ctx context.Context, q schema.QueryAppender, row any, next Next) ([]*Result, error) {
	return s.write(ctx, q, row, s.rendered(next), func(ctx context.Context) (done []*Result, err error) {
		if s.tx != nil {
			return s.inSteps(ctx, q, next)
		}
		if s.db.pool.Inside(ctx) {
			return nil, errInside
		}
		err = s.db.pool.InTx(ctx, s.db.DB, func(ctx context.Context, tx *bun.Tx) error {
			done, err = (&Session{db: s.db, tx: tx, reader: txReader{s.db, tx}}).inSteps(ctx, q, next)
			return err
		})
		return done, err
	})
}

// write sends a write with others, or calls alone if it cannot be sent with others.
func (s *Session) write(ctx context.Context, q schema.QueryAppender, row any,
	next func([]*Result) (batch.Statement, bool, error), alone func(context.Context) ([]*Result, error),
) ([]*Result, error) {
	key, single := sqltext.KeyText(row)
	options := s.db.options
	if sharing == "off" || !single || s.tx != nil || s.db.pool.Inside(ctx) || options.NoPrepare || options.WritesApart {
		return alone(ctx)
	}
	text, args, err := s.db.statements.Render(q)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 || len(args) > sqltext.MaxParams/batch.Most || s.db.inlined.Has(text) || s.db.writes.Apart(text) {
		return alone(ctx)
	}
	return s.db.writes.Run(ctx, batch.Write{Statement: batch.Statement{Text: text, Args: args}, Row: key, Next: next}, alone)
}

// rendered is next for a batch of writes.
func (s *Session) rendered(next Next) func([]*Result) (batch.Statement, bool, error) {
	return func(done []*Result) (out batch.Statement, follows bool, err error) {
		q, err := next(done)
		if err != nil || q == nil {
			return out, false, err
		}
		out.Text, out.Args, err = s.db.statements.Render(q)
		return out, true, err
	}
}

// inSteps runs the statements of a write in the transaction of the session.
func (s *Session) inSteps(ctx context.Context, q schema.QueryAppender, next Next) (done []*Result, err error) {
	for q != nil {
		r, err := s.Read(ctx, q)
		if err != nil {
			return nil, err
		}
		done = append(done, r)
		if q, err = next(done); err != nil {
			return nil, err
		}
	}
	return done, nil
}
