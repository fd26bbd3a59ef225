package seed

import (
	"encoding/binary"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
)

// The kinds of rows, so that each has random numbers of its own.
const (
	shelfSeeds uint64 = iota + 1
	productSeeds
	orderSeeds
	cartSeeds
)

// relatedID is the id of the nth row, from 1, that belongs to the row of an id.
func relatedID(id uuid.UUID, n int) uuid.UUID {
	id[len(id)-1] += byte(n) //nolint:gosec // the byte is what is wanted
	return id
}

// idAt is an id that differs from another in its time alone.
func idAt(id uuid.UUID, at time.Time) uuid.UUID {
	var milliseconds [8]byte
	binary.BigEndian.PutUint64(milliseconds[:], uint64(at.UnixMilli())) // #nosec G115 -- the bits are what is wanted
	copy(id[:6], milliseconds[2:])
	return id
}

// upTo is a time between none and limit, in whole seconds.
func upTo(dice *rand.Rand, limit time.Duration) time.Duration {
	return time.Duration(dice.Int64N(int64(limit))).Truncate(time.Second)
}

// The calendar of the demo data stands still, so that its rows are the same
// whenever they are made: it has a today of its own, half past five in the
// afternoon in India, with half a year before it.
var (
	opening = time.Date(2026, time.May, 25, 3, 30, 0, 0, time.UTC)
	today   = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
)

// DefaultProducts is how many products demo data has: one of each kind.
const DefaultProducts = 120

const (
	kindInterval    = 35 * time.Hour  // between one kind of product and the next
	productInterval = 2 * time.Minute // between two of the products beyond them
)

// arrivalOf is when a product was put on the shelf. The kinds came one after
// the other in the half year before seedToday. So did all others, quicker: ids
// that follow each other are stored fast.
func arrivalOf(i int) time.Time {
	if i < DefaultProducts {
		return opening.Add(time.Duration(i) * kindInterval)
	}
	return opening.Add(time.Duration(i) * productInterval % (DefaultProducts * kindInterval))
}
