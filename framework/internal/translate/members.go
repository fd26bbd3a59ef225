package translate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"trestle.example/framework/internal/bunmodel"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/input"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/problem"
	"trestle.example/framework/sqldb"
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
// from any object of the body, so the values are compared. If none is found, or the body itself has another text, a verb
// and an action on a row have it from the member with the name of the column, which the function changed.
func (b breach) search(columns []string) map[string]string {
	found := map[string]string{}
	if b.at.Input == nil {
		return found
	}
	var places []*place
	if b.row != nil && (!b.own() || b.at.Kind != declare.VerbAccepts) {
		places = b.places()
		s := &selection{places: places, left: slices.Clone(columns), columns: columns, unique: b.fault.Kind == sqldb.Unique}
		for s.choose(found) {
		}
	}
	if !b.likely() {
		return found
	}
	nothing := len(found) == 0
	for column, f := range fieldsOf(b.at.Resource, b.at.Input) {
		inner := slices.ContainsFunc(places[min(1, len(places)):], func(p *place) bool { return p.fields[column] != nil })
		changed := naming.Indirect(f.Typ).Kind() == reflect.String && len(places) > 0 && slices.Contains(places[0].differs, column)
		if found[column] == "" && (nothing || changed) && !inner {
			found[column] = naming.PointerTo(f.Name)
		}
	}
	return found
}

// likely reports whether the row is likely to be the one that the body itself describes: it is one of the endpoint's own table,
// and the endpoint is a verb or an action on a row.
func (b breach) likely() bool {
	return b.own() && (b.row == nil || b.at.Kind != declare.VerbAbsent || b.at.OnObject)
}

// own reports whether the row is one of the endpoint's own table.
func (b breach) own() bool {
	return b.row == nil || b.row.Resource.Table.Name == b.at.Resource.Table.Name
}

// A place is an object of a body, compared with a row. It has the values of the objects around it, unless it has its own.
type place struct {
	at      string                  // its JSON pointer, empty for the body itself
	list    string                  // the JSON pointer of the list or the map that it is in; its own without one
	fields  map[string]*input.Field // its fields that have columns of the row, by the column
	members map[string]string       // JSON pointers of the members that have the value of their column, by the column
	exact   map[string]bool         // the columns that have exactly this value, and it is not zero: an absent member is zero
	own     int                     // how many of them are its own members
	differs []string                // the columns for which it has another value
}

// places lists the objects of the body, itself first.
func (b breach) places() (list []*place) {
	d, err := b.at.Input.Decode(b.body, false, nil)
	if err != nil {
		return nil
	}
	var visit func(shape *input.Shape, object reflect.Value, one *place)
	visit = func(shape *input.Shape, object reflect.Value, one *place) {
		b.compare(shape, object, one)
		list = append(list, one)
		for _, f := range shape.Fields {
			f.EachObject(object, one.at, func(nested reflect.Value, at string) {
				visit(f.Nested, nested, one.inner(at, one.at+naming.PointerTo(f.Name)))
			})
		}
	}
	visit(b.at.Input, d.Value, &place{members: map[string]string{}, exact: map[string]bool{}})
	return list
}

// inner returns the place of an object in this one, which has its values. member is the JSON pointer of the member that has it,
// alone or in a list. A value of the body itself may be for another row, so it need not be that of the row.
func (p *place) inner(at, member string) *place {
	one := &place{at: at, list: member, members: maps.Clone(p.members), exact: maps.Clone(p.exact)}
	if at != member {
		one.list = at[:strings.LastIndex(at, "/")]
	}
	if p.at != "" {
		one.differs = slices.Clone(p.differs)
	}
	return one
}

// compare compares the members of an object with the columns of the row.
func (b breach) compare(shape *input.Shape, object reflect.Value, p *place) {
	p.fields = fieldsOf(b.row.Resource, shape)
	for column, f := range p.fields {
		given, stored := f.Given(object.FieldByIndex(f.Index)), b.row.Resource.Table.FieldMap[column].Value(b.row.Row)
		same := sameValue(given, stored)
		if same && !given.IsZero() {
			p.own++
		}
		switch {
		case same || alike(given, stored):
			p.differs = slices.DeleteFunc(p.differs, func(one string) bool { return one == column })
			p.members[column], p.exact[column] = p.at+naming.PointerTo(f.Name), same && !given.IsZero()
		case !given.IsZero(): // the function fills an absent member from elsewhere
			p.differs = append(p.differs, column)
			delete(p.members, column)
			delete(p.exact, column)
		}
	}
}

// A selection is the choice of the places that a row has its values from.
type selection struct {
	places  []*place
	columns []string // of the constraint
	left    []string // those that have no place yet
	unique  bool     // the constraint compares rows
}

// choose finds the next place, and adds its members to found. If several places may be meant, it adds only the members that
// they share. It returns false if no further place is to be chosen.
func (s *selection) choose(found map[string]string) bool {
	best := s.best()
	if len(best) == 0 {
		return false
	}
	sure := !slices.ContainsFunc(best, func(p *place) bool { return p.list != best[0].list })
	one := best[0]
	if s.unique { // of equal items of a list, the database rejects the second
		one = best[min(1, len(best)-1)]
	}
	before := len(s.left)
	s.left = slices.DeleteFunc(s.left, func(column string) bool {
		pointer := one.members[column]
		shared := !slices.ContainsFunc(best, func(p *place) bool { return p.members[column] != pointer })
		if pointer != "" && (sure || shared) {
			found[column] = pointer
		}
		return found[column] != ""
	})
	return sure && len(s.left) < before
}

// best lists the places that have most of the columns left, then the fewest other values than the row, then most of the values
// of the row, and then most of them themselves. It takes no place that has another value for a column of the constraint.
func (s *selection) best() (best []*place) {
	rank := [4]int{1, math.MinInt}
	for i, p := range s.places {
		other := i > 0 && slices.ContainsFunc(p.differs, func(column string) bool { return slices.Contains(s.columns, column) })
		one := [4]int{s.has(p), -len(p.differs), p.exactly(), p.own}
		switch order := slices.Compare(one[:], rank[:]); {
		case other || order < 0:
		case order > 0:
			best, rank = []*place{p}, one
		default:
			best = append(best, p)
		}
	}
	return best
}

// exactly counts the columns for which the place has exactly the value of the row.
func (p *place) exactly() (n int) {
	for _, exact := range p.exact {
		if exact {
			n++
		}
	}
	return n
}

// has counts the columns left that a place has.
func (s *selection) has(p *place) (n int) {
	for _, column := range s.left {
		if p.members[column] != "" {
			n++
		}
	}
	return n
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

// alike reports whether two texts differ only in capital letters and spaces around them, which functions often change.
func alike(sent, stored reflect.Value) bool {
	one, other := reflect.Indirect(sent), reflect.Indirect(stored)
	return one.Kind() == reflect.String && other.Kind() == reflect.String && strings.TrimSpace(one.String()) != "" &&
		strings.EqualFold(strings.TrimSpace(one.String()), strings.TrimSpace(other.String()))
}
