package auth

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb"
)

const (
	seenEvery   = time.Minute // a credential's last use is written no oftener
	mostSeen    = 100_000     // credentials that wait to be written, a few MiB
	flushAtOnce = 200         // rows in one transaction
)

// sightings are the credentials of one table that were used since that was
// last written. Authenticating only reads, so it leaves a note here and flush
// writes it. A nil sightings notes nothing.
type sightings struct {
	table, column bun.Ident

	mu sync.Mutex
	at map[[hashLength]byte]time.Time
}

// newSightings are those of a table, whose rows have a key_hash, and of its
// column for the last use, which may be null before the first.
func newSightings(table, column bun.Ident) *sightings {
	return &sightings{table: table, column: column, at: map[[hashLength]byte]time.Time{}}
}

// note remembers that a credential was used, if the table is a minute behind.
// written is what the table says, zero for nothing yet.
func (s *sightings) note(hash [hashLength]byte, written, now time.Time) {
	if s == nil || now.Sub(written) < seenEvery {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(hash, now)
}

// keep holds the latest use of each, as long as there is room.
func (s *sightings) keep(hash [hashLength]byte, at time.Time) {
	if last, known := s.at[hash]; known && last.Before(at) || !known && len(s.at) < mostSeen {
		s.at[hash] = at
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

// restore takes back notes that could not be written.
func (s *sightings) restore(notes map[[hashLength]byte]time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for hash, at := range notes {
		s.keep(hash, at)
	}
}

// flush writes the notes, each row at most once a minute by all processes
// together. What an error or a panic keeps from being written waits for the next
// flush.
func (s *sightings) flush(ctx context.Context, db *sqldb.DB) error {
	seen := s.take()
	defer s.restore(seen) // what will be left of it
	// In one order, so that two processes do not wait for each other.
	hashes := slices.SortedFunc(maps.Keys(seen), func(a, b [hashLength]byte) int { return bytes.Compare(a[:], b[:]) })
	for some := range slices.Chunk(hashes, flushAtOnce) {
		err := db.InTx(ctx, func(ctx context.Context, db *sqldb.Session) error {
			for _, hash := range some {
				if err := s.write(ctx, db, hash, seen[hash]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("auth: %s of %s could not be written and waits for the next time: %w", s.column, s.table, err)
		}
		for _, hash := range some {
			delete(seen, hash)
		}
	}
	return nil
}

func (s *sightings) write(ctx context.Context, db *sqldb.Session, hash [hashLength]byte, at time.Time) error {
	_, err := db.Exec(ctx, db.IDB().NewUpdate().TableExpr("?", s.table).
		Set("? = ?", s.column, at).
		Where("key_hash = ?", hash[:]).
		Where("? IS NULL OR ? <= ?", s.column, s.column, at.Add(-seenEvery)))
	return err
}
