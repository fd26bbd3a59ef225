package reach

import (
	"trestle.example/framework/internal/prove/check"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/table"
)

// A prover sends the requests of this package.
type prover struct{ *check.Checker }

// All sends the requests for a row as each person who did not make it.
func All(c *check.Checker, e *exchange.Endpoint, one *fixture.Row) { prover{c}.reachAll(e, one) }

// Likes sends the requests for other rows, to which rows of other tables refer, and then for rows of the staff and of superusers.
func Likes(c *check.Checker, e *exchange.Endpoint, one *fixture.Row, likes []*fixture.Row) {
	p := prover{c}
	p.reachLikes(e, one, likes)
	p.reachStaffs(e, one)
}

// Elsewhere sends the request for a row below rows to which it does not belong, as the person who made the row.
func Elsewhere(c *check.Checker, e *exchange.Endpoint, one *fixture.Row) {
	prover{c}.tryElsewhere(e, one)
}

// Below sends the requests of an endpoint below a row of another caller.
func Below(c *check.Checker, e *exchange.Endpoint) { prover{c}.tryBelow(e) }

// Bulk sends the requests for several rows with the key of a row that the sender may not change.
func Bulk(c *check.Checker, e *exchange.Endpoint) { prover{c}.tryBulk(e) }

// By sends a request whose path has the key of a row of a viewset, and the same for no row.
func By(c *check.Checker, e *exchange.Endpoint, r exchange.Request, of *table.Resource, one *fixture.Row, refused, hidden bool) {
	prover{c}.reachBy(e, r, of, one, refused, hidden)
}

// ByBulk sends a request for several rows whose last row the sender may not change.
func ByBulk(c *check.Checker, e *exchange.Endpoint, r exchange.Request, one *fixture.Row, hidden bool) {
	prover{c}.reachByBulk(e, r, one, hidden)
}
