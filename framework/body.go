package framework

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
)

// bodyBytes is the most that a body may have, counted after decompression.
const bodyBytes = 1 << 20

// readBody reads a request's body: JSON in UTF-8, perhaps compressed. An
// endpoint that takes none reads nothing.
func (e *endpoint) readBody(r *http.Request) ([]byte, error) {
	if e.input == nil || e.route.Method == http.MethodGet {
		return nil, nil
	}
	coding, err := codingOf(r)
	if err != nil {
		return nil, err
	}
	if r.ContentLength > bodyBytes {
		return nil, bodyTooLarge() // and not after what it takes to send it; packed, it is no smaller
	}
	body, err := readMost(r.Body)
	if err == nil && coding == "gzip" { // not sooner: what waits for the rest is no larger than what was sent
		body, err = unpacked(body)
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
	return "", Refuse(http.StatusUnsupportedMediaType, CodeUnsupportedMediaType, "Content-Encoding may be gzip or absent.")
}

// readMost reads what is sent, if that is no more than a body may have.
func readMost(from io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(from, bodyBytes+1))
	switch {
	case err != nil:
		return nil, unreadBody(err, "The body could not be read to its end.")
	case len(body) > bodyBytes:
		return nil, bodyTooLarge()
	}
	return body, nil
}

// unpacked is what was packed; of nothing, nothing.
func unpacked(body []byte) ([]byte, error) {
	if len(body) == 0 {
		return body, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, unreadBody(err, "The body is said to be gzip and is not.")
	}
	return readMost(z)
}

// unreadBody refuses a body for what came of reading it: the server waited for the
// rest as long as it does, after which net/http ends the connection; a gate before it
// has no place for the request to go on, or its client has gone; or the body is wrong.
func unreadBody(err error, wrong string) *Error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return Refuse(http.StatusRequestTimeout, CodeRequestTimeout, "The body did not arrive in time.").Because(err)
	case errors.Is(err, context.Canceled):
		return Overloaded().Because(err)
	}
	return Refuse(http.StatusBadRequest, CodeInvalidJSON, wrong).Because(err)
}

func bodyTooLarge() *Error {
	return Refuse(http.StatusRequestEntityTooLarge, CodeBodyTooLarge, "The body has more than 1 MiB.")
}

// needsNoBody reports whether no body at all is as good as an empty object: of
// an action, whose name says what is to be done, if its input requires nothing.
// A verb without a body is more likely a client's mistake, and a PUT would
// empty the row.
func (e *endpoint) needsNoBody() bool {
	return !isVerb(e.route.Name) && !slices.ContainsFunc(e.input.fields, func(f *inputField) bool { return f.required })
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
	return Refuse(http.StatusUnsupportedMediaType, CodeUnsupportedMediaType, "Send the body as Content-Type: application/json in UTF-8.")
}
