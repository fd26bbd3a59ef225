package seed

import (
	"encoding/binary"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
)

// The kinds of rows: each has random numbers of its own.
const (
	shelfSeeds uint64 = iota + 1
	productSeeds
	orderSeeds
	cartSeeds
)

// relatedID is the id of the nth row, from 1, that belongs to the row with an id.
func relatedID(id uuid.UUID, n int) uuid.UUID {
	id[len(id)-1] += byte(n) //nolint:gosec // the byte is what is wanted
	return id
}

// idAt is an id with another time.
func idAt(id uuid.UUID, at time.Time) uuid.UUID {
	var milliseconds [8]byte
	binary.BigEndian.PutUint64(milliseconds[:], uint64(at.UnixMilli())) // #nosec G115 -- the bits are what is wanted
	copy(id[:6], milliseconds[2:])
	return id
}

// upTo draws a duration from 0 to below limit, in whole seconds.
func upTo(dice *rand.Rand, limit time.Duration) time.Duration {
	return time.Duration(dice.Int64N(int64(limit))).Truncate(time.Second)
}

// The demo data has a fixed calendar, so that its rows do not depend on the time at
// which they are made: the store opened half a year before today, and it is half past
// five in the afternoon in India.
var (
	opening = time.Date(2026, time.May, 25, 3, 30, 0, 0, time.UTC)
	today   = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
)

// DefaultProducts is the default number of products: one of each kind.
const DefaultProducts = 120

const (
	kindInterval    = 35 * time.Hour  // between one kind of product and the next
	productInterval = 2 * time.Minute // between two of the products beyond them
)

// arrivalOf is when a product was created. The kinds follow each other in the half year
// before today. The products beyond them do too, at shorter intervals: rows in the order
// of their ids are stored fast.
func arrivalOf(i int) time.Time {
	if i < DefaultProducts {
		return opening.Add(time.Duration(i) * kindInterval)
	}
	return opening.Add(time.Duration(i) * productInterval % (DefaultProducts * kindInterval))
}
