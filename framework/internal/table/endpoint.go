package table

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
)

// An Endpoint is one method on one path, ready to serve. Every request walks
// the same way through it: identify, throttle, permit, decode, act, represent.
type Endpoint struct {
	Resource *Resource
	Route    call.Route
	Pattern  string // below the prefix, canonical: "/patients/:id/"
	OnObject bool
	Doc      string
	Named    string // its id in the reference, "" for the usual one
	access.Check
	Status       int // of a success
	FirstStatus  int // of a PUT that inserts the row of a single resource; 0 for other endpoints
	Untransacted bool
	Idempotent   bool // it honours the header Idempotency-Key
	Kind         declare.VerbKind
	Pagination   query.Pagination // of a list
	Listed       []any            // its filters and pagination, as declared
	Refuses      []string         // codes of its function
	Sends        []call.Header    // headers that its function sets
	Takes        []call.Header    // headers that its function reads
	SignsIn      bool             // it gives credentials to callers without any
	Params       []query.Param
	Asks         bool         // it reads its query string itself
	Input        *input.Shape // nil if it takes no body
	Out          reflect.Type // what one row or answer looks like
	keyOf        []int        // where the answer of a function has the row's key, nil for nowhere
	Serve        func(c *call.Call, r *Request) (*Response, error)
}

// A Request is what an endpoint works on.
type Request struct {
	HTTP  *http.Request
	Key   any // the parsed key of the path, nil without one
	Query url.Values
	Body  []byte
	// IdempotencyKey is the key of a request to an endpoint that honours one, empty without one.
	IdempotencyKey string
}

// A Response is what an endpoint answers; value nil sends no body.
type Response struct {
	Status  int
	Value   any
	Body    []byte // value as JSON
	Media   string // of body, "" for JSON
	Created string // the path of what was created, "" for nothing
}

// Settle completes an endpoint whose declaration is bound: its usual status, unless the
// declaration has one, and the place of the row's key in the answer of a function.
func (e *Endpoint) Settle() {
	switch {
	case e.Kind == declare.VerbDeletes:
		e.Out = input.NoneType
	case e.Kind == declare.VerbAccepts && e.Route.Name == call.VerbUpdate && e.Resource.Declaration.Single:
		e.FirstStatus = cmp.Or(e.Status, http.StatusCreated)
	}
	switch {
	case e.Status != 0:
	case e.Out == input.NoneType:
		e.Status = http.StatusNoContent
	case e.Route.Name == call.VerbCreate:
		e.Status = http.StatusCreated
	default:
		e.Status = http.StatusOK
	}
	e.findKey()
}

// Answer is the response to a function's value.
func (e *Endpoint) Answer(value any) *Response {
	if e.Out == input.NoneType {
		return &Response{Status: e.Status}
	}
	return &Response{Status: e.Status, Value: value, Created: e.created(value)}
}

// created is the path of the row that a function created; empty if its answer does
// not name the row.
func (e *Endpoint) created(out any) string {
	if !e.ShowsCreated() {
		return ""
	}
	return e.Resource.RowPath(reflect.ValueOf(out).FieldByIndex(e.keyOf))
}

// ShowsCreated reports whether the endpoint is a function that creates a row of its
// viewset and answers with it: the answer has the row's key, matched by Go name and
// type as in every view.
func (e *Endpoint) ShowsCreated() bool {
	return e.keyOf != nil && !e.OnObject && e.Status == http.StatusCreated
}

// findKey looks for the row's key in the answer of a function.
func (e *Endpoint) findKey() {
	function := e.Kind == declare.VerbDoes || e.Kind == declare.VerbChanges || e.Kind == declare.VerbAbsent // an action
	if !function || e.Out == nil || e.Out.Kind() != reflect.Struct || e.Resource.Key == nil || !e.Resource.HasAddresses() {
		return
	}
	for f := range naming.ShapeFields(e.Out) {
		if f.Name == e.Resource.Key.GoName && f.Type == e.Resource.Key.StructField.Type {
			e.keyOf = f.Index
		}
	}
}

// NeedsNoBody reports whether no body at all is as good as an empty object: of
// an action, whose name says what is to be done, if its input requires nothing.
// A verb without a body is more likely a client's mistake, and a PUT would
// empty the row.
func (e *Endpoint) NeedsNoBody() bool {
	return !declare.IsVerb(e.Route.Name) && !slices.ContainsFunc(e.Input.Fields, func(f *input.Field) bool { return f.Required })
}

// TakesBody reports whether a request may have a body that is read.
func (e *Endpoint) TakesBody() bool { return e.Input != nil && e.IsWrite() }

// IsWrite reports whether the endpoint may change something.
func (e *Endpoint) IsWrite() bool { return e.Route.Method != http.MethodGet }

// Partial reports whether fields that the body lacks keep the values of the row.
func (e *Endpoint) Partial() bool { return e.Route.Name == call.VerbPatch }

// Reads reports whether the endpoint's function reads a header itself.
func (e *Endpoint) Reads(name string) bool {
	return slices.ContainsFunc(e.Takes, func(h call.Header) bool { return strings.EqualFold(h.Name, name) })
}

// Locate sets the header Location of an answer that created something, unless a
// function did.
func (resp *Response) Locate(c *call.Call) {
	if resp.Created != "" && c.Header().Get(problem.HeaderLocation) == "" {
		c.Header().Set(problem.HeaderLocation, c.URL(resp.Created))
	}
}

// Place is what mistakes call an endpoint.
func (e *Endpoint) Place() string {
	if declare.IsVerb(e.Route.Name) {
		return e.Route.Name
	}
	return fmt.Sprintf("action %q", e.Route.Name)
}

// HandsRows reports whether the framework reads or writes rows of the resource
// for the endpoint, and so narrows them.
func (e *Endpoint) HandsRows() bool {
	switch e.Route.Name {
	case call.VerbList:
		return true
	case call.VerbCreate:
		return e.Resource.Declaration.Verbs.Get(call.VerbCreate).Kind == declare.VerbAccepts
	}
	return e.OnObject
}

// Encode writes the value as JSON, which a type of the program's own may do itself,
// unless that was done before.
func (resp *Response) Encode() (err error) {
	if resp.Value != nil && resp.Body == nil {
		resp.Body, err = wire.Encode(resp.Value)
	}
	return err
}
