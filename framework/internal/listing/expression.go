package listing

import (
	"trestle.example/framework/internal/expression"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
)

// expression reads the expression by which a request filters the list. Without one, or with a mistake in the grammar,
// the plan has no fields. The error has a fault for each mistake.
func (l *List) expression(values query.Values) (*expression.Plan, error) {
	b := l.Resource.Expression
	if b == nil || values[b.Param] == "" {
		return &expression.Plan{}, nil
	}
	plan, wrong := b.Read(values[b.Param])
	if len(wrong) == 0 {
		return plan, nil
	}
	faults := make([]problem.Fault, len(wrong))
	for i, f := range wrong {
		faults[i] = problem.Fault{Parameter: b.Param, Code: problem.CodeInvalidParameter, Detail: f.Detail(values[b.Param])}
	}
	return plan, fault.InvalidParameters(faults)
}
