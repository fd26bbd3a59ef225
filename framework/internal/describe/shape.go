package describe

import (
	"context"
	"net/http"
	"reflect"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
)

// Restated returns an error as clients receive it: guided, as [Guided] describes, and with the status that the settings
// of the API give its code.
func (a Catalog) Restated(e *problem.Error) *problem.Error {
	e = Guided(a.Registry, e)
	status, other := a.Config.Statuses[e.Code]
	if !other {
		return e
	}
	c := *e
	c.Status = status
	return &c
}

// plainKey is the key of a context of [Plainly].
type plainKey struct{}

// Plainly returns the context of a request within this process whose errors are to be in the form of RFC 9457, whatever
// the error shape of the API is.
func Plainly(ctx context.Context) context.Context { return context.WithValue(ctx, plainKey{}, true) }

// Shape returns the media type and the body of an error in the error shape of the API. The error is that of
// [Catalog.Restated].
func (a Catalog) Shape(c *call.Call, e *problem.Error) (media string, body []byte) {
	info, known := a.Codes[e.Code]
	page := a.Origin.ErrorsAt() + e.Code
	if !known {
		info.Title, page = http.StatusText(e.Status), "about:blank"
	}
	if names := wire.CompileNames(reflect.TypeOf(e.Details), a.Config.Case); names != nil {
		e = e.With(named(e.Details, names))
	}
	writer := a.Config.ErrorShape
	if c.Value(plainKey{}) != nil {
		writer = problem.ProblemJSON{}
	}
	media, shape := writer.Shape(problem.Problem{
		Error: e, Type: page, Title: info.Title, RequestID: c.ID, Request: c.Request(),
	})
	body, err := wire.Encode(shape)
	if err != nil {
		a.Config.Log.ErrorContext(c, "an error's details cannot be encoded", "code", e.Code, "error", err)
		body = []byte("{}")
	}
	return media, body
}

// Vary adds the headers of requests on which the bodies of errors depend to the header Vary.
func (a Catalog) Vary(h http.Header) {
	if shape, varies := a.Config.ErrorShape.(problem.ShapeVarier); varies {
		for _, name := range shape.ShapeVary() {
			if !slices.Contains(h.Values("Vary"), name) {
				h.Add("Vary", name)
			}
		}
	}
}

// named returns a value as JSON with the names of its members, or the value itself if it cannot be
// encoded.
func named(value any, names *wire.Names) any {
	text, err := wire.Encode(value)
	if err == nil {
		text, err = names.Rename(text)
	}
	if err != nil {
		return value
	}
	return jsontext.Value(text)
}
