package accounts

import (
	"cmp"
	"slices"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/site"
)

// warnUnusedPermissions warns of each permission that no endpoint requires, and suggests
// the nearest. It warns of nothing if the declarations are wrong, because the permissions
// are granted all the same.
func warnUnusedPermissions(run *command.Run, s *site.Site, named []string) {
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
