package contract

import (
	"regexp/syntax"
	"strings"
	"unicode"
)

// matchPattern generates text that matches a pattern. It tries up to 20 times to get a length
// from least to most; then it returns the last text. If the pattern is invalid, it returns
// any text.
func (m maker) matchPattern(pattern string, least, most int) string {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return m.word(max(least, 1))
	}
	text := ""
	for range 20 {
		var b strings.Builder
		m.match(&b, parsed.Simplify())
		if text = strings.TrimSpace(b.String()); !strings.HasSuffix(pattern, "$") {
			text += m.letters(3)
		}
		if n := len([]rune(text)); n >= least && n <= most {
			break
		}
	}
	return text
}

// mostRepeats is how often an unbounded part is repeated at most.
const mostRepeats = 4

func (m maker) match(b *strings.Builder, r *syntax.Regexp) {
	switch r.Op {
	case syntax.OpLiteral:
		b.WriteString(string(r.Rune))
	case syntax.OpCharClass:
		b.WriteRune(m.inClass(r))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteString(m.letters(1))
	case syntax.OpStar:
		m.repeat(b, r, 0, mostRepeats)
	case syntax.OpPlus:
		m.repeat(b, r, 1, mostRepeats)
	case syntax.OpQuest:
		m.repeat(b, r, 0, 1)
	case syntax.OpAlternate:
		m.match(b, oneOf(m, r.Sub))
	case syntax.OpConcat, syntax.OpCapture:
		for _, part := range r.Sub {
			m.match(b, part)
		}
	default: // anchors and empty parts
	}
}

// inClass returns a character of a class: a visible one, if the class has letters.
func (m maker) inClass(r *syntax.Regexp) rune {
	at := m.dice.IntN(len(r.Rune)/2) * 2
	found := r.Rune[at] + m.dice.Int32N(min(r.Rune[at+1]-r.Rune[at], 25)+1)
	if unicode.IsGraphic(found) && !unicode.IsSpace(found) {
		return found
	}
	letter := rune(letters[m.dice.IntN(len(letters))])
	for at := 0; at < len(r.Rune); at += 2 {
		if r.Rune[at] <= letter && letter <= r.Rune[at+1] {
			return letter
		}
	}
	return found
}

func (m maker) repeat(b *strings.Builder, r *syntax.Regexp, least, most int) {
	for range least + m.dice.IntN(most-least+1) {
		m.match(b, r.Sub[0])
	}
}
