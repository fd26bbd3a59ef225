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
