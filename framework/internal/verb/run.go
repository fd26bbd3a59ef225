package verb

import (
	"cmp"
	"errors"
	"reflect"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/children"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/nested"
	"trestle.example/framework/internal/once"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/internal/store"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// A step is what one verb or function does with a decoded input.
type step struct {
	readOnly map[string]bool // names that clients read and cannot write
	// alone reports whether the step is one statement, which needs no transaction. nil means never.
	alone func(c *call.Call, r *table.Request, in *input.Decoded) bool
	// object reads the row of the path if act needs it. nil means never.
	object func(c *call.Call, r *table.Request, in *input.Decoded) (reflect.Value, error)
	// confirm checks the row of act again, after the related rows that it needs are locked. nil means
	// that there is nothing to check.
	confirm func(c *call.Call, r *table.Request, in *input.Decoded, model reflect.Value) error
	act     func(c *call.Call, r *table.Request, in *input.Decoded, model reflect.Value, changes children.Changes) (*table.Response, error)
	lists   *children.Lists // the fields of the input that set related rows; nil without one
}

// serve returns the function that answers requests with a step.
func (e Handler) serve(s step) func(*call.Call, *table.Request) (*table.Response, error) {
	return func(c *call.Call, r *table.Request) (*table.Response, error) { return e.run(c, r, s) }
}

// run answers one request that has an input. It checks the input, and then runs the step in a
// transaction. A GET, an untransacted function and a step of one statement run without one. If one
// of several rows of a list breaks a constraint, the transaction runs a second time. With an
// Idempotency-Key, the step succeeds at most once for all requests with this key; a repeated request
// gets the stored answer, even if its input has become invalid.
func (e Handler) run(c *call.Call, r *table.Request, s step) (*table.Response, error) {
	in, err := e.accept(c, r, s)
	if err != nil {
		return e.Write(c, r, err, false, nil)
	}
	state.Of(c).Progress.Sent = in.Has
	attempt := e.attempt(r, in, s)
	if !e.IsWrite() || e.Untransacted {
		return attempt(c)
	}
	return e.Write(c, r, nil, s.alone != nil && s.alone(c, r, in), attempt)
}

// Write runs a function in a transaction, or without one if it is one statement, under the Idempotency-Key if the
// request has one. If one of several rows breaks a constraint, it runs a second time, and writes one row
// after the other. If the body is invalid, Write returns this error, unless the key has an answer.
func (e Handler) Write(c *call.Call, r *table.Request, invalid error, alone bool, attempt func(*call.Call) (*table.Response, error)) (*table.Response, error) {
	var key *once.IdempotencyKey
	if r.IdempotencyKey != "" && !unread(invalid) {
		var err error
		if key, err = e.onceKey(c, r); err != nil {
			return nil, err
		}
	}
	switch {
	case invalid != nil && key != nil:
		return key.Despite(c, invalid)
	case invalid != nil:
		return nil, invalid
	}
	rewind := state.Of(c).Rewind()
	resp, err := apply(c, key, alone, attempt)
	if broken, ok := errors.AsType[*store.RowError](err); ok && broken.OneOf {
		rewind()
		state.Of(c).Progress.OneByOne = true // so that the error names the row
		return apply(c, key, alone, attempt)
	}
	return resp, err
}

// apply runs a function under an Idempotency-Key, or without one (nil) in a transaction of its own,
// unless it is one statement.
func apply(c *call.Call, key *once.IdempotencyKey, oneStatement bool, run func(*call.Call) (*table.Response, error)) (resp *table.Response, err error) {
	if key != nil {
		return key.Once(c, run)
	}
	err = transact(c, oneStatement, func(c *call.Call) error {
		resp, err = run(c)
		return err
	})
	return resp, err
}

// attempt returns the function that runs a step, once for each run of its transaction. It
// finds the parent of a nested viewset, and reads the row, before it checks the references: faults must not reveal which rows exist.
// A step may change its input, so a second run decodes the body again.
func (e Handler) attempt(r *table.Request, in *input.Decoded, s step) func(*call.Call) (*table.Response, error) {
	ran := false
	return func(c *call.Call) (*table.Response, error) {
		if ran {
			in, _ = e.BodyIn.Decode(e.Input, r.Body, e.Partial(), s.readOnly)
		}
		ran = true
		if !e.OnObject {
			if err := nested.Enter(c, e.Resource, r); err != nil {
				return nil, err
			}
		}
		var model reflect.Value
		if s.object != nil {
			var err error
			if model, err = s.object(c, r, in); err != nil {
				return nil, err
			}
		}
		changes, err := e.check(c, in, s.lists, model)
		if err = s.confirmed(c, r, in, model, err); err != nil {
			return nil, err
		}
		return s.act(c, r, in, model, changes)
	}
}

// confirmed checks the row of a step again, and returns that error, or else err. If err is an error of
// the database, it only returns err.
func (s step) confirmed(c *call.Call, r *table.Request, in *input.Decoded, model reflect.Value, err error) error {
	if _, wrong := errors.AsType[*problem.Error](err); s.confirm == nil || err != nil && !wrong {
		return err
	}
	return cmp.Or(s.confirm(c, r, in, model), err)
}
