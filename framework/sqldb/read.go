package sqldb

import (
	"context"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/share"
	"trestle.example/framework/sqldb/internal/sqltext"
)

// A Result is the rows of a statement, read to their end. Several requests may share it, so it
// is not to be changed. It is safe for concurrent use. Len is the number of its rows. Row
// returns the values of a row, counted from 0, as the driver gave them: int64, float64, bool,
// []byte, string, time.Time or nil. Scan copies them to destinations, one for each column:
// pointers to string, int, int64, float64, bool, time.Time or []byte, for which a NULL is an
// error, or any sql.Scanner.
type Result = connection.Result

// Read runs a statement and reads all its rows, so that it holds no connection when it
// returns. In all else it is like [Session.Query], and faster. In a transaction, the
// transaction still holds its connection.
//
// Outside a transaction, reads with the same text and the same values that wait at the same
// time share one execution. It begins after the last of them arrived, so each read returns
// every write that was committed before it began. If it fails, or takes longer than a
// second, each of these reads runs by itself. If it fails because the database is
// unavailable or too slow, each returns that error instead. A statement that writes or
// locks, or that calls a function whose result may differ from one call to the next, is
// never shared.
func (s *Session) Read(ctx context.Context, q schema.QueryAppender) (*Result, error) {
	return s.reader.read(ctx, q)
}

// A poolReader reads on the pool.
type poolReader struct{ db *DB }

func (p poolReader) read(ctx context.Context, q schema.QueryAppender) (*Result, error) {
	return send(ctx, p.db, false, q, func(ctx context.Context, text string, args ...any) (*Result, error) {
		return p.db.readShared(ctx, text, args)
	})
}

// A txReader reads in a transaction.
type txReader struct {
	db *DB
	tx *bun.Tx
}

func (t txReader) read(ctx context.Context, q schema.QueryAppender) (*Result, error) {
	return send(ctx, t.db, true, q, func(ctx context.Context, text string, args ...any) (*Result, error) {
		rows, err := t.tx.Tx.QueryContext(ctx, text, args...) //nolint:rowserrcheck // Drain checks it
		if err != nil {
			return nil, err
		}
		return connection.Drain(rows)
	})
}

// readShared runs a statement. If it may be shared, reads with the same text and values that
// wait at the same time share one execution.
func (db *DB) readShared(ctx context.Context, text string, args []any) (*Result, error) {
	run := func(ctx context.Context, _ []string) (*Result, error) {
		return db.pool.Read(ctx, text, args)
	}
	if !db.sharable.Of(text, sqltext.Sharable) {
		return run(ctx, nil)
	}
	return db.shareAs(ctx, share.KeyOf(text, args), run)
}

// shareAs runs a read once for all reads with an equal key that wait at the same time. If
// sharing is off, it only runs the read.
func (db *DB) shareAs(ctx context.Context, key share.Key, run share.Run[*Result]) (*Result, error) {
	if sharing == "off" {
		return run(ctx, nil)
	}
	return db.reads.Do(ctx, key, "", run)
}
