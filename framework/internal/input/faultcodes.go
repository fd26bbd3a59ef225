package input

import (
	"slices"

	"trestle.example/framework/internal/rule"
	"trestle.example/framework/problem"
)

// BuiltinFault reports whether a code is one of [BuiltinFaults].
func BuiltinFault(code string) bool {
	return slices.ContainsFunc(BuiltinFaults, func(c problem.CodeInfo) bool { return c.Code == code })
}

// BuiltinFaults are the codes of faults that the framework always documents. The documents also
// have the codes of the other rules that inputs use.
var BuiltinFaults = []problem.CodeInfo{ //nolint:gochecknoglobals // a table, which nothing changes
	{Code: "required", Text: "It must be there, and not be blank."},
	{Code: "filled", Text: "It must not be blank, or it must be left out."},
	{Code: "null", Text: "It must not be null."},
	{Code: "type", Text: "It is JSON of another type, such as text instead of a number."},
	{Code: "format", Text: "It is not in the required format, such as that of an id, a time or an amount."},
	{Code: "integer", Text: "It must be a whole number, without a fraction or an exponent."},
	{Code: "range", Text: "It is beyond what can be stored."},
	{Code: "nul", Text: "It has the character U+0000."},
	{Code: "line", Text: rule.Rule{Name: "line"}.Text()},
	{Code: "min", Text: "It is too small, too short or too few."},
	{Code: "max", Text: "It is too large, too long or too many."},
	{Code: "oneof", Text: "It is not one of the allowed values."},
	{Code: "unique", Text: "It is there twice in the request."},
	{Code: problem.CodeUnique, Text: "Another record has it already."},
	{Code: problem.CodeInvalidReference, Text: "It refers to nothing that the caller may use."},
	{Code: problem.CodeUnknownField, Text: "There is no such field, or it cannot be written here."},
	{Code: problem.CodeInvalidParameter, Text: "The parameter is unknown here, given twice, or not what it takes."},
	{Code: problem.CodeValidationFailed, Text: "It is not valid."},
}

// Plans returns the plan of every field and element, at any depth.
func (s *Shape) Plans() (all []*ValuePlan) {
	for _, f := range s.Fields {
		for p := f.Value; p != nil; p = p.Elem {
			all = append(all, p)
			if p.Nested != nil {
				all = append(all, p.Nested.Plans()...)
			}
		}
	}
	return all
}
