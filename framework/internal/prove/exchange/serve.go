package exchange

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"

	"trestle.example/framework/internal/fault"
)

// Serve lets a handler answer the request.
func (r Request) Serve(ctx context.Context, handler http.Handler) (*Answer, error) {
	sent, err := r.Received(ctx)
	if err != nil {
		return nil, err
	}
	if r.Body != nil && r.Header.Get("Content-Type") == "" {
		sent.Header.Set("Content-Type", "application/json")
	}
	maps.Copy(sent.Header, r.By.Header)
	maps.Copy(sent.Header, r.Header)
	to := &recorder{header: http.Header{}}
	to.serve(handler, sent)
	text := to.body.String()
	return &Answer{r, to.status, to.sent, text, text}, nil
}

// Received returns the request without headers, as a server receives it.
func (r Request) Received(ctx context.Context) (*http.Request, error) {
	var body io.Reader = http.NoBody
	if r.Body != nil {
		body = bytes.NewReader(r.Body)
	}
	made, err := http.NewRequestWithContext(ctx, r.Method, "http://"+host+r.Path, body)
	if err != nil {
		return nil, err
	}
	made.URL.RawQuery = r.Query
	made.RequestURI, made.RemoteAddr = made.URL.RequestURI(), "192.0.2.1:4711" // an address of documentation, RFC 5737
	return made, nil
}

// A recorder keeps an answer.
type recorder struct {
	header, sent http.Header
	status       int
	body         bytes.Buffer
}

// serve runs a handler as a server does: a handler that writes nothing answers 200, and one that
// closes the connection has no status.
func (r *recorder) serve(handler http.Handler, sent *http.Request) {
	defer func() {
		if failure := recover(); failure != nil && !fault.IsAbort(failure) {
			panic(failure)
		}
	}()
	handler.ServeHTTP(r, sent)
	r.WriteHeader(http.StatusOK)
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= http.StatusOK {
		r.status, r.sent = status, r.header.Clone()
	}
}

func (r *recorder) Write(text []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	return r.body.Write(text)
}

// Flush lets a stream send its parts.
func (r *recorder) Flush() { r.WriteHeader(http.StatusOK) }
