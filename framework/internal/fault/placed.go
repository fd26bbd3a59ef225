package fault

import (
	"errors"
	"slices"

	"trestle.example/framework/problem"
)

// A placed is an error whose pointers lead from the top of the body.
type placed struct{ refusal *problem.Error }

// Error describes the error for a log.
func (e placed) Error() string { return e.refusal.Error() }

// Unwrap returns the error itself.
func (e placed) Unwrap() error { return e.refusal }

// Place applies a function to the pointer of each fault of an error, which is then relative to the
// body. A pointer that is empty stays so. It returns the error unchanged if it is placed already,
// or is not a [problem.Error] with faults.
func Place(err error, pointer func(string) string) error {
	refusal, ok := errors.AsType[*problem.Error](err)
	if _, done := errors.AsType[placed](err); done || !ok || len(refusal.Faults) == 0 {
		return err
	}
	c := *refusal
	c.Faults = slices.Clone(c.Faults)
	for i := range c.Faults {
		c.Faults[i].Pointer = pointer(c.Faults[i].Pointer)
	}
	return placed{&c}
}

// Around adds faults to an error that is placed, before those that it has. They are of members
// around or beside the input. If one of them is of an unknown member, so is the error. Without
// faults, Around returns the error unchanged.
func Around(faults []problem.Fault, err error) error {
	if len(faults) == 0 {
		return err
	}
	refusal, ok := errors.AsType[*problem.Error](err)
	if err != nil && (!ok || len(refusal.Faults) == 0) {
		return err
	}
	all := faults
	if ok {
		all = append(slices.Clip(faults), refusal.Faults...)
	}
	unknown := func(f problem.Fault) bool { return f.Code == problem.CodeUnknownField }
	if slices.ContainsFunc(all, unknown) {
		refusal, _ = errors.AsType[*problem.Error](RejectUnknown(all))
		return placed{refusal}
	}
	return placed{problem.Invalid(all...)}
}
