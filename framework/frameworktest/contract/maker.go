package contract

import (
	"math/rand/v2"
)

// A maker generates requests.
type maker struct {
	contract *Contract
	dice     *rand.Rand
	pool     *pool
	known    map[string][]string
	odd      *oddities
}

func newMaker(c *Contract, seed uint64, known map[string][]string) maker {
	return maker{contract: c, dice: rand.New(rand.NewPCG(seed, 0)), pool: newPool(c), known: known, odd: newOddities()}
}

// oneOf returns a random element of a list.
func oneOf[T any](m maker, list []T) T { return list[m.dice.IntN(len(list))] }

// chance returns true with a probability of 1 in n.
func (m maker) chance(n int) bool { return m.dice.IntN(n) == 0 }
