package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"
	"strconv"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/fault"
	"trestle.example/framework/sqldb/internal/recall"
	"trestle.example/framework/sqldb/internal/share"
	"trestle.example/framework/sqldb/internal/sqltext"
)

// Count runs a statement of one number, such as a count of rows, which costs much to run
// and little to remember. A number is remembered for one to two seconds, and repeated if
// nothing at all was committed since, so the answer is the current number; see below for
// exceptions. On PostgreSQL the statement itself compares snapshots. On SQLite a connection
// beside the pool reads the version of the file, which each commit of this or another
// process changes; [DB.Observe] does not report that. Equal counts that run at the same
// time share one execution, as in [Session.Read]. A statement without a row, or with NULL
// for its number, is an error.
//
// Numbers are remembered on SQLite and on PostgreSQL from version 13, for the statements
// that Read shares. They are not remembered in transactions, and not if the server of the
// DB is a standby. On PostgreSQL [Options.NoPrepare], SetLocal and ReadOnly turn that off.
// A view or a policy that depends on the clock, and a table of another server, change
// without a commit: their numbers and texts may be two seconds old.
func (s *Session) Count(ctx context.Context, q schema.QueryAppender) (int64, error) {
	var n sql.Null[int64]
	err := s.recall(ctx, q, &n)
	return n.V, err
}

// CountText is [Session.Count] of a statement that returns one text instead, such as a
// number and what else was found while it was counted. A text of more than 4 KiB is not
// remembered.
func (s *Session) CountText(ctx context.Context, q schema.QueryAppender) (string, error) {
	var text sql.Null[string]
	err := s.recall(ctx, q, &text)
	return text.V, err
}

// recall counts with the reader of the session, and scans the value into dest.
func (s *Session) recall(ctx context.Context, q schema.QueryAppender, dest sql.Scanner) error {
	v, err := s.reader.count(ctx, q)
	if err != nil {
		return err
	}
	return dest.Scan(v)
}

func (t txReader) count(ctx context.Context, q schema.QueryAppender) (driver.Value, error) {
	return countNow(ctx, t, q)
}

func (p poolReader) count(ctx context.Context, q schema.QueryAppender) (driver.Value, error) {
	db := p.db
	if db.kind == PostgreSQL && db.options.NoPrepare {
		return countNow(ctx, p, q)
	}
	text, args, err := db.statements.Render(q)
	switch {
	case err != nil:
		return nil, err
	case !db.sharable.Of(text, sqltext.Sharable) || len(args) >= sqltext.MaxParams || db.uncounted.Has(text):
		return countNow(ctx, p, q)
	case db.kind == SQLite:
		return p.countInFile(ctx, q, share.KeyOf(text, args))
	}
	n, err := db.recount(ctx, text, args)
	if !fault.IsUntyped(err) {
		return n, err
	}
	db.uncounted.Add(text) // the database has no such snapshots, or the statement cannot be a subquery
	return countNow(ctx, p, q)
}

// countNow runs a statement and returns its one value, see countOf. It remembers nothing.
func countNow(ctx context.Context, from reader, q schema.QueryAppender) (driver.Value, error) {
	r, err := from.read(ctx, q)
	if err != nil {
		return nil, err
	}
	return countOf(r)
}

// countOf returns the first value of the first row. Without a row it returns
// [sql.ErrNoRows], and for NULL recall.ErrNoNumber.
func countOf(r *Result) (driver.Value, error) {
	switch {
	case r.Len() == 0:
		return nil, sql.ErrNoRows
	case r.Row(0)[0] == nil:
		return nil, recall.ErrNoNumber
	}
	return r.Row(0)[0], nil
}

// recount returns a number on PostgreSQL, by [DB.countChanged]. Equal counts that wait at
// the same time share one execution.
func (db *DB) recount(ctx context.Context, text string, args []any) (driver.Value, error) {
	key := share.KeyOf(text, args)
	run := func(ctx context.Context, _ []string) (*Result, error) {
		n, err := db.countChanged(ctx, key, text, args)
		return connection.NewResult(1, []driver.Value{n}), err
	}
	r, err := db.shareAs(connection.Prepare(ctx), countKey(key), run)
	if err != nil {
		return nil, err
	}
	return countOf(r)
}

// countKey returns the key by which equal counts share an execution. It differs from the key
// of a read of the same text, which sends another statement.
func countKey(of share.Key) share.Key {
	return share.Key{Text: "count " + of.Text, Values: of.Values}
}

// countChanged reads a number with the snapshot of its statement: which transactions are
// over. If the known number has the same snapshot, nothing was committed since: the
// statement does not count, and the known number is returned. Otherwise the new number is
// remembered. On a standby the statement always counts, and nothing is remembered.
func (db *DB) countChanged(ctx context.Context, key share.Key, text string, args []any) (driver.Value, error) {
	known := db.counts.Of(key)
	args = append(slices.Clone(args), known.Snapshot)
	text = "SELECT present.snapshot, CASE WHEN present.snapshot = $" + strconv.Itoa(len(args)) + " AND NOT pg_is_in_recovery()" +
		" THEN NULL ELSE (" + text + ") END, pg_is_in_recovery()" +
		" FROM (SELECT pg_current_snapshot()::text AS snapshot) AS present"
	r, err := db.pool.Read(ctx, text, args)
	if err != nil {
		return nil, err
	}
	var (
		n        sql.Null[driver.Value]
		snapshot string
		standby  bool
	)
	if err := r.Scan(0, &snapshot, &n, &standby); err != nil {
		return nil, err
	}
	switch {
	case standby && n.Valid: // its snapshots do not show what was committed
		return n.V, nil
	case known.Snapshot != "" && snapshot == known.Snapshot:
		return known.Value, nil
	case !n.Valid:
		return nil, recall.ErrNoNumber
	}
	db.counts.Keep(key, recall.NewCount(snapshot, n.V))
	return n.V, nil
}

// countInFile counts on SQLite. It returns the known number if the file still has the
// version that was read before that number was counted. Otherwise it counts and remembers
// the number. If the version cannot be read, it counts and remembers nothing.
func (p poolReader) countInFile(ctx context.Context, q schema.QueryAppender, key share.Key) (driver.Value, error) {
	version, err := p.db.version.Now(ctx)
	if err != nil {
		return countNow(ctx, p, q)
	}
	if known := p.db.counts.Of(key); known.Snapshot == version {
		return known.Value, nil
	}
	n, err := countNow(ctx, p, q)
	if err == nil {
		p.db.counts.Keep(key, recall.NewCount(version, n))
	}
	return n, err
}
