package references

import (
	"trestle.example/framework/internal/prove/check"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
)

// A prover sends the requests of this package.
type prover struct{ *check.Checker }

// Try sends bodies that name rows of others in references, for a row of the sender or nil for none.
func Try(c *check.Checker, e *exchange.Endpoint, on *fixture.Row) { prover{c}.tryReferences(e, on) }

// TryValues sends keys and values of rows of others in members that are no references.
func TryValues(c *check.Checker, e *exchange.Endpoint) {
	p := prover{c}
	p.tryKeys(e)
	p.tryMoves(e)
}

// TryRelated writes the lists of related rows that a body can have.
func TryRelated(c *check.Checker, e *exchange.Endpoint) {
	p := prover{c}
	p.tryChildren(e)
	p.tryLinks(e)
}

// TryLinked sends the request for a row with the key of a second row that the sender may not see.
func TryLinked(c *check.Checker, e *exchange.Endpoint, one *fixture.Row) { prover{c}.tryLinked(e, one) }
