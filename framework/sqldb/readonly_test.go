package sqldb

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestReadOnly: a database that is only looked at stays as it is.
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
