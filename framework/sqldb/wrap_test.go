package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "github.com/lib/pq"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/driver/pgdriver"

	"trestle.example/internal/testserver/postgres"
)

// pools are the ways in which a program may have opened PostgreSQL.
func pools() map[string]func(url string) (*sql.DB, error) {
	return map[string]func(url string) (*sql.DB, error){
		"pgx": func(url string) (*sql.DB, error) { return sql.Open("pgx", url) },
		"pgx, simple protocol": func(url string) (*sql.DB, error) {
			return sql.Open("pgx", url+"&default_query_exec_mode=simple_protocol")
		},
		"lib/pq": func(url string) (*sql.DB, error) { return sql.Open("postgres", url) },
		"pgdriver, inside of bun": func(url string) (*sql.DB, error) {
			return bun.NewDB(sql.OpenDB(pgdriver.NewConnector(pgdriver.WithDSN(url))), pgdialect.New()).DB, nil
		},
	}
}

// A Wrapped row has a value of each type that models have.
type Wrapped struct {
	bun.BaseModel `bun:"table:wrapped"`

	ID     uuid.UUID `bun:",pk"`
	Name   string
	Number int64
	Done   bool
	At     time.Time
	Parts  map[string]int `bun:"type:jsonb"`
	Parent *uuid.UUID
}

var wrappedSchema = Migrations{Namespace: "wrapped", FS: fstest.MapFS{
	"1_wrapped.tx.up.sql": {Data: []byte(`CREATE TABLE wrapped ({{id}}, name {{text}} NOT NULL CONSTRAINT wrapped_name UNIQUE, number {{bigint}} NOT NULL CONSTRAINT wrapped_number CHECK (number >= 0),
		done {{bool}} NOT NULL, at {{timestamp}} NOT NULL, parts {{json}}, parent {{uuid}} REFERENCES wrapped (id))`)},
	"1_wrapped.tx.down.sql": {Data: []byte(`DROP TABLE wrapped`)},
}}

