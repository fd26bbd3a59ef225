package standby

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/fault"
	"trestle.example/framework/sqldb/internal/pool"
	"trestle.example/framework/sqldb/internal/share"
)

// A Position is how far the primary's log went when it was read: everything that was
// committed earlier is before it.
type Position struct {
	timeline int64
	lsn      uint64
	Snapshot string // the transactions that were over
	Settled  bool   // every one of those transactions is before it
}

// progress is how far the replica has replayed the log.
type progress struct {
	timeline int64
	lsn      uint64
	made     uint64    // number of connections made when it was read
	readAt   time.Time // when it was read
}

const (
	// primaryPosition: a commit is reported when it is flushed, except with
	// synchronous_commit off. The name of the log's file begins with
	// the timeline.
	primaryPosition = `SELECT (CASE current_setting('synchronous_commit') WHEN 'off' THEN pg_current_wal_insert_lsn()` +
		` ELSE pg_current_wal_flush_lsn() END)::text, left(pg_walfile_name(pg_current_wal_flush_lsn()), 8), pg_current_snapshot()::text,` +
		` pg_current_wal_insert_lsn()::text`
	replicaProgress = `SELECT pg_is_in_recovery(), coalesce(pg_last_wal_replay_lsn()::text, '0/0'), (SELECT timeline_id FROM pg_control_checkpoint())::bigint`
	systemOf        = `SELECT system_identifier::text FROM pg_control_system()`

	// progressKept is how long a reading of the replica's progress is used while the
	// primary has nothing new. So a promoted or unavailable replica is noticed.
	progressKept = time.Second

	stateCanceled = "57014" // the statement took too long, or was cancelled
)

// The reasons for which reads go to the primary.
var (
	// ErrPromoted is the error for a server that is not a standby.
	ErrPromoted = errors.New("sqldb: the replica is not in recovery: it was promoted, or never was a standby")
	// ErrSilent is the error of a replica that does not answer.
	ErrSilent = fmt.Errorf("sqldb: the replica has not answered within %s", replicaWait)
	// ErrBehind is the error of a replica that replays too slowly.
	ErrBehind = fmt.Errorf("sqldb: the replica has not replayed within %s what was committed on the primary", replicaWait)
	// ErrStranger is the error of a standby of another primary.
	ErrStranger = errors.New("sqldb: the replica is not a standby of this primary: their system identifiers differ")
)

// Position reads the position of the primary, by one statement for all concurrent callers.
func (s *Standby) Position(ctx context.Context) (Position, error) {
	return s.positions.Do(ctx, share.Key{}, "", func(ctx context.Context, _ []string) (p Position, err error) {
		found, err := s.primary.Read(connection.Prepare(ctx), primaryPosition, nil)
		if err != nil {
			return p, fmt.Errorf("sqldb: reading how far the primary's log goes: %w", err)
		}
		var lsn, inserted, timeline string
		if err := found.Scan(0, &lsn, &timeline, &p.Snapshot, &inserted); err != nil {
			return p, err
		}
		if p.timeline, err = strconv.ParseInt(timeline, 16, 64); err != nil {
			return p, err
		}
		if p.lsn, err = parseLSN(lsn); err != nil {
			return p, err
		}
		all, err := parseLSN(inserted)
		p.Settled = p.lsn >= all
		return p, err
	})
}

// reaches waits until the replica has replayed the log up to a position, for at most
// replicaWait, and returns how many connections had been made to the replica when that was
// read. If the time passes, the error is ErrBehind or ErrSilent.
func (s *Standby) reaches(ctx context.Context, p Position) (made uint64, err error) {
	limited, cancel := context.WithTimeout(ctx, replicaWait)
	defer cancel()
	for pause := time.Millisecond; ; pause *= 2 {
		at, err := s.readUpTo(limited, p)
		switch {
		case err == nil:
			return at.made, nil
		case errors.Is(err, ErrBehind) && wait(limited, pause): // and reads it again
		case isLate(err) && ctx.Err() == nil:
			return 0, ErrSilent
		default:
			return 0, err
		}
	}
}

// isLate reports whether an error means that a deadline passed. A socket has the deadline of
// the context, and may report it first.
func isLate(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)
}

// readUpTo returns the replica's progress. It queries the replica only if the known progress does
// not reach the position. It returns ErrBehind if the replica has not replayed up to it.
func (s *Standby) readUpTo(ctx context.Context, p Position) (progress, error) {
	at := s.recall()
	if at.reaches(p) == nil {
		return at, nil
	}
	at, err := s.shareProgress(ctx)
	if err == nil {
		err = at.reaches(p)
	}
	return at, err
}

