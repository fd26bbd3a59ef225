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

// Wrap checks every request to a handler and its answer against the contract before the
// answer is sent. It reports the first 30 differences to the test, each once.
//
// If the document does not describe a path or a method, the answer must be 404 or 405, or
// an error that needs no description: 400 for the host, 401, 403, 429, 500 or 503. HEAD
// must answer as GET does. OPTIONS, which every path answers, must be 200 with an object or
// one of these errors.
//
// Every answer must have the required headers of the document, even if the document does
// not describe the request. Allow must list the methods of the path in the document. No
// object may have a member twice. The member status of an error must equal the status. If a
// successful answer may have Trestle-Ignored, that header must list the undescribed parameters.
//
// A request that succeeds must follow the document, with these exceptions:
//
//   - white space at both ends of text does not count, and text without a visible
//     character counts as empty;
//   - an empty parameter counts as absent, a boolean parameter may be 1 or 0 and is
//     case-insensitive, and a number may have leading zeros;
//   - undescribed members, and parameters or parts of parameters that the answer lists in
//     Trestle-Ignored, have no effect.
func (c *Contract) Wrap(tb testing.TB, handler http.Handler) http.Handler {
	tb.Helper()
	found := &reports{tb: tb, known: map[string]bool{}}
	return overhear.Handler(handler, func(asked *http.Request, sent []byte, answer overhear.Answer) {
		x := exchangeOf(asked)
		x.sent, x.status, x.answered, x.body = sent, answer.Status, answer.Header, answer.Body
		found.all(c.check(x))
	})
}

// Transport checks requests and answers as [Contract.Wrap] does, for a client whose server runs
// elsewhere. next sends the requests and must not be nil.
func (c *Contract) Transport(tb testing.TB, next http.RoundTripper) http.RoundTripper {
	tb.Helper()
	return transport{c, &reports{tb: tb, known: map[string]bool{}}, next}
}

type transport struct {
	contract *Contract
	reports  *reports
	next     http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	x := exchangeOf(r)
	if r.Body != nil && r.Body != http.NoBody {
		sent, err := io.ReadAll(r.Body) // the whole body now, because the answer may arrive before it is sent
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
		return nil, err // the connection broke during the answer
	}
	x.status, x.answered, x.body = response.StatusCode, response.Header, body
	t.reports.all(t.contract.check(x))
	return response, nil
}

// An exchange is a request and its answer.
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

// decodedPath decodes each segment of a path by itself. An encoded slash in a segment
// stays encoded, because it is not a separator.
func decodedPath(u *url.URL) string {
	all := strings.Split(u.EscapedPath(), "/")
	for i, segment := range all {
		if plain, err := url.PathUnescape(segment); err == nil && !strings.Contains(plain, "/") {
			all[i] = plain
		}
	}
	return strings.Join(all, "/")
}

// plain returns the decompressed body of the request.
func (x *exchange) plain() []byte {
	if x.header.Get("Content-Encoding") == "" {
		return x.sent
	}
	z, err := gzip.NewReader(bytes.NewReader(x.sent))
	if err != nil {
		return x.sent
	}
	body, _ := io.ReadAll(z) // if it is incomplete, the check against the schema reports it
	return body
}

// reports passes findings to a test, each once: the same finding may occur in thousands
// of answers.
type reports struct {
	tb    testing.TB
	mu    sync.Mutex
	known map[string]bool
}

// mostReports is the maximum number of findings that a test reports.
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
