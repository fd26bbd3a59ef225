// Command trestle runs the services of this module: it migrates and seeds the
// database, serves the API, and keeps users and tokens.
//
//	trestle serve --migrate --seed
//
// Run trestle --help for the commands and trestle serve --help for the
// settings. Package program describes what all commands have in common.
package main

import (
	"trestle.example/framework"
	"trestle.example/framework/program"
	"trestle.example/resources"
)

func main() { program.Main(trestle()) }

// trestle is the program of this module: the services in package resources.
func trestle() program.Program {
	return program.Program{
		Migrations: resources.Migrations(),
		Identity:   resources.Identity,
		Config: func(site *program.Site) framework.Config {
			return resources.Config(site.DB, site.PageSize, site.Identity)
		},
		Register: func(api *framework.API, site *program.Site) { resources.Register(api, site.Identity) },
		Demo:     demoData(),
	}
}
