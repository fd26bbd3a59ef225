package sqldb

import (
	"context"

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
	key, single := sqltext.KeyText(row)
	options := s.db.options
	if sharing == "off" || !single || s.tx != nil || s.db.pool.Inside(ctx) || options.NoPrepare || options.WritesApart {
		return s.Read(ctx, q)
	}
	text, args, err := s.db.statements.Render(q)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 || len(args) > sqltext.MaxParams/batch.Most || s.db.inlined.Has(text) || s.db.writes.Apart(text) {
		return s.Read(ctx, q)
	}
	return s.db.writes.Run(ctx, text, args, key, func(ctx context.Context) (*Result, error) { return s.Read(ctx, q) })
}
