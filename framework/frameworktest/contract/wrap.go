package contract

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"trestle.example/framework/frameworktest/overhear"
)

// Wrap holds every request to a handler and its answer against the contract,
// before the answer is sent, and reports to the test what the document does not
// tell of.
//
// Of a path or a method that it does not describe, the answer must be a refusal
// that says so: 404 or 405, or what is told to a caller who may not even know
// that: 400 for the host, 401, 403, 429, 500 or 503. HEAD is held to what GET
// promises, and OPTIONS, which every path answers, is 200 with an object.
//
// Any answer has the headers that the document says always come, those by its
// status among them where the document does not describe it; Allow lists the
// methods that the document has of the path. No object has a member twice, and
// the member status of a refusal is the status. Parameters that are not
// described are named in Trestle-Ignored, where the answer may have that.
//
// A request that succeeds must be as the document has it, save that
//
//   - white space at both ends of text does not count, and text that has no character
//     that is seen is as empty;
//   - a parameter that is empty is as absent, one that is true or false may be 1
//     or 0, in any case, and a number may have zeros before it;
//   - members that are not described, and parameters or terms of one that the
//     answer names in Trestle-Ignored, have no effect.
func (c *Contract) Wrap(tb testing.TB, handler http.Handler) http.Handler {
	tb.Helper()
	told := &reports{tb: tb, known: map[string]bool{}}
	return overhear.Handler(handler, func(asked *http.Request, sent []byte, answer overhear.Answer) {
		x := exchangeOf(asked)
		x.sent, x.status, x.answered, x.body = sent, answer.Status, answer.Header, answer.Body
		told.all(c.check(x))
	})
}

// Transport does the same for a client, whose server runs elsewhere.
func (c *Contract) Transport(tb testing.TB, next http.RoundTripper) http.RoundTripper {
	tb.Helper()
	return transport{c, &reports{tb: tb, known: map[string]bool{}}, next}
}

type transport struct {
	contract *Contract
	told     *reports
	next     http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	x := exchangeOf(r)
	if r.Body != nil && r.Body != http.NoBody {
		sent, err := io.ReadAll(r.Body) // all of it now: an answer may come before it is sent
		_ = r.Body.Close()
		if err != nil {
			return nil, err
		}
		r = r.Clone(r.Context())
		x.sent, r.Body = sent, io.NopCloser(bytes.NewReader(sent))
	}
	response, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	response.Body = io.NopCloser(bytes.NewReader(body))
	if err != nil {
		return nil, err // the answer broke off
	}
	x.status, x.answered, x.body = response.StatusCode, response.Header, body
	t.told.all(t.contract.check(x))
	return response, nil
}

// An exchange is a request and what it was answered with.
type exchange struct {
	method, path string
	query        url.Values
	header       http.Header
	cookies      []*http.Cookie
	sent         []byte // the body, as it was sent
	status       int
	answered     http.Header
	body         []byte
}

func exchangeOf(r *http.Request) *exchange {
	return &exchange{method: r.Method, path: decodedPath(r.URL), query: r.URL.Query(), header: r.Header.Clone(), cookies: r.Cookies()}
}

// decodedPath is a path whose segments are decoded, each by itself: a slash that a
// segment has stays encoded, since it separates nothing.
func decodedPath(u *url.URL) string {
	all := strings.Split(u.EscapedPath(), "/")
	for i, segment := range all {
		if plain, err := url.PathUnescape(segment); err == nil && !strings.Contains(plain, "/") {
			all[i] = plain
		}
	}
	return strings.Join(all, "/")
}

// plain is the request's body, decompressed.
func (x *exchange) plain() []byte {
	if x.header.Get("Content-Encoding") == "" {
		return x.sent
	}
	z, err := gzip.NewReader(bytes.NewReader(x.sent))
	if err != nil {
		return x.sent
	}
	body, _ := io.ReadAll(z) // what cannot be read is not what the schema says, which is told
	return body
}

// reports tells a test what was found, each finding once: a lie is told in
// thousands of answers.
type reports struct {
	tb    testing.TB
	mu    sync.Mutex
	known map[string]bool
}

// mostReports is how many findings a test reads.
const mostReports = 30

func (r *reports) all(findings []finding) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range findings {
		if key := f.operation + f.what + f.place; !r.known[key] && len(r.known) < mostReports {
			r.known[key] = true
			r.tb.Error(f.String())
		}
	}
}
