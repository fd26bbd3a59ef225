package auth

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maximumEmail = 254 // bytes, RFC 5321 section 4.5.3.1.3 less the angle brackets
	maximumName  = 200 // code points
)

// NormalizeEmail returns the form of an e-mail address that is stored and
// looked up: without surrounding space, in lower case, in Unicode form NFC. It
// returns an [InputError] for what is no address: there must be one "@" with
// something on both sides, no space or control character, and at most 254
// bytes. Whether mail arrives is for a message to find out.
func NormalizeEmail(email string) (string, error) {
	// Measured first: folding costs time by length.
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
	case strings.ContainsFunc(normal, unseen):
		return "", notAnEmail("The e-mail address holds a space or a control character; it must not.")
	case local == "" || domain == "" || strings.Contains(domain, "@"):
		return "", notAnEmail("The e-mail address must have one @ with something on both sides, as in asha@example.com.")
	}
	return normal, nil
}

func notAnEmail(detail string) error { return invalid("email", "email", detail) }

// unseen finds what a reader would not: spaces, control characters, and the
// marks that turn or hide text.
func unseen(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// normalizeName trims the name of a user, a group or a token.
func normalizeName(name string) (string, error) {
	name = strings.TrimSpace(name)
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return "", invalid("name", "name", "The name holds a control character or is not valid UTF-8.")
	}
	if utf8.RuneCountInString(name) > maximumName {
		return "", invalid("name", "max", "The name is too long; it may have at most 200 characters.")
	}
	return name, nil
}
