package httpserver

import (
	"bytes"
	"net/http"
	"sync/atomic"
)

// lengths notes whether a line that begins with the field name Content-Length ever came
// by a connection. net/http deletes the field from a chunked request before a handler
// sees it, and reads ahead, so the request of the line is unknown.
type lengths struct {
	came atomic.Bool
	at   int // how much of lengthLine the last bytes are
}

const lengthLine = "\ncontent-length"

// read takes what came. A body with such a line counts too.
func (l *lengths) read(p []byte) {
	for len(p) > 0 && !l.came.Load() {
		if l.at == 0 { // most of what comes has no part of it
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

// next takes a byte after the beginning of a line.
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

// endsAfter ends the connection after a request that has both Transfer-Encoding and
// Content-Length: a proxy before the server may have taken another place for its
// end (RFC 9112, section 6.1). It also ends the connection after a chunked request if an
// earlier one had a Content-Length; the client connects again. By TLS of the server's own it is not known, for what
// comes is encrypted here. It also ends the connection after each request by HTTP/1.0:
// net/http hides the Transfer-Encoding of these, which has no meaning there.
func (c *conn) endsAfter(w http.ResponseWriter, r *http.Request) {
	if !r.ProtoAtLeast(1, 1) || c != nil && len(r.TransferEncoding) > 0 && c.lengths.came.Load() {
		w.Header().Set("Connection", "close")
	}
}
