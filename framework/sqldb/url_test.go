package sqldb

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenRefusesWrongURL(t *testing.T) {
	for _, c := range []struct {
		name, url string
		says      []string
	}{
		{"empty", "", []string{"empty", "sqlite:///", "postgres://"}},
		{"unknown scheme", "mysql://u:secret@h/db", []string{`"mysql" is not one of`, "u:***@h"}},
		{"relative SQLite path", "sqlite://data/app.db", []string{"absolute", "sqlite:///"}},
		{"SQLite path without slashes", "sqlite:data/app.db", []string{`"sqlite:data/app.db"`, "absolute: sqlite:// and then a path that begins with /", "sqlite:///"}},
		{"SQLite path without slashes, and a password", "sqlite:u:secret@h/app.db", []string{"(not shown)"}},
		{"SQLite in memory", "sqlite::memory:", []string{"memory is not supported"}},
		{"SQLite folder", "sqlite:///tmp/", []string{"names no file"}},
		{"SQLite without a path", "sqlite://", []string{"names no file"}},
		{"unknown SQLite parameter", "sqlite:///tmp/a.db?mode=ro", []string{`no parameter "mode"`}},
		{"wrong synchronous", "sqlite:///tmp/a.db?synchronous=off", []string{`synchronous is "off"`}},
		{"no database name", "postgres://u:secret@h:5432", []string{"names no database", "u:***@h:5432"}},
		{"percent sign in password", "postgres://u:se%cret@h/db", []string{"percent sign", "(not shown)"}},
		{"slash in password", "postgres://u:se/cret@h/db", []string{"escape special characters of the password", "(not shown)"}},
		{"a colon forgotten", "postgres//app:secret@h/db", []string{"(not shown)"}},
		{"no scheme", "app:secret@h/db", []string{"(not shown)"}},
		{"a connection string", "host=h password=secret dbname=x", []string{"(not shown)"}},
		{"user and host the wrong way round", "postgres://app@h:secret/db", []string{"(not shown)"}},
		{"a password in the query", "postgres://u@h/db?pass%77ord=secret&sslmode=x", []string{"postgres://u@h/db?sslmode=x"}},
		{"a path in the parameter host", "postgres://u:secret@/db?host=a/b", []string{"a host is not a name, an address or the folder of a socket"}},
		{"sslmode prefer", "postgres://u:secret@h/db?sslmode=prefer", []string{"leaves open", "verify-full"}},
		{"sslmode misspelt", "postgres://u:secret@h/db?sslmode=verify", []string{`"verify" is not one of`}},
		{"two hosts with ports", "postgres://u:secret@h1:5432,h2:port/x", []string{"not a port number", "(not shown)"}},
		{"a host with two ports", "postgres://u:secret@h1:5432:77/x", []string{"a host has more than one colon"}},
		{"two hosts with nothing between", "postgres://u:secret@h1,,h2/x", []string{"a host of the list is empty"}},
		{"a comma after the hosts", "postgres://u:secret@h1,/x", []string{"a host of the list is empty"}},
		{"an address of IPv6 without brackets", "postgres://u:secret@::1/x", []string{"a host has more than one colon"}},
		{"two hosts, and no name", "postgres://u:secret@h1:5432,h2:5432", []string{"names no database", "u:***@h1:5432,h2:5432"}},
		{"IPv6 that is not closed", "postgres://u:secret@[::1/x", []string{"(not shown)"}},
		{"a comma and a slash in password", "postgres://u:se,cret/cret@h1,h2/x", []string{"(not shown)"}},
		{"digits and a slash in password", "postgres://u:12/cret@h/x", []string{"escape special characters of the password", "(not shown)"}},
		{"digits and a question mark in password", "postgres://u:12?cret@h/x", []string{"escape special characters of the password", "(not shown)"}},
		{"digits and a number sign in password", "postgres://u:12#cret@h/x", []string{"escape special characters of the password", "(not shown)"}},
		{"a space in password", "postgres://u:se cret@h1,h2/x", []string{"must be escaped", "(not shown)"}},
		{"a line end in password", "postgres://u:secret\n@h/x", []string{"(not shown)"}},
		{"a percent sign in password, two hosts", "postgres://u:se%cret@h1,h2/x", []string{"percent sign", "(not shown)"}},
		{"a percent sign in a parameter", "postgres://u:secret@h/x?application_name=%zz", []string{"cannot be read", "u:***@h/x"}},
		{"one slash", "postgres:/u:secret@h/x", []string{"two slashes", "(not shown)"}},
		{"no slashes", "postgres:u:secret@h/x", []string{"(not shown)"}},
		{"another scheme, digits and a slash in password", "mysql://u:12/cret@h/x", []string{"(not shown)"}},
		{"port out of range", "postgres://u:secret@h1,h2:70000/x", []string{"1 to 65535", "(not shown)"}},
		{"ports that are not enough", "postgres://u:secret@h1,h2,h3/x?port=1,2", []string{"2 ports for 3 hosts", "u:***@h1,h2,h3/x"}},
		{"unknown parameter", "postgres://u:secret@h/x?pgbouncer=true", []string{`no parameter "pgbouncer"`, "target_session_attrs", "ALTER ROLE"}},
		{"a setting of sessions that is not known", "postgres://u:secret@h/x?default_transaction_read_only=on", []string{"no parameter", "ALTER ROLE"}},
		{"a parameter that may be a part of the password", "postgres://u:secret@h/x?Cret!", []string{"no parameter of that name"}},
		{"unknown target", "postgres://u:secret@h1,h2/x?target_session_attrs=master", []string{"not one of any, read-write, read-only, primary, standby, prefer-standby"}},
		{"wrong connect_timeout", "postgres://u:secret@h/x?connect_timeout=long", []string{"not a number of seconds"}},
		{"a certificate without its key", "postgres://u:secret@h/x?sslcert=/nowhere.pem", []string{"go together"}},
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

// TestSettingsBehindAPooler: a setting of the URL would reach other clients.
func TestSettingsBehindAPooler(t *testing.T) {
	for parameter, says := range map[string]string{"search_path=app": "ALTER ROLE app SET search_path", "timezone=Asia/Tokyo": ""} {
		db, err := Open("postgres://u:secret@localhost:1/db?"+parameter, Options{NoPrepare: true})
		if err == nil {
			err = db.Close()
		}
		if (err != nil) != (says != "") || err != nil && (!strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: %v", parameter, err)
		}
	}
}
