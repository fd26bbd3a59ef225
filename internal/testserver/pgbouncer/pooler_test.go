//go:build unix

package pgbouncer

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

func open(t *testing.T, address string) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(address, sqldb.Options{NoPrepare: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// TestAPoolerGivesAConnectionToEachTransaction and has at most four of them for any
// number of clients.
func TestAPoolerGivesAConnectionToEachTransaction(t *testing.T) {
	db := open(t, Pooled(t, postgres.Database(t)))
	var all []interface{ Close() error }
	for range 12 { // clients that stay connected
		c, err := db.DB.DB.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.ExecContext(t.Context(), "SELECT 1"); err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	for _, c := range all {
		_ = c.Close()
	}
	var servers int64
	const query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
	if err := db.DB.DB.QueryRowContext(t.Context(), query).Scan(&servers); err != nil {
		t.Fatal(err)
	}
	if servers == 0 || servers > 4 {
		t.Errorf("12 clients have %d connections of the server; want 1 to 4", servers)
	}
}

func TestAPoolerAsksForThePassword(t *testing.T) {
	at, err := url.Parse(Pooled(t, postgres.Database(t)))
	if err != nil {
		t.Fatal(err)
	}
	at.User = url.UserPassword(at.User.Username(), "guess")
	if err := open(t, at.String()).PingContext(t.Context()); err == nil {
		t.Error("the pooler accepted a password that is not the server's")
	}
}

func TestAStoppedPoolerDoesNotAnswer(t *testing.T) {
	p, err := Start(t.Context(), postgres.Database(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	db := open(t, p.URL())
	if err := db.PingContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	for call := range 2 {
		if err := p.Stop(); err != nil {
			t.Fatalf("call %d of Stop: %v", call+1, err)
		}
	}
	if err := db.PingContext(t.Context()); err == nil {
		t.Error("the pooler answers after Stop")
	}
}

func TestWithoutAPoolerTheErrorStatesWhatToDo(t *testing.T) {
	for _, part := range []string{"apt-get install", "dnf install", "brew install"} {
		if !strings.Contains(ErrNotInstalled.Error(), part) {
			t.Errorf("the sentence does not mention %q: %v", part, ErrNotInstalled)
		}
	}
	if _, err := Program(); err == nil {
		return
	}
	if _, err := Start(t.Context(), "postgres://nobody@localhost/nothing", nil); !errors.Is(err, ErrNotInstalled) {
		t.Errorf("the error is %v; want ErrNotInstalled", err)
	}
}
