package sqldb

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/uptrace/bun/driver/pgdriver"
)

func TestOpenRefusesWrongURL(t *testing.T) {
	for _, c := range []struct {
		name, url string
		says      []string
	}{
		{"empty", "", []string{"empty", "sqlite:///", "postgres://"}},
		{"unknown scheme", "mysql://u:secret@h/db", []string{`"mysql" is not one of`, "u:***@h"}},
		{"relative SQLite path", "sqlite://data/app.db", []string{"absolute", "sqlite:///"}},
		{"SQLite path without slashes", "sqlite:app.db", []string{"absolute"}},
		{"SQLite in memory", "sqlite::memory:", []string{"memory is not supported"}},
		{"SQLite folder", "sqlite:///tmp/", []string{"names no file"}},
		{"SQLite without a path", "sqlite://", []string{"names no file"}},
		{"unknown SQLite parameter", "sqlite:///tmp/a.db?mode=ro", []string{`no parameter "mode"`}},
		{"wrong synchronous", "sqlite:///tmp/a.db?synchronous=off", []string{`synchronous is "off"`}},
		{"no database name", "postgres://u:secret@h:5432", []string{"names no database", "u:***@h:5432"}},
		{"percent sign in password", "postgres://u:se%cret@h/db", []string{"percent sign", "(not shown)"}},
		{"slash in password", "postgres://u:se/cret@h/db", []string{"not a port number", "(not shown)"}},
		{"a colon forgotten", "postgres//app:secret@h/db", []string{"(not shown)"}},
		{"no scheme", "app:secret@h/db", []string{"(not shown)"}},
		{"a connection string", "host=h password=secret dbname=x", []string{"(not shown)"}},
		{"user and host the wrong way round", "postgres://app@h:secret/db", []string{"(not shown)"}},
		{"a password in the query", "postgres://u@h/db?pass%77ord=secret&sslmode=x", []string{"postgres://u@h/db?sslmode=x"}},
		{"sslmode prefer", "postgres://u:secret@h/db?sslmode=prefer", []string{"leaves open", "verify-full"}},
		{"sslmode misspelt", "postgres://u:secret@h/db?sslmode=verify", []string{`"verify" is not one of`}},
		{"missing certificate", "postgres://u:secret@h/db?sslrootcert=/nowhere.pem", []string{"root CA", "u:"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			db, err := Open(c.url, Options{})
			if err == nil {
				db.Close()
				t.Fatal("opened")
			}
			if checked := CheckURL(c.url); checked == nil || checked.Error() != err.Error() {
				t.Errorf("CheckURL says %v; Open says %v", checked, err)
			}
			for _, want := range c.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "cret") {
				t.Errorf("%q tells the password", err)
			}
		})
	}
}

func TestCheckURLOpensNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new folder", "app.db")
	for _, url := range []string{
		"sqlite://" + strings.ReplaceAll(path, " ", "%20"), "postgres://u:secret@localhost:1/db",
		"postgresql://u@db.example.com/db?sslmode=require", "postgres:///db?host=/run/postgresql",
	} {
		if err := CheckURL(url); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Errorf("the folder of the SQLite file was made: %v", err)
	}
}

func TestOpenRefusesNegativeOptions(t *testing.T) {
	if _, err := Open(sqliteURL(t), Options{MaxConns: -1}); err == nil || !strings.Contains(err.Error(), "negative") {
		t.Errorf("got %v", err)
	}
}

func TestOpenNeedsNoServer(t *testing.T) {
	db := open(t, "postgres://u:secret@localhost:1/db", Options{})
	err := db.PingContext(background(t))
	if f, ok := Classify(err); !ok || f.Kind != Unavailable {
		t.Errorf("ping: %v, classified %v", err, f.Kind)
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("%q tells the password", err)
	}
}

func TestOpenCreatesSQLiteFileForItsOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new folder", "a?b%20c.db")
	escaped := strings.NewReplacer("%", "%25", "?", "%3F", " ", "%20").Replace(path)
	db := open(t, "sqlite://"+escaped, Options{})
	script(t, db, "CREATE TABLE t (a int)")
	for _, p := range []string{filepath.Dir(path), path} {
		info, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		if perm := info.Mode().Perm(); perm&0o077 != 0 {
			t.Errorf("%s has permissions %o", p, perm)
		}
	}
}

func TestSQLiteSettings(t *testing.T) {
	for url, synchronous := range map[string]int{sqliteURL(t): 2, sqliteURL(t) + "?synchronous=normal": 1} {
		s := open(t, url, Options{}).Session()
		if got := one[int](t, s, "PRAGMA synchronous"); got != synchronous {
			t.Errorf("%s: synchronous %d, want %d", url, got, synchronous)
		}
		if got := one[string](t, s, "PRAGMA journal_mode"); got != "wal" {
			t.Errorf("journal_mode %s", got)
		}
		if got := one[int](t, s, "PRAGMA foreign_keys"); got != 1 {
			t.Error("foreign keys are off")
		}
		if _, err := oneOf[string](background(t), s, `SELECT "no such column"`); err == nil {
			t.Error("an unknown column is taken for a text")
		}
	}
}

func TestPostgresTransport(t *testing.T) {
	for _, c := range []struct {
		name, url, network, addr string
		tls, verified            bool
	}{
		{"local name", "postgres://u@localhost/db", "tcp", "localhost:5432", false, false},
		{"loopback address", "postgres://u@127.0.0.9:6000/db", "tcp", "127.0.0.9:6000", false, false},
		{"IPv6 loopback without port", "postgres://u@[::1]/db", "tcp", "[::1]:5432", false, false},
		{"no host", "postgres:///db", "tcp", "localhost:5432", false, false},
		{"folder of a socket", "postgres://u@/db?host=/run/postgresql", "unix", "/run/postgresql/.s.PGSQL.5432", false, false},
		{"remote host", "postgres://u@db.example.com/db", "tcp", "db.example.com:5432", true, true},
		{"remote host in a parameter", "postgres://u@/db?host=db.example.com", "tcp", "db.example.com:5432", true, true},
		{"remote IPv6", "postgres://u@[2001:db8::1]/db", "tcp", "[2001:db8::1]:5432", true, true},
		{"local name lookalike", "postgres://u@localhost.example.com/db", "tcp", "localhost.example.com:5432", true, true},
		{"disable when written", "postgres://u@db.example.com/db?sslmode=disable", "tcp", "db.example.com:5432", false, false},
		{"require when written", "postgres://u@db.example.com/db?sslmode=require", "tcp", "db.example.com:5432", true, false},
		{"verify-full on a local host", "postgres://u@localhost/db?sslmode=verify-full", "tcp", "localhost:5432", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			u, err := parseURL(c.url)
			if err != nil {
				t.Fatal(err)
			}
			conf, err := postgresConfig(u)
			if err != nil {
				t.Fatal(err)
			}
			if conf.Network != c.network || conf.Addr != c.addr || conf.Database != "db" {
				t.Errorf("%s %s, database %s", conf.Network, conf.Addr, conf.Database)
			}
			if verified := isVerified(conf); (conf.TLSConfig != nil) != c.tls || verified != c.verified {
				t.Errorf("TLS %v, verified %v", conf.TLSConfig != nil, verified)
			}
		})
	}
}

func isVerified(conf *pgdriver.Config) bool {
	return conf.TLSConfig != nil && !conf.TLSConfig.InsecureSkipVerify && conf.TLSConfig.ServerName != ""
}
