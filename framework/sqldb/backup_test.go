package sqldb

import (
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sqlite3 "modernc.org/sqlite/lib"

	"trestle.example/framework/sqldb/internal/connection"
	"trestle.example/framework/sqldb/internal/fault"
)

// urlOf is the URL of a SQLite file.
func urlOf(path string) string { return (&url.URL{Scheme: "sqlite", Path: path}).String() }

// shelved is a SQLite database of two tables, a search index and two rows.
func shelved(t *testing.T) (db *DB, path string) {
	t.Helper()
	address := sqliteURL(t)
	db = open(t, address, Options{})
	migrateAll(t, db, files("app", `1_shelves: CREATE TABLE shelves ({{id}}, label {{text}});
		CREATE TABLE books ({{id}}, shelf {{uuid}} REFERENCES shelves (id), title {{text}}); {{searchIndex "books" "title"}} | DROP TABLE books`))
	run(t, db.Session(), "INSERT INTO shelves (id, label) VALUES ('s', 'A')")
	run(t, db.Session(), "INSERT INTO books (id, shelf, title) VALUES ('b', 's', 'Walden')")
	return db, File(address)
}

func TestACopyHoldsWhatIsCommitted(t *testing.T) {
	db, _ := shelved(t)
	path := filepath.Join(t.TempDir(), "copy's ? #1.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	begun, err := db.BeginTx(background(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = begun.Rollback() }()
	if _, err := begun.ExecContext(background(t), "INSERT INTO shelves (id, label) VALUES ('t', 'B')"); err != nil {
		t.Fatal(err)
	}
	if err := db.CopyTo(background(t), path); err != nil {
		t.Fatalf("while another writes: %v", err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy has mode %v, %v; want that of the empty file", info.Mode(), err)
	}
	copied := open(t, urlOf(path), Options{ReadOnly: true})
	held, err := copied.Verify(background(t))
	if err != nil || held.Tables != 4 || held.Rows != 4 { // two of migrations, with a row each
		t.Errorf("the copy holds %+v, %v; want 4 rows of 4 tables", held, err)
	}
	if n := one[int](t, copied.Session(), "SELECT count(*) FROM books WHERE _row IN (SELECT rowid FROM books_title_fts WHERE books_title_fts MATCH '\"ald\"')"); n != 1 {
		t.Errorf("the copy's search index finds %d rows; want 1", n)
	}
	if err := db.CopyTo(background(t), path); err == nil || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("onto a file that is not empty: %v", err)
	}
}

func TestVerifyFindsDamage(t *testing.T) {
	for name, test := range map[string]struct {
		damage func(t *testing.T, db *DB, path string)
		says   string
	}{
		"a row that refers to nothing": {func(t *testing.T, db *DB, _ string) {
			run(t, db.Session(), "PRAGMA foreign_keys = OFF")
			run(t, db.Session(), "DELETE FROM shelves")
		}, "1 rows of books refer to rows of shelves that are not there"},
		"half a file": {func(t *testing.T, db *DB, path string) {
			settle(t, db)
			if err := os.Truncate(path, size(t, path)/2); err != nil {
				t.Fatal(err)
			}
		}, "not all of it is there"},
		"a page overwritten": {func(t *testing.T, db *DB, path string) {
			settle(t, db)
			overwrite(t, path, size(t, path)-4096, strings.Repeat("x", 4096))
		}, "damaged"},
		"another file": {func(t *testing.T, db *DB, path string) {
			settle(t, db)
			overwrite(t, path, 0, strings.Repeat("x", 4096))
		}, "this is not a SQLite database"},
	} {
		t.Run(name, func(t *testing.T) {
			db, path := shelvedAlone(t)
			test.damage(t, db, path)
			held, err := open(t, urlOf(path), Options{ReadOnly: true}).Verify(background(t))
			if err == nil || !strings.Contains(err.Error(), test.says) || held != (Contents{}) {
				t.Errorf("%+v, %v; want it to say %q", held, err, test.says)
			}
			if fault, ok := Classify(err); ok {
				t.Errorf("it passes for a fault of a database: %+v", fault)
			}
		})
	}
}

// shelvedAlone has one connection, whose settings can be changed.
func shelvedAlone(t *testing.T) (*DB, string) {
	t.Helper()
	db, path := shelved(t)
	db.SetMaxOpenConns(1)
	return db, path
}

// settle closes a database, so that all of it is in its file.
func settle(t *testing.T, db *DB) {
	t.Helper()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func overwrite(t *testing.T, path string, at int64, with string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(with), at); err != nil {
		t.Fatal(err)
	}
}

func TestBackupsAreOfFilesAlone(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		_, verified := db.Verify(background(t))
		copied := db.CopyTo(background(t), filepath.Join(t.TempDir(), "copy.db"))
		if db.Kind() == SQLite {
			if verified != nil || copied != nil {
				t.Errorf("%v, %v", verified, copied)
			}
			return
		}
		if verified == nil || copied == nil || !strings.Contains(copied.Error(), "pg_dump") {
			t.Errorf("%v, %v; want them to name PostgreSQL's own programs", verified, copied)
		}
	})
}

