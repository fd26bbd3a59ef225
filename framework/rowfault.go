package framework

import (
	"reflect"
	"slices"

	"github.com/uptrace/bun/schema"

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
		missing, lookErr := c.Session().MissingParents(c, r.table.Name, func(name string) schema.QueryAppender {
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

type boundCheck struct {
	check
	columns []string
}
