package httpserver

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// A body is a request's, which is not waited for without end. What is counted is
// the time that its reads take.
type body struct {
	io.ReadCloser

	limits  *Limits
	control *http.ResponseController
	conn    *conn // nil where it is not known
	waited  time.Duration
	came    int64
	asked   bool        // for any of it
	over    atomic.Bool // read to its end, or as far as it can be
	isCut   atomic.Bool // no more of it is waited for
}

// paced gives a request's body its limits. The request is a copy: net/http looks
// at its own.
func (s *Server) paced(w http.ResponseWriter, r *http.Request, c *conn) (*http.Request, *body) {
	b := &body{ReadCloser: r.Body, limits: &s.limits, control: http.NewResponseController(w), conn: c}
	b.expect(r)
	r = r.WithContext(r.Context())
	r.Body = b
	return r, b
}

// expect bounds the time for which net/http waits for what nobody reads, before
// it answers. HTTP/2 does not wait for that.
func (b *body) expect(r *http.Request) {
	if r.ProtoMajor == 1 && !b.over.Load() {
		_ = b.control.SetReadDeadline(time.Now().Add(b.limits.Stall)) // a body of another kind has no deadline
	}
}

// leftBytes is the most that is taken of a body that the handler left; net/http
// takes as much where it keeps the connection.
const leftBytes = 256 << 10

// finish takes what the handler left of a body whose connection ends with the
// answer. A client that still sends when it is closed is cut off before it has read
// that (RFC 9112, section 9.6); of a body that is longer net/http waits a moment.
func (b *body) finish(w http.ResponseWriter, r *http.Request) {
	ends := r.Close || w.Header().Get("Connection") == "close"
	sends := b.asked || r.Header.Get("Expect") == ""
	if r.ProtoMajor == 1 && ends && sends && !b.over.Load() {
		_, _ = io.Copy(io.Discard, http.MaxBytesReader(w, b, leftBytes))
	}
	b.expect(r)
}

// Read waits for more, but not longer than the limits have it.
func (b *body) Read(p []byte) (int, error) {
	if b.over.Load() {
		return b.ReadCloser.Read(p)
	}
	b.asked = true
	began := time.Now()
	_ = b.control.SetReadDeadline(began.Add(b.patience())) // as above
	if b.isCut.Load() {
		_ = b.control.SetReadDeadline(began)
	}
	b.conn.pause()
	n, err := b.ReadCloser.Read(p)
	b.conn.resume()
	b.waited += time.Since(began)
	b.came += int64(n)
	b.over.Store(err != nil)
	return n, err
}

// cut ends the wait for more, at any time before the handler ends; it is false if
// all has come.
func (b *body) cut() bool {
	b.isCut.Store(true) // for a Read that is about to give the next byte its time
	if b.over.Load() {
		return false
	}
	_ = b.control.SetReadDeadline(time.Now()) // as above
	return true
}

// patience is how long the next byte may take.
func (b *body) patience() time.Duration {
	earned := b.limits.Grace + time.Duration(b.came)*time.Second/time.Duration(b.limits.Pace)
	return min(b.limits.Stall, earned-b.waited, b.limits.Read-b.waited)
}
