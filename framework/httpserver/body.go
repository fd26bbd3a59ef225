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
	asked   bool        // something was read of it, which sends 100 Continue to a client that waits for that
	over    atomic.Bool // read to its end, or as far as it can be
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

// finish sends the answer and takes what the handler left of a body where the client
// ends the connection, for no longer than it may stall: net/http would close it then,
// and a client that still sends is cut off before it has read the answer (RFC 9112,
// section 9.6). After a body that is longer net/http waits for a moment. Who waits to
// be asked for a body, and was not, sends none.
func (b *body) finish(w http.ResponseWriter, r *http.Request) {
	b.expect(r)
	if r.ProtoMajor > 1 || !r.Close || b.over.Load() || !b.asked && r.Header.Get("Expect") != "" {
		return
	}
	if b.control.Flush() == nil {
		b.conn.pause()
		_, _ = io.Copy(io.Discard, http.MaxBytesReader(w, b.ReadCloser, leftBytes))
		b.conn.resume()
	}
}

// Read waits for more, but not longer than the limits have it.
func (b *body) Read(p []byte) (int, error) {
	if b.over.Load() {
		return b.ReadCloser.Read(p)
	}
	b.asked = true
	began := time.Now()
	_ = b.control.SetReadDeadline(began.Add(b.patience())) // as above
	b.conn.pause()
	n, err := b.ReadCloser.Read(p)
	b.conn.resume()
	b.waited += time.Since(began)
	b.came += int64(n)
	b.over.Store(err != nil)
	return n, err
}

// patience is how long the next byte may take.
func (b *body) patience() time.Duration {
	earned := b.limits.Grace + time.Duration(b.came)*time.Second/time.Duration(b.limits.Pace)
	return min(b.limits.Stall, earned-b.waited, b.limits.Read-b.waited)
}
