// Package resources is the table of contents: every service that the server
// offers, the migrations that they need, and what they have in common.
package resources

import (
	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
	"trestle.example/migrations"
	"trestle.example/resources/clinic"
)

// Register adds every service to an API.
func Register(api *framework.API) {
	clinic.Register(api)
}

// Migrations are the schema's, in the order in which they build on each other.
func Migrations() []sqldb.Migrations {
	return []sqldb.Migrations{auth.Migrations(), migrations.Application()}
}

// Config is what the services have in common; a program adds its addresses,
// limits and log. Lists have pages of size rows.
func Config(db *sqldb.DB, size int) framework.Config {
	return framework.Config{
		DB:             db,
		Title:          "Trestle",
		Authentication: []framework.Authenticator{auth.Token{}},
		Permission:     framework.Authenticated(),
		Pagination:     page.Number{Size: size},
	}
}
