package console_test

import (
	"log/slog"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// TestMistakes: a path that no console can have, and an API without sessions, are mistakes at start.
func TestMistakes(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		identity, err := auth.New(auth.Config{Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		start := func(c framework.Config, resources ...framework.Resource) error {
			c.DB, c.Authentication, c.Codes, c.Log = db, identity.Authentication(), identity.Codes(), slog.New(slog.DiscardHandler)
			api := framework.New(c)
			api.Register(resources...)
			_, err := api.Handler()
			return err
		}
		for _, path := range []string{"admin", "/admin", "admin/", "/", "//", "/admin//", "/a b/", "/admin/?x=/", "/~admin/", "/{id}/", "/api/admin/", "/api/"} {
			err := start(framework.Config{Console: framework.Console{Path: path}}, identity.ViewSet())
			if err == nil || !strings.Contains(err.Error(), "framework.Config: Console: the path "+path) {
				t.Errorf("the path %q: %v", path, err)
			}
		}
		if err := start(framework.Config{Prefix: "/", Console: framework.Console{Path: "/admin/"}}, identity.ViewSet()); err == nil {
			t.Error("a console beside an API without a prefix starts")
		}
		err = start(framework.Config{Console: framework.Console{Path: "/admin/"}})
		if err == nil || !strings.Contains(err.Error(), "GET /api/auth/session, by which people sign in") {
			t.Errorf("without sessions: %v", err)
		}
		if err := start(framework.Config{Console: framework.Console{Path: "/back-office/v2/"}}, identity.ViewSet()); err != nil {
			t.Error(err)
		}
	})
}
