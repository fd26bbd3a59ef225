package lists

import (
	"trestle.example/framework/internal/prove/check"
	"trestle.example/framework/internal/prove/exchange"
)

// A prover sends the requests of this package.
type prover struct{ *check.Checker }

// CompareCreates shows that rows of one caller do not show in what others read, by rows that each endpoint makes.
func CompareCreates(c *check.Checker) { prover{c}.tryLists() }

// CompareChanges shows that changes of a row do not show in what others read.
func CompareChanges(c *check.Checker) { prover{c}.tryChanges() }

// Try reads a list with cursors of other callers, with each export, with totals, with fields and values that a caller may not see, and
// with ETags.
func Try(c *check.Checker, e *exchange.Endpoint) {
	p := prover{c}
	p.tryCursors(e, "")
	p.tryExports(e)
	p.tryTotals(e)
	p.tryUnseen(e)
	p.tryGuesses(e)
	p.tryTags(e, nil)
	p.tryChosen(e, nil)
}

// TryMine shows that functions of related rows with the option mine count the rows of the caller alone.
func TryMine(c *check.Checker) { prover{c}.tryMine() }
