package naming

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsOrigin reports whether a text is an origin, written as browsers send it: http or https
// and a host in lower case, without a path, the scheme's usual port or *.
func IsOrigin(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || strings.Contains(text, "*") {
		return false
	}
	usual := map[string]string{"https": "443", "http": "80"}[u.Scheme]
	return u.Port() != usual && !strings.HasSuffix(u.Host, ":") && text == strings.ToLower(u.Scheme+"://"+u.Host)
}

// Clip returns a text of at most 200 bytes unchanged. It cuts a longer text there, at the
// start of a character, and adds "...".
func Clip(text string) string {
	const most = 200
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "..."
}

// KnownMethods are the methods of HTTP that the router, logs and metrics know.
var KnownMethods = []string{ //nolint:gochecknoglobals // a table, which nothing changes
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
	http.MethodOptions, http.MethodTrace, http.MethodConnect, "PROPFIND", "REPORT",
}

// MethodOf returns the method of the endpoint that serves a request: GET for HEAD.
func MethodOf(r *http.Request) string {
	if r.Method == http.MethodHead {
		return http.MethodGet
	}
	return r.Method
}

// Printable returns a method of [KnownMethods] unchanged, and "This method" for any other.
func Printable(method string) string {
	if slices.Contains(KnownMethods, method) {
		return method
	}
	return "This method"
}

// Legible returns a client's text for the log. A text with line breaks, control
// characters, invisible characters or invalid UTF-8 is escaped as a whole, as in a URL.
func Legible(text string) string {
	if !strings.ContainsFunc(text, isUnseen) {
		return text
	}
	return (&url.URL{Path: text}).EscapedPath()
}

// isUnseen reports whether a character is invisible, or is not valid UTF-8.
func isUnseen(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }

// Sentence makes an error that a developer or a client reads as it is.
func Sentence(format string, args ...any) error { return fmt.Errorf(format, args...) }

// IsBlank reports whether nothing of a text is visible: it has only white space, control
// characters, characters without width and the blank of Braille.
func IsBlank(text []byte) bool {
	return !bytes.ContainsFunc(text, func(r rune) bool {
		return r != '\u2800' && !unicode.In(r, unicode.White_Space, unicode.Cc, unicode.Cf,
			unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	})
}

// IsLine reports whether a text satisfies the rule "line" of inputs. A program can use it for
// text that does not come from an input. The text must have no control characters, no line or
// paragraph separators and no bidirectional controls (Unicode property Bidi_Control).
// Characters that join letters or keep them apart (U+200C, U+200D) pass, because several
// scripts need them. Empty text passes. IsLine is safe for concurrent use.
func IsLine(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control)
	})
}

// IsPathKey reports whether a text satisfies the rule "key" of inputs: as a key in a path, no client,
// proxy or server changes it. It must not be "." or "..", and must have no slash, no backslash and no
// control characters. Empty text passes.
func IsPathKey(text string) bool {
	return text != "." && text != ".." && !strings.ContainsFunc(text, func(r rune) bool {
		return r == '/' || r == '\\' || unicode.IsControl(r)
	})
}

// HasBidiControl reports whether a text has a character that turns the direction of writing.
func HasBidiControl(text []byte) bool {
	return bytes.ContainsFunc(text, func(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) })
}

// Character classes of patterns: the characters that IsLine rejects (unseen), the
// characters that IsBlank ignores (blanks), and the blanks that IsLine accepts (Skips).
// Control characters and white space are escapes that every engine has. Blanks beyond
// U+FFFF are missing, because some engines cannot read them in a class; so a schema accepts a
// little more than the server, and never less.
const (
	unseen = `\x00-\x1f\x7f-\x9f` + "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
	Skips  = ` ` + "\u00a0\u00ad\u034f\u115f\u1160\u1680\u17b4\u17b5\u180e\u2000-\u200d\u202f\u205f-\u2065\u206a-\u206f\u2800\u3000\u3164\ufeff\uffa0\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u180b-\u180d\u180f\ufe00-\ufe0f\ufff0-\ufffb"
	blanks = `\s\x00-\x1f\x7f-\x9f` + "\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufeff\uffa0\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u180b-\u180d\u180f\ufe00-\ufe0f\ufff0-\ufffb"
)

// Patterns of text that is not blank, of one line of text, and of a line that is not
// blank.
const (
	FilledPattern     = `[^` + blanks + `]`
	LinePattern       = `^[^` + unseen + `]*$`
	FilledLinePattern = `^[` + Skips + `]*[^` + blanks + `][^` + unseen + `]*$` // linear: no character is in the first two classes
)

// HeaderText percent-encodes the bytes of a name that are not visible ASCII, and the characters
// % , ; " and ?. It cuts a name of more than 64 bytes and adds "...".
func HeaderText(name string) string {
	const keep = 64
	if len(name) > keep {
		name = name[:keep] + "..."
	}
	var b strings.Builder
	for i := range len(name) {
		ch := name[i]
		if ch > ' ' && ch < 0x7f && !strings.ContainsRune(`%,;"?`, rune(ch)) {
			b.WriteByte(ch)
			continue
		}
		b.WriteByte('%')
		b.WriteByte("0123456789ABCDEF"[ch>>4])
		b.WriteByte("0123456789ABCDEF"[ch&15])
	}
	return b.String()
}
