package prove

import "trestle.example/framework/internal/prove/fixture"

// perform sends a request for a row, nil for none. It checks what the request changed and what the answer
// has, and returns the rows that are new. They count as made by the person who made the row.
func (p *prover) perform(e *fixture.Endpoint, r fixture.Request, on *fixture.Row) (*fixture.Answer, []*fixture.Row) {
	before, hidden := p.Contents(), p.foresee(e, r.By)
	got := p.Send(e, r)
	p.untouched(e, got, on, before, hidden)
	return got, p.settle(e, got, before, on)
}

// settle checks what an answer has, and returns the rows that are new after its request.
func (p *prover) settle(e *fixture.Endpoint, got *fixture.Answer, before fixture.Contents, on *fixture.Row) []*fixture.Row {
	if secret := p.secretIn(e, got); secret != "" && !e.SignsIn {
		p.find(e, got.By, got.Curl(), "the answer has %q, which is of a row or a field that is not theirs", secret)
	}
	p.checkLocks(e, got, on)
	fresh := p.Learn(before, fixture.MakerOf(got.Request, on))
	p.checkAnswered(e, got, on, fresh)
	p.checkMoved(e, got, on, fresh)
	return fresh
}
