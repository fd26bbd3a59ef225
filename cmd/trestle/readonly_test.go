package main

import (
	"fmt"
	"net/http"
	"testing"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

// TestADatabaseThatTakesNoWrites: the server is not ready, answers reads, and answers
// writes with 503 until the database takes them. Doctor says what is wrong.
func TestADatabaseThatTakesNoWrites(t *testing.T) {
	t.Parallel()
	cluster, standby := postgres.Replicated(t)
	newRig(t, cluster.URL()).ok("migrate up")
	n := 0
	register := func(v visitor) answer {
		n++
		return v.send(t, "POST /api/auth/register", fmt.Sprintf(`{"email": "u%d@example.com", "password": "a long enough one %d", "name": "u"}`, n, n))
	}
	refuses := func(t *testing.T, v visitor) {
		t.Helper()
		awaitStatus(t, v, http.StatusServiceUnavailable, `{"status":"failing","checks":{"database":"failing"}}`)
		v.send(t, "GET /api/products", "").is(t, http.StatusOK)
		got := register(v).is(t, http.StatusServiceUnavailable, `"code":"unavailable"`)
		if got.header.Get("Retry-After") != "1" {
			t.Errorf("the headers are %v", got.header)
		}
	}
	serves := func(t *testing.T, v visitor) {
		t.Helper()
		awaitReady(t, v)
		register(v).is(t, http.StatusCreated)
	}
	t.Run("a primary that is demoted", func(t *testing.T) {
		s := startWithout(t, cluster.URL())
		v := plain(t, s.base)
		serves(t, v)
		admin, err := sqldb.Open(cluster.URL(), sqldb.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer admin.Close()
		set := func(to, then string) {
			// What follows is one transaction, which begins as one that writes.
			if _, err := admin.ExecContext(t.Context(), "BEGIN READ WRITE; ALTER DATABASE postgres SET default_transaction_read_only TO "+to+then+"; COMMIT"); err != nil {
				t.Fatal(err)
			}
		}
		set("on", "; SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'postgres' AND pid <> pg_backend_pid()")
		refuses(t, v)
		newRig(t, cluster.URL()).examined()["writes"].is(t, problem, "takes no writes", "target_session_attrs=read-write")
		v.send(t, "GET /api/products", "").is(t, http.StatusOK) // by a connection that keeps the setting
		set("off", "")
		serves(t, v)
	})
	t.Run("a standby that is promoted", func(t *testing.T) {
		s := startWithout(t, standby.URL())
		s.log.await(t, "msg=serving")
		v := plain(t, s.base)
		refuses(t, v)
		if err := standby.Promote(); err != nil {
			t.Fatal(err)
		}
		serves(t, v)
	})
}
