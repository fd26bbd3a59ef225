// Package body reads the bodies of requests: it limits, decompresses and checks them, and waits for turns to parse large ones.
package body

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
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/limits"
	"trestle.example/framework/internal/mergepatch"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// Read reads the body of a request, decompresses gzip, and checks the media type of a body
// that is not empty. If the endpoint takes no body, it reads nothing. An empty body becomes {}
// if the endpoint needs no body. The error is 400 for a body that cannot be read, 408 for a
// late one, 413 for a long one, 415 for another type or coding, and 503 if the client exceeds
// its share of the memory.
func Read(e *table.Endpoint, r *http.Request, memory *fair.Share) ([]byte, error) {
	if !e.TakesBody() {
		return nil, nil
	}
	coding, err := codingOf(r)
	if err != nil {
		return nil, err
	}
	if r.ContentLength > limits.Body {
		return nil, bodyTooLarge() // before reading it; a compressed body of this size is too large as well
	}
	body, err := readMost(memory.Reader(r.Body, table.SmallBody))
	if err == nil && coding == "gzip" { // after the whole body: a request that is still arriving uses no more than it sent
		body, err = unpacked(body, memory)
	}
	if err != nil {
		return nil, err
	}
	switch {
	case len(body) > 0:
		return body, checkMedia(e, r.Header.Values("Content-Type"))
	case e.NeedsNoBody():
		return []byte("{}"), nil
	}
	return body, nil
}

// codingOf returns the Content-Encoding of a request: "gzip", or "" for identity or no coding.
// Any other coding is the error 415.
func codingOf(r *http.Request) (string, error) {
	switch coding := strings.ToLower(strings.TrimSpace(strings.Join(r.Header.Values("Content-Encoding"), ","))); coding {
	case "", "identity":
		return "", nil
	case "gzip":
		return coding, nil
	}
	return "", problem.Refuse(http.StatusUnsupportedMediaType, problem.CodeUnsupportedMediaType, "Content-Encoding may be gzip or absent.")
}

// readMost reads a body up to limits.Body bytes. A longer body is the error 413. The error of a
// failed read is that of unreadBody.
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

// unpacked decompresses a body; an empty body stays empty. A decompressed body over the limit
// is the error 413. A body that is not gzip is 400. A body beyond the share of memory is 503.
func unpacked(body []byte, memory *fair.Share) ([]byte, error) {
	if len(body) == 0 {
		return body, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, unreadBody(err, "The body is said to be gzip and is not.")
	}
	return readMost(memory.Reader(z, table.SmallBody))
}

// unreadBody is the error of a body that could not be read: 408 if it did not arrive in time,
// 503 if there is no memory for it, otherwise 400 with the detail wrong.
func unreadBody(err error, wrong string) *problem.Error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return problem.Refuse(http.StatusRequestTimeout, problem.CodeRequestTimeout, "The body did not arrive in time.").Because(err)
	case errors.Is(err, fair.ErrBudget):
		return problem.Overloaded().Because(err)
	}
	return problem.Refuse(http.StatusBadRequest, problem.CodeInvalidJSON, wrong).Because(err)
}

func bodyTooLarge() *problem.Error {
	return problem.Refuse(http.StatusRequestEntityTooLarge, problem.CodeBodyTooLarge, "The body has more than "+limits.BodyText+".")
}

// checkMedia returns the error 415 unless there is exactly one Content-Type, which is JSON in
// UTF-8 or, for a PATCH, a merge patch. Without a charset, it is UTF-8.
func checkMedia(e *table.Endpoint, types []string) error {
	if media := mediaOf(types); media == mediaJSON || media == mergepatch.Media && e.TakesMergePatch() {
		return nil
	}
	refusal := problem.Refuse(http.StatusUnsupportedMediaType, problem.CodeUnsupportedMediaType,
		"Send the body as Content-Type: "+strings.Join(e.BodyMedia(), " or ")+" in UTF-8.")
	if e.Route.Method == http.MethodPatch {
		refusal.Header = map[string]string{mergepatch.HeaderAccept: strings.Join(e.BodyMedia(), ", ")}
	}
	return refusal
}

const mediaJSON = "application/json"

// mediaOf returns the media type of a body in UTF-8, "" if there is not exactly one.
func mediaOf(types []string) string {
	if len(types) != 1 {
		return ""
	}
	media, params, err := mime.ParseMediaType(types[0])
	if charset, said := params["charset"]; err != nil || said && !strings.EqualFold(charset, "utf-8") {
		return ""
	}
	return media
}

// Unmerged returns a fault for each field of a merge patch whose value is an object. RFC 7396 merges such a value with the stored one, and
// the framework replaces it as a whole, so that the checks of the input see all of it.
func Unmerged(e *table.Endpoint, r *table.Request, in *input.Decoded) (faults []problem.Fault) {
	if !e.TakesMergePatch() || mediaOf(r.HTTP.Header.Values("Content-Type")) != mergepatch.Media {
		return nil
	}
	for _, name := range mergepatch.Objects(e.BodyIn.Input(r.Body)) {
		if in.Has(name) && !input.Faulty(in.Faults, naming.PointerTo(name)) {
			faults = append(faults, problem.Fault{
				Pointer: naming.PointerTo(name), Code: "type",
				Detail: "must not be an object in a merge patch, because objects are not merged here; send the whole object as application/json",
			})
		}
	}
	return faults
}
