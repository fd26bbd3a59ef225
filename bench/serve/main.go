// Command serve is the program of this module, as cmd/trestle is, with one more resource for the
// benchmark in the folder above: patients with their appointments, which no resource of the clinic
// shows in one answer.
package main

import (
	"trestle.example/framework"
	"trestle.example/framework/program"
	"trestle.example/resources"
)

func main() {
	program.Main(program.Program{
		Migrations: resources.Migrations(),
		Identity:   resources.Identity,
		Config: func(site *program.Site) framework.Config {
			return resources.Config(site.DB, site.PageSize, site.Identity)
		},
		Register: func(api *framework.API, site *program.Site) {
			resources.Register(api, site.Identity)
			api.Register(visited(), visits())
		},
	})
}
