package accounts

import (
	"cmp"
	"slices"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/site"
)

// warnUnusedPermissions warns of each permission that no endpoint of the API requires, and
// suggests the nearest one that an endpoint requires. If the declarations have a mistake, it does
// nothing, because the command has already changed the permissions.
func warnUnusedPermissions(run *command.Run, s *site.Site, named []string) {
	if len(named) == 0 {
		return
	}
	api := s.API()
	if api.Check() != nil {
		return
	}
	required := api.Permissions()
	for _, name := range named {
		if !slices.Contains(required, name) {
			hint := cmp.Or(console.Suggest("", name, required), run.Text("; {program} routes lists what each requires"))
			run.Sayf("no endpoint of the API requires %s%s", name, hint)
		}
	}
}
