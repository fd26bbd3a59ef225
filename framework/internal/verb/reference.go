package verb

import (
	"reflect"
	"slices"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/children"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
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
	wrong, err := e.wrongReferences(c, e.readable(in))
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

// readable lists the references of an input whose keys have no fault.
func (e Handler) readable(in *input.Decoded) []input.Reference {
	return slices.DeleteFunc(e.referencesIn(in), func(ref input.Reference) bool { return ref.Unread(in.Faults) })
}

// wrongReferences returns a fault for each reference that the caller may not use.
func (e Handler) wrongReferences(c *call.Call, refs []input.Reference) (faults []problem.Fault, err error) {
	known := knownKeys{visible: map[string]map[any]bool{}}
	for _, ref := range refs {
		target, err := e.Resource.API.LookUp(ref.Target)
		if err != nil {
			return nil, err
		}
		has, err := e.mayRefer(c, target, ref, &known, refs)
		if err != nil {
			return nil, err
		}
		if !has {
			faults = append(faults, problem.Fault{Pointer: ref.Pointer, Code: problem.CodeInvalidReference, Detail: "refers to nothing that you may use"})
		}
	}
	return faults, nil
}

// knownKeys are the keys of several references, read together: those that the caller may see, by the path of
// their target, and those that the caller owns, of the references that the scope goes through. Both are nil until they are
// read, and for one reference.
type knownKeys struct {
	visible map[string]map[any]bool
	owned   map[any]bool
}

// keysOf lists the keys of references: with owning, those through which the scope goes, and otherwise those to a target.
func keysOf(refs []input.Reference, target *table.Resource, owning bool) (keys []any) {
	for _, ref := range refs {
		if ref.Owning && owning || !owning && ref.Target == target.Path {
			keys = append(keys, ref.Key)
		}
	}
	return keys
}

// has reports whether the caller may see the row of a reference.
func (k *knownKeys) has(c *call.Call, target *table.Resource, ref input.Reference, refs []input.Reference) (_ bool, err error) {
	if k.visible[target.Path] == nil {
		keys := keysOf(refs, target, false)
		if len(keys) < 2 {
			return target.Has(c, ref.Key)
		}
		if k.visible[target.Path], err = target.Visible(c, keys); err != nil {
			return false, err
		}
	}
	return k.visible[target.Path][ref.Key], nil
}

// owns reports whether the caller owns the row of a reference in the viewset that the scope goes through.
func (k *knownKeys) owns(c *call.Call, via *table.Resource, ref input.Reference, refs []input.Reference) (_ bool, err error) {
	if k.owned == nil {
		keys := keysOf(refs, via, true)
		if len(keys) < 2 {
			return via.Owns(c, ref.Key)
		}
		if k.owned, err = via.Owned(c, keys); err != nil {
			return false, err
		}
	}
	return k.owned[ref.Key], nil
}

// mayRefer reports whether the caller may refer to a row. The row must be in scope when the
// caller lists the target. If the scope of this viewset goes through the reference and is not
// lifted for this endpoint, the caller must also own the row in the viewset that the Via names.
// If the target is that viewset, it is enough to own the row.
func (e Handler) mayRefer(c *call.Call, target *table.Resource, ref input.Reference, known *knownKeys, refs []input.Reference) (bool, error) {
	via := e.Resource.Scope.Via
	if ref.Owning && !e.Resource.Scope.LiftedHere(c) {
		if owned, err := known.owns(c, via, ref, refs); !owned || target == via {
			return owned, err
		}
	}
	return known.has(c, target, ref, refs)
}

// referencesIn lists the references in the fields that the input has, those in nested values
// included.
func (e Handler) referencesIn(in *input.Decoded) []input.Reference {
	var list []input.Reference
	for _, f := range e.Input.Fields {
		if !f.Refers() || !in.Has(f.Name) {
			continue
		}
		v, at := f.Given(in.Value.FieldByIndex(f.Index)), naming.PointerTo(f.Name)
		if f.Ref != "" {
			list = f.Refer(list, v, at)
			if n := len(list); n > 0 && list[n-1].Pointer == at {
				list[n-1].Owning = e.owning(f)
			}
		}
		list = f.NestedReferences(list, v, at)
	}
	return list
}

// owning reports whether a field is the reference that the scope goes through.
func (e Handler) owning(f *input.Field) bool {
	scope := e.Resource.Scope
	return scope.Kind == declare.ScopeVia && scope.Column != nil && scope.Column == bunmodel.ColumnOf(e.Resource.Table, f.GoName)
}
