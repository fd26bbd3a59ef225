package sqldb

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/uptrace/bun"
)

func TestVersion(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		v, err := db.Version(background(t))
		if err != nil || v.Old || strings.Trim(v.Number, "0123456789.") != "" || v.Number == "" {
			t.Errorf("%+v, %v; want a number of digits, not old", v, err)
		}
		if want := map[Kind]string{SQLite: "SQLite ", PostgreSQL: "PostgreSQL "}[db.Kind()] + v.Number; v.String() != want {
			t.Errorf("it is written %q; want %q", v, want)
		}
	})
}

// TestCommits: each commit changes the text, also one of another process. On PostgreSQL it may change
// without one, because other databases of the server have transactions too.
func TestCommits(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db, other := open(t, url, Options{}), open(t, url, Options{})
		script(t, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY)")
		seen := map[string]bool{}
		mark := func() string {
			t.Helper()
			text, err := db.Commits(background(t))
			if err != nil || text == "" {
				t.Fatalf("%q, %v", text, err)
			}
			return text
		}
		for _, c := range []struct {
			by   *DB
			what string
		}{
			{db, "INSERT INTO t VALUES (1)"}, {other, "INSERT INTO t VALUES (2)"}, {db, "UPDATE t SET id = 3 WHERE id = 1"},
			{other, "DELETE FROM t WHERE id = 2"}, {db, "DROP TABLE t"},
		} {
			seen[mark()] = true
			run(t, c.by.Session(), c.what)
			if text := mark(); seen[text] {
				t.Errorf("after %s it is %q, as before", c.what, text)
			}
		}
		if before := mark(); db.Kind() == SQLite && mark() != before {
			t.Error("it changes without a commit")
		}
	})
}

func TestOldVersions(t *testing.T) {
	for version, want := range map[string]bool{"14.9": true, "9.6.24": true, "15.0": false, "15": false, "18beta1": false} {
		if old, err := before(version, oldestPostgres); old != want || err != nil {
			t.Errorf("%s is old: %t, %v; want %t", version, old, err, want)
		}
	}
	if _, err := before("devel", oldestPostgres); err == nil {
		t.Error("a version without a number is taken")
	}
}

func TestLink(t *testing.T) {
	for name, test := range map[string]struct {
		url  string
		want Link
	}{
		"a file":                               {"sqlite://" + filepath.Join(t.TempDir(), "a.db"), Link{Local: true}},
		"this machine":                         {"postgres://a@localhost/a", Link{Local: true}},
		"this machine by its address":          {"postgres://a@127.0.0.1:5433/a", Link{Local: true}},
		"a socket":                             {"postgres://a@/a?host=/run/postgresql", Link{Local: true}},
		"this machine, by TLS":                 {"postgres://a@localhost/a?sslmode=verify-full", Link{Local: true, Encrypted: true, Verified: true}},
		"another machine":                      {"postgres://a@db.example.com/a", Link{Local: false, Encrypted: true, Verified: true}},
		"another machine by a parameter":       {"postgres://a@/a?host=db.example.com", Link{Local: false, Encrypted: true, Verified: true}},
		"another machine, its name unchecked":  {"postgres://a@db.example.com/a?sslmode=verify-ca", Link{Local: false, Encrypted: true, Verified: true}},
		"another machine, whichever it may be": {"postgres://a@db.example.com/a?sslmode=require", Link{Local: false, Encrypted: true, Verified: false}},
		"this machine and another":             {"postgres://a@localhost,db.example.com/a", Link{}},
		"two other machines":                   {"postgres://a@db1.example.com,db2.example.com/a", Link{Local: false, Encrypted: true, Verified: true}},
		"another machine, for all to read":     {"postgres://a@db.example.com/a?sslmode=disable", Link{}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := open(t, test.url, Options{}).Link(); got != test.want {
				t.Errorf("%+v; want %+v", got, test.want)
			}
		})
	}
}

