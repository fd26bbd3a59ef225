package web

import (
	"net/http"
	"net/url"
	"strings"
)

// plainlySpelt returns a request whose path is routed as if its percent-encoded
// unreserved characters were written plainly, since they mean the same (RFC 3986,
// section 6.2.2.2). Anything else stays as it was sent: an encoded slash is part
// of its segment. Dot segments are never removed, encoded or not, so they lead
// nowhere. The guards have seen the request by then, in every spelling.
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
		at.RawPath = "" // as net/url leaves a path that it would write alike
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
