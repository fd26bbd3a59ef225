// Package demo is what the services' demo data is made with: it looks random and
// is the same at every run.
package demo

import (
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
)

// Dice are the random numbers of the i-th row of a kind: the same at every run,
// and others for each row and kind.
func Dice(kind uint64, i int) *rand.Rand {
	return rand.New(rand.NewPCG(kind, uint64(i))) //nolint:gosec // demo data is predictable on purpose, and i counts from 0
}

// ID is an id in the form of UUIDv7 (RFC 9562 section 5.7): the time, then
// random bits.
func ID(dice *rand.Rand, at time.Time) uuid.UUID {
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

// Pick is one of from, which is not empty.
func Pick[T any](dice *rand.Rand, from []T) T { return from[dice.IntN(len(from))] }
