package store

import (
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

// seedDice are the random numbers of one row: the same at every run.
func seedDice(kind uint64, i int) *rand.Rand {
	return rand.New(rand.NewPCG(kind, uint64(i))) //nolint:gosec // demo data is predictable on purpose, and i counts from 0
}

// seedID is an id in the form of UUIDv7 (RFC 9562 section 5.7): the time, then
// random bits.
func seedID(dice *rand.Rand, at time.Time) uuid.UUID {
	var id uuid.UUID
	milliseconds := at.UnixMilli()
	for i := range 6 {
		id[i] = byte(milliseconds >> (40 - 8*i)) //nolint:gosec // the byte is what is wanted
	}
	for i := 6; i < len(id); i++ {
		id[i] = byte(dice.Uint32()) //nolint:gosec // the byte is what is wanted
	}
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id
}

// seedKin is the id of the nth row, from 1, that belongs to the row of an id.
func seedKin(id uuid.UUID, n int) uuid.UUID {
	id[len(id)-1] += byte(n) //nolint:gosec // the byte is what is wanted
	return id
}

func pick[T any](dice *rand.Rand, from []T) T { return from[dice.IntN(len(from))] }

// upTo is a time between none and limit, in whole seconds.
func upTo(dice *rand.Rand, limit time.Duration) time.Duration {
	return time.Duration(dice.Int64N(int64(limit))).Truncate(time.Second)
}

// The calendar of the demo data stands still, so that its rows are the same
// whenever they are made: it has a today of its own, half past five in the
// afternoon in India, with half a year before it.
var (
	seedOpening = time.Date(2026, time.May, 25, 3, 30, 0, 0, time.UTC)
	seedToday   = time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
)

// SeedProducts is how many products demo data has: one of each kind.
const SeedProducts = 120

const (
	seedPace = 35 * time.Hour  // between one kind of product and the next
	seedHaul = 2 * time.Minute // between two of the products beyond them
)

// seedArrival is when a product was put on the shelf. The kinds came one after
// the other in the half year before seedToday. So did all others, quicker: ids
// that follow each other are stored fast.
func seedArrival(i int) time.Time {
	if i < SeedProducts {
		return seedOpening.Add(time.Duration(i) * seedPace)
	}
	return seedOpening.Add(time.Duration(i) * seedHaul % (SeedProducts * seedPace))
}