// shareProgress reads the replica's progress once for all concurrent callers.
func (s *Standby) shareProgress(ctx context.Context) (progress, error) {
	return s.progress.Do(ctx, share.Key{}, "", func(ctx context.Context, _ []string) (progress, error) {
		// When the client disconnects, the statement goes on, so the connection stays open.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), replicaWait)
		defer cancel()
		return s.readProgress(ctx)
	})
}

// reaches returns nil if the log was replayed up to a position, ErrBehind if it was not, and
// another error if the replica is on another timeline.
func (at progress) reaches(p Position) error {
	// At the end of a page, the replica's position is before the header of the next page
	// and the primary's may be after it. A record that begins on a page ends farther from
	// the page's start than the longest header.
	const page, header = 8192, 40
	behind := int64(p.lsn - at.lsn) //nolint:gosec // below zero for one that is ahead
	switch {
	case at.lsn == 0 || behind > 0 && (behind > header || at.lsn%page != 0):
		return ErrBehind
	case at.timeline != p.timeline:
		return fmt.Errorf("sqldb: the replica is on timeline %d of the log, as of its last restart point, and the primary on %d", at.timeline, p.timeline)
	}
	return nil
}

// recall returns the last progress that was read. It returns the zero progress if that is
// older than progressKept, or if a connection to the replica was made since.
func (s *Standby) recall() progress {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known.made != s.runs.Made() || time.Since(s.known.readAt) > progressKept {
		return progress{}
	}
	return s.known
}

// readProgress reads how far the replica has replayed the log, and stores the result. If the
// server is not a standby, the error is ErrPromoted.
func (s *Standby) readProgress(ctx context.Context) (progress, error) {
	var found *connection.Result
	var at progress
	err := s.onWatch(ctx, func(c *connection.Conn) (err error) {
		at.made, at.readAt = s.runs.Made(), time.Now()
		found, err = c.Read(connection.Prepare(ctx), replicaProgress, nil)
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
		return progress{}, ErrPromoted
	}
	if at.lsn, err = parseLSN(lsn); err != nil {
		return progress{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = at
	return at, nil
}

// onWatch runs fn with the connection beside the replica's pool.
func (s *Standby) onWatch(ctx context.Context, fn func(*connection.Conn) error) error {
	return pool.OnConns(func() (*sql.Conn, error) { return s.watch.Conn(ctx) }, fn)
}

// Stranger reports whether the replica belongs to another primary. It returns false if the
// system identifier of one of the two servers may not be read.
func (s *Standby) Stranger(ctx context.Context) (bool, error) {
	of, err := system(ctx, func(ctx context.Context, fn func(*connection.Conn) error) error {
		return s.primary.OnConn(ctx, false, fn)
	})
	if err != nil || of == "" {
		return false, err
	}
	is, err := system(ctx, s.onWatch)
	return is != "" && is != of, err
}

// system returns the system identifier of a server's data, or "" if it may not be read.
func system(ctx context.Context, on func(context.Context, func(*connection.Conn) error) error) (id string, err error) {
	err = on(ctx, func(c *connection.Conn) error {
		found, err := c.Read(ctx, systemOf, nil)
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

// parseLSN reads an LSN, a position in the log, as PostgreSQL writes it: "16/B374D848".
func parseLSN(text string) (uint64, error) {
	high, low, _ := strings.Cut(text, "/")
	h, err := strconv.ParseUint(high, 16, 32)
	if err != nil {
		return 0, fmt.Errorf("sqldb: %q is not an LSN: %w", text, err)
	}
	l, err := strconv.ParseUint(low, 16, 32)
	if err != nil {
		return 0, fmt.Errorf("sqldb: %q is not an LSN: %w", text, err)
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

// Lag returns how many bytes of the primary's log the replica has not replayed.
func (s *Standby) Lag(ctx context.Context) (int64, error) {
	p, err := s.Position(ctx)
	if err != nil {
		return 0, err
	}
	at, err := s.shareProgress(ctx)
	if err != nil {
		return 0, err
	}
	return at.behind(p), nil
}

// Behind returns how many bytes of the primary's log are between lsn, up to which the replica has
// replayed the log, and the position. It returns 0 if lsn is after the position.
func (p Position) Behind(lsn string) (int64, error) {
	at, err := parseLSN(lsn)
	return progress{lsn: at}.behind(p), err
}

func (at progress) behind(p Position) int64 {
	if at.lsn > p.lsn { // it replayed more since the position was read
		return 0
	}
	return int64(p.lsn - at.lsn) //nolint:gosec // a log is never that long
}
