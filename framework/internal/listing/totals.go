package listing

import (
	"trestle.example/framework/call"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/nested"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/totals"
	"trestle.example/framework/query"
)

// Totals answers GET {path}/totals/: totals of the rows that a list has on all its pages.
type Totals struct {
	*List

	Plan *totals.Plan
}

// Guard notes the fields that clients may name, which callers need to see.
func (t Totals) Guard() {
	for _, part := range t.Plan.Parts {
		for _, f := range part.Fields {
			t.List.Guard([]query.Param{{Name: part.Param + "=" + f.Name}}, []query.Field{f.Field})
		}
	}
}

// Serve answers one request.
func (t Totals) Serve(c *call.Call, r *table.Request) (*table.Response, error) {
	var faults fault.List
	parsed, err := t.conditions(c, r, &faults)
	if err != nil {
		return nil, err
	}
	chosen, err := t.Plan.Read(parsed.values)
	if faults.Add(err); faults.Err() != nil {
		return nil, faults.Err()
	}
	if err := nested.Enter(c, t.Resource, r); err != nil {
		return nil, err
	}
	parsed.parent, parsed.above = r.Parent, r.Above
	answer, err := t.compute(c, parsed, chosen)
	if err != nil {
		return nil, err
	}
	return &table.Response{Status: t.Endpoint.Status, Value: answer}, nil
}

// compute computes the totals of the rows of the list. If a ranked search finds none and has an alternative, they are those of
// the alternative, as in the list.
func (t Totals) compute(c *call.Call, parsed *listed, chosen totals.Request) (totals.Answer, error) {
	q := t.matching(c, parsed)
	if parsed.ranking == nil {
		return chosen.Compute(c, q)
	}
	answer, err := chosen.Compute(c, joinRanking(q, t.Resource, parsed.ranking))
	if err != nil || answer.Rows() > 0 || parsed.ranking.Instead == nil {
		return answer, err
	}
	instead, err := parsed.ranking.Instead(c)
	if err != nil || instead == nil {
		return answer, err
	}
	return chosen.Compute(c, joinRanking(t.matching(c, parsed), t.Resource, instead))
}
