package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"trestle.example/framework/sqldb/internal/fault"
)

// A position is how far the primary's log went when it was asked: all that was
// committed before lies before it.
type position struct {
	timeline int64
	lsn      uint64
	snapshot string // the transactions that were over
	settled  bool   // all of those are before it
}

// progress is how far the replica has replayed the log.
type progress struct {
	timeline int64
	lsn      uint64
	made     uint64    // connections, when it was asked
	asked    time.Time // when it was
}

const (
	// primaryPosition: a commit is answered when it is flushed, unless the
	// server is told not to wait for that. The name of the log's file begins with
	// the timeline.
	primaryPosition = `SELECT (CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()` +
		` ELSE pg_current_wal_flush_lsn() END)::text, left(pg_walfile_name(pg_current_wal_flush_lsn()), 8), pg_current_snapshot()::text,` +
		` pg_current_wal_insert_lsn()::text`
	replicaProgress = `SELECT pg_is_in_recovery(), coalesce(pg_last_wal_replay_lsn()::text, '0/0'), (SELECT timeline_id FROM pg_control_checkpoint())::bigint`
	systemOf        = `SELECT system_identifier::text FROM pg_control_system()`

	// progressKept is for how long an answer of the replica stands where the
	// primary has nothing new, so that one that was promoted or has gone is noticed.
	progressKept = time.Second

	stateCanceled = "57014" // the statement took too long, or was cancelled
)

var (
	errPromoted = errors.New("sqldb: the replica is not in recovery: it was promoted, or never was a standby")
	errSilent   = fmt.Errorf("sqldb: the replica has not answered within %s", replicaPatience)
	errBehind   = fmt.Errorf("sqldb: the replica has not replayed within %s what was committed on the primary", replicaPatience)
	errStranger = errors.New("sqldb: the replica is no standby of this primary: their system identifiers differ")
)

// position asks the primary, in one statement for all who ask at once.
func (r *replica) position(ctx context.Context) (position, error) {
	return r.positions.do(ctx, shareKey{}, "", func(ctx context.Context, _ []string) (p position, err error) {
		found, err := r.primary.read(preparing(ctx), primaryPosition, nil)
		if err != nil {
			return p, fmt.Errorf("sqldb: the primary does not tell how far its log goes: %w", err)
		}
		var lsn, inserted, timeline string
		if err := found.Scan(0, &lsn, &timeline, &p.snapshot, &inserted); err != nil {
			return p, err
		}
		if p.timeline, err = strconv.ParseInt(timeline, 16, 64); err != nil {
			return p, err
		}
		if p.lsn, err = parseLSN(lsn); err != nil {
			return p, err
		}
		all, err := parseLSN(inserted)
		p.settled = p.lsn >= all
		return p, err
	})
}

// reaches waits until the replica has replayed the log up to a position, and
// tells how many connections had been made to it when that was known.
func (r *replica) reaches(ctx context.Context, p position) (made uint64, err error) {
	limited, cancel := context.WithTimeout(ctx, replicaPatience)
	defer cancel()
	for pause := time.Millisecond; ; pause *= 2 {
		at, err := r.lookedUp(limited, p)
		switch {
		case err == nil:
			return at.made, nil
		case errors.Is(err, errBehind) && wait(limited, pause): // and looks again
		case isLate(err) && ctx.Err() == nil:
			return 0, errSilent
		default:
			return 0, err
		}
	}
}

// isLate reports whether a deadline passed: that of a context, or the same one as its
// socket has it, which may be first.
func isLate(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)
}

// lookedUp is how far the replica is, asked only if what is remembered does not
// hold all up to a position; an error if it is not that far.
func (r *replica) lookedUp(ctx context.Context, p position) (progress, error) {
	at := r.remembered()
	if at.reaches(p) == nil {
		return at, nil
	}
	at, err := r.asked(ctx)
	if err == nil {
		err = at.reaches(p)
	}
	return at, err
}

