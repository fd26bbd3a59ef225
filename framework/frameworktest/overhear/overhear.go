// Package overhear shows a test each request to a handler and its answer, before the
// answer is sent.
package overhear

import (
	"bytes"
	"io"
	"maps"
	"net/http"
)

// An Answer is the answer of a handler.
type Answer struct {
	Status int // 200 if the handler set none
	Header http.Header
	Body   []byte // empty for HEAD if the handler writes no body
}

// Handler wraps a handler. For each request it calls look before it sends the answer.
// look gets the request before the handler changed it, the part of the body that the
// handler read, and the answer. It is safe for concurrent use if look is.
func Handler(next http.Handler, look func(asked *http.Request, sent []byte, answer Answer)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := r.Clone(r.Context()) // a handler may change the request
		asked.Body = http.NoBody
		var sent bytes.Buffer
		if r.Body != nil {
			r.Body = copiedBody{io.TeeReader(r.Body, &sent), r.Body}
		}
		answer := &heldAnswer{ResponseWriter: w}
		next.ServeHTTP(answer, r)
		answer.WriteHeader(http.StatusOK) // has no effect if the handler set a status
		look(asked, sent.Bytes(), Answer{answer.status, answer.header, answer.body.Bytes()})
		answer.send()
	})
}

// copiedBody is the body of a request that copies what is read.
type copiedBody struct {
	io.Reader
	io.Closer
}

// A heldAnswer is sent after look has returned.
type heldAnswer struct {
	http.ResponseWriter

	status int
	header http.Header // a copy from when the status was written
	body   bytes.Buffer
}

// WriteHeader implements [http.ResponseWriter].
func (h *heldAnswer) WriteHeader(status int) {
	if h.status == 0 {
		h.status, h.header = status, h.Header().Clone()
	}
}

// Write implements [http.ResponseWriter].
func (h *heldAnswer) Write(p []byte) (int, error) {
	h.WriteHeader(http.StatusOK)
	return h.body.Write(p)
}

// Flush implements [http.Flusher]. It has no effect, because the answer is held.
func (h *heldAnswer) Flush() { h.WriteHeader(http.StatusOK) }

// Unwrap returns the writer below. [http.ResponseController] calls it.
func (h *heldAnswer) Unwrap() http.ResponseWriter { return h.ResponseWriter }

func (h *heldAnswer) send() {
	clear(h.Header())
	maps.Copy(h.Header(), h.header)
	h.ResponseWriter.WriteHeader(h.status)
	_, _ = h.ResponseWriter.Write(h.body.Bytes()) // fails if the client disconnected, or for HEAD
}
