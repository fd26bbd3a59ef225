package candidates

import (
	"slices"

	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
	"trestle.example/framework/internal/table"
)

// ToReach returns a row of an endpoint that the owner made, or else one of another person. If possible, the declarations permit a
// caller to send the request for it.
func ToReach(f *fixture.Fixture, e *exchange.Endpoint) (one *fixture.Row) {
	permitted := func(one *fixture.Row) bool {
		return one.Key(e.Resource) != "" && slices.ContainsFunc(f.People, func(who *exchange.Person) bool { return f.Permits(e, who, one) })
	}
	if one = f.RowFor(f.Owner, e.Resource); one != nil && one.By == f.Owner && permitted(one) {
		return one
	}
	users := slices.DeleteFunc(slices.Clone(f.People[1:]), func(who *exchange.Person) bool { return e.Access(who) == spec.AccessRefused })
	for _, who := range users {
		one = f.RowFor(who, e.Resource)
		if one != nil && (one.By == f.Owner || who != f.Owner) && one.Key(e.Resource) != "" {
			break
		}
		one = nil
	}
	if one == nil || permitted(one) {
		return one
	}
	for _, who := range users { // who may only change rows of their own
		if own := f.RowWhere(who, e.Resource, func(own *fixture.Row) bool { return own.By == who && permitted(own) }); own != nil {
			return own
		}
	}
	return one
}

// Own returns the row for which a person can send the request of an endpoint: one that they made, nil if the
// endpoint names none. It is false if the person cannot send it.
func Own(f *fixture.Fixture, e *exchange.Endpoint, who *exchange.Person) (*fixture.Row, bool) {
	if e.Access(who) == spec.AccessRefused || e.Spec.Key == nil {
		return nil, e.Access(who) != spec.AccessRefused
	}
	on := f.RowFor(who, e.Resource)
	return on, on != nil && on.By == who && f.Permits(e, who, on)
}

// Hidden returns a row of a viewset that a person may not see, one of the owner's if there is one.
func Hidden(f *fixture.Fixture, who *exchange.Person, r *table.Resource) (found *fixture.Row) {
	for _, one := range f.RowsOf(r) {
		switch {
		case f.Sees(who, r, one):
		case one.By == f.Owner:
			return one
		case found == nil:
			found = one
		}
	}
	return found
}

// AllHidden lists rows of a viewset that it does not show to a person, two dozen at most.
func AllHidden(f *fixture.Fixture, who *exchange.Person, r *table.Resource) (all []*fixture.Row) {
	for _, one := range f.RowsOf(r) {
		if len(all) < 24 && one.By != who && !f.Sees(who, r, one) {
			all = append(all, one)
		}
	}
	return all
}

// Foreign returns a row that a person may see and that is not in their scope of another viewset.
func Foreign(f *fixture.Fixture, who *exchange.Person, r, via *table.Resource) *fixture.Row {
	for _, one := range f.RowsOf(r) {
		if !f.Owns(who, via, one) {
			return one
		}
	}
	return nil
}
