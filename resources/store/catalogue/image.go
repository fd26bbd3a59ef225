package catalogue

import (
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"trestle.example/framework"
)

// An ImageURL is where a picture lies: an absolute https address of at most
// 2048 bytes that names no user. The server hands it on and never fetches it.
type ImageURL string

const longestURL = 2048

const (
	errImage     = framework.ValueError("must be an absolute https address of a host, without a user, spaces, quotes, < > and backslashes")
	errImageLong = framework.ValueError("must have at most 2048 bytes")
)

// invisible has characters of a class that are not shown. misread rejects them too.
const invisible = "\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"

// JSONSchemaBytes is the schema of the type in the OpenAPI document.
func (ImageURL) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{"type":"string","format":"uri","pattern":"^[hH][tT][tT][pP][sS]://([A-Za-z0-9][A-Za-z0-9.-]*|\\[[0-9A-Fa-f:.]+\\])(:[0-9]+)?([/?#][^\\s\\x00-\\x1f\\x7f-\\x9f` + invisible +
		`\"<>\\\\` + "`" + `]*)?$","maxLength":2048,` +
		`"examples":["https://images.example.org/atta.webp"]}`), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (u *ImageURL) UnmarshalText(text []byte) error {
	address := string(text)
	if len(address) > longestURL {
		return errImageLong
	}
	parsed, err := url.Parse(address)
	switch {
	case err != nil, parsed.Scheme != "https", parsed.User != nil:
		return errImage
	case strings.ContainsFunc(address, misread), !isHost(parsed.Hostname()), !isPort(parsed):
		return errImage
	}
	*u = ImageURL(address)
	return nil
}

// misread reports whether browsers drop a character from an address, or pages take it
// for the end of one.
func misread(r rune) bool {
	return unicode.IsSpace(r) || !unicode.IsGraphic(r) || strings.ContainsRune("\\\"<>`", r)
}

// isHost takes an IP address, or a name of letters, digits, hyphens and dots.
// Names in other scripts are written as the DNS has them, xn--.
func isHost(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Zone() == "" || hostName.MatchString(host)
}

var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$`)

// isPort takes an address without a port, or with one from 1 to 65535.
func isPort(u *url.URL) bool {
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	return !strings.HasSuffix(u.Host, ":") && (u.Port() == "" || err == nil && port > 0)
}
