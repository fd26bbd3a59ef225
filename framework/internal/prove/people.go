package prove

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/prove/report"
)

// A Kind is a kind of caller.
type Kind struct {
	Name        string // "user"
	Email       string // at whose domain its address is; "" for any
	Staff       bool
	Superuser   bool
	Permissions []string
}

// A person is a caller whose requests the server identifies.
type person struct {
	Kind

	header http.Header
	caller *call.Caller // nil for the visitor
	at     int          // in the report's callers; that of a second user is that of the first
}

// gather makes a person of each kind: a visitor, two users, one of the staff, a holder of each
// permission, a holder of all, and a superuser. The first user makes the rows that the others try
// to reach.
func (p *Fixture) gather(catalog describe.Catalog) error {
	kinds := []Kind{{Name: report.Owner}, {Name: report.User}, {Name: report.Staff, Staff: true}}
	all := catalog.Permissions()
	for _, permission := range all {
		kinds = append(kinds, Kind{Name: permission, Permissions: []string{permission}})
	}
	if len(all) > 1 {
		kinds = append(kinds, Kind{Name: report.Holder, Permissions: all})
	}
	kinds = append(append(kinds, p.Callers...), Kind{Name: report.Superuser, Staff: true, Superuser: true})
	p.people = []*person{{Kind: Kind{Name: report.Visitor}, header: http.Header{}}}
	known := map[string]bool{}
	for _, k := range kinds {
		one, err := p.arrive(k, len(p.people))
		if err == nil && known[one.caller.IDText()] {
			err = errors.New("SignIn returned the same caller as before")
		}
		if err != nil {
			return fmt.Errorf("a caller of the kind %q cannot be made: %w", k.Name, err)
		}
		p.people, known[one.caller.IDText()] = append(p.people, one), true
	}
	p.owner = p.people[1]
	return nil
}

// arrive makes one more person of a kind.
func (p *Fixture) arrive(k Kind, at int) (*person, error) {
	p.now = nil
	header, caller, err := p.SignIn(p.ctx, k)
	if err == nil && caller.Anonymous() {
		err = errors.New("SignIn returned no caller")
	}
	if err != nil {
		return nil, err
	}
	return &person{Kind: k, header: header, caller: caller, at: at}, nil
}

// fresh makes another person of the same kind, nil if that fails.
func (p *Fixture) fresh(who *person) *person {
	one, err := p.arrive(who.Kind, who.at)
	if err != nil {
		p.stop(fmt.Errorf("one more caller of the kind %q cannot be made: %w", who.Name, err))
		return nil
	}
	return one
}

// others are all people except one.
func (p *Fixture) others(of *person) []*person {
	return slices.DeleteFunc(slices.Clone(p.people), func(one *person) bool { return one == of })
}
