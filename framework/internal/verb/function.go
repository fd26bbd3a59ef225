package verb

import (
	"reflect"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/children"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/rows"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// A Function answers requests by a function of a declaration: that of Does or Changes, or
// of an action.
type Function struct {
	Endpoint Handler
	Call     func(c *call.Call, model, in any) (any, error)
}

// Serve returns the function that answers the requests.
func (f Function) Serve() func(*call.Call, *table.Request) (*table.Response, error) {
	return f.Endpoint.serve(step{object: f.object, act: f.act})
}

// object reads the row that the function receives, and notes it for Save. It returns an invalid
// value if the endpoint is not on a row. For PATCH it fills the fields that the body lacks from
// the row, and checks the rules over several fields.
func (f Function) object(c *call.Call, r *table.Request, in *input.Decoded) (m reflect.Value, err error) {
	if !f.Endpoint.OnObject {
		return m, nil
	}
	if m, err = f.Endpoint.Resource.ModelOf(c, r); err != nil {
		return m, err
	}
	rows.NoteGiven(c, f.Endpoint.Resource, m)
	if f.Endpoint.Answers() || len(f.Endpoint.Sends) > 0 {
		f.Endpoint.Resource.NoteReadModel(c, m.Elem())
	}
	if f.Endpoint.Partial() {
		f.Endpoint.complete(in, m.Elem())
		if faults := in.Check(); len(faults) > 0 {
			return m, problem.Invalid(faults...)
		}
	}
	return m, nil
}

func (f Function) act(c *call.Call, r *table.Request, in *input.Decoded, m reflect.Value, _ children.Changes) (*table.Response, error) {
	var model any
	if m.IsValid() {
		model = m.Interface()
	}
	out, err := f.Call(c, model, in.Value.Interface())
	switch plan := f.Endpoint.Parts; {
	case plan == nil && err == nil:
		f.Endpoint.NoteCreated(c, out)
		return f.Endpoint.Answer(r, out), nil
	case plan == nil:
		return nil, err
	case err != nil:
		plan.Discard(out)
		return nil, err
	}
	parts, err := f.Endpoint.Parts.Answer(f.Endpoint.Status, r.Format, out)
	return &table.Response{Status: f.Endpoint.Status, Parts: parts}, err
}
