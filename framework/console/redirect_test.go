package console_test

import (
	"net/http"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// TestRedirect: where it is declared, a person who opens an address of the API comes to its page, and a program never does.
func TestRedirect(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		d := openDesk(t, db, func(c *framework.Config) { c.Console.Redirect = true })
		filled(t, d)
		b := d.browser()
		person := []string{"Sec-Fetch-Dest", "document", "Sec-Fetch-Mode", "navigate", "Accept", "text/html"}
		for path, page := range map[string]string{
			"/api/tickets/?priority=1": "/admin/tickets/?priority=1", "/api/agents/": "/admin/agents/", "/api/auth/me": "/admin/auth/me",
		} {
			b.send(http.MethodGet, path, nil, person...).to(page)
		}
		for name, send := range map[string]func() *seen{
			"a program": func() *seen { return b.send(http.MethodGet, "/api/agents/", nil, "Accept", "text/html") },
			"a script":  func() *seen { return b.send(http.MethodGet, "/api/agents/", nil, "Sec-Fetch-Dest", "empty") },
			"credentials for the API": func() *seen {
				return b.send(http.MethodGet, "/api/agents/", nil, append(person, "Authorization", "Token x")...)
			},
			"the documentation":         func() *seen { return b.send(http.MethodGet, "/api/docs", nil, person...) },
			"the root":                  func() *seen { return b.send(http.MethodGet, "/api/", nil, person...) },
			"a page of an error code":   func() *seen { return b.send(http.MethodGet, "/api/errors/not_found", nil, person...) },
			"no address":                func() *seen { return b.send(http.MethodGet, "/api/nothing/", nil, person...) },
			"an address beside the API": func() *seen { return b.send(http.MethodGet, "/nothing", nil, person...) },
			"a POST":                    func() *seen { return b.send(http.MethodPost, "/api/tickets/", nil, person...) },
		} {
			if got := send(); got.status == http.StatusSeeOther {
				t.Errorf("%s is sent to %s", name, got.header.Get("Location"))
			}
		}
	})
}
