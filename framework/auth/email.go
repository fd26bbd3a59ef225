package auth

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"trestle.example/framework"
)

const (
	maximumEmail = 254 // bytes, RFC 5321 section 4.5.3.1.3 less the angle brackets
	maximumName  = 200 // code points
)

// NormalizeEmail returns the form of an e-mail address that is stored and looked up:
// without surrounding space, in lower case, in Unicode form NFC. It returns an
// [InputError] if the text is not an address. An address has one "@" with something on
// both sides, no space, no control character, no invisible mark, and at most 254 bytes.
// NormalizeEmail does not check whether mail arrives.
func NormalizeEmail(email string) (string, error) {
	// The length is checked first, because folding takes time in proportion to it.
	if len(email) > 4*maximumEmail || !utf8.ValidString(email) {
		return "", notAnEmail("The e-mail address is not valid: it may have at most 254 bytes of UTF-8.")
	}
	normal := norm.NFC.String(strings.ToLower(strings.TrimSpace(email)))
	local, domain, _ := strings.Cut(normal, "@")
	switch {
	case normal == "":
		return "", invalid("email", "required", "An e-mail address is required.")
	case len(normal) > maximumEmail:
		return "", notAnEmail("The e-mail address is too long; it may have at most 254 bytes.")
	case strings.ContainsFunc(normal, isInvisible):
		return "", notAnEmail("The e-mail address holds a space or a control character; it must not.")
	case local == "" || domain == "" || strings.Contains(domain, "@"):
		return "", notAnEmail("The e-mail address must have one @ with something on both sides, as in asha@example.com.")
	}
	return normal, nil
}

// dottedI is the Turkish capital i with a dot (U+0130). Unicode form NFKC keeps it, but its
// lower case is the ASCII letter i, so an address with it would become another address. No
// other character has both properties.
const dottedI = "\u0130"

// ideographicStop is a full stop that domain names read as ".". There are two others. Unicode
// form NFKC maps U+FF0E to "." and U+FF61 to ideographicStop.
const ideographicStop = "\u3002"

// newEmail is [NormalizeEmail] for a new address. It also rejects an address that is not
// in its [plainForm], and an address with an invisible character: another account could
// look the same. NormalizeEmail accepts such addresses, so that users with such an address can sign
// in.
func newEmail(email string) (string, error) {
	typed := strings.TrimSpace(email)
	if len(typed) <= 4*maximumEmail && utf8.ValidString(typed) {
		if form := plainForm(typed); form != typed {
			return "", wrongForm(form)
		}
		if strings.ContainsFunc(typed, isIgnorable) {
			return "", notAnEmail("The e-mail address has a character that readers do not see; it must not.")
		}
	}
	return NormalizeEmail(email)
}

// plainForm returns an address in Unicode form NFKC, without [dottedI], and with "." as
// the only separator in its domain.
func plainForm(email string) string {
	form := strings.ReplaceAll(norm.NFKC.String(email), dottedI, "i")
	if local, domain, ok := strings.Cut(form, "@"); ok {
		form = local + "@" + strings.ReplaceAll(domain, ideographicStop, ".")
	}
	return form
}

// wrongForm returns an error that names the accepted form of an address, if there
// is one.
func wrongForm(form string) error {
	const detail = "The e-mail address has characters that stand for others"
	normal, err := NormalizeEmail(form)
	if err != nil || strings.ContainsFunc(normal, isIgnorable) {
		return notAnEmail(detail + "; write it in the usual characters.")
	}
	return notAnEmail(fmt.Sprintf("%s; write it as %q.", detail, normal))
}

// isIgnorable reports whether a character is usually not drawn (Unicode property
// Default_Ignorable_Code_Point, without the characters of [isInvisible]), or is the blank of
// Braille.
func isIgnorable(r rune) bool {
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) || r == '\u2800'
}

func notAnEmail(detail string) error { return invalid("email", "email", detail) }

// isInvisible reports whether a character is invisible: a space, a control character, or a
// format character (Unicode category Cf), such as a mark that changes the direction of text.
func isInvisible(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// normalizeName trims the name of a user, a group or a token. It returns an [InputError] if
// the name is not UTF-8, is not one line (see framework.IsLine), or has more than 200
// characters. An empty name is valid.
func normalizeName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if !utf8.ValidString(name) {
		return "", invalid("name", "not_utf8", "The name is not valid UTF-8.")
	}
	if !framework.IsLine(name) {
		return "", invalid("name", "line", "The name must be one line, without control characters and without those that turn the direction of writing.")
	}
	if utf8.RuneCountInString(name) > maximumName {
		return "", invalid("name", "max", "The name is too long; it may have at most 200 characters.")
	}
	return name, nil
}