func TestAlone(t *testing.T) {
	db, path := shelved(t)
	never := func(bool) error { t.Error("it was called"); return nil }
	if err := Alone(background(t), urlOf(path), never); !errors.Is(err, ErrInUse) {
		t.Errorf("beside another connection: %v; want ErrInUse", err)
	}
	run(t, db.Session(), "INSERT INTO shelves (id, label) VALUES ('u', 'C')") // which it left as it was
	settle(t, db)

	own := errors.New("of its own")
	err := Alone(background(t), urlOf(path), func(whole bool) error {
		if _, err := os.Stat(path + "-wal"); err == nil || !whole {
			t.Errorf("whole %t, and the log is there: %v", whole, err == nil)
		}
		other := impatient(t, path)
		defer other.Close()
		if _, err := other.ExecContext(background(t), "SELECT count(*) FROM shelves"); fault.SQLiteCode(err) != sqlite3.SQLITE_BUSY {
			t.Errorf("another one reads meanwhile: %v; want the file to be busy", err)
		}
		return own
	})
	if !errors.Is(err, own) {
		t.Errorf("%v; want what the function returned", err)
	}
	again := open(t, urlOf(path), Options{})
	if n := one[int](t, again.Session(), "SELECT count(*) FROM shelves"); n != 2 {
		t.Errorf("%d rows afterwards; want 2", n)
	}
}

// impatient opens a file without waiting for locks, and does not change it.
func impatient(t *testing.T, path string) *sql.DB {
	t.Helper()
	connector, err := connection.Exclusive(path)
	if err != nil {
		t.Fatal(err)
	}
	return sql.OpenDB(connector)
}

// TestAMovedFileIsNotWritten: a connection that opened the file before it was moved, and
// waited, writes no log beside the new file.
func TestAMovedFileIsNotWritten(t *testing.T) {
	for name, empty := range map[string]bool{"a database": false, "an empty file": true} {
		t.Run(name, func(t *testing.T) {
			db, path := shelved(t)
			settle(t, db)
			if empty {
				path += ".empty"
				writeFile(t, path, "")
			} else if err := Alone(background(t), urlOf(path), func(bool) error { return nil }); err != nil { // it has no log then
				t.Fatal(err)
			}
			movedFileIsNotWritten(t, path)
		})
	}
}

func movedFileIsNotWritten(t *testing.T, path string) {
	t.Helper()
	pool := impatient(t, path)
	defer pool.Close()
	late, err := pool.Conn(background(t))
	if err != nil {
		t.Fatal(err)
	}
	err = Alone(background(t), urlOf(path), func(bool) error { return os.Rename(path, path+".moved") })
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	writeFile(t, path, "")
	var mode string
	err = late.QueryRowContext(background(t), "PRAGMA journal_mode = WAL").Scan(&mode)
	if _, there := os.Stat(path + "-wal"); err == nil || there == nil {
		t.Errorf("the log of what was moved is beside the new file (%t); mode %q, %v", there == nil, mode, err)
	}
}

func TestAloneWithADamagedFile(t *testing.T) {
	db, path := shelved(t)
	settle(t, db)
	overwrite(t, path, 0, strings.Repeat("x", 4096))
	for _, want := range []error{nil, errors.New("of its own"), &damageError{"something else"}} {
		calls := 0
		err := Alone(background(t), urlOf(path), func(whole bool) error {
			calls++
			if whole {
				t.Error("it is told that the database is whole")
			}
			return want
		})
		if !errors.Is(err, want) || calls != 1 {
			t.Errorf("%v after %d calls; want %v after one", err, calls, want)
		}
	}
	for _, url := range []string{"postgres://h/db", "", urlOf(path + ".none")} {
		if err := Alone(background(t), url, func(bool) error { return nil }); err == nil {
			t.Errorf("%q is taken", url)
		}
	}
}

func TestClientURL(t *testing.T) {
	for from, want := range map[string]string{
		"postgres://app:hidden@db.example/shop":                                                             "postgres://app@db.example/shop?sslmode=verify-full",
		"postgres://app:hidden@db.example:6432/shop?sslmode=require&statement_timeout=5":                    "postgres://app@db.example:6432/shop?sslmode=require",
		"postgres://app@localhost/shop":                                                                     "postgres://app@localhost/shop",
		"postgres://app@localhost/shop?sslrootcert=/etc/ca.pem":                                             "postgres://app@localhost/shop?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem",
		"postgres://app@localhost/shop?connect_timeout=1500ms":                                              "postgres://app@localhost/shop?connect_timeout=2",
		"postgres://app@localhost/shop?connect_timeout=7":                                                   "postgres://app@localhost/shop?connect_timeout=7",
		"postgres:///shop?host=/run/postgresql":                                                             "postgres:///shop?host=%2Frun%2Fpostgresql",
		"postgresql://app:hidden@h/shop?sslmode=verify-ca&sslrootcert=/etc/ca.pem&application_name=trestle": "postgresql://app@h/shop?application_name=trestle&sslmode=verify-ca&sslrootcert=%2Fetc%2Fca.pem",
		"postgres://app:hidden@h1,[::1]:6432/shop?target_session_attrs=read-write":                          "postgres://app@h1,[::1]:6432/shop?sslmode=verify-full&target_session_attrs=read-write",
		"sqlite:///a.db":    "",
		"mysql://a:b@c/d":   "",
		"postgres://h:port": "",
	} {
		if got := ClientURL(from); got != want {
			t.Errorf("%s becomes %s; want %s", from, got, want)
		}
	}
}

func TestNow(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		first, err := db.Now(background(t))
		second, again := db.Now(background(t))
		if err != nil || again != nil || first.IsZero() || second.Before(first) {
			t.Errorf("%s, %v and then %s, %v", first, err, second, again)
		}
	})
}
