package verb

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"

	"trestle.example/framework/internal/fair"
	"trestle.example/framework/internal/limits"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// A memoryReader reads a body within a share of the memory for bodies.
type memoryReader struct {
	from io.Reader
	of   *fair.Share
	free int // bytes that need no share
}

// ErrBodies says that the bodies of too many requests are in memory.
var ErrBodies = errors.New("the requests of this address hold too much of the memory for bodies")

func (m *memoryReader) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	counted := max(0, n-m.free)
	m.free -= n - counted
	if counted > 0 && !m.of.Take(counted) {
		return 0, ErrBodies
	}
	return n, err
}

// readBody reads a request's body: JSON in UTF-8, perhaps compressed. An
// endpoint that takes none reads nothing.
func (e Handler) readBody(r *http.Request, memory *fair.Share) ([]byte, error) {
	if !e.TakesBody() {
		return nil, nil
	}
	coding, err := codingOf(r)
	if err != nil {
		return nil, err
	}
	if r.ContentLength > limits.Body {
		return nil, bodyTooLarge() // and not after what it takes to send it; packed, it is no smaller
	}
	body, err := readMost(&memoryReader{r.Body, memory, table.SmallBody})
	if err == nil && coding == "gzip" { // not sooner: what waits for the rest is no larger than what was sent
		body, err = unpacked(body, memory)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case len(body) > 0:
		return body, mustBeJSON(r.Header.Values("Content-Type"))
	case e.NeedsNoBody():
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
	body, err := io.ReadAll(io.LimitReader(from, limits.Body+1))
	switch {
	case err != nil:
		return nil, unreadBody(err, "The body could not be read to its end.")
	case len(body) > limits.Body:
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
	return readMost(&memoryReader{z, memory, table.SmallBody})
}

// unreadBody rejects a body that could not be read: it did not arrive in time, after
// which net/http ends the connection; there is no memory for it; or it is wrong.
func unreadBody(err error, wrong string) *problem.Error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return problem.Refuse(http.StatusRequestTimeout, problem.CodeRequestTimeout, "The body did not arrive in time.").Because(err)
	case errors.Is(err, ErrBodies):
		return problem.Overloaded().Because(err)
	}
	return problem.Refuse(http.StatusBadRequest, problem.CodeInvalidJSON, wrong).Because(err)
}

func bodyTooLarge() *problem.Error {
	return problem.Refuse(http.StatusRequestEntityTooLarge, problem.CodeBodyTooLarge, "The body has more than "+limits.BodyText+".")
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
