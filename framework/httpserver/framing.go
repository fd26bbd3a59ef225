package httpserver

import (
	"bytes"
	"net/http"
	"sync/atomic"
)

// lengths records whether any line on a connection began with the field name
// Content-Length. net/http deletes the field from a chunked request before the handler
// sees it, and reads ahead, so it is not known to which request the line belongs.
type lengths struct {
	came atomic.Bool
	at   int // how many bytes of lengthLine the last bytes match
}

const lengthLine = "\ncontent-length"

// read looks in bytes that arrived for a line that begins with Content-Length. A line in a body
// counts too.
func (l *lengths) read(p []byte) {
	for len(p) > 0 && !l.came.Load() {
		if l.at == 0 { // the usual case: no part of the line
			next := bytes.IndexByte(p, lengthLine[0])
			if next < 0 {
				return
			}
			p, l.at = p[next+1:], 1
			continue
		}
		l.next(p[0])
		p = p[1:]
	}
}

// next checks the byte after a partial match.
func (l *lengths) next(b byte) {
	if 'A' <= b && b <= 'Z' {
		b += 'a' - 'A'
	}
	switch {
	case b == lengthLine[0]:
		l.at = 1
	case b != lengthLine[l.at]:
		l.at = 0
	default:
		l.at++
	}
	if l.at == len(lengthLine) {
		l.came.Store(true)
	}
}

// endsAfter closes the connection after a request that has both Transfer-Encoding and
// Content-Length, because a proxy may have found another end of the request (RFC 9112,
// section 6.1). It also closes the connection after a chunked request if another request on
// it had a Content-Length, see [lengths]; the client connects again. With the server's own TLS
// neither rule applies, because the bytes are encrypted here. endsAfter always closes the
// connection after an HTTP/1.0 request, because net/http hides its Transfer-Encoding.
func (c *conn) endsAfter(w http.ResponseWriter, r *http.Request) {
	if !r.ProtoAtLeast(1, 1) || c != nil && len(r.TransferEncoding) > 0 && c.lengths.came.Load() {
		w.Header().Set("Connection", "close")
	}
}
