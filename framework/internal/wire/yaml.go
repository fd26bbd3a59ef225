package wire

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

// FormatYAML writes an object or an array of [ReadOrdered] as YAML with the same meaning in
// versions 1.1 and 1.2: text that either version could read as another value is quoted as
// in JSON. It returns "" for any other value, and for one without parts.
func FormatYAML(value any, indent string) string {
	var b strings.Builder
	switch value := value.(type) {
	case Members:
		for _, one := range value {
			b.WriteString(indent + yamlWord(one.Name) + ":" + yamlAfter(one.Value, indent+"  "))
		}
	case []any:
		for _, one := range value {
			b.WriteString(indent + "-" + yamlItem(one, indent+"  "))
		}
	}
	return b.String()
}

// yamlAfter returns the YAML of a value after the name of its member.
func yamlAfter(value any, indent string) string {
	if line, ok := yamlLine(value, indent); ok {
		return " " + line + "\n"
	}
	return "\n" + FormatYAML(value, indent)
}

// yamlItem returns the YAML of a value after the dash of a list. Its first line is on the
// line of the dash.
func yamlItem(value any, indent string) string {
	if line, ok := yamlLine(value, indent); ok {
		return " " + line + "\n"
	}
	return " " + strings.TrimPrefix(FormatYAML(value, indent), indent)
}

// yamlLine returns the YAML of a value that begins on the line of its name. It returns
// false for an object or an array with parts.
func yamlLine(value any, indent string) (string, bool) {
	switch value := value.(type) {
	case Members:
		return "{}", len(value) == 0
	case []any:
		return "[]", len(value) == 0
	case string:
		return yamlText(value, indent), true
	case jsontext.Value:
		return string(value), true
	}
	return "null", true
}

// yamlText returns the YAML of a text. Several lines of printable ASCII are a block, unless a line
// begins with a space, or the first or the last line is empty. A text of letters, digits and a few
// signs stays as it is if it begins with a letter, / or $, unless it ends with a space, or YAML
// reads it as a boolean or as null. Any other text is quoted.
func yamlText(text, indent string) string {
	if strings.Contains(text, "\n") && yamlBlock.MatchString(text) {
		return "|-\n" + indent + strings.ReplaceAll(strings.ReplaceAll(text, "\n", "\n"+indent), "\n"+indent+"\n", "\n\n")
	}
	return yamlWord(text)
}

func yamlWord(text string) string {
	if yamlPlain.MatchString(text) && !strings.HasSuffix(text, " ") && !yamlReserved(text) {
		return text
	}
	return quoted(text)
}

var (
	yamlPlain = regexp.MustCompile(`^[A-Za-z/$][A-Za-z0-9 _./{}$()'-]*$`)
	yamlBlock = regexp.MustCompile(`^[!-~][ -~]*(\n|\n[!-~][ -~]*)*\n[!-~][ -~]*$`)
)

// yamlReserved reports whether YAML 1.1 reads a word as a boolean or as null.
func yamlReserved(word string) bool {
	return slices.Contains([]string{"y", "n", "yes", "no", "on", "off", "true", "false", "null"}, strings.ToLower(word))
}

// quoted returns a text in quotes that JSON and YAML read alike. It escapes what YAML
// takes for the end of a line or does not allow, and marks that change the direction of writing.
func quoted(text string) string {
	var b strings.Builder
	for _, r := range string(AppendJSON(nil, text)) {
		if r >= 0x7f && r <= 0x9f || r == 0x2028 || r == 0x2029 || r == 0xfeff || unicode.Is(unicode.Bidi_Control, r) {
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
