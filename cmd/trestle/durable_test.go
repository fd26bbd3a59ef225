package main

import (
	"errors"
	"os"
	"strings"
	"testing"

	"trestle.example/internal/testserver/postgres"
)

// startDurable is a PostgreSQL server of the test's own, which it can take down.
func startDurable(t *testing.T) *postgres.Durable {
	t.Helper()
	d, err := postgres.StartDurable(t.Context(), nil)
	switch {
	case errors.Is(err, postgres.ErrNotInstalled) && os.Getenv("TEST_DATABASE_URL") != "":
		t.Skip("the server of TEST_DATABASE_URL may be others' too, so it is not taken down, and there is no other:", err)
	case err != nil:
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Stop(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// tokenOf makes a token for a user.
func tokenOf(r *rig, email string) string {
	r.t.Helper()
	return strings.TrimSpace(r.ok("token create --email " + email))
}
