package sqldb

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trestle.example/framework/sqldb/internal/fault"
	"trestle.example/internal/testserver/postgres"
)

// TestReadOnly: a database that is opened read-only stays as it is.
func TestReadOnly(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		db := open(t, url, Options{})
		script(t, db, "CREATE TABLE t (id {{bigint}} PRIMARY KEY)")
		looking := open(t, url, Options{ReadOnly: true})
		if _, err := looking.Session().Read(background(t), looking.NewRaw("SELECT id FROM t")); err != nil {
			t.Error(err)
		}
		if _, err := looking.Session().Exec(background(t), looking.NewRaw("INSERT INTO t VALUES (1)")); err == nil {
			t.Error("a row was written")
		}
	})
	t.Run("a file with another journal", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "test.db")
		db := open(t, "sqlite://"+path, Options{MaxConns: 1})
		db.SetMaxOpenConns(1)
		run(t, db.Session(), "PRAGMA journal_mode = DELETE")
		run(t, db.Session(), "CREATE TABLE t (id integer)")
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		looking := open(t, "sqlite://"+path, Options{ReadOnly: true})
		if mode, err := oneOf[string](background(t), looking.Session(), "PRAGMA journal_mode"); mode != "delete" || err != nil {
			t.Errorf("the journal is %s, %v", mode, err)
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Errorf("the file has changed: %v", err)
		}
	})
	t.Run("a file that is not there", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "none.db")
		db := open(t, "sqlite://"+path, Options{ReadOnly: true})
		if _, err := db.Session().Read(background(t), db.NewRaw("SELECT 1 FROM t")); err == nil {
			t.Error("nothing was read")
		}
		if _, err := os.Stat(path); err == nil {
			t.Error("it was made")
		}
	})
}

// TestADatabaseThatTakesNoWrites: a standby, and a database that is set so. A write is a
// fault that passes, and its connection is not used again.
func TestADatabaseThatTakesNoWrites(t *testing.T) {
	cluster, standby := postgres.Replicated(t)
	primary := open(t, cluster.URL(), Options{})
	script(t, primary, "CREATE TABLE t (id {{bigint}})")
	set := func(value string) {
		script(t, primary, "SET default_transaction_read_only TO off; ALTER DATABASE postgres SET default_transaction_read_only TO "+value)
	}
	for _, c := range []struct { // the standby first: it would replay the setting, and be promoted with it
		name, url  string
		begin, end func()
		options    Options
	}{
		{"a standby until it is promoted", standby.URL(), func() {}, func() {
			if err := standby.Promote(); err != nil {
				t.Fatal(err)
			}
		}, Options{}},
		{"a setting", cluster.URL(), func() { set("on") }, func() { set("off") }, Options{}},
		{"a setting, statements sent as text", cluster.URL(), func() { set("on") }, func() { set("off") }, Options{NoPrepare: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.options.MaxConns = 1
			db := open(t, c.url, c.options)
			eventually(t, "the table is there", func() bool { _, err := oneOf[int](background(t), db.Session(), "SELECT 1 FROM t"); return err == nil })
			c.begin()
			db.SetMaxIdleConns(0) // so that none is older than the setting
			db.SetMaxIdleConns(2)
			for way, write := range writeWays(db) {
				before := one[int](t, db.Session(), "SELECT pg_backend_pid()")
				err := write(background(t))
				if f, ok := Classify(err); !ok || f.Kind != Unavailable || !IsReadOnly(err) {
					t.Errorf("%s: %v is %v; want unavailable, and read only", way, err, f.Kind)
				}
				if after := one[int](t, db.Session(), "SELECT pg_backend_pid()"); after == before {
					t.Errorf("%s: its connection is used again", way)
				}
			}
			if err := db.Writable(background(t)); !IsReadOnly(err) {
				t.Errorf("it is said to take writes: %v", err)
			}
			c.end()
			eventually(t, "it takes writes", func() bool { return db.Writable(background(t)) == nil })
			for way, write := range writeWays(db) {
				if err := write(background(t)); err != nil {
					t.Errorf("%s, when it takes writes: %v", way, err)
				}
			}
		})
	}
}

// TestAReadOnlyTransactionKeepsItsConnection: a transaction that the program begins as read
// only rejects writes, and its connection stays open: a new one would reject them too.
func TestAReadOnlyTransactionKeepsItsConnection(t *testing.T) {
	db := open(t, postgresURL(t), Options{MaxConns: 1})
	script(t, db, "CREATE TABLE t (id {{bigint}})")
	before := one[int](t, db.Session(), "SELECT pg_backend_pid()")
	tx, err := db.BeginTx(background(t), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(background(t), "INSERT INTO t VALUES (1)"); fault.State(err) != fault.StateReadOnly {
		t.Errorf("it writes: %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Error(err)
	}
	if after := one[int](t, db.Session(), "SELECT pg_backend_pid()"); after != before {
		t.Error("its connection was closed")
	}
}

// writeWays are the ways in which a program writes.
func writeWays(db *DB) map[string]func(context.Context) error {
	insert := db.NewRaw("INSERT INTO t VALUES (?)", Param(1))
	return map[string]func(context.Context) error{
		"Exec":  func(ctx context.Context) error { _, err := db.Session().Exec(ctx, insert); return err },
		"Write": func(ctx context.Context) error { _, err := db.Session().Read(ctx, insert); return err },
		"InTx": func(ctx context.Context) error {
			return db.InTx(ctx, func(ctx context.Context, s *Session) error { _, err := s.Exec(ctx, insert); return err })
		},
	}
}

// TestMigratingADatabaseThatTakesNoWrites: the error names the first pending migration. It is
// no error if none is pending.
func TestMigratingADatabaseThatTakesNoWrites(t *testing.T) {
	eachKind(t, func(t *testing.T, url string) {
		first, second := "1_a: CREATE TABLE a (n {{bigint}}) | DROP TABLE a", "2_b: CREATE TABLE b (n {{bigint}}) | DROP TABLE b"
		third := "3_c: CREATE TABLE c (n {{bigint}}) | DROP TABLE c"
		migrateAll(t, open(t, url, Options{}), files("app", first))
		db := open(t, url, Options{ReadOnly: true})
		if err := db.Migrate(background(t), nil, files("app", first)); err != nil {
			t.Errorf("nothing is pending: %v", err)
		}
		err := db.Migrate(background(t), nil, files("app", first, second, third))
		if err == nil || !strings.HasPrefix(err.Error(), "sqldb: migration app/2_b: ") {
			t.Errorf("got %v; want it to name app/2_b", err)
		}
	})
}
