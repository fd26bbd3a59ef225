package framework

import (
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
)

// An endpoint is one method on one path, ready to serve. Every request walks
// the same way through it: identify, throttle, permit, decode, act, represent.
type endpoint struct {
	resource *resource
	route    Route
	pattern  string // below the prefix, canonical: "/patients/:id/"
	onObject bool
	doc      string
	named    string // its id in the reference, "" for the usual one
	door
	status       int // 0 for the usual one
	untransacted bool
	idempotent   bool // it honours the header Idempotency-Key
	kind         verbKind
	pagination   Pagination // of a list
	listed       []any      // its filters and pagination, as declared
	refuses      []string   // codes of its function
	sends        []Header   // headers that its function sets
	takes        []Header   // headers that its function reads
	signsIn      bool       // it gives credentials to callers without any
	params       []Param
	asks         bool         // it reads its query string itself
	input        *input.Shape // nil if it takes no body
	out          reflect.Type // what one row or answer looks like
	keyOf        []int        // where the answer of a function has the row's key, nil for nowhere
	serve        func(c *Call, r *request) (*response, error)
}

// A request is what an endpoint works on.
type request struct {
	http  *http.Request
	key   any // the parsed key of the path, nil without one
	query url.Values
	body  []byte
}

// A response is what an endpoint answers; value nil sends no body.
type response struct {
	status  int
	value   any
	body    []byte // value as JSON
	media   string // of body, "" for JSON
	created string // the path of what was created, "" for nothing
}

// statusOr is the status that was declared, or else the usual one.
func (e *endpoint) statusOr(usual int) int {
	if e.status != 0 {
		return e.status
	}
	return usual
}

// settleStatus gives an endpoint of a function its usual status.
func (e *endpoint) settleStatus() {
	switch {
	case e.status != 0:
	case e.out == input.NoneType:
		e.status = http.StatusNoContent
	case e.route.Name == verbCreate:
		e.status = http.StatusCreated
	default:
		e.status = http.StatusOK
	}
	e.findKey()
}

// answer is the response to a function's value.
func (e *endpoint) answer(value any) *response {
	if e.out == input.NoneType {
		return &response{status: e.status}
	}
	return &response{status: e.status, value: value, created: e.created(value)}
}

// created is the path of the row that a function created; empty if its answer does
// not name the row.
func (e *endpoint) created(out any) string {
	if !e.showsCreated() {
		return ""
	}
	return e.resource.rowPath(reflect.ValueOf(out).FieldByIndex(e.keyOf))
}

// showsCreated reports whether the endpoint is a function that creates a row of its
// viewset and answers with it: the answer has the row's key, matched by Go name and
// type as in every view.
func (e *endpoint) showsCreated() bool {
	return e.keyOf != nil && !e.onObject && e.status == http.StatusCreated
}

// findKey looks for the row's key in the answer of a function.
func (e *endpoint) findKey() {
	if e.out == nil || e.out.Kind() != reflect.Struct || e.resource.key == nil || !e.resource.hasAddresses() {
		return
	}
	for f := range naming.ShapeFields(e.out) {
		if f.Name == e.resource.key.GoName && f.Type == e.resource.key.StructField.Type {
			e.keyOf = f.Index
		}
	}
}

// needsNoBody reports whether no body at all is as good as an empty object: of
// an action, whose name says what is to be done, if its input requires nothing.
// A verb without a body is more likely a client's mistake, and a PUT would
// empty the row.
func (e *endpoint) needsNoBody() bool {
	return !isVerb(e.route.Name) && !slices.ContainsFunc(e.input.Fields, func(f *input.Field) bool { return f.Required })
}

// takesBody reports whether a request may have a body that is read.
func (e *endpoint) takesBody() bool { return e.input != nil && e.route.Method != http.MethodGet }

// isWrite reports whether the endpoint may change something.
func (e *endpoint) isWrite() bool { return e.route.Method != http.MethodGet }

// reads reports whether the endpoint's function reads a header itself.
func (e *endpoint) reads(name string) bool {
	return slices.ContainsFunc(e.takes, func(h Header) bool { return strings.EqualFold(h.Name, name) })
}

// locate sets the header Location of an answer that created something, unless a
// function did.
func (resp *response) locate(c *Call) {
	if resp.created != "" && c.Header().Get(problem.HeaderLocation) == "" {
		c.Header().Set(problem.HeaderLocation, c.URL(resp.created))
	}
}

// place is what mistakes call an endpoint.
func (e *endpoint) place() string {
	if isVerb(e.route.Name) {
		return e.route.Name
	}
	return fmt.Sprintf("action %q", e.route.Name)
}

// handsRows reports whether the framework reads or writes rows of the resource
// for the endpoint, and so narrows them.
func (e *endpoint) handsRows() bool {
	switch e.route.Name {
	case verbList:
		return true
	case verbCreate:
		return e.resource.declaration.verbs.get(verbCreate).kind == verbAccepts
	}
	return e.onObject
}

// encode writes the value as JSON, which a type of the program's own may do itself,
// unless that was done before.
func (resp *response) encode() (err error) {
	if resp.value != nil && resp.body == nil {
		resp.body, err = wire.Encode(resp.value)
	}
	return err
}
