package children

import (
	"errors"
	"reflect"
	"slices"

	"github.com/uptrace/bun/schema"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/relation"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
)

// Lists are the fields of an input that set related rows. They are complete before the first
// request, and safe for concurrent use from then on. A nil Lists has no fields.
type Lists struct{ all []list }

// A list is a field of an input that sets the rows of a relation.
type list interface {
	// of returns the field and the name of the relation.
	of() (f *input.Field, name string)
	// prepare compares a list of a body with the stored rows of the parent, and returns its faults.
	// For a new parent, parent is not valid.
	prepare(c *call.Call, parent reflect.Value, s sent) (change, []problem.Fault, error)
	// codes lists the error codes of the list's rows.
	codes() []string
	// sought is a path from the parent to the column by which the rows are found.
	sought() string
}

// A change is what a request makes of the rows of one relation.
type change interface {
	// store changes the rows of a parent, which is stored already. It needs a transaction.
	store(c *call.Call, parent reflect.Value) error
}

// A sent is a list of a body, its pointer, and the faults of the body.
type sent struct {
	value  reflect.Value
	at     string
	faults []problem.Fault
}

// Changes are what a request makes of the related rows of its row.
type Changes []change

// Misplaced reports each tag to of an input whose verb does not set related rows, at any depth.
func Misplaced(shape *input.Shape, fault func(error)) {
	for _, f := range shape.Setting() {
		fault(naming.Sentence("%s: the tag to has no effect here: only framework.Accepts and Fills set related rows; write them in the function, and remove the tag", f.Place))
	}
}

// Nested reports each tag to in the nested structs of an input.
func Nested(shape *input.Shape, fault func(error)) {
	for _, f := range shape.Fields {
		if f.Nested == nil {
			continue
		}
		for _, inner := range f.Nested.Setting() {
			fault(naming.Sentence("%s: the tag to works in the input itself, not in a struct inside it; give the rows a viewset of their own, which sets %q", inner.Place, inner.To))
		}
	}
}

// Bind adds a field with the tag to of an endpoint's input, and reports its mistakes. It gives the
// field the rules of the list.
func (l *Lists) Bind(e *table.Endpoint, f *input.Field, fault func(error)) {
	at := func(err error) { fault(naming.Sentence("%s: %w", f.Place, err)) }
	bound, err := bind(e.Resource, f, at)
	if err != nil {
		at(err)
		return
	}
	_, name := bound.of()
	for _, other := range l.all {
		if first, same := other.of(); same == name {
			at(naming.Sentence("it sets %q, and so does %s; one field sets the rows of a relation", name, first.Place))
			return
		}
	}
	l.all = append(l.all, bound)
	e.Refuses = append(slices.Clip(e.Refuses), bound.codes()...)
	if column, err := e.Resource.Relations.Base().FieldAt(bound.sought()); err == nil {
		e.Resource.Seeks("list "+f.Name, false, []query.Field{column})
	}
}

// bind finds the relation of a field's tag.
func bind(r *table.Resource, f *input.Field, fault func(error)) (list, error) {
	t, err := readTag(f.To)
	if err != nil {
		return nil, err
	}
	related, err := r.Relations.Base().ByName(t.relation)
	switch {
	case err != nil:
		return nil, err
	case f.Typ.Kind() != reflect.Slice:
		return nil, naming.Sentence("the tag to is for a list, such as []string or a list of structs, not for %s", f.Typ)
	case f.HasDef:
		return nil, naming.Sentence("a list has no default: an absent list is empty; remove the tag default")
	}
	if err := errors.Join(t.bound(f), checkBase(related)); err != nil {
		return nil, err
	}
	switch related.Schema.Type {
	case schema.HasManyRelation:
		return bindRows(r, f, t, related, fault)
	case schema.ManyToManyRelation:
		return bindKeys(r, f, t, related, fault)
	}
	return nil, naming.Sentence("%q leads to one row; take its key, %s, tagged `ref:\"...\"` with the viewset of the rows that may be used",
		t.relation, related.Schema.BasePKs[0].GoName)
}

// checkBase returns an error for a relation whose column of the parent may be null.
func checkBase(related *relation.Relation) error {
	if base := related.Schema.BasePKs[0]; related.ToMany() && base.IsPtr {
		return naming.Sentence("%q refers to %s, which may be null; a list needs a column that every row has, such as the primary key", related.Name, base.GoName)
	}
	return nil
}

// Relations lists the relations whose rows the fields of an input set.
func Relations(in *input.Shape) (names []string) {
	for _, f := range in.Fields {
		if t, err := readTag(f.To); f.To != "" && err == nil {
			names = append(names, t.relation)
		}
	}
	return names
}

// Given reports whether a request sets related rows. With partial, it sets those that the body names.
func (l *Lists) Given(in *input.Decoded, partial bool) bool {
	return l != nil && slices.ContainsFunc(l.all, func(one list) bool {
		f, _ := one.of()
		return !partial || in.Has(f.Name)
	})
}

// Prepare compares the lists of a body with the stored rows of the parent, given as a pointer to its
// model, and returns what changes and the faults of the keys in the lists. For a new parent, parent
// is not valid. With partial, lists that the body does not name stay as they are.
func (l *Lists) Prepare(c *call.Call, parent reflect.Value, in *input.Decoded, partial bool) (changes Changes, faults []problem.Fault, err error) {
	if l == nil {
		return nil, nil, nil
	}
	for _, one := range l.all {
		f, _ := one.of()
		if !in.Has(f.Name) && (partial || !parent.IsValid()) {
			continue
		}
		s := sent{in.Value.FieldByIndex(f.Index), naming.PointerTo(f.Name), in.Faults}
		changed, wrong, err := one.prepare(c, parent, s)
		if err != nil {
			return nil, nil, err
		}
		changes, faults = append(changes, changed), append(faults, wrong...)
	}
	return changes, faults, nil
}

// Store changes the related rows of a parent, which is stored already and given as a pointer to its
// model. It needs a transaction.
func (cs Changes) Store(c *call.Call, parent reflect.Value) error {
	for _, one := range cs {
		if err := one.store(c, parent); err != nil {
			return err
		}
	}
	return nil
}

// invalid is the fault of a key that names no row that the caller may use.
func invalid(pointer string) problem.Fault {
	return problem.Fault{Pointer: pointer, Code: problem.CodeInvalidReference, Detail: "refers to nothing that you may use"}
}
