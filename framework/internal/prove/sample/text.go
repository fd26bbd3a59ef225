package sample

import (
	"strings"

	"trestle.example/framework/internal/rule"
)

// Text changes a random text so that it satisfies the rules of a field that have no pattern: a telephone number, a
// beginning, an end. It keeps the length.
func Text(text string, rules []rule.Rule) string {
	for _, r := range rules {
		switch r.Name {
		case "e164":
			return "+1555" + digits(text)
		case "startswith":
			text = r.Param + text[min(len(r.Param), len(text)):]
		case "endswith":
			text = text[:max(0, len(text)-len(r.Param))] + r.Param
		}
	}
	return text
}

// digits returns seven digits that depend on a text.
func digits(text string) string {
	const many = 7
	var made strings.Builder
	for i := range many {
		made.WriteByte('0' + text[max(0, len(text)-1-i)]%10)
	}
	return made.String()
}
