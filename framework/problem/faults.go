package problem

import (
	"errors"
	"net/http"
	"strings"

	"trestle.example/framework/internal/naming"
)

// A FaultList gathers what is wrong with several parameters. An error of
// another kind, such as a page that is not there, counts only if none is wrong.
type FaultList struct {
	faults []Fault
	other  error
}

// Add adds an error.
func (l *FaultList) Add(err error) {
	if e, ok := errors.AsType[*Error](err); ok && e.Code == CodeInvalidParameter {
		l.faults = append(l.faults, e.Faults...)
	} else if l.other == nil {
		l.other = err
	}
}

// Err returns one error with all faults, or the first error of another kind.
func (l *FaultList) Err() error {
	if len(l.faults) > 0 {
		return InvalidParameters(l.faults)
	}
	return l.other
}

// InQuery makes faults of a body those of parameters.
func InQuery(err error) error {
	refusal, ok := errors.AsType[*Error](err)
	if !ok {
		return err
	}
	var faults []Fault
	for _, f := range refusal.Faults {
		faults = append(faults, Fault{Parameter: strings.TrimPrefix(f.Pointer, "/"), Code: f.Code, Detail: f.Detail})
	}
	return InvalidParameters(faults)
}

// UnknownField is the fault of a member that no field takes.
func UnknownField(pointer, near string) Fault {
	return Fault{Pointer: pointer, Code: CodeUnknownField, Detail: "is not a field that can be written here" + naming.Suggestion(near)}
}

// RefuseUnknown is 400 for unknown members. It is nil if the list is empty.
func RefuseUnknown(faults []Fault) error {
	if len(faults) == 0 {
		return nil
	}
	e := Refuse(http.StatusBadRequest, CodeUnknownField, "The body names fields that cannot be written here; nothing was changed.")
	e.Faults = faults
	return e
}

// IsNotFound reports whether the error's code is not_found.
func IsNotFound(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Code == CodeNotFound
}
