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
	lastUseInterval = time.Minute // the last use of a credential is stored at most this often
	maxLastUses     = 100_000     // credentials that wait to be stored, a few MiB
	flushAtOnce     = 200         // rows in one transaction
)

// lastUses are the last uses of the credentials of one table that are not stored yet.
// Authentication only reads the database: it records a use here, and flush stores it. A
// nil *lastUses records nothing.
type lastUses struct {
	table, column bun.Ident

	mu sync.Mutex
	at map[[hashLength]byte]time.Time
}

// newLastUses returns the uses for a table whose rows have a key_hash. column stores the
// last use; it may be null before the first use.
func newLastUses(table, column bun.Ident) *lastUses {
	return &lastUses{table: table, column: column, at: map[[hashLength]byte]time.Time{}}
}

// note records that a credential was used, if the stored time is at least a minute old and
// there is room, see [lastUses.keep]. written is the stored time, or zero if there is none.
func (s *lastUses) note(hash [hashLength]byte, written, now time.Time) {
	if s == nil || now.Sub(written) < lastUseInterval {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(hash, now)
}

// keep records the latest use of each credential. If maxLastUses credentials wait, it does not
// record a credential that is not among them.
func (s *lastUses) keep(hash [hashLength]byte, at time.Time) {
	if last, known := s.at[hash]; known && last.Before(at) || !known && len(s.at) < maxLastUses {
		s.at[hash] = at
	}
}

// take returns the uses and empties the map.
func (s *lastUses) take() map[[hashLength]byte]time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	uses := s.at
	s.at = map[[hashLength]byte]time.Time{}
	return uses
}

// restore puts uses back that could not be stored.
func (s *lastUses) restore(notes map[[hashLength]byte]time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for hash, at := range notes {
		s.keep(hash, at)
	}
}

// flush stores the uses. All processes together write each row at most once a minute.
// Uses that an error or a panic keeps from being stored wait for the next flush.
func (s *lastUses) flush(ctx context.Context, db *sqldb.DB) error {
	seen := s.take()
	defer s.restore(seen) // the uses that could not be stored
	// In one order, so that two processes do not deadlock.
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
			return fmt.Errorf("auth: the column %s of %s could not be written; the next flush tries again: %w", s.column, s.table, err)
		}
		for _, hash := range some {
			delete(seen, hash)
		}
	}
	return nil
}

func (s *lastUses) write(ctx context.Context, db *sqldb.Session, hash [hashLength]byte, at time.Time) error {
	_, err := db.Exec(ctx, db.IDB().NewUpdate().TableExpr("?", s.table).
		Set("? = ?", s.column, at).
		Where("key_hash = ?", hash[:]).
		Where("? IS NULL OR ? <= ?", s.column, s.column, at.Add(-lastUseInterval)))
	return err
}