func TestFile(t *testing.T) {
	for url, want := range map[string]string{
		"sqlite:///var/lib/app/app.db":                  "/var/lib/app/app.db",
		"sqlite:///var/lib/a%20b.db?synchronous=normal": "/var/lib/a b.db",
		"postgres://app@localhost/app":                  "",
		"sqlite://relative.db":                          "",
		"mysql://app@localhost/app":                     "",
		"":                                              "",
	} {
		if got := File(url); got != want {
			t.Errorf("%s is kept in %q; want %q", url, got, want)
		}
	}
}

func TestWritesAhead(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		if ahead, err := db.WritesAhead(background(t)); !ahead || err != nil {
			t.Errorf("%t, %v; want true", ahead, err)
		}
		if db.Kind() == PostgreSQL {
			return
		}
		db.SetMaxOpenConns(1)
		run(t, db.Session(), "PRAGMA journal_mode = delete")
		if ahead, err := db.WritesAhead(background(t)); ahead || err != nil {
			t.Errorf("without a log: %t, %v; want false", ahead, err)
		}
	})
}

func TestMigrationLock(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		lock := func(when string, want MigrationLock) {
			t.Helper()
			if got, err := db.MigrationLock(background(t)); got != want || err != nil {
				t.Errorf("%s: %+v, %v; want %+v", when, got, err, want)
			}
		}
		lock("before anything", MigrationLock{})
		migrateAll(t, db, twoSets()...)
		lock("after migrating", MigrationLock{})
		err := db.migrations().InTx(background(t), func(ctx context.Context, tx bun.Tx) error {
			if _, err := tx.ExecContext(ctx, "UPDATE trestle_migration_lock SET held = held + 1 WHERE id = 1"); err != nil {
				return err
			}
			got, err := db.MigrationLock(background(t))
			held := db.Kind() == PostgreSQL
			var self int64
			if held {
				if err := tx.NewRaw("SELECT pg_backend_pid()").Scan(ctx, &self); err != nil {
					return err
				}
			}
			if got.Holder != self || held == got.Since.IsZero() {
				t.Errorf("while it is held: %+v; want the holder %d", got, self)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		lock("when it was let go", MigrationLock{})
		run(t, db.Session(), "DELETE FROM trestle_migration_lock")
		lock("without its row", MigrationLock{})
	})
}

// TestDigests: the digest of a table changes with its rows and values, and that of no other table does.
func TestDigests(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{})
		script(t, db, `CREATE TABLE t (id {{bigint}} PRIMARY KEY, t TEXT); CREATE TABLE "Other one" ("a b" {{bigint}} PRIMARY KEY); CREATE VIEW v AS SELECT t FROM t`)
		columns := map[string][]string{"t": {"id", "t"}, "Other one": {"a b"}, "v": {"t"}}
		digests := func() map[string]string {
			t.Helper()
			all, err := db.Digests(background(t), columns)
			if err != nil || len(all) != len(columns) {
				t.Fatalf("%v, %v", all, err)
			}
			return all
		}
		seen := map[string]bool{}
		for _, what := range []string{
			"INSERT INTO t VALUES (1, NULL)", "UPDATE t SET t = ''", "UPDATE t SET t = 'NULL'", "INSERT INTO t VALUES (2, 'a'), (3, 'b')",
			"UPDATE t SET t = CASE id WHEN 2 THEN 'b' ELSE 'a' END WHERE id > 1", "DELETE FROM t WHERE id = 3",
		} {
			before := digests()
			seen[before["t"]] = true
			run(t, db.Session(), what)
			now := digests()
			if seen[now["t"]] || now["v"] == before["v"] && what != "UPDATE t SET t = ''" {
				t.Errorf("after %s the digests are %v", what, now)
			}
			if now["Other one"] != before["Other one"] {
				t.Errorf("%s changes the digest of another table", what)
			}
		}
		if all, err := db.Digests(background(t), nil); err != nil || len(all) != 0 {
			t.Errorf("of no tables it is %v, %v", all, err)
		}
		columns["missing"] = []string{"id"}
		if _, err := db.Digests(background(t), columns); err == nil {
			t.Error("a table that does not exist has a digest")
		}
	})
}
