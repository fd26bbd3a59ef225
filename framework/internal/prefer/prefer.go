package prefer

import "strings"

// The header of a request, the header of an answer that honours it, and the value that both have.
const (
	Header        = "Prefer"
	HeaderApplied = "Preference-Applied"
	ReturnMinimal = "return=minimal"
)

// Minimal reports whether the values of the header prefer an answer without a body: the first preference named return has the
// value minimal. Names of preferences do not depend on case, values do. Other preferences have no effect, and neither has a
// value that is malformed: a preference is never an error.
func Minimal(values []string) bool {
	for _, preference := range split(strings.Join(values, ","), ',') {
		first := split(preference, ';')[0] // the others are its parameters
		name, value, _ := strings.Cut(first, "=")
		if strings.EqualFold(strings.TrimSpace(name), "return") {
			return unquoted(strings.TrimSpace(value)) == "minimal"
		}
	}
	return false
}

// split splits a text at a separator outside of quoted strings.
func split(text string, separator byte) (parts []string) {
	start, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
			quoted = !quoted
		case quoted && text[i] == '\\':
			i++ // the next character is escaped
		case !quoted && text[i] == separator:
			parts, start = append(parts, text[start:i]), i+1
		}
	}
	return append(parts, text[start:])
}

// unquoted returns the value of a quoted string. It returns any other text as it is.
func unquoted(text string) string {
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return text
	}
	return strings.ReplaceAll(text[1:len(text)-1], `\`, "")
}
