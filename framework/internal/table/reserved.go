package table

import (
	"reflect"
	"slices"
	"strings"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rule"
	"trestle.example/framework/problem"
)

// A Reservation lists values that a column must not have.
type Reservation struct {
	Column *schema.Field
	Words  []string
}

// AddReserved adds values that a column must not have to the list all, and returns the list. If
// the column has a reservation already, AddReserved adds the values to it.
func AddReserved(all []Reservation, column *schema.Field, words []string) []Reservation {
	for i, known := range all {
		if known.Column == column {
			all[i].Words = naming.AddNew(slices.Clone(known.Words), words)
			return all
		}
	}
	return append(all, Reservation{column, words})
}

// Reserve adds a rule to the field of an input: it rejects the reserved values of its column.
// It does nothing for a field that is not a string.
func (r *Resource) Reserve(f *input.Field, column *schema.Field) {
	for _, reserved := range r.Reserved {
		if reserved.Column != column || f.Value.Typ.Kind() != reflect.String {
			continue
		}
		f.Add(rule.Rule{Name: "noneof", Param: strings.Join(reserved.Words, " ")})
	}
}

// unreserved returns a validation error for the first reserved value of a row in the columns that
// are written, nil without one. Inputs reject these values already, so a function set the value.
// The error has a pointer if clients know the column.
func (r *Resource) unreserved(m reflect.Value, written []*schema.Field) error {
	for _, reserved := range r.Reserved {
		v := reflect.Indirect(reserved.Column.Value(m))
		if !slices.Contains(written, reserved.Column) || !v.IsValid() || !slices.Contains(reserved.Words, v.String()) {
			continue
		}
		fault := problem.Fault{Code: "noneof", Detail: rule.Detail(rule.Rule{Name: "noneof", Param: strings.Join(reserved.Words, " ")}, v.Type())}
		if name := r.clientName(reserved.Column.Name); name != "" {
			fault.Pointer = naming.PointerTo(name)
		}
		return problem.Invalid(fault)
	}
	return nil
}