// wrapped runs a test on a database of Wrap, for each driver, and checks afterwards that every
// connection is given back as it was.
func wrapped(t *testing.T, test func(t *testing.T, pool *sql.DB, db *DB)) {
	t.Helper()
	for name, open := range pools() {
		t.Run(name, func(t *testing.T) {
			url := postgres.Database(t)
			if !strings.Contains(url, "?") {
				url += "?"
			}
			pool, err := open(url)
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			db, err := Wrap(PostgreSQL, pool, Options{})
			if err != nil {
				t.Fatal(err)
			}
			before := settingsOf(t, pool)
			if err := db.Migrate(t.Context(), nil, wrappedSchema); err != nil {
				t.Fatal(err)
			}
			test(t, pool, db)
			if n := pool.Stats().InUse; n != 0 {
				t.Errorf("%d connections are still in use", n)
			}
			if after := settingsOf(t, pool); !slices.Equal(before, after) {
				t.Errorf("the settings were %q and are %q", before, after)
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
			if err := pool.PingContext(t.Context()); err != nil {
				t.Errorf("the pool of the program is closed: %v", err)
			}
		})
	}
}

// settingsOf lists the settings of a session that were changed in it.
func settingsOf(t *testing.T, pool *sql.DB) (all []string) {
	t.Helper()
	rows, err := pool.QueryContext(t.Context(), "SELECT name || '=' || setting FROM pg_settings WHERE source = 'session' ORDER BY name")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestWrap: rows of every type are written and read, in and out of transactions.
func TestWrap(t *testing.T) {
	wrapped(t, func(t *testing.T, _ *sql.DB, db *DB) {
		at := time.Date(2026, 1, 31, 9, 0, 0, 123456000, time.UTC)
		row := Wrapped{ID: uuid.New(), Name: "it's", Number: 1 << 60, Done: true, At: at, Parts: map[string]int{"a": 1}}
		if _, err := db.NewInsert().Model(&row).Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got Wrapped
		if err := db.NewSelect().Model(&got).Where("id = ?", row.ID).Scan(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got.At = got.At.UTC(); got.Name != row.Name || got.Number != row.Number || !got.Done || !got.At.Equal(at) || got.Parts["a"] != 1 {
			t.Errorf("read %+v; want %+v", got, row)
		}
		failed := errors.New("no")
		err := db.InTx(t.Context(), func(ctx context.Context, s *Session) error {
			if _, err := s.Exec(ctx, s.IDB().NewUpdate().Model(&row).Set("number = 7").WherePK()); err != nil {
				return err
			}
			return failed
		})
		if !errors.Is(err, failed) {
			t.Errorf("the transaction ends with %v", err)
		}
		r, err := db.Session().Read(t.Context(), bun.SafeQuery("SELECT number, done FROM wrapped WHERE name = ?", Param("it's")))
		var number int64
		var done bool
		if err != nil || r.Len() != 1 || r.Scan(0, &number, &done) != nil || number != 1<<60 || !done {
			t.Errorf("the row is %d, %t; error %v", number, done, err)
		}
	})
}

// TestWrapClassifies: the errors of every driver have the same faults as those of our own.
func TestWrapClassifies(t *testing.T) {
	wrapped(t, func(t *testing.T, _ *sql.DB, db *DB) {
		parent := uuid.New()
		insert := func(name string, number int64, of *uuid.UUID) error {
			_, err := db.NewInsert().Model(&Wrapped{ID: uuid.New(), Name: name, Number: number, At: time.Now(), Parent: of}).Exec(t.Context())
			return err
		}
		if err := insert("first", 1, nil); err != nil {
			t.Fatal(err)
		}
		run := func(text string) error { _, err := db.ExecContext(t.Context(), text); return err }
		for name, c := range map[string]struct {
			err  error
			want Fault
		}{
			"unique":       {insert("first", 1, nil), Fault{Kind: Unique, Table: "wrapped", Constraint: "wrapped_name", Columns: []string{"name"}}},
			"check":        {insert("second", -1, nil), Fault{Kind: Check, Table: "wrapped", Constraint: "wrapped_number"}},
			"foreign key":  {insert("third", 1, &parent), Fault{Kind: ForeignKey, Table: "wrapped", Constraint: "wrapped_parent_fkey", Columns: []string{"parent"}}},
			"not null":     {run("UPDATE wrapped SET name = NULL"), Fault{Kind: NotNull, Table: "wrapped", Columns: []string{"name"}}},
			"out of range": {run("UPDATE wrapped SET number = 10000000000000000000"), Fault{Kind: OutOfRange}},
			"unknown":      {run("SELECT id FROM nowhere"), Fault{Kind: Other}},
		} {
			if got, ok := Classify(c.err); !ok || got.Kind != c.want.Kind || got.Table != c.want.Table || got.Constraint != c.want.Constraint || !slices.Equal(got.Columns, c.want.Columns) {
				t.Errorf("%s: %+v, %v; want %+v", name, got, c.err, c.want)
			}
		}
	})
}

// TestWrapEndsAtTheDeadline: a statement ends at the deadline of its context, and a connection
// that the server closed is not given back.
func TestWrapEndsAtTheDeadline(t *testing.T) {
	wrapped(t, func(t *testing.T, pool *sql.DB, db *DB) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err := db.ExecContext(ctx, "SELECT pg_sleep(30)")
		if fault, ok := Classify(err); !ok || fault.Kind != Timeout {
			t.Errorf("the statement ends with %v, %+v", err, fault)
		}
		if _, err := db.ExecContext(t.Context(), "SELECT pg_terminate_backend(pg_backend_pid())"); err == nil {
			t.Error("the server did not close the connection")
		}
		if _, err := db.ExecContext(t.Context(), "SELECT 1"); err != nil {
			t.Errorf("the next statement fails: %v", err)
		}
		if n := pool.Stats().InUse; n != 0 {
			t.Errorf("%d connections are still in use", n)
		}
	})
}

// TestMistakesOfWrap: what cannot be wrapped is an error that says what would be right.
func TestMistakesOfWrap(t *testing.T) {
	pool, err := sql.Open("pgx", "postgres://nobody@127.0.0.1:1/nothing")
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	for name, c := range map[string]struct {
		kind  Kind
		pool  *sql.DB
		limit int
		o     Options
		want  string
	}{
		"no pool":              {PostgreSQL, nil, 0, Options{}, "the pool is nil"},
		"no kind":              {0, pool, 0, Options{}, "neither sqldb.PostgreSQL nor sqldb.SQLite"},
		"a replica":            {PostgreSQL, pool, 0, Options{Replica: "postgres://b"}, "Options.Replica needs connections that are opened here"},
		"a limit of locks":     {PostgreSQL, pool, 0, Options{LockTimeout: time.Second}, "Options.LockTimeout needs"},
		"one connection":       {PostgreSQL, pool, 1, Options{}, "at most 1 connections; it needs 2 or more"},
		"too many of the pool": {PostgreSQL, pool, 4, Options{MaxConns: 4}, "set MaxConns to 3 or less"},
		"a negative number":    {PostgreSQL, pool, 0, Options{MaxConns: -1}, "negative"},
		"as many as there are": {PostgreSQL, pool, 4, Options{MaxConns: 3}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			pool.SetMaxOpenConns(c.limit)
			db, err := Wrap(c.kind, c.pool, c.o)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v; want %q", err, c.want)
			}
			if err == nil {
				_ = db.Close()
			}
		})
	}
}

// TestWrapSQLite: the file of a pool is opened; a database in memory cannot be.
func TestWrapSQLite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a b.db")
	pool, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if _, err := pool.ExecContext(t.Context(), "CREATE TABLE theirs (name text)"); err != nil {
		t.Fatal(err)
	}
	db, err := Wrap(SQLite, pool, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "INSERT INTO theirs VALUES ('shared')"); err != nil {
		t.Fatal(err)
	}
	var name string
	if err := pool.QueryRowContext(t.Context(), "SELECT name FROM theirs").Scan(&name); err != nil || name != "shared" {
		t.Errorf("the pool reads %q, error %v", name, err)
	}
	if lacks := db.Lacks(); len(lacks) != 0 {
		t.Errorf("it lacks %q", lacks)
	}
	memory, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer memory.Close()
	if _, err := Wrap(SQLite, memory, Options{}); err == nil || !strings.Contains(err.Error(), "in memory") {
		t.Errorf("a database in memory: %v", err)
	}
}

// TestAWrappedPoolDoesNotLookPooled: nothing is set in its sessions, which could reach other clients.
func TestAWrappedPoolDoesNotLookPooled(t *testing.T) {
	wrapped(t, func(t *testing.T, _ *sql.DB, db *DB) {
		if got, err := db.LooksPooled(t.Context()); err != nil || got {
			t.Errorf("it looks pooled: %v, %v", got, err)
		}
	})
}
