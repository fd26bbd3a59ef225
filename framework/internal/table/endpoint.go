package table

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/caching"
	"trestle.example/framework/internal/conditional"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/export"
	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/mergepatch"
	"trestle.example/framework/internal/ordering"
	"trestle.example/framework/internal/stream"
	"trestle.example/framework/internal/totals"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
)

// An Endpoint is one method on one path. A request passes these steps in order: the throttles
// that need no caller, authentication, the other throttles, the permission, decode, act, encode.
type Endpoint struct {
	Resource *Resource
	Route    call.Route
	Pattern  string // below the prefix, canonical: "/patients/:id/"
	OnObject bool   // it works on one row: that of the key in its path or of a single resource
	// ByWriters: it changes a row, and the Writers of the viewset limits which.
	ByWriters bool
	// ByReaders: it is a writing action that every caller who sees the row may use.
	ByReaders bool
	Doc       string
	Named     string // its id in the OpenAPI document, "" for the default
	access.Check
	Status       int // of a success
	FirstStatus  int // of a PUT that inserts the row of a single resource; 0 for other endpoints
	Untransacted bool
	Idempotent   bool              // it honours the header Idempotency-Key
	Kind         declare.VerbKind  // VerbAbsent for an action
	Bulk         *Bulk             // of an endpoint for several rows; nil for any other
	Pagination   query.Pagination  // of a list
	Listed       []any             // its filters and pagination, as declared
	Ordering     *ordering.Bound   // of a list
	Refuses      []string          // error codes of its function
	Sends        []call.Header     // headers that its function sets
	Takes        []call.Header     // headers that its function reads
	SignsIn      bool              // it gives credentials to anonymous callers
	Secret       bool              // its answer has a secret, which is not stored and not compressed
	Cache        *caching.Policy   // of its answers; nil if no cache may keep them
	Middleware   []call.Middleware // around the endpoint, the first outermost
	OtherKey     *schema.Field     // the column of the second key in its path; nil without one
	File         *FileColumn       // the file that it stores, sends or deletes; nil for other endpoints
	Params       []query.Param
	PartOf       map[string]string // the part of the declaration of a list that a parameter is of: "search"
	Asks         bool              // Serve reads the query string
	Chooses      bool              // clients choose members of the rows, and Serve hides members from callers
	Unasked      *fieldrule.Mask   // of the members that rows have only if a request names them; nil for none
	Input        *input.Shape      // of the body, or of the query string of a GET; nil without an input
	Parts        *stream.Plan      // of an answer that is sent in parts, and Out is nil; nil for JSON
	Deleted      call.Permission   // to request deleted rows by [ParamDeleted]; nil for an endpoint without the parameter
	Restores     bool              // it restores a deleted row
	ShowsReads   bool              // it shows who read a row
	Toggles      bool              // it inserts or deletes the caller's own row of a relation
	Exports      *export.Plan      // the formats of a list beside JSON; nil without one
	Totals       *totals.Plan      // of the endpoint of a list's totals; nil for any other
	Out          reflect.Type      // of one row, or of a function's answer
	BodyIn       input.Wrapper     // of the input in the body
	AnswerIn     string            // the member of the answer that has the row, or the rows of a list; "" for none
	Names        *wire.Names       // of the members of Out; nil if they are as in Go
	Mask         *fieldrule.Mask   // of Out, or of an element of Parts; nil for a list, which hides members itself
	Unwrapped    bool              // an action whose body and answer have no member around them
	Serve        func(c *call.Call, r *Request) (*Response, error)
	// Record records what an answer shows, before it is sent; nil if nothing is recorded.
	Record  func(c *call.Call, r *Request, resp *Response) error
	Shown   *Resource // the viewset whose rows the answer of a function shows; nil for any other endpoint
	Creates *Created  // the row that a function creates; nil without its key in the answer
	// Locks are the rules about writing the fields of Input, by their names.
	Locks map[string][]*fieldrule.Rule
}

// Bulk describes an endpoint for several rows: its body is a list of inputs.
type Bulk struct {
	Name string       // the end of its path
	Each bool         // an item is done or rejected by itself: the answer has a [Result] for each
	Row  reflect.Type // of the rows in results; nil for none
	Most int          // items
	Key  query.Field  // the member with the key of the row, beside the input; without a name, items have none
	// Natural is the field of the input that finds the row; without a name, none does. Owned: its values are unique
	// among the rows of an owner, and not among all rows.
	Natural query.Field
	Owned   bool
}

// Created describes the row that a function creates and shows: its viewset, and the index of its key
// in the answer.
type Created struct {
	Resource *Resource
	Key      []int
	Below    bool // it is below the row of the path
}

