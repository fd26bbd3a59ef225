package main

import (
	"strings"
	"testing"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/pgbouncer"
	"trestle.example/internal/testserver/postgres"
)

// TestCommandsBehindAPooler: no command leaves a setting or a prepared statement on the
// one connection that all clients of the pooler use in turn, whatever TRESTLE_PREPARE is.
func TestCommandsBehindAPooler(t *testing.T) {
	t.Parallel()
	address := pgbouncer.Narrow(t, postgres.Database(t))
	r := newRig(t, address)
	other, err := sqldb.Open(address, sqldb.Options{NoPrepare: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	for _, c := range []struct{ command, stdin string }{
		{command: "migrate up"},
		{command: "migrate status"},
		{"createsuperuser --email root@example.com", "correct horse battery\n"},
		{"user create --email a@example.com", "correct horse battery\n"},
		{"user set-password --email a@example.com", "battery horse correct\n"},
		{command: "user grant --email a@example.com patients.view"},
		{command: "user revoke --email a@example.com patients.view"},
		{command: "user disable --email a@example.com"},
		{command: "user enable --email a@example.com"},
		{command: "user list"},
		{command: "group create Reception patients.view"},
		{command: "group join Reception --email a@example.com"},
		{command: "group leave Reception --email a@example.com"},
		{command: "group grant Reception patients.add"},
		{command: "group revoke Reception patients.add"},
		{command: "group list"},
		{command: "token create --email a@example.com"},
		{command: "token list --email a@example.com"},
		{command: "token revoke --email a@example.com --all"},
		{command: "permissions --holding patients.view"},
		{command: "seed --force"},
		{command: "reindex"},
		{command: "check --database " + address},
		{command: "doctor"},
		{command: "migrate down --yes"},
	} {
		if got := r.with(c.stdin, c.command); got.code != exitOK {
			t.Errorf("%s: exit code %d: %s", c.command, got.code, got.stderr)
		}
		var left []string
		err := other.NewRaw("SELECT name FROM pg_settings WHERE source = 'session' AND name <> 'TimeZone' UNION ALL SELECT name FROM pg_prepared_statements").
			Scan(t.Context(), &left)
		if err != nil || left != nil {
			t.Errorf("%s left %s (%v)", c.command, strings.Join(left, ", "), err)
		}
	}
}
