package main

import (
	"context"
	"crypto/rand"
	"net/url"
	"strings"
	"testing"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/pgbouncer"
	"trestle.example/internal/testserver/postgres"
)

// TestDoctorLooksAtTheReplica: one that is right, and all that may be wrong.
func TestDoctorLooksAtTheReplica(t *testing.T) {
	t.Parallel()
	cluster, standby := postgres.Replicated(t)
	r := newRig(t, cluster.URL())
	with := func(address string) map[string]*check {
		t.Helper()
		other := *r
		other.env = append(append([]string(nil), r.env...), replicaVariable+"="+address)
		return other.examined()
	}
	r.ok("migrate up")
	if got := r.examined(); got["replica"] != nil {
		t.Errorf("without a replica it says %+v", got["replica"])
	}
	got := with(standby.URL())["replica"]
	got.is(t, healthy)
	if !strings.HasPrefix(got.Subject, "PostgreSQL ") || !strings.HasSuffix(got.Subject, " bytes behind") {
		t.Errorf("the replica is %q", got.Subject)
	}
	with("postgres://app:hidden@127.0.0.1:1/app")["replica"].is(t, problem, "it does not answer", "DATABASE_REPLICA_URL")
	with(cluster.URL())["replica"].is(t, problem, "it is not in recovery")
	with(postgres.Database(t))["replica"].is(t, problem, "no standby of the database that DATABASE_URL names")

	away := r.run("doctor --database-replica postgres://app:hidden@127.0.0.1:1/app")
	if strings.Contains(away.stdout+away.stderr, "hidden") {
		t.Errorf("the password is repeated: %s%s", away.stdout, away.stderr)
	}
}

// TestReplicaSetting: what cannot be a replica stops the program at once.
func TestReplicaSetting(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ database, replica, says string }{
		"of a SQLite file":  {"sqlite://" + t.TempDir() + "/a.db", "postgres://app:hidden@localhost/app", "DATABASE_URL names a SQLite file, which has no replica"},
		"that is a file":    {"postgres://app@localhost/app", "sqlite:///srv/app.db", "a replica is a PostgreSQL server"},
		"that is no URL":    {"postgres://app@localhost/app", "mysql://app:hidden@localhost/app", "is not one of sqlite, postgres and postgresql"},
		"that has no table": {"postgres://app@localhost/app", "postgres://app:hidden@localhost", "it names no database"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, c.database)
			r.env = append(r.env, replicaVariable+"="+c.replica)
			got := r.run("migrate status")
			got.is(t, exitUsage, c.says)
			if strings.Contains(got.stderr, "hidden") {
				t.Errorf("the password is repeated: %s", got.stderr)
			}
		})
	}
}

