package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/uptrace/bun/schema"
)

const (
	countKept  = time.Second // how long a count may be repeated, and at most as long again
	countsKept = 1024        // how many are kept
	textKept   = 4 << 10     // the longest text that is
)

// Count runs a statement of one number, such as a count of rows, which costs
// much to run and little to remember. A number of the last two seconds is
// repeated if nothing at all was committed since, so the answer is always the
// current number. On PostgreSQL the statement itself compares snapshots. On SQLite
// a connection beside the pool reads the version of the file, which each commit of
// this or another process changes; [DB.Observe] does not report that. Equal counts
// that run at the same time share one execution, as in [Session.Read]. A statement
// without a row, or with NULL for its number, is an error.
//
// Numbers are remembered on SQLite and on PostgreSQL from version 13, outside
// transactions and standbys, for the statements that Read shares. On PostgreSQL
// [Options.NoPrepare] turns that off. A view or a policy that depends on the clock,
// and a table of another server, change without a commit: of those a number, or a
// text, may be two seconds old.
func (s *Session) Count(ctx context.Context, q schema.QueryAppender) (int64, error) {
	var n sql.Null[int64]
	err := s.recall(ctx, q, &n)
	return n.V, err
}

// CountText is [Session.Count] of a statement that answers one text instead, such
// as a number and what else was found while it was counted.
func (s *Session) CountText(ctx context.Context, q schema.QueryAppender) (string, error) {
	var text sql.Null[string]
	err := s.recall(ctx, q, &text)
	return text.V, err
}

// recall scans the one value of a statement.
func (s *Session) recall(ctx context.Context, q schema.QueryAppender, dest sql.Scanner) error {
	v, err := s.counted(ctx, q)
	if err != nil {
		return err
	}
	return dest.Scan(v)
}

func (s *Session) counted(ctx context.Context, q schema.QueryAppender) (driver.Value, error) {
	if s.replica != nil {
		return s.replica.count(ctx, q)
	}
	kind := s.db.core.kind
	if s.tx != nil || kind == PostgreSQL && s.db.core.options.NoPrepare {
		return s.countNow(ctx, q)
	}
	text, args, err := s.db.render(q)
	switch {
	case err != nil:
		return nil, err
	case !s.db.sharable.of(text, sharable) || len(args) >= maxParams || s.db.uncounted.has(text):
		return s.countNow(ctx, q)
	case kind == SQLite:
		return s.countedInFile(ctx, q, shareKeyOf(text, args))
	}
	n, err := s.recount(ctx, text, args)
	if !isUntyped(err) {
		return n, err
	}
	s.db.uncounted.add(text) // on a compatible database without snapshots, or it cannot be a part of another
	return s.countNow(ctx, q)
}

// countNow runs a statement of one value.
func (s *Session) countNow(ctx context.Context, q schema.QueryAppender) (driver.Value, error) {
	r, err := s.Read(ctx, q)
	if err != nil {
		return nil, err
	}
	return countOf(r)
}

// countOf is the one value of a result.
func countOf(r *Result) (driver.Value, error) {
	switch {
	case r.Len() == 0:
		return nil, sql.ErrNoRows
	case r.Row(0)[0] == nil:
		return nil, errNoNumber
	}
	return r.Row(0)[0], nil
}

// recount reads a number, which equal counts share, however long ago each of them
// counted before.
func (s *Session) recount(ctx context.Context, text string, args []any) (driver.Value, error) {
	key := shareKeyOf(text, args)
	run := func(ctx context.Context, _ []string) (*Result, error) {
		n, err := s.db.countChanged(ctx, key, text, args)
		return &Result{columns: 1, values: []driver.Value{n}}, err
	}
	r, err := s.db.sharedAs(context.WithValue(ctx, preparedKey{}, true), shareKey{"count " + key.text, key.values}, run)
	if err != nil {
		return nil, err
	}
	return countOf(r)
}

// countChanged reads a number with the snapshot of its statement: which transactions are
// over. If the known number has the same snapshot, nothing was committed since, and the
// statement does not count.
func (db *DB) countChanged(ctx context.Context, key shareKey, text string, args []any) (driver.Value, error) {
	known := db.counts.of(key)
	args = append(slices.Clone(args), known.snapshot)
	text = "SELECT present.snapshot, CASE WHEN present.snapshot = $" + strconv.Itoa(len(args)) + " AND NOT pg_is_in_recovery()" +
		" THEN NULL ELSE (" + text + ") END, pg_is_in_recovery()" +
		" FROM (SELECT pg_current_snapshot()::text AS snapshot) AS present"
	r, err := db.read(ctx, text, numbered(args))
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
	case standby && n.Valid: // whose snapshots do not tell what was committed
		return n.V, nil
	case known.snapshot != "" && snapshot == known.snapshot:
		return known.n, nil
	case !n.Valid:
		return nil, errNoNumber
	}
	db.counts.keep(key, newCount(snapshot, n.V))
	return n.V, nil
}

var errNoNumber = errors.New("sqldb: a statement to count has no row, or NULL in the place of its value")

// counts are numbers that hold until something is committed. They are all
// forgotten when there are too many.
type counts struct {
	mu    sync.RWMutex
	known map[shareKey]knownCount
}

// A knownCount is a number and the snapshot that it is of.
type knownCount struct {
	snapshot string
	n        driver.Value // int64 or a text
	until    time.Time
}

// newCount is a number as it is kept: for a time that is drawn anew for each, so
// that those made together do not all end together.
func newCount(snapshot string, n driver.Value) knownCount {
	return knownCount{snapshot, n, time.Now().Add(countKept + rand.N(countKept))}
}

// of is what is known, the zero count if that is nothing or too old.
func (c *counts) of(key shareKey) knownCount {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if known := c.known[key]; time.Now().Before(known.until) {
		return known
	}
	return knownCount{}
}

func isLong(v driver.Value) bool {
	switch v := v.(type) {
	case string:
		return len(v) > textKept
	case []byte:
		return len(v) > textKept
	}
	return false
}

func (c *counts) keep(key shareKey, n knownCount) {
	if isLong(n.n) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= countsKept {
		c.known = make(map[shareKey]knownCount)
	}
	c.known[key] = n
}
