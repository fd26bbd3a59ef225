package store

import (
	"reflect"
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/cell"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// CheckReserved returns a [RowError] for the first reserved value of a row in the columns that
// are written, nil without one. The error has a pointer if clients know the column.
func CheckReserved(r *table.Resource, m reflect.Value, written []*schema.Field) error {
	column, fault := r.Reserved.Check(m, written)
	if column == nil {
		return nil
	}
	return &RowError{
		Resource: r, Row: m, Fault: sqldb.Fault{Table: r.Table.Name, Columns: []string{column.Name}}, Reserved: &fault,
		Err: naming.Sentence("%s.%s has a reserved value: it %s", r.Model.Name(), column.GoName, fault.Detail),
	}
}

// A RowError is an error of a constraint on a row that the framework wrote or deleted, of a reserved value in it, or of rows that refer to
// a row which is to be marked as deleted.
type RowError struct {
	Resource *table.Resource // of the row
	Row      reflect.Value   // with the written values; invalid for a delete
	Fault    sqldb.Fault
	Err      error
	Reserved *problem.Fault // of the reserved value, without a pointer; nil for an error of a constraint
	// Faults are those of the body, for rows of a list in it. Without them, package translate finds them.
	Faults []problem.Fault
	// OneOf reports that one of several rows of a list broke the constraint, and that the error does
	// not say which.
	OneOf bool
}

func (e *RowError) Error() string { return e.Err.Error() }

func (e *RowError) Unwrap() error { return e.Err }

// OfRow returns a [RowError] for an error of a unique constraint, a CHECK constraint or a
// foreign key. It returns any other error unchanged. SQLite does not name the columns of a
// broken foreign key; then OfRow queries which of the written columns refer to no row.
func OfRow(c *call.Call, r *table.Resource, row reflect.Value, written []*schema.Field, err error) error {
	fault, ok := Classify(r, err)
	if !ok {
		return err
	}
	switch fault.Kind {
	case sqldb.Unique, sqldb.Check:
	case sqldb.ForeignKey:
		if len(fault.Columns) > 0 || fault.Referenced {
			break
		}
		missing, lookErr := c.Session().MissingParents(c, r.Table.Name, func(name string) schema.QueryAppender {
			f := r.Table.FieldMap[ownColumn(r, name)]
			if !slices.Contains(written, f) || cell.IsNull(f, row) {
				return nil
			}
			return cell.Of(f, row)
		})
		if lookErr == nil {
			fault.Table, fault.Columns = r.Table.Name, ownColumns(r, missing)
		}
	default:
		return err
	}
	return &RowError{Resource: r, Row: row, Fault: fault, Err: err}
}

// Referred returns a [RowError] for the error of a DELETE of rows to which other rows refer. keys are
// the primary keys of the rows: a value, a list, or a query. SQLite does not name the table of the other
// rows; then Referred queries the tables, and names the first one that a resource serves, or else the
// first one. It returns any other error unchanged.
func Referred(c *call.Call, r *table.Resource, keys schema.QueryAppender, err error) error {
	fault, ok := sqldb.Classify(err)
	if !ok || fault.Kind != sqldb.ForeignKey {
		return err
	}
	fault.Referenced = true
	if referring, lookErr := c.Session().Referring(c, r.Table.Name, r.Pk.Name, keys); lookErr == nil && len(referring) > 0 {
		fault.Table = r.API.FirstServed(referring)
	}
	return &RowError{Resource: r, Fault: fault, Err: err}
}

// Classify is [sqldb.Classify] with the names that the resource has for its columns and constraints: SQLite
// takes a name in any case, and its errors have the names of the schema.
func Classify(r *table.Resource, err error) (sqldb.Fault, bool) {
	fault, ok := sqldb.Classify(err)
	if !ok || r.Table == nil {
		return fault, ok
	}
	fault.Columns = ownColumns(r, fault.Columns)
	for _, k := range r.Checks {
		if SameName(r.API.DB.Kind(), fault.Constraint, k.Constraint) {
			fault.Constraint = k.Constraint
		}
	}
	return fault, true
}

// ownColumns returns the names that the model has for columns of the schema.
func ownColumns(r *table.Resource, names []string) []string {
	own := slices.Clone(names)
	for i, name := range names {
		own[i] = ownColumn(r, name)
	}
	return own
}

// ownColumn returns the name that the model has for a column of the schema, or the same name if it has none.
func ownColumn(r *table.Resource, name string) string {
	for _, f := range r.Table.Fields {
		if SameName(r.API.DB.Kind(), f.Name, name) {
			return f.Name
		}
	}
	return name
}

// SameName reports whether a database takes two names of columns or constraints as one.
func SameName(kind sqldb.Kind, one, other string) bool { return kind.HasColumn([]string{one}, other) }
