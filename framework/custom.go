package framework

import (
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// custom answers a verb that is a function of its own: Does and Changes.
type custom struct {
	endpoint *endpoint
	verb     Verb
}

func (v custom) serve(c *Call, r *request) (*response, error) {
	partial := v.endpoint.route.Name == verbPatch
	return v.endpoint.run(c, r, partial, func(c *Call, model, in any) (any, error) {
		if v.verb.do != nil {
			return v.verb.do(c, in)
		}
		return v.verb.change(c, model, in)
	})
}

// acting answers an action.
type acting struct {
	endpoint *endpoint
	action   action
}

func (a acting) serve(c *Call, r *request) (*response, error) {
	return a.endpoint.run(c, r, false, a.action.run)
}

// run decodes the input, finds the object, and calls a declaration's function:
// inside a transaction unless it only reads, or was declared Untransacted; and
// once for all requests with one Idempotency-Key.
func (e *endpoint) run(c *Call, r *request, partial bool, fn func(c *Call, model, in any) (any, error)) (*response, error) {
	in, err := e.accept(c, r, partial)
	if r.idempotency != nil && !unread(err) {
		if err := c.parse(r.body, func() { r.idempotency.fingerprint = r.fingerprint() }); err != nil {
			return nil, err
		}
	}
	switch {
	case err != nil && r.idempotency != nil && !unread(err):
		return r.idempotency.despite(c, err)
	case err != nil:
		return nil, err
	}
	c.sent = in.has
	given := e.afresh(r, in, partial, nil)
	call := func(c *Call) (*response, error) {
		value, model, err := e.arguments(c, r, given(), partial)
		if err != nil {
			return nil, err
		}
		out, err := fn(c, model, value)
		return e.answer(out), err
	}
	switch {
	case e.route.Method == http.MethodGet || e.untransacted:
		return call(c)
	case r.idempotency != nil:
		return r.idempotency.once(c, call)
	}
	var resp *response
	err = e.resource.api.write(c, false, func(c *Call) error {
		resp, err = call(c)
		return err
	})
	return resp, err
}

// unread reports whether a body is not JSON that can be read, or was not parsed.
func unread(err error) bool {
	refusal, ok := errors.AsType[*Error](err)
	return ok && (refusal.Code == CodeInvalidJSON || errors.Is(err, errParsing))
}

// afresh returns what a body's input is for each run of a transaction: what was
// decoded already, then the body decoded anew, for a function may have changed
// what its last run was given.
func (e *endpoint) afresh(r *request, in *decoded, partial bool, readOnly map[string]bool) func() *decoded {
	again := false
	return func() *decoded {
		if again {
			in, _ = e.input.decode(r.body, partial, readOnly)
		}
		again = true
		return in
	}
}

// accept decodes a body and refuses it for what is wrong with it by itself.
func (e *endpoint) accept(c *Call, r *request, partial bool) (*decoded, error) {
	if e.route.Method == http.MethodGet {
		return e.acceptQuery(c, r)
	}
	in, err := e.decode(c, r, partial, nil)
	if err != nil {
		return nil, err
	}
	return in, e.refuse(c, r, in, e.ignoreFields(c, in))
}

// queryInput makes the input of a GET action its query parameters.
func (b *binder) queryInput(e *endpoint, in reflect.Type, fault func(error)) {
	for _, f := range e.input.fields {
		t := indirect(f.typ)
		if f.value.optional {
			t = indirect(optionalValue(f.typ))
		}
		if f.nested != nil || t.Kind() == reflect.Slice || t.Kind() == reflect.Map || t.Kind() == reflect.Interface {
			fault(sentence("%s.%s is %s; GET reads its input from the query string, one plain value each", in.Name(), f.goName, f.typ))
			continue
		}
		e.params = append(e.params, Param{Name: f.name, Doc: f.doc, Type: t, Enum: f.enum})
	}
}

// acceptQuery decodes the query string as the body would be: a parameter is
// text, or a number or a boolean where the field takes one.
func (e *endpoint) acceptQuery(c *Call, r *request) (*decoded, error) {
	var all faultList
	values, err := e.ask(c, r.query)
	all.add(err)
	body := []byte{'{'}
	for _, p := range e.params {
		text, given := values[p.Name]
		if !given {
			continue
		}
		if len(body) > 1 {
			body = append(body, ',')
		}
		body = append(append(appendJSON(body, p.Name), ':'), queryValue(p.Type, text)...)
	}
	in, refusal := e.input.decode(append(body, '}'), false, nil)
	if refusal != nil {
		return nil, refusal
	}
	for _, f := range in.faults {
		all.add(InvalidParameter(strings.TrimPrefix(f.Pointer, "/"), f.Detail))
	}
	if err := e.references(c, in); err != nil && len(in.faults) == 0 {
		all.add(inQuery(err))
	}
	return in, all.err()
}

// inQuery makes faults of a body those of parameters.
func inQuery(err error) error {
	refusal, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	var faults []Fault
	for _, f := range refusal.Faults {
		faults = append(faults, Fault{Parameter: strings.TrimPrefix(f.Pointer, "/"), Code: f.Code, Detail: f.Detail})
	}
	return invalidParameters(faults)
}

// queryValue is a parameter's text as a value of JSON.
func queryValue(t reflect.Type, text string) []byte {
	var truth bool
	switch kind := t.Kind(); {
	case readsText(t):
	case kind == reflect.Bool && parseScalar(reflect.ValueOf(&truth).Elem(), text) == nil:
		return strconv.AppendBool(nil, truth)
	case (isInteger(kind) || kind == reflect.Float32 || kind == reflect.Float64) && isNumber(text):
		return []byte(text)
	}
	return appendJSON(nil, text)
}

// readsText reports whether a type is read from text and not from JSON.
func readsText(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) && !p.Implements(reflect.TypeFor[json.Unmarshaler]())
}

