package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/uptrace/bun/schema"
)

const (
	countKept  = time.Second // how long a count may be repeated, and at most as long again
	countsKept = 1024        // how many are kept
)

// Count runs a statement of one number, such as a count of rows, which costs
// much to run and little to remember. A number of the last two seconds is
// taken again if nothing at all was committed since: the statement itself
// compares, so that it is one in any case, and its answer the one of now. Those
// who ask at once share it, as in [Session.Read]. A statement without a row, or
// with NULL for its number, is an error.
//
// Numbers are remembered on PostgreSQL from version 13, outside transactions and
// standbys, for the statements that Read shares and unless [Options.NoPrepare] is
// set. A view or a policy that looks at the clock, and a table of another server,
// change without a commit: of those a number may be two seconds old.
func (s *Session) Count(ctx context.Context, q schema.QueryAppender) (int64, error) {
	if s.replica != nil {
		return s.replica.count(ctx, q)
	}
	if s.tx == nil && s.db.core.kind == PostgreSQL && !s.db.core.options.NoPrepare {
		text, args, err := s.db.render(q)
		if err != nil {
			return 0, err
		}
		if s.db.sharable.of(text, sharable) && len(args) < maxParams && !s.db.uncounted.has(text) {
			n, err := s.recount(ctx, text, args)
			if !isUntyped(err) {
				return n, err
			}
			s.db.uncounted.add(text) // on a compatible database without snapshots, or it cannot be a part of another
		}
	}
	r, err := s.Read(ctx, q)
	if err != nil {
		return 0, err
	}
	return numberOf(r)
}

// numberOf is the one number of a result.
func numberOf(r *Result) (n int64, err error) {
	if r.Len() == 0 {
		return 0, sql.ErrNoRows
	}
	return n, r.Scan(0, &n)
}

// recount asks for a number and the snapshot that it is of: the transactions
// that are over. As long as that is the one of the number that is known,
// nothing was committed, and the number is not made again.
func (s *Session) recount(ctx context.Context, text string, args []any) (int64, error) {
	key := shareKey(text, args)
	known := s.db.counts.of(key)
	args = append(args, known.snapshot)
	text = "SELECT present.snapshot, CASE WHEN present.snapshot = $" + strconv.Itoa(len(args)) + " AND NOT pg_is_in_recovery()" +
		" THEN NULL ELSE (" + text + ") END, pg_is_in_recovery()" +
		" FROM (SELECT pg_current_snapshot()::text AS snapshot) AS present"
	r, err := s.db.shared(context.WithValue(ctx, preparedKey{}, true), text, args)
	if err != nil {
		return 0, err
	}
	var (
		n       sql.Null[int64]
		standby bool
	)
	var snapshot string
	if err := r.Scan(0, &snapshot, &n, &standby); err != nil {
		return 0, err
	}
	switch {
	case standby && n.Valid: // whose snapshots do not tell what was committed
		return n.V, nil
	case known.snapshot != "" && snapshot == known.snapshot:
		return known.n, nil
	case !n.Valid:
		return 0, errNoNumber
	}
	s.db.counts.keep(key, newCount(snapshot, n.V))
	return n.V, nil
}

var errNoNumber = errors.New("sqldb: a statement to count has no row, or NULL in the place of its number")

// counts are numbers that hold until something is committed. They are all
// forgotten when there are too many.
type counts struct {
	mu    sync.RWMutex
	known map[string]knownCount
}

// A knownCount is a number and the snapshot that it is of.
type knownCount struct {
	snapshot string
	n        int64
	until    time.Time
}

// newCount is a number as it is kept: for a time that is drawn anew for each, so
// that those made together do not all end together.
func newCount(snapshot string, n int64) knownCount {
	return knownCount{snapshot, n, time.Now().Add(countKept + rand.N(countKept))}
}

// of is what is known, the zero count if that is nothing or too old.
func (c *counts) of(key string) knownCount {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if known := c.known[key]; time.Now().Before(known.until) {
		return known
	}
	return knownCount{}
}

func (c *counts) keep(key string, n knownCount) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= countsKept {
		c.known = make(map[string]knownCount)
	}
	c.known[key] = n
}
