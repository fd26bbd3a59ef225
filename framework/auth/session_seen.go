package auth

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"trestle.example/framework/sqldb"
)

const (
	seenEvery   = time.Minute     // a session's last use is written no oftener
	purgeEvery  = 60              // in runs of Flush
	mostSeen    = 100_000         // sessions that wait to be written, a few MiB
	flushAtOnce = 200             // rows in one transaction
	lastFlush   = 5 * time.Second // for what a stopping server still knows
)

// sightings are the sessions that were used since they were last written.
// Authenticating only reads, so it leaves a note here and Flush writes it.
type sightings struct {
	mu sync.Mutex
	at map[[hashLength]byte]time.Time
}

func newSightings() *sightings { return &sightings{at: map[[hashLength]byte]time.Time{}} }

// note remembers that a session was used, if the table is a minute behind.
func (s *sightings) note(hash [hashLength]byte, written, now time.Time) {
	if now.Sub(written) < seenEvery {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if last, known := s.at[hash]; known && last.Before(now) || !known && len(s.at) < mostSeen {
		s.at[hash] = now
	}
}

// take returns the notes and forgets them.
func (s *sightings) take() map[[hashLength]byte]time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.at
	s.at = map[[hashLength]byte]time.Time{}
	return taken
}

// Flush writes which sessions were used since the last Flush of this process,
// on which their idle life rests. [Sessions.Run] calls it every minute. What
// an error keeps from being written is noted again by a session's next
// request. Each row is written at most once a minute by all processes
// together, so that the table is up to two minutes behind: a session may end
// that much before its idle life, and never after it.
func (s *Sessions) Flush(ctx context.Context, db *sqldb.DB) error {
	seen := s.seen.take()
	// In one order, so that two processes do not wait for each other.
	hashes := slices.SortedFunc(maps.Keys(seen), func(a, b [hashLength]byte) int { return bytes.Compare(a[:], b[:]) })
	for some := range slices.Chunk(hashes, flushAtOnce) {
		err := db.InTx(ctx, func(ctx context.Context, db *sqldb.Session) error {
			for _, hash := range some {
				if err := writeSeen(ctx, db, hash, seen[hash]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func writeSeen(ctx context.Context, db *sqldb.Session, hash [hashLength]byte, at time.Time) error {
	_, err := db.Exec(ctx, db.IDB().NewUpdate().Table("auth_sessions").
		Set("last_seen_at = ?", at).
		Where("key_hash = ?", hash[:]).
		Where("last_seen_at <= ?", at.Add(-seenEvery)))
	return err
}

// Run calls [Sessions.Flush] every minute and [Sessions.Purge] every hour,
// until ctx ends; then it flushes once more and returns. Errors go to report
// and end nothing. Without Run every session ends its idle life after it
// began, however much it is used.
func (s *Sessions) Run(ctx context.Context, db *sqldb.DB, report func(error)) {
	ticker := time.NewTicker(seenEvery)
	defer ticker.Stop()
	s.run(ctx, db, ticker.C, report)
}

func (s *Sessions) run(ctx context.Context, db *sqldb.DB, ticks <-chan time.Time, report func(error)) {
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastFlush)
			defer cancel()
			told(report, s.Flush(ending, db))
			return
		case <-ticks:
			told(report, s.Flush(ctx, db))
			if n%purgeEvery == 0 {
				_, err := s.Purge(ctx, db.Session())
				told(report, err)
			}
		}
	}
}

func told(report func(error), err error) {
	if err != nil {
		report(err)
	}
}
