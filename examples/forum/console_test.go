package main

import (
	"net/http"
	"net/url"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/program/programtest"
)

const password = "four unrelated words walk"

// TestConsole: the forum has a console, and says nothing about it.
func TestConsole(t *testing.T) {
	for _, database := range []string{"sqlite://" + t.TempDir() + "/forum.db", frameworktest.PostgresURL(t)} {
		env := []string{"DATABASE_URL=" + database, "FORUM_PASSWORD=" + password}
		programtest.Run(t, forum(), env, "migrate up")
		programtest.Run(t, forum(), env, "createsuperuser --email ada@example.com")
		ada := programtest.NewBrowser(t, programtest.Serve(t, forum(), env))
		ada.Post("/admin/~sign-in", url.Values{"email": {"ada@example.com"}, "password": {"wrong"}}).Expect(t, http.StatusUnauthorized)
		ada.Post("/admin/~sign-in", url.Values{"email": {"ada@example.com"}, "password": {password}}).Expect(t, http.StatusOK, `href="/admin/boards/"`)
		ada.Post("/admin/profile/~put", url.Values{"username": {"ada"}}).Expect(t, http.StatusOK)
		ada.Get("/admin/members/").Expect(t, http.StatusOK, `href="/admin/members/ada/"`)
	}
}
