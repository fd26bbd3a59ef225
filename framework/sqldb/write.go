package sqldb

import (
	"context"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/batch"
	"trestle.example/framework/sqldb/internal/sqltext"
)

// Write runs a statement that changes one row and has a RETURNING clause, and
// reads what it returns. It is [Session.Read] but for this: outside a transaction,
// writes that wait while others run are sent together, with one commit. On
// PostgreSQL those with the same text are one statement, on SQLite all are one
// transaction. Each returns when that is committed. If it fails and nothing was done, each
// write is run by itself. If the outcome is unknown, the time is over or the database is
// unavailable, each write returns that error and is not run again. Together they wait for
// locks for a short time only, then each runs by itself.
//
// row is the key of the row; two writes of one row are never in one statement. It must be
// of a kind that [Session.ReadBy] shares, or the write is run by itself.
//
// What PostgreSQL does once for a statement is done once for all of its writes:
// triggers FOR EACH STATEMENT, and notifications that are equal.
// [Options.WritesApart] and [Options.NoPrepare] turn it off, and so does a PostgreSQL
// database whose transactions are not READ COMMITTED.
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
