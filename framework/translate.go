package framework

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"trestle.example/framework/internal/input"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
)

// translate turns a database's error into what a client may read of it; other
// errors pass. Nothing of SQL, of constraint or column names gets through.
func (r *resource) translate(err error, e *endpoint, body []byte) error {
	if _, ok := errors.AsType[*problem.Error](err); ok {
		return err
	}
	fault, ok := sqldb.Classify(err)
	if !ok {
		return err
	}
	of, known := errors.AsType[*rowError](err)
	if known {
		fault = of.fault
	}
	switch fault.Kind {
	case sqldb.Unique:
		if known && of.resource.table.Name != r.table.Name {
			return of.notUnique(e.input, body).Because(err)
		}
		return r.notUnique(fault).Because(err)
	case sqldb.ForeignKey:
		return r.brokenReference(fault, e.route).Because(err)
	case sqldb.Check:
		if known && of.resource.table.Name != r.table.Name {
			return of.notAllowed(e.input, body).Because(err)
		}
		return r.notAllowed(fault).Because(err)
	case sqldb.OutOfRange:
		return problem.Refuse(http.StatusBadRequest, problem.CodeValidationFailed, "A value is larger than what can be stored.").Because(err)
	}
	return err
}

// notUnique is the fault of a row of another resource, which was a part of the body.
func (e *rowError) notUnique(shape *input.Shape, body []byte) *problem.Error {
	refusal := e.resource.notUnique(e.fault)
	refusal.Faults = e.nestedFaults(shape, body)
	return refusal
}

// notAllowed is the error of a CHECK constraint on a row of another resource, which was a
// part of the body.
func (e *rowError) notAllowed(shape *input.Shape, body []byte) *problem.Error {
	refusal := e.resource.notAllowed(e.fault)
	for _, k := range e.resource.checks {
		if k.Constraint == e.fault.Constraint {
			e.fault.Columns = k.columns
		}
	}
	refusal.Faults = e.nestedFaults(shape, body)
	for i := range refusal.Faults {
		refusal.Faults[i].Code, refusal.Faults[i].Detail = refusal.Code, refusal.Detail
	}
	return refusal
}

// notAllowed is the fault of a row that a CHECK constraint refuses.
func (r *resource) notAllowed(fault sqldb.Fault) *problem.Error {
	for _, k := range r.checks {
		if k.Constraint != fault.Constraint || fault.Table != "" && fault.Table != r.table.Name {
			continue
		}
		e := problem.Conflict(k.Code, k.Detail)
		for _, f := range r.faultColumns(k.columns) {
			f.Code, f.Detail = k.Code, k.Detail
			e.Faults = append(e.Faults, f)
		}
		return e
	}
	return problem.Conflict(problem.CodeConflict, "The stored data does not allow these values together.")
}

// away reports whether an error means that the database cannot answer just now.
func away(err error) bool {
	fault, ok := sqldb.Classify(err)
	if !ok {
		return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
	}
	switch fault.Kind {
	case sqldb.Retry, sqldb.Timeout, sqldb.Locked, sqldb.Unavailable, sqldb.Full:
		return true
	}
	return false
}

func (r *resource) notUnique(fault sqldb.Fault) *problem.Error {
	if r.table.Name != fault.Table && fault.Table != "" {
		return problem.Conflict(problem.CodeUnique, "Another record already has a value that must be unique.")
	}
	faults := r.faultColumns(fault.Columns)
	if u, ok := r.unique(fault.Columns); ok {
		e := problem.Conflict(u.Code, u.Detail)
		e.Faults = faults
		return e
	}
	e := problem.Conflict(problem.CodeUnique, "Another record already has this value, which must be unique.")
	e.Faults = faults
	return e
}

func (r *resource) brokenReference(fault sqldb.Fault, route Route) *problem.Error {
	if fault.Referenced || route.Name == verbDelete {
		return r.referenced(fault)
	}
	e := problem.Conflict(problem.CodeConflict, "A record that the body refers to is gone.")
	for _, f := range r.faultColumns(fault.Columns) {
		f.Code, f.Detail = problem.CodeInvalidReference, "refers to nothing"
		e.Faults = append(e.Faults, f)
	}
	return e
}

// referenced names the resource whose records still refer to a row, if one serves their
// table and the API has a public OpenAPI document, which names it too.
func (r *resource) referenced(fault sqldb.Fault) *problem.Error {
	for _, other := range r.api.resources {
		if other.table != nil && strings.EqualFold(other.table.Name, fault.Table) && !r.api.config.Undocumented {
			return problem.Conflict(problem.CodeReferenced,
				"Records of "+other.path+" refer to this one.").With(problem.ReferencedDetails{Resource: other.path})
		}
	}
	return problem.Conflict(problem.CodeReferenced, "Other records refer to this one.")
}
