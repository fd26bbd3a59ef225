// Package resources is the table of contents: every service that the server
// offers, the migrations that they need, and what they have in common.
package resources

import (
	"slices"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/console"
	"trestle.example/framework/page"
	"trestle.example/framework/sqldb"
	"trestle.example/migrations"
	"trestle.example/resources/clinic"
	"trestle.example/resources/clinic/calendar"
	"trestle.example/resources/store"
	"trestle.example/resources/store/packing"
)

// Register adds every service to an API, and the endpoints by which callers
// sign in.
func Register(api *framework.API, identity *auth.Service) {
	api.Register(framework.Service{
		Name:      "Identity",
		Doc:       "How callers register, sign in and sign out, by session, token or JWT, and look after their own account.",
		Resources: []framework.Resource{identity.ViewSet()},
	})
	clinic.Register(api)
	store.Register(api)
}

// Migrations are the schema's, in the order in which they build on each other.
func Migrations() []sqldb.Migrations {
	return []sqldb.Migrations{framework.Migrations(), auth.Migrations(), migrations.Application()}
}

// Identity is who callers are, for all services. A program adds its keys, rates, mailer and log
// to c; the rest is set here. Users look after their own account. An account with patients or
// orders cannot be deleted: the records stay, and say whose they are.
func Identity(c auth.Config) (*auth.Service, error) {
	c.JWT.Issuer = "trestle"
	c.Account = auth.AccountOptions{Change: true, Delete: true, Reset: true, Verify: true, PlainMe: true, Service: "Trestle"}
	c.Role = role
	return auth.New(c)
}

// role is what the store calls a user.
func role(u auth.User) string {
	if u.IsStaff {
		return "admin"
	}
	return "customer"
}

// pages are those of the console that the services have beside the generated ones. A program adds the path.
func pages() framework.Console {
	return framework.Console{
		Tiles: slices.Concat(calendar.Tiles(), packing.Tiles()),
		Pages: append(packing.Pages(), calendar.Page(nil)),
		Renderers: map[string]console.Renderer{
			"totalPaise": console.Money("₹", 2), "subtotalPaise": console.Money("₹", 2), "savingsPaise": console.Money("₹", 2),
			"deliveryFeePaise": console.Money("₹", 2), "pricePaise": console.Money("₹", 2), "mrpPaise": console.Money("₹", 2),
			"unitPricePaise": console.Money("₹", 2), "lineTotalPaise": console.Money("₹", 2),
		},
	}
}

// Config is what the services have in common; a program adds its addresses,
// limits and log. Lists have pages of size rows.
func Config(db *sqldb.DB, size int, identity *auth.Service) framework.Config {
	return framework.Config{
		DB:             db,
		Title:          "Trestle",
		Doc:            "A clinic's records and an online grocery store, over one set of users.",
		Authentication: identity.Authentication(),
		Permission:     framework.Authenticated(),
		Guards:         []framework.Guard{{Under: "admin", Permission: framework.Staff()}},
		Throttles:      identity.Throttles(),
		Pagination:     page.Number{Size: size},
		Codes:          slices.Concat(identity.Codes(), store.Codes()),
		Console:        pages(),
	}
}
