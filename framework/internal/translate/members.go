package translate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
)

// faults returns a fault for each column of a constraint whose value comes from a member of the body. Each fault says that
// the value must be unique; for another constraint, the caller replaces its code and detail.
func (b breach) faults(columns []string) (list []problem.Fault) {
	if b.row != nil && b.row.Faults != nil {
		return b.row.Faults
	}
	if b.elsewhere() {
		return nil
	}
	found := b.search(columns)
	for _, column := range columns {
		if pointer, ok := found[column]; ok {
			list = append(list, problem.Fault{Pointer: pointer, Code: problem.CodeUnique, Detail: "must be unique"})
		}
	}
	return list
}

// search finds the members of the body that have the values of the columns of a constraint, and returns their JSON pointers.
// A framework's own create or change writes a row of the endpoint's table from the body itself. A function may write any row
// from any object of the body, so its values are compared: the object that has most of the columns is taken first, then
// others for the rest. A function may also change a value, or take it from elsewhere: in a row of the endpoint's own table, a
// column that no object has is at the member of the body with its name, if the body has another value, or no value at all
// was found.
func (b breach) search(columns []string) map[string]string {
	found := map[string]string{}
	if b.at.Input == nil {
		return found
	}
	var changed []string
	if b.row != nil && (!b.own() || b.at.Kind != declare.VerbAccepts) {
		changed = b.compareAll(columns, found)
	}
	if !b.own() {
		return found
	}
	nothing := len(found) == 0
	for column, f := range fieldsOf(b.at.Resource, b.at.Input) {
		if found[column] == "" && (nothing || slices.Contains(changed, column)) {
			found[column] = naming.PointerTo(f.Name)
		}
	}
	return found
}

// compareAll adds the members of all objects of the body that have the values of columns to found. It returns the columns
// for which the body itself has another value than the row.
func (b breach) compareAll(columns []string, found map[string]string) (changed []string) {
	places := b.places()
	s := &selection{places: places, columns: columns, left: slices.Clone(columns), own: b.own()}
	for s.choose(found) {
	}
	if len(places) > 0 {
		changed = places[0].differs
	}
	return changed
}

// own reports whether the row is one of the endpoint's own table.
func (b breach) own() bool {
	return b.row == nil || b.row.Resource.Table.Name == b.at.Resource.Table.Name
}

// A place is an object of a body, compared with a row.
type place struct {
	typ     reflect.Type      // the input type of the object
	at      string            // its JSON pointer, empty for the body itself
	members map[string]string // JSON pointers of the members that have the value of their column, by the column
	differs []string          // the columns for which the object has another value
	others  int               // the members that have another value than their column, or no column
}

// places lists the objects of the body, itself first.
func (b breach) places() (list []place) {
	d, err := b.at.Input.Decode(b.body, false, nil)
	if err != nil {
		return nil
	}
	var visit func(shape *input.Shape, object reflect.Value, at string)
	visit = func(shape *input.Shape, object reflect.Value, at string) {
		list = append(list, b.compare(shape, object, at))
		for _, f := range shape.Fields {
			f.EachObject(object, at, func(nested reflect.Value, at string) { visit(f.Nested, nested, at) })
		}
	}
	visit(b.at.Input, d.Value, "")
	return list
}

// compare compares the members of an object with the columns of the row.
func (b breach) compare(shape *input.Shape, object reflect.Value, at string) place {
	p := place{typ: shape.Typ, at: at, members: map[string]string{}}
	fields := fieldsOf(b.row.Resource, shape)
	for column, f := range fields {
		given := f.Given(object.FieldByIndex(f.Index))
		switch {
		case sameValue(given, b.row.Resource.Table.FieldMap[column].Value(b.row.Row)):
			p.members[column] = at + naming.PointerTo(f.Name)
		case !given.IsZero(): // the function fills an absent member from elsewhere
			p.differs = append(p.differs, column)
		}
	}
	p.others = len(shape.Fields) - len(fields) + len(p.differs)
	return p
}

// A selection is the choice of the places that a row has its values from.
type selection struct {
	places  []place
	columns []string // of the constraint
	left    []string // those that have no place yet
	chosen  string   // the JSON pointer of the place chosen last
	own     bool     // the row is one of the endpoint's own table
}

// choose finds the next place, and adds its members to found. It returns false if no place has one of the columns left, and
// if objects of several input types have the same one and are alike.
func (s *selection) choose(found map[string]string) bool {
	var best place
	ok := false
	for _, p := range s.places {
		one, other := s.rank(p), s.rank(best)
		switch {
		case one[0] == 0 || s.contradicts(p):
		case best.typ == nil || slices.Compare(one[:], other[:]) > 0:
			best, ok = p, true
		case one == other && best.at == "" && s.own:
		case one == other && best.typ == p.typ: // of equal items of a list, the database rejects the last
			best = p
		case one == other:
			ok = ok && !slices.ContainsFunc(s.left, func(column string) bool { return best.members[column] != "" && p.members[column] != "" })
		}
	}
	if ok {
		s.chosen = best.at
		s.left = slices.DeleteFunc(s.left, func(column string) bool {
			if pointer := best.members[column]; pointer != "" {
				found[column] = pointer
			}
			return found[column] != ""
		})
	}
	return ok
}

// rank compares places: by the number of the columns left, then of all values of the row, then of the other members, which
// count less than nothing.
func (s *selection) rank(p place) [3]int {
	has := 0
	for _, column := range s.left {
		if p.members[column] != "" {
			has++
		}
	}
	return [3]int{has, len(p.members), -p.others}
}

// contradicts reports whether a place has another value for a column of the constraint, so that the row is not from it. An
// object around the chosen place may have one, which the inner object replaces.
func (s *selection) contradicts(p place) bool {
	around := s.chosen != "" && strings.HasPrefix(s.chosen, p.at+"/")
	return !around && slices.ContainsFunc(p.differs, func(column string) bool { return slices.Contains(s.columns, column) })
}

// fieldsOf finds the fields of an input that have columns of a resource: by the name of the Go field, or else by the name
// that the viewset or the table has for the column. A column without a field has its value from the path, from the caller or from a
// function.
func fieldsOf(r *table.Resource, shape *input.Shape) map[string]*input.Field {
	byGoName, byName := map[string]*input.Field{}, map[string]*input.Field{}
	for _, f := range shape.Fields {
		if column := bunmodel.ColumnOf(r.Table, f.GoName); column != nil {
			if byGoName[column.Name] == nil {
				byGoName[column.Name] = f
			}
		} else if column := cmp.Or(r.Names[f.Name].Column, r.Table.FieldMap[f.Name]); column != nil && column == r.Table.FieldMap[column.Name] {
			byName[column.Name] = f
		}
	}
	for column, f := range byName {
		if byGoName[column] == nil {
			byGoName[column] = f
		}
	}
	return byGoName
}

// sameValue reports whether a value of the body and a value of the row have the same JSON. It
// returns false for null.
func sameValue(sent, stored reflect.Value) bool {
	text, err := json.Marshal(sent.Interface())
	kept, keptErr := json.Marshal(stored.Interface())
	return err == nil && keptErr == nil && string(text) != "null" && bytes.Equal(text, kept)
}
