package sqldb

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"trestle.example/internal/testserver/pgbouncer"
)

// pooledDBs are two DBs, as of two processes, of one database by way of a pooler
// that gives a connection to each transaction.
func pooledDBs(t *testing.T, o Options) (a, b *DB) {
	t.Helper()
	url := pgbouncer.Pooled(t, postgresURL(t))
	return open(t, url, o), open(t, url, o)
}

// TestTransactionsThroughAPooler: many clients share few connections, and each
// transaction has one to itself.
func TestTransactionsThroughAPooler(t *testing.T) {
	a, b := pooledDBs(t, Options{NoPrepare: true})
	script(t, a, "CREATE TABLE t (id {{bigint}} PRIMARY KEY, n {{bigint}} NOT NULL); INSERT INTO t SELECT id, 100 FROM generate_series(0, 9) AS id")
	var all sync.WaitGroup
	for i := range 16 {
		db := a
		if i%2 == 1 {
			db = b
		}
		all.Go(func() {
			for n := range 20 {
				from, to := (i+n)%10, (i+3*n+1)%10
				if err := transfer(background(t), db, from, to); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if got := one[int64](t, b.Session(), "SELECT sum(n)::bigint FROM t"); got != 1000 {
		t.Errorf("the rows hold %d in all; want 1000", got)
	}
}

// transfer locks two rows in the order given, so that others meet it half-way.
func transfer(ctx context.Context, db *DB, from, to int) error {
	if from == to {
		return nil
	}
	return db.InTx(ctx, func(ctx context.Context, s *Session) error {
		for id, change := range map[int]int{from: -1, to: 1} {
			if _, err := s.Exec(ctx, db.NewRaw("UPDATE t SET n = n + ? WHERE id = ?", change, id)); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestRetriesThroughAPooler: a transaction that the database wants again is run
// again.
func TestRetriesThroughAPooler(t *testing.T) {
	db, _ := pooledDBs(t, Options{NoPrepare: true})
	script(t, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY)")
	for _, state := range []string{"40001", "40P01"} {
		attempts := 0
		err := db.InTx(background(t), func(ctx context.Context, s *Session) error {
			attempts++
			if _, err := s.Exec(ctx, db.NewRaw("INSERT INTO t VALUES (?)", Param(attempts))); err != nil {
				return err
			}
			if attempts > 2 {
				return nil
			}
			_, err := s.Exec(ctx, db.NewRaw(fmt.Sprintf("DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '%s'; END $$", state)))
			return err
		})
		if err != nil || attempts != 3 {
			t.Errorf("%s: %d attempts, %v; want 3", state, attempts, err)
		}
		if got := one[int64](t, db.Session(), "SELECT count(*) FROM t"); got != 1 {
			t.Errorf("%s: there are %d rows; want that of the last attempt", state, got)
		}
		run(t, db.Session(), "DELETE FROM t")
	}
}

// TestMigrationsThroughAPooler: two processes migrate at once, and each migration
// is applied once.
func TestMigrationsThroughAPooler(t *testing.T) {
	a, b := pooledDBs(t, Options{NoPrepare: true})
	files := fstest.MapFS{}
	for n := range 8 {
		files[fmt.Sprintf("%04d_t.tx.up.sql", n+1)] = &fstest.MapFile{Data: []byte(fmt.Sprintf("CREATE TABLE t%d (id {{bigint}});", n))}
		files[fmt.Sprintf("%04d_t.tx.down.sql", n+1)] = &fstest.MapFile{Data: []byte(fmt.Sprintf("DROP TABLE t%d;", n))}
	}
	migrations := Migrations{Namespace: "pooled", FS: files}
	var all sync.WaitGroup
	for _, db := range []*DB{a, b} {
		all.Go(func() {
			if err := db.Migrate(background(t), nil, migrations); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	list, err := b.MigrationStatus(background(t), migrations)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		if m.AppliedAt.IsZero() {
			t.Errorf("%s is not applied", m)
		}
	}
	if got := one[int64](t, a.Session(), "SELECT count(*) FROM trestle_migrations WHERE namespace = 'pooled'"); got != 8 {
		t.Errorf("%d are recorded; want 8", got)
	}
}

// TestReadsAtOnceThroughAPooler: nothing is shared that a pooler could mix up.
func TestReadsAtOnceThroughAPooler(t *testing.T) {
	a, b := pooledDBs(t, Options{NoPrepare: true})
	script(t, a, "CREATE TABLE t (id {{bigint}} PRIMARY KEY, n {{bigint}} NOT NULL); INSERT INTO t SELECT id, 0 FROM generate_series(1, 8) AS id")
	lookup := rowLookup()
	var all sync.WaitGroup
	for row := range int64(8) {
		all.Go(func() {
			for n := range int64(40) {
				if got := raced(t, a, b, lookup, row+1, n+1); got != "" {
					t.Error(got)
				}
			}
		})
	}
	all.Wait()
}

// TestPreparedThroughAPooler: a pooler without prepared statements (before
// 1.21, or with max_prepared_statements = 0) makes errors that name the cure.
func TestPreparedThroughAPooler(t *testing.T) {
	a, b := pooledDBs(t, Options{})
	script(t, a, "CREATE TABLE t (id {{bigint}} PRIMARY KEY, n {{bigint}} NOT NULL)")
	var all sync.WaitGroup
	var mu sync.Mutex
	failed := map[bool]int{} // by whether the cure is named
	for i := range 8 {
		all.Go(func() {
			db := a
			if i%2 == 1 {
				db = b
			}
			for n := range 40 {
				_, err := db.Session().Read(background(t), db.NewRaw(fmt.Sprintf("SELECT n + %d FROM t WHERE id = ?", (i+n)%7), Param(n)))
				if err != nil {
					mu.Lock()
					failed[errors.Is(err, ErrPooled)]++
					mu.Unlock()
					if !errors.Is(err, ErrPooled) {
						t.Logf("without the cure: %v", err)
					}
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d of 320 reads failed and named the cure, %d did not", failed[true], failed[false])
	if failed[false] > failed[true] {
		t.Error("most errors do not name the cure")
	}
}

// TestSettingsThroughAPooler: a connection that a pooler gives to other clients gets the time zone,
// which the pooler keeps for each client, and what the URL demands. Other connections get the limits.
func TestSettingsThroughAPooler(t *testing.T) {
	const made = "SELECT coalesce(string_agg(name || '=' || setting, ' ' ORDER BY name), '') FROM pg_settings WHERE source = 'session' AND name <> 'TimeZone'"
	limits := Options{StatementTimeout: 9 * time.Second, LockTimeout: 4 * time.Second}
	const all = "client_connection_check_interval=100 lock_timeout=4000 statement_timeout=9000"
	for name, c := range map[string]struct {
		url  func(t *testing.T) string
		want string
	}{
		"directly":    {func(t *testing.T) string { return postgresURL(t) }, all},
		"by a proxy":  {func(t *testing.T) string { return proxied(t, postgresURL(t)) }, all},
		"by a pooler": {func(t *testing.T) string { return pgbouncer.Pooled(t, postgresURL(t)) }, ""},
		"by a pooler, with a setting in the URL": {func(t *testing.T) string {
			return setting(t, pgbouncer.Pooled(t, postgresURL(t)), "lock_timeout", "3s")
		}, "lock_timeout=3000"},
	} {
		t.Run(name, func(t *testing.T) {
			var got string
			if err := open(t, c.url(t), limits).NewRaw(made).Scan(t.Context(), &got); err != nil || got != c.want {
				t.Errorf("the session has %q, error %v; want %q", got, err, c.want)
			}
		})
	}
}

// proxied is the URL of a database through a proxy that passes connections through.
func proxied(t *testing.T, raw string) string {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	u.Host, u.RawQuery = newWire(t, u.Host).address, "sslmode=disable"
	return u.String()
}

// TestWhoLeavesAStatementBehindAPooler: the server does not learn that a client of a
// pooler disconnected. The pooler closes its connection, and the statement goes on: until
// the role's statement_timeout, without end if the role has none, and for a short time only
// if the role has the server check its connections.
func TestWhoLeavesAStatementBehindAPooler(t *testing.T) {
	for _, c := range []struct {
		name     string
		settings []string
		goesOn   bool // one second after it began, after its client disconnected
		ends     bool // by itself
	}{
		{"a role without settings", nil, true, false},
		{"statement_timeout", []string{"statement_timeout = '5s'"}, false, true},
		{"client_connection_check_interval", []string{"client_connection_check_interval = '100ms'"}, false, true},
		{"all three", []string{"client_connection_check_interval = '100ms'", "statement_timeout = '1h'", "lock_timeout = '5s'"}, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url := postgresURL(t)
			direct := open(t, url, Options{})
			for _, setting := range c.settings {
				script(t, direct, "ALTER ROLE CURRENT_USER IN DATABASE "+one[string](t, direct.Session(), "SELECT quote_ident(current_database())")+" SET "+setting)
			}
			running := func(longer string) int {
				return one[int](t, direct.Session(), "SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()"+
					" AND state = 'active' AND query LIKE 'SELECT pg_sleep%' AND now() - query_start > ?::interval", Param(longer))
			}
			leaveASleeper(t, open(t, pgbouncer.Pooled(t, url), Options{NoPrepare: true}), func() bool { return running("0") == 1 })
			if c.goesOn {
				eventually(t, "the statement has gone on for a second", func() bool { return running("1 second") == 1 })
			}
			if c.ends {
				eventually(t, "the statement has ended", func() bool { return running("0") == 0 })
			}
			run(t, direct.Session(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
		})
	}
}

// leaveASleeper leaves a statement of ten minutes when it runs. The pooler serves
// others then.
func leaveASleeper(t *testing.T, db *DB, runs func() bool) {
	t.Helper()
	ctx, leave := context.WithCancel(background(t))
	defer leave()
	told := make(chan error, 1)
	go func() {
		_, err := db.Session().Exec(ctx, db.NewRaw("SELECT pg_sleep(600)"))
		told <- err
	}()
	eventually(t, "the statement runs", runs)
	leave()
	if err := <-told; !errors.Is(err, context.Canceled) {
		t.Errorf("who leaves is told %v", err)
	}
	run(t, db.Session(), "SELECT 1")
}
