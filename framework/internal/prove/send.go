package prove

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"time"

	"trestle.example/framework/internal/fault"
	"trestle.example/framework/query"
)

// answerTimeout limits how long an answer may take. A stream that goes on is cut off then. The next
// answers of its endpoint are cut off after streamTimeout.
const (
	answerTimeout = 5 * time.Second
	streamTimeout = 300 * time.Millisecond
)

// A request is one request of a proof.
type request struct {
	method, path, query string
	header              http.Header
	body                []byte
	by                  *person
	small               bool // pages of lists have one row
}

// smallPages are the pages of a list, which have one row for some requests of a proof.
type smallPages struct {
	query.Pagination

	small *bool
}

// Window implements [query.Pagination].
func (s smallPages) Window(v query.Values) (query.Window, error) {
	w, err := s.Pagination.Window(v)
	if *s.small {
		w.Limit = min(w.Limit, 1)
	}
	return w, err
}

// send sends a request, and counts its answer.
func (p *Fixture) send(e *endpoint, r request) *answer {
	timeout := answerTimeout
	if e.endless {
		timeout = streamTimeout
	}
	ctx, cancel := context.WithTimeout(p.ctx, timeout)
	defer cancel()
	var body io.Reader = http.NoBody
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	sent, err := http.NewRequestWithContext(ctx, r.method, "http://"+host+r.path, body)
	if err != nil {
		p.stop(err)
		return &answer{request: r}
	}
	sent.URL.RawQuery = r.query
	sent.RequestURI, sent.RemoteAddr = sent.URL.RequestURI(), "192.0.2.1:4711" // an address of documentation, RFC 5737
	if r.body != nil && r.header.Get("Content-Type") == "" {
		sent.Header.Set("Content-Type", "application/json")
	}
	maps.Copy(sent.Header, r.by.header)
	maps.Copy(sent.Header, r.header)
	to := &recorder{header: http.Header{}}
	p.small = r.small
	p.serve(to, sent)
	p.requests++
	e.endless = e.endless || ctx.Err() != nil
	if e.mayChange(r.method) {
		p.now = nil
		p.settled()
	}
	if r.method == e.info.Method {
		e.tried.Cells[r.by.at].Statuses[to.status]++
	}
	return &answer{r, to.status, to.sent, to.body.String()}
}

// serve runs the handler as a server does: a handler that writes nothing answers 200, and one that
// closes the connection has no status.
func (p *Fixture) serve(to *recorder, sent *http.Request) {
	defer func() {
		if failure := recover(); failure != nil && !fault.IsAbort(failure) {
			panic(failure)
		}
	}()
	p.Handler.ServeHTTP(to, sent)
	to.WriteHeader(http.StatusOK)
}

// settled waits for the functions after a commit, which may change the database too. One that goes on
// is not waited for.
func (p *Fixture) settled() {
	ctx, cancel := context.WithTimeout(p.ctx, answerTimeout)
	defer cancel()
	_ = p.registry.After.Wait(ctx)
}

// host is the host of the requests: a loopback address, which every API accepts.
const host = "localhost"

// A recorder keeps an answer.
type recorder struct {
	header, sent http.Header
	status       int
	body         bytes.Buffer
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