// asked asks the replica how far it is, once for all who want to know at once.
func (r *replica) asked(ctx context.Context) (progress, error) {
	return r.progress.do(ctx, shareKey{}, "", func(ctx context.Context, _ []string) (progress, error) {
		// A client that goes does not take the connection with it.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), replicaPatience)
		defer cancel()
		return r.ask(ctx)
	})
}

// reaches is nil if what was replayed holds all up to a position.
func (at progress) reaches(p position) error {
	// The primary's log goes on behind the header of a page where what was
	// replayed ends before it. No record is as short as a header.
	const page, header = 8192, 40
	behind := int64(p.lsn - at.lsn) //nolint:gosec // below zero for one that is ahead
	switch {
	case at.lsn == 0 || behind > 0 && (behind > header || at.lsn%page != 0):
		return errBehind
	case at.timeline != p.timeline:
		return fmt.Errorf("sqldb: the replica is on timeline %d of the log, as of its last restart point, and the primary on %d", at.timeline, p.timeline)
	}
	return nil
}

// remembered is the last answer of the replica, as long as it stands.
func (r *replica) remembered() progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known.made != r.made() || time.Since(r.known.asked) > progressKept {
		return progress{}
	}
	return r.known
}

// ask asks the replica how far it is, and remembers the answer.
func (r *replica) ask(ctx context.Context) (progress, error) {
	var found *Result
	var at progress
	err := r.onWatch(ctx, func(c *conn) (err error) {
		at.made, at.asked = r.made(), time.Now()
		found, err = c.read(preparing(ctx), replicaProgress, nil)
		return err
	})
	if err != nil {
		return progress{}, err
	}
	var (
		standby bool
		lsn     string
	)
	if err := found.Scan(0, &standby, &lsn, &at.timeline); err != nil {
		return progress{}, err
	}
	if !standby {
		return progress{}, errPromoted
	}
	if at.lsn, err = parseLSN(lsn); err != nil {
		return progress{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known = at
	return at, nil
}

// onWatch runs fn with the connection beside the replica's pool.
func (r *replica) onWatch(ctx context.Context, fn func(*conn) error) error {
	return onConns(func() (*sql.Conn, error) { return r.watch.Conn(ctx) }, fn)
}

// stranger reports whether it is the replica of another primary. Where one of the
// two does not let itself be asked, nothing is known against it.
func (r *replica) stranger(ctx context.Context) (bool, error) {
	of, err := system(ctx, func(ctx context.Context, fn func(*conn) error) error { return r.primary.onConn(ctx, false, fn) })
	if err != nil || of == "" {
		return false, err
	}
	is, err := system(ctx, r.onWatch)
	return is != "" && is != of, err
}

// system is which system a server's data is of, "" if it may not be asked.
func system(ctx context.Context, on func(context.Context, func(*conn) error) error) (id string, err error) {
	err = on(ctx, func(c *conn) error {
		found, err := c.read(ctx, systemOf, nil)
		if err != nil {
			return err
		}
		return found.Scan(0, &id)
	})
	switch fault.State(err) {
	case "42501", "42883": // it is forbidden, or there is no such function
		return "", nil
	}
	return id, err
}

// parseLSN reads a place in the log as PostgreSQL writes it: "16/B374D848".
func parseLSN(s string) (uint64, error) {
	high, low, _ := strings.Cut(s, "/")
	h, err := strconv.ParseUint(high, 16, 32)
	if err != nil {
		return 0, fmt.Errorf("sqldb: %q is no place in the log: %w", s, err)
	}
	l, err := strconv.ParseUint(low, 16, 32)
	if err != nil {
		return 0, fmt.Errorf("sqldb: %q is no place in the log: %w", s, err)
	}
	return h<<32 | l, nil
}

// wait waits a while; false means that ctx ended first.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// preparing marks a context in which a statement without arguments is prepared
// too.
func preparing(ctx context.Context) context.Context {
	return context.WithValue(ctx, preparedKey{}, true)
}
