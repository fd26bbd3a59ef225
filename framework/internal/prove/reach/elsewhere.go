package reach

import (
	"net/http"
	"strings"

	"trestle.example/framework/internal/prove/candidates"
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
)

// tryElsewhere sends the request for a row below rows to which it does not belong, as the person who made the row: below another one of
// the person, and below one that the person may not see. The answer must be that for a row that does not exist.
func (p prover) tryElsewhere(e *exchange.Endpoint, one *fixture.Row) {
	if e.Resource.Above == nil || !p.Permits(e, one.By, one) {
		return
	}
	r, ok := p.RequestOf(e, p.WriterLike(e, one.By, one, ""), one)
	if !ok {
		return
	}
	for _, keys := range candidates.KeysElsewhere(p.Fixture, e.Resource, one) {
		r.Path = p.PathUnder(e, one.By, one, keys)
		before := p.Contents()
		if got := p.Send(e, r); got.OK() || e.Bulk == nil && got.Status != http.StatusNotFound {
			p.Find(e, one.By, got.Curl(), "it is answered %d, and the row is not below the row that the path names", got.Status)
		}
		if changed := before.ChangedIn(p.Contents()); len(changed) > 0 {
			p.Find(e, one.By, r.Curl(), "it changes %s below another row", strings.Join(changed, ", "))
		}
	}
}
