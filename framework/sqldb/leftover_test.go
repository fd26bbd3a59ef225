package sqldb

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/driver/pgdriver"

	"trestle.example/framework/sqldb/internal/fault"
	"trestle.example/internal/testserver/pgbouncer"
)

// stranger is another program's client: it sets nothing itself.
func stranger(t *testing.T, url string) *sql.DB {
	t.Helper()
	db := sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(url)))
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// leftover lists the settings and the prepared statements that a client finds in its
// session and did not make. Poolers keep the time zone for each client by themselves.
func leftover(t *testing.T, db *sql.DB) string {
	t.Helper()
	var found sql.NullString
	err := db.QueryRowContext(background(t), `SELECT string_agg(what, ' ') FROM (
		SELECT name || '=' || setting AS what FROM pg_settings WHERE source = 'session' AND name <> 'TimeZone'
		UNION ALL SELECT 'statement ' || name FROM pg_prepared_statements) AS found`).Scan(&found)
	if err != nil {
		t.Fatal(err)
	}
	return found.String
}

// TestNothingIsLeftOnAPooledConnection: all clients of the pooler share one
// connection of the server, so the next client would find every setting that
// outlives its transaction.
func TestNothingIsLeftOnAPooledConnection(t *testing.T) {
	for name, o := range map[string]Options{
		"a server":                  {NoPrepare: true},
		"a server with limits":      {NoPrepare: true, StatementTimeout: 1e9, LockTimeout: 5e8},
		"read only":                 {NoPrepare: true, ReadOnly: true},
		"a command":                 {SetLocal: true},
		"a command with limits":     {SetLocal: true, StatementTimeout: 1e9, LockTimeout: 5e8},
		"a command that only reads": {ReadOnly: true},
	} {
		t.Run(name, func(t *testing.T) {
			url := pgbouncer.Narrow(t, postgresURL(t))
			other := stranger(t, url)
			if _, err := other.ExecContext(background(t), "CREATE TABLE t (id bigint, at timestamptz)"); err != nil {
				t.Fatal(err)
			}
			db := open(t, url, o)
			useAll(t, db)
			if found := leftover(t, other); found != "" {
				t.Errorf("the next client finds %s", found)
			}
			if _, err := other.ExecContext(background(t), "INSERT INTO t VALUES (2, now())"); err != nil {
				t.Errorf("the next client cannot write: %v", err)
			}
		})
	}
}

// useAll runs statements in each way. A read-only database rejects each of them if it
// writes.
func useAll(t *testing.T, db *DB) {
	t.Helper()
	s := db.Session()
	insert := db.NewRaw("INSERT INTO t VALUES (?, ?)", Param(1), Param("2026-01-02T03:04:05Z"))
	ways := map[string]func(context.Context) error{
		"Exec": func(ctx context.Context) error { _, err := s.Exec(ctx, insert); return err },
		"Read": func(ctx context.Context) error { _, err := s.Read(ctx, insert); return err },
		"Query": func(ctx context.Context) error {
			rows, err := s.Query(ctx, insert)
			if err == nil {
				err = rows.Close()
			}
			return err
		},
		"bun": func(ctx context.Context) error { _, err := insert.Exec(ctx); return err },
		"InTx": func(ctx context.Context) error {
			return db.InTx(ctx, func(ctx context.Context, s *Session) error { _, err := s.Exec(ctx, insert); return err })
		},
	}
	for name, way := range ways {
		err := way(background(t))
		if refused := fault.State(err) == "25006"; refused != db.options.ReadOnly || err != nil && !refused {
			t.Errorf("a write by %s: %v", name, err)
		}
		if zone := one[string](t, s, "SELECT current_setting('TimeZone')"); zone != "UTC" {
			t.Errorf("the time zone is %s", zone)
		}
		if limit := one[string](t, s, "SHOW statement_timeout"); db.options.setsLocally() != (limit != "0") {
			t.Errorf("a statement may take %s", limit)
		}
		if _, err := s.Read(background(t), bun.SafeQuery("SELECT at FROM t")); err != nil {
			t.Errorf("reading after a write by %s: %v", name, err)
		}
	}
	if _, err := db.MigrationStatus(background(t)); err != nil {
		t.Error(err)
	}
}

// TestAStatementThatCannotBeCommitted: where each statement is a transaction, the fault
// of its commit is the statement's, in every way to run one.
func TestAStatementThatCannotBeCommitted(t *testing.T) {
	db := open(t, postgresURL(t), Options{SetLocal: true})
	s := db.Session()
	for _, text := range []string{
		"CREATE TABLE parents (id bigint PRIMARY KEY)",
		"CREATE TABLE children (id bigint, parent bigint REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED)",
	} {
		if _, err := s.Exec(background(t), bun.SafeQuery(text)); err != nil {
			t.Fatal(err)
		}
	}
	insert := bun.SafeQuery("INSERT INTO children VALUES (1, 7), (2, 7) RETURNING id")
	for name, way := range map[string]func() error{
		"Exec": func() error { _, err := s.Exec(background(t), insert); return err },
		"Read": func() error { _, err := s.Read(background(t), insert); return err },
		"Query, all rows": func() error {
			rows, err := s.Query(background(t), insert)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				continue
			}
			return rows.Err()
		},
		"Query, closed after a row": func() error {
			rows, err := s.Query(background(t), insert)
			if err != nil {
				return err
			}
			rows.Next()
			return rows.Close()
		},
	} {
		if err := way(); fault.State(err) != "23503" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := one[int64](t, s, "SELECT count(*) FROM children"); n != 0 {
		t.Errorf("%d children without a parent", n)
	}
}

// TestLooksPooled: what a connection looks like with a pooler between, and without one.
func TestLooksPooled(t *testing.T) {
	direct := postgresURL(t)
	for name, c := range map[string]struct {
		url  string
		want bool
	}{
		"directly":     {direct, false},
		"by a proxy":   {proxied(t, direct), false},
		"by a pooler":  {pgbouncer.Pooled(t, direct), true},
		"of no server": {sqliteURL(t), false},
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t, c.url, Options{ReadOnly: !strings.HasPrefix(c.url, "sqlite")})
			if got, err := db.LooksPooled(background(t)); err != nil || got != c.want {
				t.Errorf("it looks pooled: %v, %v; want %v", got, err, c.want)
			}
		})
	}
}
