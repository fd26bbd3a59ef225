package candidates

import (
	"trestle.example/framework/internal/prove/exchange"
	"trestle.example/framework/internal/prove/fixture"
	"trestle.example/framework/internal/spec"
)

// Kinds lists a person of each class whose requests to an endpoint succeeded and that it identifies: plain users, those with
// permissions, the staff, and superusers.
func Kinds(f *fixture.Fixture, e *exchange.Endpoint) (kinds []*exchange.Person) {
	type class struct{ staff, superuser, holds bool }
	known := map[class]bool{}
	for _, next := range f.People[1:] {
		of := class{next.Staff, next.Superuser, len(next.Permissions) > 0}
		if e.Access(next) != spec.AccessRefused && !known[of] && e.Succeeded(next) && f.CallerOf(next, e) != "" {
			known[of] = true
			kinds = append(kinds, next)
		}
	}
	return kinds
}
