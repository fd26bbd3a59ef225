package accounts

import (
	"cmp"
	"slices"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/site"
)

// sayUnasked warns of permissions that were named and that no endpoint asks for,
// each with the one that was probably meant. Settings with which no server starts
// are no reason to grant nothing: there it warns of nothing.
func sayUnasked(run *command.Run, s *site.Site, named []string) {
	if len(named) == 0 {
		return
	}
	api := s.API()
	if api.Check() != nil {
		return
	}
	asked := api.Permissions()
	for _, name := range named {
		if !slices.Contains(asked, name) {
			run.Sayf("no endpoint asks for %s%s", name, cmp.Or(console.Suggest("", name, asked), run.Text("; {program} routes shows what each asks for")))
		}
	}
}
