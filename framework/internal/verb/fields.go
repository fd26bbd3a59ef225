package verb

import (
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/fieldrule"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
)

// hide removes the members that the caller may not see from an answer.
func (e Handler) hide(c *call.Call, resp *table.Response) (err error) {
	hidden := e.Mask.Hidden(c)
	switch {
	case hidden == nil:
		return nil
	case resp.Parts != nil:
		resp.Parts.Hidden = hidden
		return nil
	}
	if err := resp.Encode(); err != nil {
		return err
	}
	resp.Body, err = hidden.Drop(resp.Body)
	return err
}

// locked reports whether the caller may not write a column.
func (w *Writing) locked(c *call.Call, col InputColumn) bool {
	return fieldrule.AnyLocks(c, w.Endpoint.Locks[col.Input.Name])
}

// guarded lists the fields of the input that the caller may not write, or may not see.
func (w *Writing) guarded(c *call.Call) (columns []InputColumn) {
	if len(w.Resource.Fields) == 0 {
		return nil
	}
	for _, f := range w.Endpoint.Input.Fields {
		if col, ok := w.Columns[f.Name]; ok && (w.locked(c, col) || w.hidden(c, col)) {
			columns = append(columns, col)
		}
	}
	return columns
}

// hidden reports whether the caller may not see a column.
func (w *Writing) hidden(c *call.Call, col InputColumn) bool {
	return fieldrule.AnyHides(c, w.Resource.Relations.Base().Seeing(w.Resource.FieldOf(col.Input.Name, col.Column)))
}

// keep copies the stored values of fields that the body lacks, and that the caller may not write or
// may not see, to the input. It returns the error of a body that has another value than the row in
// a field that the caller may not write.
func (w *Writing) keep(c *call.Call, in *input.Decoded, row reflect.Value) error {
	return w.refuse(c, in, func(col InputColumn) reflect.Value {
		stored := col.Column.Value(row)
		if !in.Has(col.Input.Name) {
			in.Value.FieldByIndex(col.Input.Index).Set(stored)
		}
		return stored
	})
}

// checkNew returns the error of a body of a new row that has another value than the default in a
// field that the caller may not write.
func (w *Writing) checkNew(c *call.Call, in *input.Decoded) error {
	defaults, err := w.Endpoint.Input.Decode([]byte("{}"), false, nil)
	if err != nil {
		return err
	}
	return w.refuse(c, in, func(col InputColumn) reflect.Value { return defaults.Value.FieldByIndex(col.Input.Index) })
}

// refuse returns the error of a body that has another value than the allowed one in a field that
// the caller may not write. A field that the caller may not see is an error whatever its value is,
// so that the error reveals nothing.
func (w *Writing) refuse(c *call.Call, in *input.Decoded, allowed func(InputColumn) reflect.Value) error {
	var faults []problem.Fault
	for _, col := range w.guarded(c) {
		is := allowed(col)
		if !in.Has(col.Input.Name) || !w.locked(c, col) {
			continue
		}
		if w.hidden(c, col) || !equal(in.Value.FieldByIndex(col.Input.Index), is) {
			faults = append(faults, problem.Fault{
				Pointer: naming.PointerTo(col.Input.Name), Code: problem.CodeForbidden, Detail: "needs a permission to be written",
			})
		}
	}
	return fieldrule.Forbid(c, faults)
}

// equal reports whether two values have the same JSON.
func equal(a, b reflect.Value) bool {
	x, errX := wire.Encode(a.Interface())
	y, errY := wire.Encode(b.Interface())
	return errX == nil && errY == nil && sameJSON(jsontext.Value(x), jsontext.Value(y))
}
