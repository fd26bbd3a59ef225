package program

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/sqldb"
)

// TestCheckReadsMigrations: check finds a mistake in the files of the migrations without a database.
func TestCheckReadsMigrations(t *testing.T) {
	database := "DATABASE_URL=sqlite://" + filepath.ToSlash(filepath.Join(t.TempDir(), "missing", "test.db"))
	for _, c := range []struct {
		name, up string
		code     int
		says     string
	}{
		{"a right file", "CREATE TABLE t (n {{bigint}})", exit.OK, "ok: "},
		{"a word that only the other database reads", "{{if postgres}}CREATE TABLE t (n {{bignt}}){{end}}", exit.Failure, `function "bignt" not defined; the words are bigint, bool`},
		{"an unfinished template", "CREATE TABLE t (n {{bigint)", exit.Failure, "the template of a migration is wrong"},
	} {
		p := usersAlone()
		p.Migrations = []sqldb.Migrations{framework.Migrations(), auth.Migrations(), {Namespace: "app", FS: fstest.MapFS{
			"1_t.tx.up.sql": {Data: []byte(c.up)}, "1_t.tx.down.sql": {Data: []byte("DROP TABLE t")},
		}}}
		var out, errs strings.Builder
		code := Run(t.Context(), p, []string{"check"}, []string{database}, strings.NewReader(""), &out, &errs)
		if text := out.String() + errs.String(); code != c.code || !strings.Contains(text, c.says) {
			t.Errorf("%s: code %d, %s; want code %d and %q", c.name, code, text, c.code, c.says)
		}
	}
}
