package store

import (
	"net/url"
	"strings"
	"unicode"

	"trestle.example/framework"
)

// An ImageURL is where a picture lies: an absolute https address of at most
// 2048 bytes that names no user. The server hands it on and never fetches it.
type ImageURL string

const longestURL = 2048

const (
	errImage     = framework.ValueError("must be an absolute https address, without a user")
	errImageLong = framework.ValueError("must have at most 2048 bytes")
)

// UnmarshalText implements [encoding.TextUnmarshaler].
func (u *ImageURL) UnmarshalText(text []byte) error {
	address := string(text)
	if len(address) > longestURL {
		return errImageLong
	}
	parsed, err := url.Parse(address)
	switch {
	case err != nil, parsed.Scheme != "https", parsed.Hostname() == "", parsed.User != nil:
		return errImage
	case strings.ContainsFunc(address, unprinted), strings.Contains(address, `\`):
		return errImage
	}
	*u = ImageURL(address)
	return nil
}

// unprinted tells of what browsers drop from an address or mistake for its end.
func unprinted(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }
