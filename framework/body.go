package framework

import (
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
	if r.ContentLength > bodyBytes {
		return nil, bodyTooLarge() // and not after what it takes to send it; packed, it is no smaller
	}
	from, err := decompressed(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(from, bodyBytes+1))
	if err != nil {
		return nil, unreadBody(err, "The body could not be read to its end.")
	}
	if len(body) > bodyBytes {
		return nil, bodyTooLarge()
	}
	switch {
	case len(body) > 0:
		return body, mustBeJSON(r.Header.Values("Content-Type"))
	case e.needsNoBody():
		return []byte("{}"), nil
	}
	return body, nil
}

// unreadBody refuses a body for what came of reading it: the server waited for the
// rest as long as it does, after which net/http ends the connection; a gate before it
// has taken the request for one whose client has gone; or the body is wrong.
func unreadBody(err error, wrong string) *Error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return Refuse(http.StatusRequestTimeout, CodeRequestTimeout, "The body did not arrive in time.").Because(err)
	case errors.Is(err, context.Canceled):
		return unavailable(1).Because(err)
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

func decompressed(r *http.Request) (io.Reader, error) {
	switch coding := strings.ToLower(strings.TrimSpace(strings.Join(r.Header.Values("Content-Encoding"), ","))); coding {
	case "", "identity":
		return r.Body, nil
	case "gzip":
		z, err := gzip.NewReader(r.Body)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, unreadBody(err, "The body is said to be gzip and is not.")
		}
		if z == nil {
			return strings.NewReader(""), nil
		}
		return z, nil
	}
	return nil, Refuse(http.StatusUnsupportedMediaType, CodeUnsupportedMediaType, "Content-Encoding may be gzip or absent.")
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
