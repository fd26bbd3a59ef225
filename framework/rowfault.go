package framework

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// A rowError is the fault of a row that was to be stored, with what the database does
// not say of it.
type rowError struct {
	resource *resource // whose row it is
	row      reflect.Value
	fault    sqldb.Fault
	err      error
}

func (e *rowError) Error() string { return e.err.Error() }
func (e *rowError) Unwrap() error { return e.err }

// ofRow adds to an error of the database which row it is about, and of a foreign key
// which of the columns that were written refer to nothing.
func (r *resource) ofRow(c *Call, row reflect.Value, written []*schema.Field, err error) error {
	fault, ok := sqldb.Classify(err)
	if !ok {
		return err
	}
	switch fault.Kind {
	case sqldb.Unique, sqldb.Check:
	case sqldb.ForeignKey:
		if len(fault.Columns) > 0 || fault.Referenced {
			break
		}
		missing, lookErr := c.session.MissingParents(c, r.table.Name, func(name string) schema.QueryAppender {
			f := r.table.FieldMap[name]
			if !slices.Contains(written, f) || isNull(f, row) {
				return nil
			}
			return column(f, row)
		})
		if lookErr == nil {
			fault.Table, fault.Columns = r.table.Name, missing
		}
	default:
		return err
	}
	return &rowError{r, row, fault, err}
}

func isNull(f *schema.Field, row reflect.Value) bool {
	v := f.Value(row)
	return v.Kind() == reflect.Pointer && v.IsNil() || f.NullZero && f.HasZeroValue(row)
}

// nestedFaults are the places of a body at which an object has the values of another
// resource's row: of its columns of the fault.
func (e *rowError) nestedFaults(shape *input.Shape, body []byte) []problem.Fault {
	var sent any
	if shape == nil || json.Unmarshal(body, &sent) != nil {
		return nil
	}
	var places [][]problem.Fault
	e.search(shape, sent, "", &places)
	if len(places) == 0 {
		return nil
	}
	return places[len(places)-1] // of two that are the same the second was refused
}

func (e *rowError) search(shape *input.Shape, sent any, at string, places *[][]problem.Fault) {
	object, ok := sent.(map[string]any)
	if !ok {
		return
	}
	for _, f := range shape.Fields {
		if f.Nested == nil {
			continue
		}
		place := at + naming.PointerTo(f.Name)
		elements, ok := object[f.Name].([]any)
		if !ok {
			e.match(f.Nested, object[f.Name], place, places)
			continue
		}
		for i, element := range elements {
			e.match(f.Nested, element, fmt.Sprintf("%s/%d", place, i), places)
		}
	}
}

// match notes the fields of an object that are columns of the fault, if all have the
// row's values, and looks below it.
func (e *rowError) match(shape *input.Shape, sent any, at string, places *[][]problem.Fault) {
	object, _ := sent.(map[string]any)
	var faults []problem.Fault
	differs := object == nil
	for _, f := range shape.Fields {
		column := columnOf(e.resource.table, f.GoName)
		if column == nil || !slices.Contains(e.fault.Columns, column.Name) {
			continue
		}
		differs = differs || !sameValue(object[f.Name], column.Value(e.row))
		faults = append(faults, problem.Fault{Pointer: at + naming.PointerTo(f.Name), Code: problem.CodeUnique, Detail: "must be unique"})
	}
	if !differs && len(faults) > 0 {
		*places = append(*places, faults)
	}
	e.search(shape, sent, at, places)
}

// sameValue compares what was sent with what was to be stored, where they look alike.
func sameValue(sent any, stored reflect.Value) bool {
	text, err := json.Marshal(stored.Interface())
	var back any
	if err != nil || json.Unmarshal(text, &back) != nil {
		return false
	}
	if s, ok := sent.(string); ok {
		sent = strings.TrimSpace(s)
	}
	return sent == back && sent != nil
}

// A Check names a CHECK constraint of the schema and what a client reads when a row
// breaks it: status 409 with Code and Detail, and a fault at each of Fields.
type Check struct {
	Constraint string   // its name in the database: CONSTRAINT booking_in_order CHECK (...)
	Fields     []string // of the viewset; may be empty
	Code       string
	Detail     string
}

type boundCheck struct {
	Check
	columns []string
}
