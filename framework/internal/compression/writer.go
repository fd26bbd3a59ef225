package compression

import (
	"bufio"
	"cmp"
	"errors"
	"net"
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"

	"trestle.example/framework/internal/conditional"
)

// A writer is what the server writes an answer to. At the first byte it decides whether the answer is compressed.
type writer struct {
	*gzhttp.GzipResponseWriter

	below   *sink
	slots   chan struct{}
	decided bool
	holds   bool // a slot
}

// decide lets the answer be compressed if it may be and there is a free slot.
func (w *writer) decide() {
	if w.decided {
		return
	}
	w.decided = true
	if isCompressible(w.Header()) {
		select {
		case w.slots <- struct{}{}:
			w.holds, w.below.compresses = true, true
			return
		default:
		}
	}
	w.Header().Set(gzhttp.HeaderNoCompression, "1") // gzhttp removes it
	_, _ = w.GzipResponseWriter.Write(nil)          // sends the headers now, because a flush may follow
}

// release makes the slot free.
func (w *writer) release() {
	if w.holds {
		<-w.slots
	}
}

// Write implements [http.ResponseWriter]. An error may be that of an earlier write, because the compressor keeps bytes back.
func (w *writer) Write(p []byte) (int, error) {
	w.decide()
	n, err := w.GzipResponseWriter.Write(p)
	return n, cmp.Or(err, w.below.failed)
}

// FlushError sends what was written so far: [http.ResponseController] calls it.
func (w *writer) FlushError() error {
	w.decide()
	w.GzipResponseWriter.Flush()
	return w.below.failed
}

// Flush implements [http.Flusher].
func (w *writer) Flush() { _ = w.FlushError() }

// Hijack implements [http.Hijacker].
func (w *writer) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return http.NewResponseController(w.below.ResponseWriter).Hijack()
}

// A sink is the writer below a compressor.
type sink struct {
	http.ResponseWriter

	request    *http.Request
	compresses bool
	aborted    bool // nothing more is sent
	failed     error
}

// Unwrap lets [http.ResponseController] find the methods of the wrapped writer.
func (s *sink) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// WriteHeader implements [http.ResponseWriter]. It makes the ETag of a compressed answer weak, and that of a 304 if the client has
// the compressed answer.
func (s *sink) WriteHeader(status int) {
	h := s.Header()
	tag := h.Get(conditional.HeaderETag)
	strong := strings.HasPrefix(tag, `"`)
	if strong && (s.compresses && h.Get("Content-Encoding") != "" || status == http.StatusNotModified && s.names("W/"+tag)) {
		h.Set(conditional.HeaderETag, "W/"+tag)
	}
	s.ResponseWriter.WriteHeader(status)
}

// names reports whether If-None-Match of the request has a tag.
func (s *sink) names(tag string) bool {
	return strings.Contains(strings.Join(s.request.Header.Values(conditional.HeaderIfNoneMatch), ","), tag)
}

// Write implements [http.ResponseWriter].
func (s *sink) Write(p []byte) (n int, err error) {
	if s.aborted {
		return 0, http.ErrAbortHandler
	}
	n, err = s.ResponseWriter.Write(p)
	s.fail(err)
	return n, err
}

// Flush implements [http.Flusher].
func (s *sink) Flush() {
	if err := http.NewResponseController(s.ResponseWriter).Flush(); !errors.Is(err, http.ErrNotSupported) {
		s.fail(err)
	}
}

// FlushError sends what was written so far, for an answer that is not compressed.
func (s *sink) FlushError() error { return http.NewResponseController(s.ResponseWriter).Flush() }

func (s *sink) fail(err error) { s.failed = cmp.Or(s.failed, err) }
