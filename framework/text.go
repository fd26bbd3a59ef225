package framework

import (
	"bytes"
	"strings"
	"unicode"
)

// isBlank reports whether nobody would see anything of a text: it has white
// space, control characters and characters without width alone.
func isBlank(text []byte) bool {
	return !bytes.ContainsFunc(text, func(r rune) bool {
		return !unicode.In(r, unicode.White_Space, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	})
}

// IsLine reports whether a text is one line that reads as it is stored. This is
// the rule "line" of inputs, for a name that a program takes by other means; the
// code of its fault is "line" too. Control characters, line and paragraph
// separators and bidirectional controls (Unicode property Bidi_Control) fail.
// Characters that join letters or keep them apart (U+200C, U+200D) pass, since
// several scripts are written with them. It is safe for concurrent use.
func IsLine(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
	})
}

// The characters that IsLine refuses, those that isBlank ignores, and those of the latter
// that IsLine takes, inside a class of a pattern: control characters and white space as escapes that every engine has, the
// others as themselves. Rare blanks are missing, so that a schema takes a little more
// than the server and never less.
const (
	unseen = `\x00-\x1f\x7f-\x9f` + "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
	skips  = ` ` + "\u00a0\u00ad\u1680\u180e\u2000-\u200d\u202f\u205f-\u2065\u206a-\u206f\u3000\ufeff"
	blanks = `\s\x00-\x1f\x7f-\x9f` + "\u00a0\u00ad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
)

// Patterns of text that is not blank, of one line of text, and of a line that is not
// blank.
const (
	filledPattern     = `[^` + blanks + `]`
	linePattern       = `^[^` + unseen + `]*$`
	filledLinePattern = `^[` + skips + `]*[^` + blanks + `][^` + unseen + `]*$` // linear: no character is in the first two classes
)
