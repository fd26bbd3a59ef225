package web

import (
	"net/http"
	"net/url"
	"strings"
)

// plainlySpelt returns the request with the unreserved characters of its path decoded, because
// both spellings mean the same (RFC 3986, section 6.2.2.2). Other escapes stay: an encoded
// slash is part of its segment. Dot segments stay too; a route takes them as ordinary segments.
// The guards have checked every spelling of the path before.
func plainlySpelt(r *http.Request) *http.Request {
	raw := r.URL.RawPath
	if raw == "" {
		return r
	}
	plain := decodeUnreserved(raw)
	if plain == raw {
		return r
	}
	at := *r.URL
	if at.RawPath = plain; (&url.URL{Path: at.Path}).EscapedPath() == plain {
		at.RawPath = "" // net/url sets RawPath only if Path has a different default encoding
	}
	other := *r
	other.URL = &at
	return &other
}

// decodeUnreserved decodes the percent-encoded unreserved characters of a path
// that net/url has parsed.
func decodeUnreserved(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] != '%' {
			b.WriteByte(path[i])
			continue
		}
		triplet := path[i : i+3]
		if c, err := url.PathUnescape(triplet); err == nil && isUnreserved(c[0]) {
			triplet = c
		}
		b.WriteString(triplet)
		i += 2
	}
	return b.String()
}

// isUnreserved reports whether a byte is unreserved (RFC 3986, section 2.3).
func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}
