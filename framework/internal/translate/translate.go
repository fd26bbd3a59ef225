// Package translate turns errors of the database into errors for clients.
package translate

import (
	"errors"
	"net/http"
	"slices"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/store"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// A breach is an error of a constraint at an endpoint.
type breach struct {
	at       *table.Endpoint
	resource *table.Resource // of the row; the endpoint's own if the row is of its table
	row      *store.RowError // nil for an error of a function's own statement
	fault    sqldb.Fault
	body     []byte
}

// Error turns an error of the database into an error for the client, without SQL and names of
// constraints and columns. A unique constraint, a foreign key and a CHECK constraint become 409, a reserved
// value and a value of a body that its column cannot hold become 400. It returns unchanged every other error, and every
// error that contains a [problem.Error].
func Error(c *call.Call, e *table.Endpoint, err error, body []byte) error {
	if _, ok := errors.AsType[*problem.Error](err); ok {
		return err
	}
	fault, ok := store.Classify(e.Resource, err)
	row, known := errors.AsType[*store.RowError](err)
	if !ok && !known {
		return err
	}
	b := breach{at: e, resource: e.Resource, fault: fault, body: body}
	if known {
		b.row, b.fault = row, row.Fault
		if !b.own() {
			b.resource = row.Resource
		}
		if row.Reserved != nil {
			return b.reserved().Because(err)
		}
	}
	switch b.fault.Kind {
	case sqldb.Unique:
		return b.notUnique().Because(err)
	case sqldb.ForeignKey:
		if b.fault.Referenced || c.Route.Name == call.VerbDelete {
			return referenced(c, e.Resource, b.fault).Because(err)
		}
		return b.brokenReference().Because(err)
	case sqldb.Check:
		return b.notAllowed().Because(err)
	case sqldb.OutOfRange:
		return outOfRange(e, err)
	}
	return err
}

// outOfRange returns the error of a value that its column cannot hold. Without values of a body, it is
// a sum of stored values or a value of a function: the error stays.
func outOfRange(e *table.Endpoint, err error) error {
	if e.Input == nil || len(e.Input.Fields) == 0 {
		return err
	}
	return problem.Refuse(http.StatusBadRequest, problem.CodeValidationFailed, "A value is larger than what can be stored.").Because(err)
}

// elsewhere reports whether the fault is on another table than that of the resource, so that its names of columns and
// constraints say nothing.
func (b breach) elsewhere() bool { return b.fault.Table != "" && !b.fault.On(b.resource.Table.Name) }

// notAllowed is the error of a row that violates a CHECK constraint. It has the code and the detail
// that the resource declares for the constraint. If it declares no such constraint, it is a general conflict. No code
// describes the faults of that, so the detail names the place of a row of a list in the body.
func (b breach) notAllowed() *problem.Error {
	for _, k := range b.resource.Checks {
		if k.Constraint == b.fault.Constraint && !b.elsewhere() {
			e := problem.Conflict(k.Code, k.Detail)
			e.Faults = relabel(b.faults(k.Columns), k.Code, k.Detail)
			return e
		}
	}
	if b.row != nil && len(b.row.Faults) > 0 {
		return problem.Conflict(problem.CodeConflict,
			"The stored data does not allow the values of "+b.at.BodyIn.Pointer(b.row.Faults[0].Pointer)+" together.")
	}
	return problem.Conflict(problem.CodeConflict, "The stored data does not allow these values together.")
}

// uniqueOf finds the declaration of a unique constraint by its columns, in any order. It returns
// false without one.
func uniqueOf(r *table.Resource, columns []string) (table.BoundUnique, bool) {
	sorted := slices.Sorted(slices.Values(columns))
	for _, u := range r.Uniques {
		if slices.Equal(u.Columns, sorted) {
			return u, true
		}
	}
	return table.BoundUnique{}, false
}

// notUnique is the error of a row that violates a unique constraint.
func (b breach) notUnique() *problem.Error {
	e := problem.Conflict(problem.CodeUnique, "Another record already has this value, which must be unique.")
	if b.elsewhere() {
		e = problem.Conflict(problem.CodeUnique, "Another record already has a value that must be unique.")
	} else if u, ok := uniqueOf(b.resource, b.fault.Columns); ok {
		e = problem.Conflict(u.Code, u.Detail)
	}
	e.Faults = b.faults(b.fault.Columns)
	return e
}

// brokenReference is the error of a row that refers to a row that does not exist.
func (b breach) brokenReference() *problem.Error {
	e := problem.Conflict(problem.CodeConflict, "A record that the body refers to does not exist.")
	e.Faults = relabel(b.faults(b.fault.Columns), problem.CodeInvalidReference, "refers to nothing")
	return e
}

// reserved is the error of a row with a reserved value. Without a member of the body that has the value, the fault has no pointer.
func (b breach) reserved() *problem.Error {
	faults := relabel(b.faults(b.fault.Columns), b.row.Reserved.Code, b.row.Reserved.Detail)
	if len(faults) == 0 {
		faults = []problem.Fault{*b.row.Reserved}
	}
	return problem.Invalid(faults...)
}

// relabel gives faults another code and detail.
func relabel(faults []problem.Fault, code, detail string) []problem.Fault {
	for i := range faults {
		faults[i].Code, faults[i].Detail = code, detail
	}
	return faults
}

// referenced is the error for a row to which other records refer. It names a resource that serves
// their table, or whose records have them as the links of a many-to-many relation: if the fault names
// the table, the caller may see these records, and the API has an OpenAPI document: clients can find
// the name of the resource there.
func referenced(c *call.Call, r *table.Resource, fault sqldb.Fault) *problem.Error {
	for _, keeps := range []func(*table.Resource) bool{
		func(other *table.Resource) bool {
			return other.Table != nil && fault.On(other.Table.Name)
		},
		func(other *table.Resource) bool { return other.Table != r.Table && linksBy(other, fault) },
	} {
		for _, other := range r.API.Resources {
			if keeps(other) && !r.API.Config.Undocumented && maySee(c, r, other) {
				return problem.Conflict(problem.CodeReferenced,
					"Records of "+other.Path+" refer to this one.").With(problem.ReferencedDetails{Resource: other.Path})
			}
		}
	}
	return problem.Conflict(problem.CodeReferenced, "Other records refer to this one.")
}

// linksBy reports whether a fault is on a join table with the links of a many-to-many relation of a resource.
func linksBy(r *table.Resource, fault sqldb.Fault) bool {
	return r.Table != nil && slices.ContainsFunc(r.Relations.All(), func(one *relation.Relation) bool {
		between := one.Schema.M2MTable
		return between != nil && fault.On(between.Name) && one.Holder() == r.Table
	})
}

// maySee reports whether a caller may see the records of another resource that refer to a row of
// r. The caller must have the permission to list them. In addition, the caller sees every record, or
// the row is the caller's own and the records belong to its owner.
func maySee(c *call.Call, r, other *table.Resource) bool {
	listing, list := access.ForList(c, other.Path), other.Access.Permission
	for _, e := range other.Endpoints {
		if e.Route.Name == call.VerbList {
			list = e.Permission
		}
	}
	return list.Permit(listing) && (other.Scope.Lifted(listing) || other.Scope.Via == r && !r.Scope.Lifted(c))
}
