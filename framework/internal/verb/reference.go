package verb

import (
	"slices"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// references checks every reference of the input against the scope of its target, except a
// reference that has a fault already. The error lists these faults and the faults that the input
// has already. It is nil without faults.
func (e Handler) references(c *call.Call, in *input.Decoded) error {
	faults := slices.Clone(in.Faults)
	for _, ref := range e.referencesIn(in) {
		if input.Faulty(in.Faults, ref.Pointer) {
			continue
		}
		target, err := e.Resource.API.LookUp(ref.Target)
		if err != nil {
			return err
		}
		has, err := e.mayRefer(c, target, ref)
		if err != nil {
			return err
		}
		if !has {
			faults = append(faults, problem.Fault{Pointer: ref.Pointer, Code: problem.CodeInvalidReference, Detail: "refers to nothing that you may use"})
		}
	}
	if len(faults) > 0 {
		return problem.Invalid(faults...)
	}
	return nil
}

// mayRefer reports whether the caller may refer to a row. The row must be in scope when the
// caller lists the target. If the scope of this viewset goes through the reference and is not
// lifted for this endpoint, the caller must also own the row in the viewset that the Via names.
// If the target is that viewset, it is enough to own the row.
func (e Handler) mayRefer(c *call.Call, target *table.Resource, ref input.Reference) (bool, error) {
	via := e.Resource.Scope.Via
	if ref.Owning && !e.Resource.Scope.LiftedHere(c) {
		if owned, err := via.Owns(c, ref.Key); !owned || target == via {
			return owned, err
		}
	}
	return target.Has(c, ref.Key)
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
	return scope.Kind == declare.ScopeVia && scope.Column != nil && scope.Column.GoName == f.GoName
}
