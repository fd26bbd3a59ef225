// Package overhear lets a test look at what a handler is asked and answers,
// before the answer is sent.
package overhear

import (
	"bytes"
	"io"
	"maps"
	"net/http"
)

// An Answer is what a handler answered.
type Answer struct {
	Status int // 200 where the handler set none
	Header http.Header
	Body   []byte // empty for HEAD, as far as the handler leaves it so
}

// Handler calls look with each request of a handler, as it was before the
// handler had it, with what was read of its body, and with its answer, which is
// sent afterwards. It is safe for concurrent use if look is.
func Handler(next http.Handler, look func(asked *http.Request, sent []byte, answer Answer)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := r.Clone(r.Context()) // a handler may change what it is given
		asked.Body = http.NoBody
		var sent bytes.Buffer
		if r.Body != nil {
			r.Body = heard{io.TeeReader(r.Body, &sent), r.Body}
		}
		answer := &held{ResponseWriter: w}
		next.ServeHTTP(answer, r)
		answer.WriteHeader(http.StatusOK) // unless it was another
		look(asked, sent.Bytes(), Answer{answer.status, answer.header, answer.body.Bytes()})
		answer.send()
	})
}

// heard is a request's body of which is kept what was read.
type heard struct {
	io.Reader
	io.Closer
}

// A held answer is not sent before it was looked at.
type held struct {
	http.ResponseWriter

	status int
	header http.Header // as it was when the status was written
	body   bytes.Buffer
}

// WriteHeader implements [http.ResponseWriter].
func (h *held) WriteHeader(status int) {
	if h.status == 0 {
		h.status, h.header = status, h.Header().Clone()
	}
}

// Write implements [http.ResponseWriter].
func (h *held) Write(p []byte) (int, error) {
	h.WriteHeader(http.StatusOK)
	return h.body.Write(p)
}

// Unwrap lets [http.ResponseController] find what is below.
func (h *held) Unwrap() http.ResponseWriter { return h.ResponseWriter }

func (h *held) send() {
	clear(h.Header())
	maps.Copy(h.Header(), h.header)
	h.ResponseWriter.WriteHeader(h.status)
	_, _ = h.ResponseWriter.Write(h.body.Bytes()) // the client may be gone, or have asked by HEAD
}
