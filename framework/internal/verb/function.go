package verb

import (
	"cmp"
	"errors"
	"net/http"
	"reflect"
	"strings"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/once"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
)

// Custom answers a verb that is a function of its own: Does and Changes.
type Custom struct {
	Endpoint Handler
	Verb     declare.Verb
}

// Serve answers one request.
func (v Custom) Serve(c *call.Call, r *table.Request) (*table.Response, error) {
	partial := v.Endpoint.Route.Name == call.VerbPatch
	return v.Endpoint.run(c, r, partial, func(c *call.Call, model, in any) (any, error) {
		if v.Verb.Do != nil {
			return v.Verb.Do(c, in)
		}
		return v.Verb.Change(c, model, in)
	})
}

// Acting answers an action.
type Acting struct {
	Endpoint Handler
	Action   declare.Action
}

// Serve answers one request.
func (a Acting) Serve(c *call.Call, r *table.Request) (*table.Response, error) {
	return a.Endpoint.run(c, r, false, a.Action.Run)
}

// run decodes the input, finds the object, and calls a declaration's function:
// inside a transaction unless it only reads, or was declared Untransacted; and
// once for all requests with one Idempotency-Key.
func (e Handler) run(c *call.Call, r *table.Request, partial bool, fn func(c *call.Call, model, in any) (any, error)) (*table.Response, error) {
	key, err := e.idempotencyKey(c, r)
	if err != nil {
		return nil, err
	}
	in, err := e.accept(c, r, partial)
	if key != nil && !unread(err) {
		if err := e.Resource.API.Parse(c, r.Body, func() { key.Fingerprint = once.Fingerprint(r) }); err != nil {
			return nil, err
		}
	}
	switch {
	case err != nil && key != nil && !unread(err):
		return key.Despite(c, err)
	case err != nil:
		return nil, err
	}
	call.ProgressOf(c).Sent = in.Has
	given := e.afresh(r, in, partial, nil)
	attempt := func(c *call.Call) (*table.Response, error) {
		value, model, err := e.arguments(c, r, given(), partial)
		if err != nil {
			return nil, err
		}
		out, err := fn(c, model, value)
		return e.Answer(out), err
	}
	switch {
	case e.Route.Method == http.MethodGet || e.Untransacted:
		return attempt(c)
	case key != nil:
		return key.Once(c, attempt)
	}
	var resp *table.Response
	err = call.Transact(c, false, func(c *call.Call) error {
		resp, err = attempt(c)
		return err
	})
	return resp, err
}

// unread reports whether a body is not JSON that can be read, or was not parsed.
func unread(err error) bool {
	refusal, ok := errors.AsType[*problem.Error](err)
	return ok && (refusal.Code == problem.CodeInvalidJSON || errors.Is(err, table.ErrParsing))
}

// afresh returns what a body's input is for each run of a transaction: what was
// decoded already, then the body decoded anew, for a function may have changed
// what its last run was given.
func (e Handler) afresh(r *table.Request, in *input.Decoded, partial bool, readOnly map[string]bool) func() *input.Decoded {
	again := false
	return func() *input.Decoded {
		if again {
			in, _ = e.Input.Decode(r.Body, partial, readOnly)
		}
		again = true
		return in
	}
}

// accept decodes a body and refuses it for what is wrong with it by itself.
func (e Handler) accept(c *call.Call, r *table.Request, partial bool) (*input.Decoded, error) {
	if e.Route.Method == http.MethodGet {
		return e.acceptQuery(c, r)
	}
	in, err := e.decode(c, r, partial, nil)
	if err != nil {
		return nil, err
	}
	return in, e.refuse(c, r, in, e.ignoreFields(c, in))
}

// acceptQuery decodes the query string as the body would be: a parameter is
// text, or a number or a boolean where the field takes one.
func (e Handler) acceptQuery(c *call.Call, r *table.Request) (*input.Decoded, error) {
	var all fault.List
	values, err := e.ask(c, r.Query)
	all.Add(err)
	body := []byte{'{'}
	for _, p := range e.Params {
		text, given := values[p.Name]
		if !given {
			continue
		}
		if len(body) > 1 {
			body = append(body, ',')
		}
		body = append(append(wire.AppendJSON(body, p.Name), ':'), input.QueryValue(p.Type, text)...)
	}
	in, refusal := e.Input.Decode(append(body, '}'), false, nil)
	if refusal != nil {
		return nil, refusal
	}
	for _, f := range in.Faults {
		all.Add(problem.InvalidParameter(strings.TrimPrefix(f.Pointer, "/"), f.Detail))
	}
	if err := e.references(c, in); err != nil && len(in.Faults) == 0 {
		all.Add(fault.InQuery(err))
	}
	return in, all.Err()
}

// refuse refuses a body that has faults, or names that a strict resource does
// not know, outside of any transaction: for what is not there as not found,
// else for everything at once, references included.
func (e Handler) refuse(c *call.Call, r *table.Request, in *input.Decoded, unknown []problem.Fault) error {
	if len(in.Faults)+len(unknown) == 0 {
		return nil
	}
	if e.OnObject && !(e.Resource.Declaration.Single && e.Route.Name == call.VerbUpdate) {
		if _, err := e.Resource.ModelOf(c, r); err != nil {
			return err
		}
	}
	err := e.references(c, in)
	if refusal, wrong := errors.AsType[*problem.Error](err); wrong && len(unknown) > 0 {
		return fault.RejectUnknown(append(unknown, refusal.Faults...))
	}
	return cmp.Or(err, fault.RejectUnknown(unknown))
}

// arguments are what a function is called with: the input, for Patch with the
// row's values where the body had none, and the object.
func (e Handler) arguments(c *call.Call, r *table.Request, in *input.Decoded, partial bool) (value, model any, err error) {
	filled := reflect.New(in.Value.Type()).Elem()
	filled.Set(in.Value)
	if e.OnObject {
		m, err := e.Resource.ModelOf(c, r)
		if err != nil {
			return nil, nil, err
		}
		give(c, m)
		model = m.Interface()
		if partial {
			e.complete(filled, m.Elem(), in)
			if faults := e.Input.Checked(filled); len(faults) > 0 {
				return nil, nil, problem.Invalid(faults...)
			}
		}
	}
	return filled.Interface(), model, e.references(c, in)
}

// complete fills an input with the row's values where the body had none.
func (e Handler) complete(value, m reflect.Value, in *input.Decoded) {
	for _, f := range e.Input.Fields {
		column := table.ColumnOf(e.Resource.Table, f.GoName)
		if column != nil && column.StructField.Type == f.Typ && !in.Has(f.Name) {
			value.FieldByIndex(f.Index).Set(column.Value(m))
		}
	}
}