// A Request is the decoded parts of a request to an endpoint.
type Request struct {
	HTTP  *http.Request
	Key   any // the parsed key of the path, nil without one
	Other any // the parsed second key of the path, nil without one
	// Above are the parsed keys of the rows above, in the order of the path.
	Above []any
	// Parent is the primary key of the row directly above. Package nested finds it for endpoints
	// that are not on one row.
	Parent any
	Query  url.Values
	Body   []byte
	// IdempotencyKey is the key of a request to an endpoint that honours one, empty without one.
	IdempotencyKey string
	// Format is the media type of an answer that is sent in parts, nil for JSON and for a download.
	Format *stream.Format
	Signed bool // the URL is signed, so the caller needs no credentials and no scope
	// Changes: the endpoint is ByWriters, so the row must be one that the caller may change.
	Changes bool
	// ByReaders: the endpoint is ByReaders, so the row must be one that the caller may list.
	ByReaders bool
	// Match is the header If-Match of a write on a row that has versions; nil without it.
	Match *conditional.Match
	// Found: ModelOf has found the row of the path.
	Found bool
}

// A Response is the answer of an endpoint. A nil Value means no body.
type Response struct {
	Status  int
	Value   any
	Body    []byte          // the encoded Value
	Media   string          // the media type of Body, "" for JSON
	Created string          // the path of what was created, "" for nothing
	Version string          // of the row that Value shows; "" for any other Value, and without versions
	Parts   *stream.Answer  // an answer that is sent in parts instead of Value; nil for any other
	Cache   *caching.Policy // says how caches may keep the answer; nil if they may not
	// Recorded: what the answer shows is recorded already, with the stored answer of an Idempotency-Key.
	Recorded bool
}

// A Result is the answer for one of several items: what a request for its row alone would be answered.
type Result struct {
	Status  int            `json:"status"`
	Row     jsontext.Value `json:"row,omitzero"`     // of a success that has a body
	Problem jsontext.Value `json:"problem,omitzero"` // the body of the error
}

// Settle completes an endpoint whose declaration is bound. It sets the type of a delete's
// answer to no value. It sets Status, unless it is declared: 204 without an answer, 201 for a
// create, otherwise 200. For the PUT of a single resource that accepts an input, it sets
// FirstStatus: the declared status, otherwise 201.
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
}

// MayInsert reports whether the endpoint is the PUT of a single resource that inserts the row
// if there is none.
func (e *Endpoint) MayInsert() bool { return e.FirstStatus != 0 }

// Answer makes the response from the value that a function returned. If the endpoint has no
// answer, the response has no body.
func (e *Endpoint) Answer(r *Request, value any) *Response {
	if e.Out == input.NoneType {
		return &Response{Status: e.Status}
	}
	return &Response{Status: e.Status, Value: value, Created: e.created(r, value)}
}

// created returns the path of the row that a function created. The path is empty without Creates, or
// if the row has no path.
func (e *Endpoint) created(r *Request, out any) string {
	if e.Creates == nil {
		return ""
	}
	above := r.Above
	if e.Creates.Below {
		above = append(slices.Clone(above), r.Key)
	}
	return e.Creates.Resource.RowPath(above, reflect.ValueOf(out).FieldByIndex(e.Creates.Key))
}

// NeedsNoBody reports whether a missing body counts as an empty object: for an action whose
// input requires no field. For a verb, it returns false: a missing body is more likely a
// mistake of the client, and an empty PUT would reset the row. The endpoint must have an input.
func (e *Endpoint) NeedsNoBody() bool {
	return e.Bulk == nil && !declare.IsVerb(e.Route.Name) && !slices.ContainsFunc(e.Input.Fields, func(f *input.Field) bool { return f.Required })
}

// TakesBody reports whether a request may have a body that is read.
func (e *Endpoint) TakesBody() bool { return e.Input != nil && e.IsWrite() }

// Answers reports whether a success may have a body.
func (e *Endpoint) Answers() bool { return e.Parts != nil || e.Out != input.NoneType }

// IsWrite reports whether the method is not GET.
func (e *Endpoint) IsWrite() bool { return e.Route.Method != http.MethodGet }

// Partial reports whether the endpoint is the verb PATCH, for which fields that the body lacks
// keep the values of the row.
func (e *Endpoint) Partial() bool {
	return e.Route.Name == call.VerbPatch
}

// TakesMergePatch reports whether the endpoint takes a merge patch (RFC 7396) beside JSON: it is the verb PATCH of one row.
func (e *Endpoint) TakesMergePatch() bool { return e.Partial() && e.Bulk == nil && e.TakesBody() }

// BodyMedia lists the media types of the body of an endpoint that takes an input.
func (e *Endpoint) BodyMedia() []string {
	if e.TakesMergePatch() {
		return []string{"application/json", mergepatch.Media}
	}
	return []string{"application/json"}
}

// Matches reports whether the endpoint compares If-Match with the version of its row: it writes a row
// that has versions, in a transaction, and its function does not read the header itself.
func (e *Endpoint) Matches() bool {
	return e.Resource.Version != nil && e.OnObject && e.IsWrite() && e.File == nil && !e.Untransacted && !e.Reads(conditional.HeaderIfMatch)
}

