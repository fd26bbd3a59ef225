package httpserver

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// A body is the body of a request with time limits. Only the time inside Read counts toward
// the limit of the whole body, not the time between two reads.
type body struct {
	io.ReadCloser

	limits  *Limits
	control *http.ResponseController
	conn    *conn         // nil if it is not known
	waited  time.Duration // how long all reads took
	came    int64         // bytes that arrived
	asked   bool          // Read was called: net/http sent 100 Continue if the client waited for it
	long    bool          // the limit Read does not apply
	over    atomic.Bool   // the body was read to its end, or a read failed
}

// limitBody returns a copy of the request whose body has limits. net/http keeps the original
// request.
func (s *Server) limitBody(w http.ResponseWriter, r *http.Request, c *conn) (*http.Request, *body) {
	b := &body{ReadCloser: r.Body, limits: &s.limits, control: http.NewResponseController(w), conn: c}
	b.expect(r)
	r = r.WithContext(r.Context())
	r.Body = b
	return r, b
}

// expect limits to Stall how long net/http waits, before it answers, for the rest of a body
// that the handler does not read. With HTTP/2 net/http does not wait.
func (b *body) expect(r *http.Request) {
	if r.ProtoMajor == 1 && !b.over.Load() {
		_ = b.control.SetReadDeadline(time.Now().Add(b.limits.Stall)) // on an error the writer has no deadline
	}
}

// leftBytes is how many bytes of an unread body the server reads and drops at most. net/http
// has the same limit if it keeps the connection.
const leftBytes = 256 << 10

// finish calls [body.expect]. If an HTTP/1 request ends its connection and its body was not read
// to its end, finish also sends the answer and then reads at most leftBytes of the rest. Without
// this, net/http would close the connection at once, and a client that still sends would lose
// the answer (RFC 9112, section 9.6). finish reads nothing if the client waits for 100 Continue
// and did not get it, because such a client sends no body.
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

// Read waits for bytes within the limits. If a limit is exceeded, the error is
// [os.ErrDeadlineExceeded].
func (b *body) Read(p []byte) (int, error) {
	if b.over.Load() {
		return b.ReadCloser.Read(p)
	}
	b.asked = true
	began := time.Now()
	_ = b.control.SetReadDeadline(began.Add(b.waitLimit())) // the error is ignored as in expect
	b.conn.pause()
	n, err := b.ReadCloser.Read(p)
	b.conn.resume()
	b.waited += time.Since(began)
	b.came += int64(n)
	b.over.Store(err != nil)
	return n, err
}

// LiftTotal removes the limit [Limits].Read from this body, for an upload that takes longer. The
// limits Stall, Grace and Pace still apply. A handler finds the method by a type assertion on the
// body of its request.
func (b *body) LiftTotal() { b.long = true }

// waitLimit returns how long the next read may wait. It is not above zero if a limit is used up.
func (b *body) waitLimit() time.Duration {
	came := min(b.came, 1<<32) // more would overflow, and this many earn days already
	earned := b.limits.Grace + time.Duration(came)*time.Second/time.Duration(b.limits.Pace)
	if b.long {
		return min(b.limits.Stall, earned-b.waited)
	}
	return min(b.limits.Stall, earned-b.waited, b.limits.Read-b.waited)
}
