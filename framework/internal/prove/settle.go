package prove

// perform sends a request for a row, nil for none. It checks what the request changed and what the answer
// has, and returns the rows that are new. They count as made by the person who made the row.
func (p *prover) perform(e *endpoint, r request, on *row) (*answer, []*row) {
	before, hidden := p.contents(), p.foresee(e, r.by)
	got := p.send(e, r)
	p.untouched(e, got, on, before, hidden)
	return got, p.settle(e, got, before, on)
}

// settle checks what an answer has, and returns the rows that are new after its request.
func (p *prover) settle(e *endpoint, got *answer, before contents, on *row) []*row {
	if secret := p.secretIn(e, got); secret != "" && !e.SignsIn {
		p.find(e, got.by, got.curl(), "the answer has %q, which is of a row or a field that is not theirs", secret)
	}
	p.checkLocks(e, got, on)
	return p.learn(before, makerOf(got.request, on))
}
