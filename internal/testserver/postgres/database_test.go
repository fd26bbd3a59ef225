//go:build unix

package postgres

import (
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

func TestDatabaseIsDroppedWithItsTest(t *testing.T) {
	t.Parallel()
	var address string
	t.Run("a test that leaves a connection open", func(t *testing.T) {
		address = Database(t)
		db := open(t, address)
		if _, err := db.Conn(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
	name := strings.TrimPrefix(mustParse(t, address).Path, "/")
	other := Database(t)
	if got := queryText(t, other, "SELECT count(*) FROM pg_database WHERE datname = '"+name+"'"); got != "0" {
		t.Errorf("the database %s is still there after its test", name)
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
