package references

import (
	"maps"
	"slices"

	"trestle.example/framework/internal/prove/candidates"
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

// Move sends bodies for a new row with the values of a row that the sender does not see, one by one.
func Move(c *check.Checker, e *exchange.Endpoint, who *exchange.Person, theirs *fixture.Row) {
	if e.Input == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(e.Input.ByName)) {
		prover{c}.move(e, who, nil, name, theirs)
	}
}

// TryDeleted sends bodies with references to a row that is deleted softly, as the person who made the row: they must be answered as
// references to no row.
func TryDeleted(c *check.Checker, one *fixture.Row) {
	p := prover{c}
	for _, e := range p.Endpoints {
		if e.Input == nil || len(e.Input.Refs()) == 0 || !e.Fills() || p.Broken != nil {
			continue
		}
		on, usable := candidates.Own(p.Fixture, e, one.By)
		for _, pointer := range p.referencesOf(e, on) {
			if usable {
				p.referDeleted(e, on, pointer, one)
			}
		}
	}
}

// TryRelated writes the lists of related rows that a body can have.
func TryRelated(c *check.Checker, e *exchange.Endpoint) {
	p := prover{c}
	p.tryChildren(e)
	p.tryLinks(e)
}

// TryLinked sends the request for a row with the key of a second row that the sender may not see.
func TryLinked(c *check.Checker, e *exchange.Endpoint, one *fixture.Row) { prover{c}.tryLinked(e, one) }
