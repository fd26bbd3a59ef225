package prove

import (
	"slices"

	"trestle.example/framework/internal/prefer"
	"trestle.example/framework/internal/prove/candidates"
	"trestle.example/framework/internal/prove/exchange"
)

// tryPrefer sends a write for an answer without a body, as the first caller who may: such an answer has headers alone, and they must not
// name another row.
func (p *prover) tryPrefer(e *exchange.Endpoint) {
	if !e.MayLackBody() || e.Bulk != nil || p.Broken != nil {
		return
	}
	for _, who := range append(slices.Clone(p.People[2:]), p.Owner) {
		on, usable := candidates.Own(p.Fixture, e, who)
		if !usable {
			continue
		}
		if r, ok := p.RequestOf(e, p.WriterLike(e, who, on, ""), on); ok {
			r.Header.Set(prefer.Header, prefer.ReturnMinimal)
			p.Perform(e, r, on)
			return
		}
	}
}
