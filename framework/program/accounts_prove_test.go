package program_test

import (
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/accounts"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/program"
)

// TestNoCallerReachesAnothersAccount proves the isolation of a program that has accounts alone.
func TestNoCallerReachesAnothersAccount(t *testing.T) {
	t.Setenv("TEST_DATABASE_URL", "") // a server of its own: a proof reads the database again whenever any test has committed on the server
	if testing.Short() {
		t.Skip("sends thousands of requests on each database")
	}
	frameworktest.Prove(t, program.Program{
		Name: "accounts",
		Identity: func(c auth.Config) (*auth.Service, error) {
			c.Account.LogoutEverywhere = true
			return auth.New(c)
		},
		Config: func(site *program.Site) framework.Config {
			c := program.DefaultConfig(site)
			c.Codes = append(c.Codes, accounts.Codes()...)
			return c
		},
		Register: func(api *framework.API, site *program.Site) {
			api.Register(append(accounts.Own(site.Identity), site.Identity.ViewSet(), accounts.Administration(api, site.Identity))...)
		},
	})
}
