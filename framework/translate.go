package framework

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"trestle.example/framework/sqldb"
)

// translate turns a database's error into what a client may read of it; other
// errors pass. Nothing of SQL, of constraint or column names gets through.
func (r *resource) translate(err error, route Route) error {
	if _, ok := errors.AsType[*Error](err); ok {
		return err
	}
	fault, ok := sqldb.Classify(err)
	if !ok {
		return err
	}
	switch fault.Kind {
	case sqldb.Unique:
		return r.notUnique(fault).Because(err)
	case sqldb.ForeignKey:
		return r.brokenReference(fault, route).Because(err)
	case sqldb.Check:
		return Conflict(CodeConflict, "The stored data does not allow these values together.").Because(err)
	case sqldb.OutOfRange:
		return Refuse(http.StatusBadRequest, CodeValidationFailed, "A value is larger than what can be stored.").Because(err)
	}
	return err
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

func (r *resource) notUnique(fault sqldb.Fault) *Error {
	if r.table.Name != fault.Table && fault.Table != "" {
		return Conflict(CodeUnique, "Another record already has a value that must be unique.")
	}
	faults := r.faultColumns(fault.Columns)
	if u, ok := r.unique(fault.Columns); ok {
		e := Conflict(u.Code, u.Detail)
		e.Faults = faults
		return e
	}
	e := Conflict(CodeUnique, "Another record already has this value, which must be unique.")
	e.Faults = faults
	return e
}

func (r *resource) brokenReference(fault sqldb.Fault, route Route) *Error {
	if fault.Referenced || route.Name == verbDelete {
		return Conflict(CodeReferenced, "Other records refer to this one.")
	}
	e := Conflict(CodeConflict, "A record that the body refers to is gone.")
	for _, f := range r.faultColumns(fault.Columns) {
		f.Code, f.Detail = CodeInvalidReference, "refers to nothing"
		e.Faults = append(e.Faults, f)
	}
	return e
}

// unavailable is 503 with the seconds after which a client may try again.
func unavailable(seconds int) *Error {
	e := Refuse(http.StatusServiceUnavailable, CodeUnavailable, "The server cannot answer just now; try again shortly.")
	e.Header = map[string]string{"Retry-After": strconv.Itoa(seconds)}
	return e
}
