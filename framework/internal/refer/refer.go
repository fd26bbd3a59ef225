// Package refer finds the references of inputs to rows, and checks that the caller may use these rows.
package refer

import (
	"slices"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// Readable lists the references of an input whose keys have no fault.
func Readable(e *table.Endpoint, in *input.Decoded) []input.Reference {
	return slices.DeleteFunc(In(e, in), func(ref input.Reference) bool { return ref.Unread(in.Faults) })
}

// Wrong returns a fault for each reference that the caller may not use.
func Wrong(c *call.Call, e *table.Endpoint, refs []input.Reference) (faults []problem.Fault, err error) {
	known := knownKeys{visible: map[string]map[any]bool{}}
	for _, ref := range refs {
		target, err := e.Resource.API.LookUp(ref.Target)
		if err != nil {
			return nil, err
		}
		has, err := mayRefer(c, e, target, ref, &known, refs)
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
func mayRefer(c *call.Call, e *table.Endpoint, target *table.Resource, ref input.Reference, known *knownKeys, refs []input.Reference) (bool, error) {
	via := e.Resource.Scope.Via
	if ref.Owning && !e.Resource.Scope.LiftedHere(c) {
		if owned, err := known.owns(c, via, ref, refs); !owned || target == via {
			return owned, err
		}
	}
	return known.has(c, target, ref, refs)
}

// In lists the references in the fields that the input has, those in nested values
// included.
func In(e *table.Endpoint, in *input.Decoded) []input.Reference {
	var list []input.Reference
	for _, f := range e.Input.Fields {
		if !f.Refers() || !in.Has(f.Name) {
			continue
		}
		v, at := f.Given(in.Value.FieldByIndex(f.Index)), naming.PointerTo(f.Name)
		if f.Ref != "" {
			list = f.Refer(list, v, at)
			if n := len(list); n > 0 && list[n-1].Pointer == at {
				list[n-1].Owning = owning(e, f)
			}
		}
		list = f.NestedReferences(list, v, at)
	}
	return list
}

// owning reports whether a field is the reference that the scope goes through.
func owning(e *table.Endpoint, f *input.Field) bool {
	scope := e.Resource.Scope
	return scope.Kind == declare.ScopeVia && scope.Column != nil && scope.Column == bunmodel.ColumnOf(e.Resource.Table, f.GoName)
}
