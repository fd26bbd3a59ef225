package children

import (
	"slices"
	"strconv"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rowset"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// pointerAt is the pointer to a field of an item of a list.
func pointerAt(at string, index int, f *input.Field) string {
	return at + "/" + strconv.Itoa(index) + naming.PointerTo(f.Name)
}

// broken adds the faults of the body to an error of a constraint. It returns any other error
// unchanged.
func (l *rowList) broken(b batch, err error) error {
	of, which := rowset.RowError(l.rows, err)
	if of == nil {
		return err
	}
	columns := of.Fault.Columns
	for _, k := range l.rows.Checks {
		if k.Constraint == of.Fault.Constraint {
			columns = k.Columns
		}
	}
	if len(b.rows) == 1 {
		which = 0
	}
	of.OneOf = which < 0
	at := naming.PointerTo(l.field.Name)
	code, detail := problem.CodeUnique, "must be unique"
	if of.Fault.Kind == sqldb.ForeignKey {
		code, detail = problem.CodeInvalidReference, "refers to nothing"
	}
	if of.Reserved != nil {
		code, detail = of.Reserved.Code, of.Reserved.Detail
	}
	for _, w := range l.columns {
		if which >= 0 && slices.Contains(columns, w.column.Name) {
			of.Faults = append(of.Faults, problem.Fault{Pointer: pointerAt(at, b.indexes[which], w.field), Code: code, Detail: detail})
		}
	}
	if of.Faults == nil {
		if which >= 0 {
			at += "/" + strconv.Itoa(b.indexes[which])
		}
		of.Faults = []problem.Fault{{Pointer: at, Code: code, Detail: detail}}
	}
	return of
}