// TestMigrationsOfTheProgramThroughAPooler: two processes migrate at once, and
// doctor checks the result.
func TestMigrationsOfTheProgramThroughAPooler(t *testing.T) {
	t.Parallel()
	r := newRig(t, pgbouncer.Pooled(t, postgres.Database(t)))
	r.env = append(r.env, "TRESTLE_PREPARE=off")
	codes := make(chan result, 2)
	for range 2 {
		go func() { codes <- r.run("migrate up") }()
	}
	for range 2 {
		if got := <-codes; got.code != exitOK {
			t.Errorf("exit code %d: %s", got.code, got.stderr)
		}
	}
	for name, c := range r.examined() {
		if c.Result == problem {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// roleOf returns the URL of a new role with some rights in the database of the rig, and the role.
func (r *rig) roleOf(rights string) (at *url.URL, role string) {
	r.t.Helper()
	db := r.database()
	role = "trestle_test_" + strings.ToLower(rand.Text())
	r.change(db, "CREATE ROLE "+role+" LOGIN PASSWORD 'granted'; "+strings.ReplaceAll(rights, "{role}", role))
	r.t.Cleanup(func() {
		if _, err := db.ExecContext(context.Background(), "DROP OWNED BY "+role+"; DROP ROLE "+role); err != nil {
			r.t.Error(err)
		}
	})
	at, err := url.Parse(strings.TrimPrefix(r.env[0], "DATABASE_URL="))
	if err != nil {
		r.t.Fatal(err)
	}
	at.User = url.UserPassword(role, "granted")
	return at, role
}

// TestDoctorOfARoleWithoutRights: a table that the servers may not read is a problem.
func TestDoctorOfARoleWithoutRights(t *testing.T) {
	t.Parallel()
	owner := newRig(t, postgres.Database(t))
	owner.ok("migrate up")
	at, role := owner.roleOf("GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}; REVOKE ALL ON patients FROM {role}")
	r := newRig(t, at.String())
	r.examined()["search documents"].is(t, problem, "patients", "lacks a right in the database", "GRANT the role the right")

	owner.change(owner.database(), "REVOKE ALL ON trestle_migrations FROM "+role)
	r.examined()["migrations"].is(t, problem, "trestle_migrations", "lacks a right in the database", "GRANT the role the right")
}

// TestASchemaThatCannotBeUsed: migrate up names the causes of a search_path without a schema.
func TestASchemaThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	owner := newRig(t, postgres.Database(t))
	at, _ := owner.roleOf("CREATE SCHEMA closed")
	for _, schema := range []string{"closed", "nowhere"} {
		query := at.Query()
		query.Set("search_path", schema)
		at.RawQuery = query.Encode()
		newRig(t, at.String()).run("migrate up").is(t, exitFailure, "no schema of the search_path exists, or the role may not use it", "grant USAGE")
	}
}

// TestDoctorOfARoleWithoutLimits: the limits that a server cannot set behind a pooler are a
// warning until the role has them.
func TestDoctorOfARoleWithoutLimits(t *testing.T) {
	t.Parallel()
	url := postgres.Database(t)
	r := newRig(t, url, "TRESTLE_PREPARE=off")
	r.ok("migrate up")
	r.examined()["pooler"].is(t, warning, "the role has no client_connection_check_interval, no lock_timeout, no statement_timeout", "ALTER ROLE")
	db, err := sqldb.Open(url, sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, limit := range []string{"statement_timeout = '10s'", "lock_timeout = '5s'", "client_connection_check_interval = '100ms'"} {
		if _, err := db.ExecContext(t.Context(), "DO $$ BEGIN EXECUTE format('ALTER ROLE %I IN DATABASE %I SET "+strings.ReplaceAll(limit, "'", "''")+"', current_user, current_database()); END $$"); err != nil {
			t.Fatal(err)
		}
	}
	r.examined()["pooler"].is(t, healthy)
}

// TestDoctorBehindAPooler leaves nothing on a connection that other clients use after
// it, and names the setting that the servers need.
func TestDoctorBehindAPooler(t *testing.T) {
	t.Parallel()
	direct := postgres.Database(t)
	r := newRig(t, direct)
	r.ok("migrate up")
	r.examined()["pooler"].is(t, healthy)
	address := pgbouncer.Narrow(t, direct)
	server, err := sqldb.Open(address, sqldb.Options{NoPrepare: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	for name, c := range map[string]struct {
		prepare, result string
		says            []string
	}{
		"without the setting": {"on", warning, []string{"there is a pooler between", "no time limits but those in DATABASE_URL", "TRESTLE_PREPARE=off"}},
		"with the setting":    {"off", warning, []string{"the role has no client_connection_check_interval, no lock_timeout, no statement_timeout", "ALTER ROLE"}},
	} {
		t.Run(name, func(t *testing.T) {
			other := *newRig(t, address)
			other.env = append(other.env, "TRESTLE_PREPARE="+c.prepare)
			found := other.examined()
			found["pooler"].is(t, c.result, c.says...)
			for name, check := range found {
				if check.Result == problem {
					t.Errorf("%s: %+v", name, check)
				}
			}
			if _, err := server.ExecContext(t.Context(), "UPDATE trestle_migration_lock SET held = held"); err != nil {
				t.Errorf("a server cannot write any more: %v", err)
			}
			var left string
			if err := server.NewRaw("SELECT coalesce(string_agg(name, ' '), '') FROM pg_settings WHERE source = 'session' AND name <> 'TimeZone'").
				Scan(t.Context(), &left); err != nil || left != "" {
				t.Errorf("doctor left %s (%v)", left, err)
			}
		})
	}
}
