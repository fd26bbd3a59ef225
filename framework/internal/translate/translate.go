// Package translate turns errors of the database into errors for clients.
package translate

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// A breach is a row that broke a constraint of the database.
type breach struct {
	*table.RowError

	named []string // the columns whose faults are known already
}

// Error turns an error of the database into an error for the client, without SQL and names of
// constraints and columns. A unique constraint, a foreign key and a CHECK constraint become 409, a
// value of a body that its column cannot hold becomes 400. It returns unchanged every other error, and every
// error that contains a [problem.Error].
func Error(c *call.Call, e *table.Endpoint, err error, body []byte) error {
	r := e.Resource
	if _, ok := errors.AsType[*problem.Error](err); ok {
		return err
	}
	fault, ok := r.Classify(err)
	if !ok {
		return err
	}
	of, known := errors.AsType[*table.RowError](err)
	if known {
		fault = of.Fault
	}
	switch fault.Kind {
	case sqldb.Unique:
		if known && (breach{RowError: of}).isPart(e, body) {
			return breach{RowError: of}.notUnique(e, body).Because(err)
		}
		return breach{RowError: of}.complete(notUnique(r, fault, e), e, body).Because(err)
	case sqldb.ForeignKey:
		refusal := brokenReference(c, r, fault, e)
		if known && refusal.Code == problem.CodeConflict && (breach{RowError: of}).isPart(e, body) {
			breach{RowError: of}.nameReference(refusal, e, body)
		}
		return refusal.Because(err)
	case sqldb.Check:
		if known && (breach{RowError: of}).isPart(e, body) {
			return breach{RowError: of}.notAllowed(e, body).Because(err)
		}
		return notAllowed(r, fault, e).Because(err)
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

// isPart reports whether the row of an error may come from a nested object or a list of the body: it
// is a row of another table, or the body itself does not have the values of the row.
func (e breach) isPart(at *table.Endpoint, body []byte) bool {
	if e.Faults != nil || e.Resource.Table.Name != at.Resource.Table.Name {
		return true
	}
	sent, ok := decoded(at.Input, body)
	return ok && e.faultsOf(at.Input, sent, "") == nil
}

// columnsOf lists the columns of the constraint that a row broke.
func columnsOf(of *table.RowError) []string {
	for _, k := range of.Resource.Checks {
		if k.Constraint == of.Fault.Constraint {
			return k.Columns
		}
	}
	return of.Fault.Columns
}

// notUnique is the error of a unique constraint on a row that was a part of the body.
func (e breach) notUnique(at *table.Endpoint, body []byte) *problem.Error {
	refusal := notUnique(e.Resource, e.Fault, at)
	refusal.Faults = e.placed(refusal.Faults, at, body)
	return refusal
}

// notAllowed is the error of a CHECK constraint on a row that was a part of the body. No code
// describes the faults of a constraint that is not declared, so the detail names their places.
func (e breach) notAllowed(at *table.Endpoint, body []byte) *problem.Error {
	refusal := notAllowed(e.Resource, e.Fault, at)
	faults := e.placed(refusal.Faults, at, body)
	if refusal.Code == problem.CodeConflict {
		if len(faults) > 0 {
			refusal.Detail = "The stored data does not allow the values of " + at.BodyIn.Pointer(faults[0].Pointer) + " together."
		}
		return refusal
	}
	for i := range faults {
		faults[i].Code, faults[i].Detail = refusal.Code, refusal.Detail
	}
	refusal.Faults = faults
	return refusal
}

// nameReference adds the faults of a row that was a part of the body to the error of a foreign key.
func (e breach) nameReference(refusal *problem.Error, at *table.Endpoint, body []byte) {
	refusal.Faults = e.placed(refusal.Faults, at, body)
	for i := range refusal.Faults {
		refusal.Faults[i].Code, refusal.Faults[i].Detail = problem.CodeInvalidReference, "refers to nothing"
	}
}

// complete adds the faults of a nested object to the error of a unique constraint, if the body itself has only some of the
// columns, and the object has others with the values of the row. The row may come from a list that a function stores, such
// as the rooms of the house that the body names.
func (e breach) complete(refusal *problem.Error, at *table.Endpoint, body []byte) *problem.Error {
	if e.RowError == nil || len(refusal.Faults) == len(e.Fault.Columns) {
		return refusal
	}
	e.named = slices.DeleteFunc(slices.Clone(e.Fault.Columns), func(column string) bool {
		return len(at.FaultColumns([]string{column})) == 0
	})
	refusal.Faults = append(refusal.Faults, e.nestedFaults(at, body)...)
	return refusal
}

// placed returns the faults of the object in the body that has the values of the row. If there is none, it
// returns own, the faults at members of the body itself, for a row of the endpoint's own table.
func (e breach) placed(own []problem.Fault, at *table.Endpoint, body []byte) []problem.Fault {
	found := e.nestedFaults(at, body)
	if found == nil && e.Resource.Table.Name == at.Resource.Table.Name {
		return own
	}
	return found
}

// notAllowed is the error of a row that violates a CHECK constraint. It has the code and the detail
// that r declares for the constraint. If r declares no such constraint, it is a general conflict.
func notAllowed(r *table.Resource, fault sqldb.Fault, at *table.Endpoint) *problem.Error {
	for _, k := range r.Checks {
		if k.Constraint != fault.Constraint || fault.Table != "" && !fault.On(r.Table.Name) {
			continue
		}
		e := problem.Conflict(k.Code, k.Detail)
		for _, f := range at.FaultColumns(k.Columns) {
			f.Code, f.Detail = k.Code, k.Detail
			e.Faults = append(e.Faults, f)
		}
		return e
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

func notUnique(r *table.Resource, fault sqldb.Fault, at *table.Endpoint) *problem.Error {
	if fault.Table != "" && !fault.On(r.Table.Name) {
		return problem.Conflict(problem.CodeUnique, "Another record already has a value that must be unique.")
	}
	e := problem.Conflict(problem.CodeUnique, "Another record already has this value, which must be unique.")
	if u, ok := uniqueOf(r, fault.Columns); ok {
		e = problem.Conflict(u.Code, u.Detail)
	}
	e.Faults = at.FaultColumns(fault.Columns)
	return e
}

func brokenReference(c *call.Call, r *table.Resource, fault sqldb.Fault, at *table.Endpoint) *problem.Error {
	if fault.Referenced || c.Route.Name == call.VerbDelete {
		return referenced(c, r, fault)
	}
	e := problem.Conflict(problem.CodeConflict, "A record that the body refers to does not exist.")
	if fault.Table != "" && !fault.On(r.Table.Name) { // the names are those of another table
		return e
	}
	for _, f := range at.FaultColumns(fault.Columns) {
		f.Code, f.Detail = problem.CodeInvalidReference, "refers to nothing"
		e.Faults = append(e.Faults, f)
	}
	return e
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

// nestedFaults finds the nested object of a body that has the values of the row, and makes a
// fault for each column of the constraint that the object has as a field. If several objects have
// these values, it takes the last. It returns nil without one, and if objects of several input
// types have these values, because the row may come from any of them. An error that has faults
// already keeps them.
func (e breach) nestedFaults(at *table.Endpoint, body []byte) []problem.Fault {
	if e.Faults != nil {
		return e.Faults
	}
	sent, ok := decoded(at.Input, body)
	if !ok {
		return nil
	}
	var places []place
	e.search(at.Input, sent, "", &places)
	switch {
	case len(places) > 0:
	case e.Resource.Table.Name == at.Resource.Table.Name:
		return nil
	default:
		return e.faultsOf(at.Input, sent, "")
	}
	last := places[len(places)-1] // of two equal objects, the database rejects the second
	if slices.ContainsFunc(places, func(p place) bool { return p.typ != last.typ }) {
		return nil
	}
	return last.faults
}

// A place is a nested object of a body that has the values of a row.
type place struct {
	typ    reflect.Type // the input type of the object
	faults []problem.Fault
}

// decoded reads a body into the type of its input, with the defaults of absent fields. It returns
// false without an input, and if the body is not an object.
func decoded(shape *input.Shape, body []byte) (reflect.Value, bool) {
	if shape == nil {
		return reflect.Value{}, false
	}
	d, err := shape.Decode(body, false, nil)
	if err != nil {
		return reflect.Value{}, false
	}
	return d.Value, true
}

// search adds the nested objects of an object that have the values of the row, at any depth.
func (e breach) search(shape *input.Shape, object reflect.Value, at string, places *[]place) {
	for _, f := range shape.Fields {
		f.EachObject(object, at, func(nested reflect.Value, at string) {
			if faults := e.faultsOf(f.Nested, nested, at); faults != nil {
				*places = append(*places, place{f.Nested.Typ, faults})
			}
			e.search(f.Nested, nested, at, places)
		})
	}
}

// faultsOf returns a fault for each column of the constraint that an object has as a field. It returns
// nil if the object has no such field, or another value than the row.
func (e breach) faultsOf(shape *input.Shape, object reflect.Value, at string) (faults []problem.Fault) {
	for _, f := range shape.Fields {
		column := bunmodel.ColumnOf(e.Resource.Table, f.GoName)
		if column == nil || !slices.Contains(columnsOf(e.RowError), column.Name) {
			continue
		}
		known := slices.Contains(e.named, column.Name)
		given := f.Given(object.FieldByIndex(f.Index))
		if known && given.IsZero() {
			continue // a function fills it from the body itself
		}
		if !sameValue(given, column.Value(e.Row)) {
			return nil
		}
		if known {
			continue
		}
		faults = append(faults, problem.Fault{Pointer: at + naming.PointerTo(f.Name), Code: problem.CodeUnique, Detail: "must be unique"})
	}
	return faults
}

// sameValue reports whether a value of the body and a value of the row have the same JSON. It
// returns false for null.
func sameValue(sent, stored reflect.Value) bool {
	text, err := json.Marshal(sent.Interface())
	kept, keptErr := json.Marshal(stored.Interface())
	return err == nil && keptErr == nil && string(text) != "null" && bytes.Equal(text, kept)
}
