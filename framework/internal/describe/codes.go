package describe

import (
	"cmp"
	"slices"

	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// FaultCodes lists the codes that the faults of an error may have, sorted by code: the codes of
// the framework, of the rules of fields and of all inputs, of CHECK constraints, and of the program.
func (a Catalog) FaultCodes() []problem.CodeInfo {
	all := slices.Clone(input.BuiltinFaults)
	add := func(info problem.CodeInfo) {
		if !slices.ContainsFunc(all, func(known problem.CodeInfo) bool { return known.Code == info.Code }) {
			all = append(all, info)
		}
	}
	for _, info := range a.Config.Codes {
		if info.IsFault() {
			add(info)
		}
	}
	for _, r := range a.Resources {
		if len(r.Fields) > 0 || r.HasWriters() {
			add(fieldrule.FaultCode)
		}
		addChecks(r, add)
		for _, shape := range r.Inputs {
			for _, plan := range shape.Plans() {
				addRules(plan, add)
			}
		}
	}
	slices.SortFunc(all, func(a, b problem.CodeInfo) int { return cmp.Compare(a.Code, b.Code) })
	return all
}

// addChecks adds the codes of the CHECK constraints that name fields.
func addChecks(r *table.Resource, add func(problem.CodeInfo)) {
	for _, check := range r.Checks {
		if len(check.Fields) > 0 {
			add(problem.CodeInfo{Code: check.Code, Text: check.Detail})
		}
	}
}

// addRules adds the codes of the rules of a plan.
func addRules(plan *input.ValuePlan, add func(problem.CodeInfo)) {
	for _, rule := range plan.Rules {
		add(problem.CodeInfo{Code: rule.Name, Text: rule.Text()})
	}
	for _, own := range plan.Own {
		add(problem.CodeInfo{Code: own.Code, Text: own.Text})
	}
}
