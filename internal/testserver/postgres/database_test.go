//go:build unix

package postgres

import (
	"crypto/rand"
	"os"
	"strings"
	"sync"
	"testing"
)

func TestDatabaseIsFreshAndItsOwn(t *testing.T) {
	t.Parallel()
	first, second := Database(t), Database(t)
	if _, err := open(t, first).ExecContext(t.Context(), "CREATE TABLE patients (name text)"); err != nil {
		t.Fatal(err)
	}
	const tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
	if got := queryText(t, first, tables); got != "1" {
		t.Errorf("the first database has %s tables; want the 1 just made", got)
	}
	if got := queryText(t, second, tables); got != "0" {
		t.Errorf("the second database has %s tables; want none", got)
	}
}

// TestDatabaseIsEmptiedAfterItsTest: what a test left is not there for the next one, whose
// database may be the same. A change that cannot be taken back drops the database.
func TestDatabaseIsEmptiedAfterItsTest(t *testing.T) {
	t.Parallel()
	server, err := serverURL(os.Getenv("TEST_DATABASE_URL"))
	if err != nil {
		t.Fatal(err)
	}
	isOurs := queryText(t, server.String(), "SHOW cluster_name") == "trestle_throwaway"
	for name, test := range map[string]struct {
		leaves string
		kept   bool
	}{
		"nothing":                       {"SELECT 1", true},
		"tables, functions and a type":  {"CREATE TABLE a (id int PRIMARY KEY); CREATE TYPE mood AS ENUM ('calm'); CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'", true},
		"an extension":                  {"CREATE EXTENSION pg_trgm", true},
		"a schema of its own":           {"CREATE SCHEMA own CREATE TABLE a (id int)", true},
		"a setting of the database":     {"DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET lock_timeout = 1', current_database()); END $$", false},
		"a publication":                 {"CREATE PUBLICATION p FOR ALL TABLES", false},
		"an owner of the schema public": {"ALTER SCHEMA public OWNER TO CURRENT_USER", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := at(server, "trestle_test_"+strings.ToLower(rand.Text()))
			called := strings.TrimPrefix(database.Path, "/")
			if err := execute(server, "CREATE DATABASE "+called); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := execute(server, "DROP DATABASE "+called+" WITH (FORCE)"); err != nil {
					t.Error(err)
				}
			})
			holds := open(t, database.String())
			if _, err := holds.ExecContext(t.Context(), test.leaves); err != nil {
				t.Fatal(err)
			}
			if err := empty(server, called); (err == nil) != (test.kept && isOurs) {
				t.Fatalf("emptying it: %v; want that it is kept: %t", err, test.kept && isOurs)
			}
			if test.kept && isOurs {
				const found = "SELECT count(*) || ' ' || (SELECT string_agg(nspname || nspowner::regrole || nspacl::text, ',') FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema') FROM pg_class WHERE oid >= 16384"
				if got, want := queryText(t, database.String(), found), queryText(t, server.String(), found); got != want {
					t.Errorf("emptied it has %q; want %q, as a new one", got, want)
				}
			}
		})
	}
}

func TestDatabaseServesParallelTests(t *testing.T) {
	t.Parallel()
	var addresses sync.Map
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			address := Database(t)
			if _, taken := addresses.LoadOrStore(address, true); taken {
				t.Errorf("two tests got %s", address)
			}
			if err := ping(address); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestServerURL(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ configured, host, refusal string }{
		"a server's address":    {"postgres://u:p@db.example:5433/postgres?sslmode=disable", "db.example:5433", ""},
		"the longer scheme":     {"postgresql://u@localhost/postgres", "localhost", ""},
		"blanks around it":      {"  postgres://u@localhost/postgres\n", "localhost", ""},
		"another database":      {"sqlite:///tmp/test.db", "", "TEST_DATABASE_URL is not the address of a PostgreSQL server"},
		"libpq's key and value": {"host=localhost password=secret", "", "TEST_DATABASE_URL is not the address of a PostgreSQL server"},
		"no URL":                {"postgres://u:secret@[::1", "", "TEST_DATABASE_URL is not the address of a PostgreSQL server"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, err := serverURL(test.configured)
			switch {
			case test.refusal != "":
				if err == nil || !strings.HasPrefix(err.Error(), test.refusal) || strings.Contains(err.Error(), "secret") {
					t.Errorf("error %v; want it to begin with %q and to keep the password out", err, test.refusal)
				}
			case err != nil:
				t.Error(err)
			case server.Host != test.host:
				t.Errorf("host %q; want %q", server.Host, test.host)
			}
		})
	}
}
