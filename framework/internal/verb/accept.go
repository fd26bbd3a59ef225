package verb

import (
	"cmp"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/body"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/children"
	"trestle.example/framework/internal/datatype"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/ignored"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
)

// accept decodes the input of a request and checks it, outside of any transaction. It does not
// check the references of a body without faults, which attempt checks later. It checks the
// read-only names of a body only for a create; PUT and PATCH compare them with the row later.
func (e Handler) accept(c *call.Call, r *table.Request, s step) (*input.Decoded, error) {
	if !e.IsWrite() {
		return e.acceptQuery(c, r)
	}
	in, err := e.decode(c, r, s.readOnly)
	if err != nil {
		return nil, err
	}
	in.Faults = append(in.Faults, body.Unmerged(e.Endpoint, r, in)...)
	return in, e.examine(c, r, in, s)
}

// examine is accept for an input that is decoded.
func (e Handler) examine(c *call.Call, r *table.Request, in *input.Decoded, s step) error {
	unknown := e.ignoreFields(c, in)
	if e.Route.Name == call.VerbCreate { // there is no row yet whose values the body could repeat
		unknown = append(unknown, e.ignoreReadOnly(c, in, nil)...)
	}
	return e.reject(c, r, in, unknown, s.lists)
}

// decode parses the body of a request. A large body waits for its turn, as
// [body.Parse] describes. A body that is not a JSON object is an error. Faults of
// fields are no error; they are in the result.
func (e Handler) decode(c *call.Call, r *table.Request, readOnly map[string]bool) (in *input.Decoded, err error) {
	var rejection *problem.Error
	err = body.Parse(e.Resource.API, c, r.Body, func() { in, rejection = e.BodyIn.Decode(e.Input, r.Body, e.Partial(), readOnly) })
	if rejection != nil {
		return nil, rejection
	}
	return in, err
}

// unread reports whether an error of accept means that a body could not be decoded as one JSON
// object ([problem.CodeInvalidJSON]), or was not parsed because of [body.ErrParsing].
func unread(err error) bool {
	rejection, ok := errors.AsType[*problem.Error](err)
	return ok && (rejection.Code == problem.CodeInvalidJSON || errors.Is(err, body.ErrParsing))
}

// acceptQuery decodes the query string like a body. A parameter becomes a string, or a number
// or a boolean if its field is one. The error lists all invalid parameters. It includes faults
// of references only if no field has another fault.
func (e Handler) acceptQuery(c *call.Call, r *table.Request) (*input.Decoded, error) {
	var all fault.List
	values, err := e.ReadParams(c, r.Query)
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
		body = append(append(wire.AppendJSON(body, p.Name), ':'), datatype.QueryValue(p.Type, text)...)
	}
	in, rejection := e.Input.Decode(append(body, '}'), false, nil)
	if rejection != nil {
		return nil, rejection
	}
	for _, f := range in.Faults {
		all.Add(problem.InvalidParameter(strings.TrimPrefix(f.Pointer, "/"), f.Detail))
	}
	if _, err := e.check(c, in, nil, reflect.Value{}); err != nil && len(in.Faults) == 0 {
		all.Add(fault.InQuery(err))
	}
	return in, all.Err()
}

// reject rejects a body that has faults, or names that a strict resource does not know. If the
// row of the path does not exist, the error is 404, except for the PUT that inserts the row of a
// single resource. If the row exists or the path has none, the error is 400 and lists all faults,
// those of references included; its code is unknown_field if there are unknown names. For a body
// without faults and unknown names, reject returns nil and does not check the references.
func (e Handler) reject(c *call.Call, r *table.Request, in *input.Decoded, unknown []problem.Fault, lists *children.Lists) error {
	around := e.around(c, in)
	if len(in.Faults)+len(unknown)+len(around) == 0 {
		return nil
	}
	parent, err := e.rejected(c, r, lists)
	if err != nil {
		return err
	}
	_, err = e.check(c, in, lists, parent)
	if rejection, wrong := errors.AsType[*problem.Error](err); wrong && len(unknown) > 0 {
		err = fault.RejectUnknown(append(unknown, rejection.Faults...))
	}
	return fault.Around(around, e.placed(cmp.Or(err, fault.RejectUnknown(unknown))))
}

// rejected reads the row of a request that is rejected. It is not valid if the path has no row, and
// if the PUT of a single resource would insert it. Without lists, that PUT does not need the row.
func (e Handler) rejected(c *call.Call, r *table.Request, lists *children.Lists) (m reflect.Value, err error) {
	if !e.OnObject || e.MayInsert() && lists == nil {
		return m, nil
	}
	m, err = e.Resource.ModelOf(c, r)
	if e.MayInsert() && fault.IsNotFound(err) {
		return reflect.Value{}, nil
	}
	return m, err
}

// around returns the faults of the member that contains the input. It notes the names beside it,
// for the header Trestle-Ignored; if the resource is strict, it returns a fault for each instead.
func (e Handler) around(c *call.Call, in *input.Decoded) (faults []problem.Fault) {
	for _, pointer := range in.Beside {
		near := e.BodyIn.Nearest(pointer)
		if !e.Resource.Ignores(c, ignored.Name(pointer, near)) {
			faults = append(faults, fault.UnknownField(pointer, near))
		}
	}
	return append(faults, in.Around...)
}

// placed makes the pointers of an error, which are relative to the input, relative to the body. It
// returns an error of [fault.Around] unchanged.
func (e Handler) placed(err error) error {
	if e.BodyIn.IsWhole() || err == nil {
		return err
	}
	return fault.Place(err, e.BodyIn.Pointer)
}

// ignoreFields notes the names of a body that no field has, for the header Trestle-Ignored. If
// the resource is strict, it notes nothing and returns a fault for each name.
func (e Handler) ignoreFields(c *call.Call, in *input.Decoded) []problem.Fault {
	var faults []problem.Fault
	for _, pointer := range in.Unknown {
		near := e.Input.NearestPointer(pointer)
		if near != "" {
			near = e.BodyIn.Pointer(near)
		}
		if !e.Resource.Ignores(c, ignored.Name(e.BodyIn.Pointer(pointer), near)) {
			faults = append(faults, fault.UnknownField(pointer, near))
		}
	}
	return faults
}

// ignoreReadOnly notes the read-only names of a body, for the header Trestle-Ignored. It skips
// names whose value equals that of the row in shown; if shown is nil, it skips none. If the
// resource is strict, it notes nothing and returns a fault for each name.
func (e Handler) ignoreReadOnly(c *call.Call, in *input.Decoded, shown map[string]jsontext.Value) []problem.Fault {
	var faults []problem.Fault
	for _, name := range slices.Sorted(maps.Keys(in.ReadOnly)) {
		if shown != nil && sameJSON(in.ReadOnly[name], shown[name]) {
			continue
		}
		if pointer := naming.PointerTo(name); !e.Resource.Ignores(c, ignored.Name(e.BodyIn.Pointer(pointer), "")) {
			faults = append(faults, problem.Fault{Pointer: pointer, Code: problem.CodeUnknownField, Detail: "is read-only"})
		}
	}
	return faults
}

// complete fills the fields that the body lacks with the row's values. It skips fields that
// have no column of the same Go name and type.
func (e Handler) complete(in *input.Decoded, row reflect.Value) {
	for _, f := range e.Input.Fields {
		column := bunmodel.ColumnOf(e.Resource.Table, f.GoName)
		if column != nil && column.StructField.Type == f.Typ && !in.Has(f.Name) {
			in.Value.FieldByIndex(f.Index).Set(column.Value(row))
		}
	}
}
