package framework

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"trestle.example/framework/internal/fair"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/problem"
)

// bodiesBytes is the most that the bodies of all requests hold of memory, but for the
// first smallBody bytes of each.
const (
	bodiesBytes = 64 << 20
	smallBody   = 8 << 10
)

// A memoryReader reads a body within a share of the memory for bodies.
type memoryReader struct {
	from io.Reader
	of   *fair.Share
	free int // bytes that need no share
}

// parseWait is how long a large body waits to be parsed, and parseQueue how many wait.
const (
	parseWait  = 2 * time.Second
	parseQueue = 4096
)

// errParsing says that too many large bodies wait to be parsed.
var errParsing = errors.New("a large body waited too long to be parsed")

// newParsing is the queue in which large bodies wait to be parsed: half of the
// processors stay free for other requests.
func newParsing() *fair.Queue {
	return fair.New(fair.Options{Slots: max(1, runtime.GOMAXPROCS(0)/2), Timeout: parseWait, Depth: parseQueue})
}

// parse runs fn, which takes time for each byte of a body. A large body waits for its
// turn first. That time is not a part of what the request waits for connections.
func (c *Call) parse(body []byte, fn func()) error {
	if len(body) > smallBody {
		turn, err := c.api.parsing.Acquire(fair.Apart(c, fair.ClientOf(c)))
		switch {
		case errors.Is(err, fair.ErrOverloaded):
			return problem.Overloaded().Because(errParsing)
		case err != nil:
			return err
		}
		defer turn.End()
	}
	fn()
	return nil
}

// decode parses the body of a request.
func (e *endpoint) decode(c *Call, r *request, partial bool, readOnly map[string]bool) (in *input.Decoded, err error) {
	var refusal *problem.Error
	err = c.parse(r.body, func() { in, refusal = e.input.Decode(r.body, partial, readOnly) })
	if refusal != nil {
		return nil, refusal
	}
	return in, err
}

// errBodies says that the bodies of too many requests are in memory.
var errBodies = errors.New("the requests of this address hold too much of the memory for bodies")

func (m *memoryReader) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	counted := max(0, n-m.free)
	m.free -= n - counted
	if counted > 0 && !m.of.Take(counted) {
		return 0, errBodies
	}
	return n, err
}

// readBody reads a request's body: JSON in UTF-8, perhaps compressed. An
// endpoint that takes none reads nothing.
func (e *endpoint) readBody(r *http.Request, memory *fair.Share) ([]byte, error) {
	if e.input == nil || e.route.Method == http.MethodGet {
		return nil, nil
	}
	coding, err := codingOf(r)
	if err != nil {
		return nil, err
	}
	if r.ContentLength > problem.BodyLimit {
		return nil, bodyTooLarge() // and not after what it takes to send it; packed, it is no smaller
	}
	body, err := readMost(&memoryReader{r.Body, memory, smallBody})
	if err == nil && coding == "gzip" { // not sooner: what waits for the rest is no larger than what was sent
		body, err = unpacked(body, memory)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case len(body) > 0:
		return body, mustBeJSON(r.Header.Values("Content-Type"))
	case e.needsNoBody():
		return []byte("{}"), nil
	}
	return body, nil
}

// codingOf is gzip, or nothing.
func codingOf(r *http.Request) (string, error) {
	switch coding := strings.ToLower(strings.TrimSpace(strings.Join(r.Header.Values("Content-Encoding"), ","))); coding {
	case "", "identity":
		return "", nil
	case "gzip":
		return coding, nil
	}
	return "", problem.Refuse(http.StatusUnsupportedMediaType, problem.CodeUnsupportedMediaType, "Content-Encoding may be gzip or absent.")
}

// readMost reads what is sent, if that is no more than a body may have.
func readMost(from io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(from, problem.BodyLimit+1))
	switch {
	case err != nil:
		return nil, unreadBody(err, "The body could not be read to its end.")
	case len(body) > problem.BodyLimit:
		return nil, bodyTooLarge()
	}
	return body, nil
}

// unpacked is what was packed; of nothing, nothing.
func unpacked(body []byte, memory *fair.Share) ([]byte, error) {
	if len(body) == 0 {
		return body, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, unreadBody(err, "The body is said to be gzip and is not.")
	}
	return readMost(&memoryReader{z, memory, smallBody})
}

// unreadBody rejects a body that could not be read: it did not arrive in time, after
// which net/http ends the connection; there is no memory for it; or it is wrong.
func unreadBody(err error, wrong string) *problem.Error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return problem.Refuse(http.StatusRequestTimeout, problem.CodeRequestTimeout, "The body did not arrive in time.").Because(err)
	case errors.Is(err, errBodies):
		return problem.Overloaded().Because(err)
	}
	return problem.Refuse(http.StatusBadRequest, problem.CodeInvalidJSON, wrong).Because(err)
}

func bodyTooLarge() *problem.Error {
	return problem.Refuse(http.StatusRequestEntityTooLarge, problem.CodeBodyTooLarge, "The body has more than "+problem.BodyLimitText+".")
}

// needsNoBody reports whether no body at all is as good as an empty object: of
// an action, whose name says what is to be done, if its input requires nothing.
// A verb without a body is more likely a client's mistake, and a PUT would
// empty the row.
func (e *endpoint) needsNoBody() bool {
	return !isVerb(e.route.Name) && !slices.ContainsFunc(e.input.Fields, func(f *input.Field) bool { return f.Required })
}

// mustBeJSON refuses every media type but JSON in UTF-8.
func mustBeJSON(types []string) error {
	if len(types) == 1 {
		media, params, err := mime.ParseMediaType(types[0])
		charset, said := params["charset"]
		if err == nil && media == "application/json" && (!said || strings.EqualFold(charset, "utf-8")) {
			return nil
		}
	}
	return problem.Refuse(http.StatusUnsupportedMediaType, problem.CodeUnsupportedMediaType, "Send the body as Content-Type: application/json in UTF-8.")
}
