package verb

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/body"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/fault"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/refer"
	"trestle.example/framework/internal/rows"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// Permit returns an error if the permission of the endpoint does not permit a caller, who sends a request to another one.
func (e Handler) Permit(c *call.Call) error {
	as := *c
	as.Route = e.Route
	switch {
	case e.Permission.Permit(&as):
		return nil
	case c.Caller.Anonymous():
		return problem.Unauthenticated()
	}
	return describe.NewOperation(e.Endpoint).Forbidding(problem.Forbidden())
}

// Parse runs a function that takes time for each byte of the body of a request. A large body waits for
// its turn, as [body.Parse] describes.
func (e Handler) Parse(c *call.Call, r *table.Request, fn func()) error {
	return body.Parse(e.Resource.API, c, r.Body, fn)
}

// Item is the writing of one item of a body that is a list. Its errors and notes have pointers in the body, and its answer
// is not in a member.
func (w *Writing) Item(index int) *Writing {
	e := *w.Endpoint.Endpoint
	e.BodyIn, e.AnswerIn = input.Wrapper{At: "/" + strconv.Itoa(index)}, ""
	one := *w
	one.Endpoint = Handler{&e}
	return &one
}

// Decode decodes an item. Members in known are kept as they were sent, like those that clients only read.
func (w *Writing) Decode(element jsontext.Value, known map[string]bool) (*input.Decoded, error) {
	in, refusal := w.Endpoint.Input.DecodeAt(element, w.Endpoint.Partial(), known, w.Endpoint.BodyIn.At)
	if refusal != nil {
		return nil, refusal
	}
	return in, nil
}

// ServeDecoded returns the function that answers a request whose input is decoded, within a transaction.
func (w *Writing) ServeDecoded(in *input.Decoded) func(*call.Call, *table.Request) (*table.Response, error) {
	return func(c *call.Call, r *table.Request) (*table.Response, error) {
		if err := w.Endpoint.examine(c, r, in, w.step()); err != nil {
			return nil, err
		}
		w.Begin(c, in)
		return w.Endpoint.attempt(r, in, w.step())(c)
	}
}

// Faults lists the faults of an item, and notes the names that have no effect, such as those that clients only
// read; in a strict viewset they are faults too.
func (w *Writing) Faults(c *call.Call, in *input.Decoded) []problem.Fault {
	faults := slices.Concat(w.Endpoint.ignoreFields(c, in), w.Endpoint.ignoreReadOnly(c, in, nil), in.Faults)
	for i := range faults {
		faults[i].Pointer = w.Endpoint.BodyIn.Pointer(faults[i].Pointer)
	}
	return faults
}

// References lists the references of an item whose keys have no fault.
func (w *Writing) References(in *input.Decoded) []input.Reference {
	refs := refer.Readable(w.Endpoint.Endpoint, in)
	for i := range refs {
		refs[i].Pointer = w.Endpoint.BodyIn.Pointer(refs[i].Pointer)
	}
	return refs
}

// Wrong returns a fault for each reference that the caller may not use, by one statement for each viewset.
func (w *Writing) Wrong(c *call.Call, refs []input.Reference) ([]problem.Fault, error) {
	return refer.Wrong(c, w.Endpoint.Endpoint, refs)
}

// Placed gives the faults of an error of the item their pointers in the body.
func (w *Writing) Placed(err error) error { return w.Endpoint.placed(err) }

// Begin makes [call.Call.Has] report the fields of an item.
func (w *Writing) Begin(c *call.Call, in *input.Decoded) { state.Of(c).Progress.Sent = in.Has }

// Finish runs the second function of a FillsThen for a row that is stored.
func (w *Writing) Finish(c *call.Call, m reflect.Value, in *input.Decoded) error {
	if w.Verb.Then == nil {
		return nil
	}
	rows.NoteGiven(c, w.Resource, m)
	return w.Verb.Then(c, m.Interface(), in.Value.Interface())
}

// MemberOf is the name that clients have for a column that the verb writes, "" for any other column.
func (w *Writing) MemberOf(column *schema.Field) string {
	for name, col := range w.Columns {
		if col.Column == column {
			return name
		}
	}
	return ""
}

// FromRows makes the answer with rows that are stored, without reading them. It is false if the rows alone are not
// enough: the view shows other rows, or the database or a function may have set a column, such as one that counts the
// changes of a row.
func (w *Writing) FromRows(c *call.Call, stored []reflect.Value) ([]any, bool) {
	p, flat := w.flatPlan()
	changes := w.Endpoint.Route.Name != call.VerbCreate
	if !flat || w.Verb.Then != nil || changes && (w.Resource.Counts() != "" || w.Verb.Fill != nil) {
		return nil, false
	}
	list := make([]any, len(stored))
	for i, m := range stored {
		if slices.ContainsFunc(w.Resource.Table.Fields, func(f *schema.Field) bool { return cell.Defaults(f) && f.HasZeroValue(m.Elem()) }) {
			return nil, false
		}
		list[i] = p.Fill(c, m.Elem()).Interface()
	}
	return list, true
}

// Silent reports whether the verb answers without a body.
func (w *Writing) Silent() bool { return w.silent() }

// Fills reports whether a function of the program takes part, which may change other rows.
func (w *Writing) Fills() bool { return w.Verb.Fill != nil || w.Verb.Then != nil }

// Rejection returns the error of faults of several items, at most [input.MaxFaults] of them; nil without faults.
func Rejection(faults []problem.Fault) error {
	if len(faults) == 0 {
		return nil
	}
	slices.SortStableFunc(faults, func(a, b problem.Fault) int { return cmp.Compare(itemOf(a), itemOf(b)) })
	faults = faults[:min(len(faults), input.MaxFaults)]
	for _, f := range faults {
		if f.Code == problem.CodeUnknownField {
			return fault.RejectUnknown(faults)
		}
	}
	return problem.Invalid(faults...)
}

// itemOf is the index of the item that a fault is about, -1 for the list itself.
func itemOf(f problem.Fault) int {
	segments := naming.PointerSegments(f.Pointer)
	if len(segments) == 0 {
		return -1
	}
	index, err := strconv.Atoi(segments[0])
	if err != nil {
		return -1
	}
	return index
}
