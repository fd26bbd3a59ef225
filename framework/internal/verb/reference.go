package verb

import (
	"reflect"
	"slices"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/children"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/refer"
	"trestle.example/framework/problem"
)

// check checks the references of the input and the keys in its lists of related rows, except those
// that have a fault already. It returns what the lists change in the rows of a parent, which is not
// valid if it is new. The error lists the faults, those that the input has already included, up to
// [input.MaxFaults]. If the input has more than it lists, check does not know which values are valid
// and checks no references.
func (e Handler) check(c *call.Call, in *input.Decoded, lists *children.Lists, parent reflect.Value) (children.Changes, error) {
	if in.More {
		return nil, problem.Invalid(in.Faults...)
	}
	faults := slices.Clone(in.Faults)
	wrong, err := refer.Wrong(c, e.Endpoint, refer.Readable(e.Endpoint, in))
	if err != nil {
		return nil, err
	}
	changes, unknown, err := lists.Prepare(c, parent, in, e.Partial())
	if err != nil {
		return nil, err
	}
	if faults = slices.Concat(faults, wrong, unknown); len(faults) > 0 {
		return nil, problem.Invalid(faults[:min(len(faults), input.MaxFaults)]...)
	}
	return changes, nil
}
