package framework

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// builtinFaults are the codes of faults that any request may have. Those of
// rules join them as inputs name them.
var builtinFaults = []CodeInfo{
	{Code: "required", Text: "It must be there, and not be blank."},
	{Code: "filled", Text: "It must not be blank, or it must be left out."},
	{Code: "null", Text: "It must not be null."},
	{Code: "type", Text: "It is JSON of another type, such as text in the place of a number."},
	{Code: "format", Text: "It is not written as it must be: no id, no time, no amount."},
	{Code: "integer", Text: "It must be a whole number, without a fraction or an exponent."},
	{Code: "range", Text: "It is beyond what can be stored."},
	{Code: "nul", Text: "It has the character U+0000."},
	{Code: "line", Text: rule{name: "line"}.text()},
	{Code: "min", Text: "It is too small, too short or too few."},
	{Code: "max", Text: "It is too large, too long or too many."},
	{Code: "oneof", Text: "It is none of the values that there are."},
	{Code: "unique", Text: "It is there twice in the request."},
	{Code: CodeUnique, Text: "Another record has it already."},
	{Code: CodeInvalidReference, Text: "It refers to nothing that the caller may use."},
	{Code: CodeUnknownField, Text: "There is no such field, or it cannot be written here."},
	{Code: CodeInvalidParameter, Text: "The parameter is unknown here, given twice, or not what it takes."},
	{Code: CodeValidationFailed, Text: "It is not valid."},
}

// ruleTexts are rules that the sentences of [ruleDetails] do not cover, since
// they mean lengths and values both.
var ruleTexts = map[string]string{
	"gt": "It is not more, or not longer, than it must be.", "gte": "It is too small, too short or too few.",
	"lt": "It is not less, or not shorter, than it must be.", "lte": "It is too large, too long or too many.",
	"len": "It has another length than it must.", "eq": "It is another than it must be.",
}

// faultCodes are those that the list errors of a refusal may have, in order:
// the framework's, those of the rules of all inputs, and the program's own.
func (a *API) faultCodes() []CodeInfo {
	all := slices.Clone(builtinFaults)
	add := func(info CodeInfo) {
		if !slices.ContainsFunc(all, func(known CodeInfo) bool { return known.Code == info.Code }) {
			all = append(all, info)
		}
	}
	for _, info := range a.config.Codes {
		if info.isFault() {
			add(info)
		}
	}
	for _, r := range a.resources {
		for _, shape := range r.inputs {
			for _, rule := range shape.allRules() {
				add(CodeInfo{Code: rule.name, Text: rule.text()})
			}
		}
	}
	slices.SortFunc(all, func(a, b CodeInfo) int { return cmp.Compare(a.Code, b.Code) })
	return all
}

// text says what a broken rule means, whatever its parameter.
func (r rule) text() string {
	known, ok := ruleDetails[r.name]
	switch {
	case ruleTexts[r.name] != "":
		return ruleTexts[r.name]
	case !ok:
		return fmt.Sprintf("It must satisfy %q.", r.name)
	case known.param:
		return "It " + strings.ReplaceAll(fmt.Sprintf(known.detail, "..."), `"..."`, "...") + "."
	}
	return "It " + known.detail + "."
}

// allRules are those of every field, at any depth.
func (s *inputShape) allRules() (all []rule) {
	for _, f := range s.fields {
		for p := f.value; p != nil; p = p.elem {
			all = append(all, p.rules...)
			if p.nested != nil {
				all = append(all, p.nested.allRules()...)
			}
		}
	}
	return all
}

// isFault tells a code of faults from that of a refusal.
func (c CodeInfo) isFault() bool { return c.Status == 0 }
