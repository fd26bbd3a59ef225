package web

import (
	"net/http"

	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/table"
)

// A streamed is the writer of a Stream. It counts what is written.
type streamed struct {
	http.ResponseWriter

	status int
	bytes  int64
}

// WriteHeader implements [http.ResponseWriter].
func (w *streamed) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (w *streamed) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets [http.ResponseController] find the methods of the wrapped writer.
func (w *streamed) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// stream sends an answer that writes itself, and reports the outcome. An error before the status
// is the answer. After the status it ends the connection, so that the client does not take a
// part for the whole.
func (s *server) stream(w http.ResponseWriter, x *exchange, resp *table.Response) {
	sent := &streamed{ResponseWriter: w}
	_, err := protect(func() (*table.Response, error) { return nil, resp.Stream(sent, x.Request()) })
	x.gone = x.hungUp() || x.Request().Context().Err() != nil
	if err != nil && sent.status == 0 {
		s.finish(x, x.Request(), s.sendError(w, x, access.AsError(err)), err)
		return
	}
	x.written = sent.bytes
	if err != nil {
		s.finish(x, x.Request(), http.StatusInternalServerError, err)
		panic(http.ErrAbortHandler)
	}
	s.finish(x, x.Request(), sent.status, nil)
}
