package main

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/program/programtest"
)

const password = "four unrelated words walk"

// TestConsole: the library has a console, and says nothing about it. Its users sign in there by their password. Its API accepts
// tokens alone, as without a console.
func TestConsole(t *testing.T) {
	for _, database := range []string{"sqlite://" + t.TempDir() + "/library.db", frameworktest.PostgresURL(t)} {
		env := []string{"DATABASE_URL=" + database, "LIBRARY_PASSWORD=" + password}
		programtest.Run(t, library(), env, "migrate up")
		programtest.Run(t, library(), env, "user create --email ann@library.example")
		server := programtest.Serve(t, library(), env)
		ann := programtest.NewBrowser(t, server)
		ann.Post("/admin/~sign-in", url.Values{"email": {"ann@library.example"}, "password": {"wrong"}}).Expect(t, http.StatusUnauthorized)
		ann.Post("/admin/~sign-in", url.Values{"email": {"ann@library.example"}, "password": {password}}).Expect(t, http.StatusOK, `href="/admin/books/"`)
		ann.Post("/admin/authors/~post", url.Values{"name": {"Italo Calvino"}}).Expect(t, http.StatusOK, "Italo Calvino")
		ann.Get("/admin/authors/").Expect(t, http.StatusOK, "Italo Calvino")
		ann.Get("/admin/loans/").Expect(t, http.StatusOK)
		ann.Get("/admin/auth/session").Expect(t, http.StatusNotFound)
		ann.Get("/api/auth/session").Expect(t, http.StatusNotFound)
		ann.Get("/api/loans/").Expect(t, http.StatusUnauthorized)

		page := ann.Get("/api/authors/", "Sec-Fetch-Dest: document")
		if page.Expect(t, http.StatusOK, "Italo Calvino"); !strings.HasPrefix(page.Text, "<!DOCTYPE html>") {
			t.Errorf("a person who opens the address of the API gets %s", page.Text)
		}
		for _, cookie := range ann.Cookies("/admin/") {
			stranger := programtest.NewBrowser(t, server)
			stranger.Get("/api/loans/", "Cookie: "+strings.TrimPrefix(cookie.Name, "console-")+"="+cookie.Value).Expect(t, http.StatusUnauthorized)
		}
	}
}