// isNumber reports whether text is a number of JSON.
func isNumber(text string) bool {
	v := jsontext.Value(text)
	return v.IsValid() && v.Kind() == '0'
}

func appendJSON(b []byte, text string) []byte {
	b, _ = jsontext.AppendQuote(b, text) // it is UTF-8: readQuery saw to it
	return b
}

// refuse refuses a body that has faults, or names that a strict resource does
// not know, outside of any transaction: for what is not there as not found,
// else for everything at once, references included.
func (e *endpoint) refuse(c *Call, r *request, in *decoded, unknown []Fault) error {
	if len(in.faults)+len(unknown) == 0 {
		return nil
	}
	if e.onObject && !(e.resource.declaration.single && e.route.Name == verbUpdate) {
		if _, err := e.resource.modelOf(c, r); err != nil {
			return err
		}
	}
	err := e.references(c, in)
	if refusal, wrong := errors.AsType[*Error](err); wrong && len(unknown) > 0 {
		return refuseUnknown(append(unknown, refusal.Faults...))
	}
	return cmp.Or(err, refuseUnknown(unknown))
}

// arguments are what a function is called with: the input, for Patch with the
// row's values where the body had none, and the object.
func (e *endpoint) arguments(c *Call, r *request, in *decoded, partial bool) (value, model any, err error) {
	filled := reflect.New(in.value.Type()).Elem()
	filled.Set(in.value)
	if e.onObject {
		m, err := e.resource.modelOf(c, r)
		if err != nil {
			return nil, nil, err
		}
		c.give(m)
		model = m.Interface()
		if partial {
			e.complete(filled, m.Elem(), in)
			if faults := e.input.checked(filled); len(faults) > 0 {
				return nil, nil, Invalid(faults...)
			}
		}
	}
	return filled.Interface(), model, e.references(c, in)
}

// complete fills an input with the row's values where the body had none.
func (e *endpoint) complete(value, m reflect.Value, in *decoded) {
	for _, f := range e.input.fields {
		column := columnOf(e.resource.table, f.goName)
		if column != nil && column.StructField.Type == f.typ && !in.has(f.name) {
			value.FieldByIndex(f.index).Set(column.Value(m))
		}
	}
}
