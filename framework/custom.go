package framework

import (
	"net/http"
	"reflect"
)

// custom answers a verb that is a function of its own: Does and Changes.
type custom struct {
	resource *resource
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
	resource *resource
	endpoint *endpoint
	action   action
}

func (a acting) serve(c *Call, r *request) (*response, error) {
	return a.endpoint.run(c, r, false, a.action.run)
}

// run decodes the input, finds the object, and calls a declaration's function:
// inside a transaction unless it only reads.
func (e *endpoint) run(c *Call, r *request, partial bool, fn func(c *Call, model, in any) (any, error)) (*response, error) {
	in, refusal := e.input.decode(r.body, partial, nil)
	if refusal != nil {
		return nil, refusal
	}
	if err := e.ignoreFields(c, in); err != nil {
		return nil, err
	}
	var out any
	call := func(c *Call) error {
		var model any
		if e.onObject {
			m, err := e.resource.modelOf(c, r)
			if err != nil {
				return err
			}
			model = m.Interface()
		}
		if err := e.references(c, in); err != nil {
			return err
		}
		var err error
		out, err = fn(c, model, reflect.Indirect(in.value).Interface())
		return err
	}
	var err error
	if e.route.Method == http.MethodGet {
		err = call(c)
	} else {
		err = e.resource.api.write(c, false, call)
	}
	if err != nil {
		return nil, err
	}
	return e.answer(out), nil
}
