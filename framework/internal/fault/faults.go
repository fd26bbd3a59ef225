package fault

import (
	"errors"
	"net/http"
	"strings"

	"trestle.example/framework/internal/naming"
	"trestle.example/framework/problem"
)

// A List gathers the faults of several parameters. An error of another kind, such as an
// unknown page, counts only if no parameter has a fault.
type List struct {
	faults []problem.Fault
	other  error
}

// Add adds the faults of an error with the code invalid_parameter. Of other errors it keeps the
// first. It ignores nil.
func (l *List) Add(err error) {
	if e, ok := errors.AsType[*problem.Error](err); ok && e.Code == problem.CodeInvalidParameter && len(e.Faults) > 0 {
		l.faults = append(l.faults, e.Faults...)
	} else if l.other == nil {
		l.other = err
	}
}

// Err returns one error with all faults. Without faults it returns the first error of another
// kind, or nil.
func (l *List) Err() error {
	if len(l.faults) > 0 {
		return InvalidParameters(l.faults)
	}
	return l.other
}

// InvalidParameters is the error of several parameters: status 400.
func InvalidParameters(faults []problem.Fault) *problem.Error {
	e := problem.InvalidParameter("", "") // for its status, code and detail
	e.Faults = faults
	return e
}

// InQuery returns an error 400 that has faults of a body as the error 400 invalid_parameter with
// faults of parameters. It returns any other error unchanged.
func InQuery(err error) error {
	e, ok := errors.AsType[*problem.Error](err)
	if !ok || e.Status != http.StatusBadRequest || len(e.Faults) == 0 {
		return err
	}
	var faults []problem.Fault
	for _, f := range e.Faults {
		faults = append(faults, problem.Fault{Parameter: strings.TrimPrefix(f.Pointer, "/"), Code: f.Code, Detail: f.Detail})
	}
	return InvalidParameters(faults)
}

// UnknownField is the fault of a member that is not a field of the input.
func UnknownField(pointer, near string) problem.Fault {
	return problem.Fault{Pointer: pointer, Code: problem.CodeUnknownField, Detail: "is not a field that can be written here" + naming.Suggestion(near)}
}

// RejectUnknown is the error of unknown members: status 400. It is nil if the list is
// empty.
func RejectUnknown(faults []problem.Fault) error {
	if len(faults) == 0 {
		return nil
	}
	e := problem.Refuse(http.StatusBadRequest, problem.CodeUnknownField, "The body names fields that cannot be written here; nothing was changed.")
	e.Faults = faults
	return e
}