// NeedsMatch reports whether the endpoint rejects a request without If-Match.
func (e *Endpoint) NeedsMatch() bool {
	return e.Matches() && e.Resource.Version.Required && declare.IsVerb(e.Route.Name)
}

// MayLackBody reports whether a success has no body if the request prefers that (RFC 7240): the framework writes one or more
// rows, and shows them. The answer of a function is what the function is for, and a secret is in one answer alone, so they
// always have their body; so has the list of results of several rows.
func (e *Endpoint) MayLackBody() bool {
	v := e.Resource.Declaration.Verbs.Get(e.Route.Name)
	return v.Kind == declare.VerbAccepts && e.IsWrite() && e.Out != input.NoneType && !v.Secret && (e.Bulk == nil || !e.Bulk.Each)
}

// HasCursors reports whether the pages of a list begin at cursors.
func (e *Endpoint) HasCursors() bool {
	if e.Pagination == nil {
		return false
	}
	w, err := e.Pagination.Window(query.Values{})
	return err == nil && w.Keyset != nil
}

// Retrieving is the endpoint that reads one row of the viewset, nil without one.
func (r *Resource) Retrieving() *Endpoint { return r.EndpointOf(call.VerbRetrieve) }

// EndpointOf is the endpoint of a verb; nil without one.
func (r *Resource) EndpointOf(verb string) *Endpoint {
	for _, e := range r.Endpoints {
		if e.Route.Name == verb {
			return e
		}
	}
	return nil
}

// IsTagged reports whether the answers have an ETag: one row of a verb, or a list, of a viewset whose
// rows have versions, or an answer that caches may keep.
func (e *Endpoint) IsTagged() bool {
	row := e.Kind == declare.VerbShows || e.Kind == declare.VerbComputes || e.Kind == declare.VerbAccepts
	return (e.Resource.Version != nil || e.Cache != nil) && e.Out != input.NoneType && (row || e.Pagination != nil)
}

// Reads reports whether Takes lists a header: the declaration says that the function of the
// endpoint reads it. Case does not matter.
func (e *Endpoint) Reads(name string) bool {
	return slices.ContainsFunc(e.Takes, func(h call.Header) bool { return strings.EqualFold(h.Name, name) })
}

// Locate sets the header Location to the absolute URL of Created. It does nothing if Created is
// empty or the header is set already.
func (resp *Response) Locate(c *call.Call) {
	if resp.Created != "" && c.Header().Get(problem.HeaderLocation) == "" {
		c.Header().Set(problem.HeaderLocation, c.URL(resp.Created))
	}
}

// Place names the endpoint in the text of a mistake.
func (e *Endpoint) Place() string {
	if e.File != nil {
		return e.File.Place()
	}
	if declare.IsVerb(e.Route.Name) {
		return e.Route.Name
	}
	return fmt.Sprintf("action %q", e.Route.Name)
}

// HandsRows reports whether the framework itself reads or writes rows of the resource for the
// endpoint, and so narrows them by the scope: a list, its totals, a create that accepts an input, and every
// endpoint on a row.
func (e *Endpoint) HandsRows() bool {
	if e.Route.Name == call.VerbCreate {
		return e.Resource.Declaration.Verbs.Get(call.VerbCreate).Kind == declare.VerbAccepts
	}
	return e.OnObject || e.Pagination != nil || e.Totals != nil || e.Bulk != nil
}

// Envelope makes the envelope of a page of a list. With AnswerIn, its rows have this name.
func (e *Endpoint) Envelope(p query.Page) (query.Envelope, error) {
	envelope, err := e.Pagination.Envelope(p)
	if err != nil || e.AnswerIn == "" {
		return envelope, err
	}
	envelope = slices.Clone(envelope)
	for i, m := range envelope {
		if _, rows := m.Value.(query.Items); rows {
			envelope[i].Name = e.AnswerIn
		}
	}
	return envelope, nil
}

// Rename encodes Value into Body with the names of its members. A response without a Value stays as
// it is.
func (resp *Response) Rename(names *wire.Names) error {
	if resp.Value == nil || names == nil {
		return nil
	}
	if err := resp.Encode(); err != nil {
		return err
	}
	body, err := names.Rename(resp.Body)
	resp.Body = body
	return err
}

// Wrap encodes Value into Body as the one member of an object. A response without a Value, such
// as one that is sent in parts, stays as it is.
func (resp *Response) Wrap(member string) error {
	if resp.Value == nil {
		return nil
	}
	if err := resp.Encode(); err != nil {
		return err
	}
	body := append(wire.AppendJSON([]byte{'{'}, member), ':')
	resp.Body = append(append(body, resp.Body...), '}')
	return nil
}

// Encode encodes Value as JSON into Body. It does nothing if Value is nil or Body is set
// already.
func (resp *Response) Encode() (err error) {
	if resp.Value != nil && resp.Body == nil {
		resp.Body, err = wire.Encode(resp.Value)
	}
	return err
}
