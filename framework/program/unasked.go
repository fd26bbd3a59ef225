package program

import (
	"cmp"
	"slices"

	"trestle.example/framework/program/internal/console"
)

// sayUnasked warns of permissions that were named and that no endpoint asks for,
// each with the one that was probably meant. Settings with which no server starts
// are no reason to grant nothing: there it warns of nothing.
func (p *program) sayUnasked(s *site, named []string) {
	if len(named) == 0 {
		return
	}
	api := s.api()
	if api.Check() != nil {
		return
	}
	asked := api.Permissions()
	for _, name := range named {
		if !slices.Contains(asked, name) {
			p.Sayf("no endpoint asks for %s%s", name, cmp.Or(console.Suggest("", name, asked), p.text("; {program} routes shows what each asks for")))
		}
	}
}
