package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"trestle.example/framework/program"
	"trestle.example/framework/sqldb"
	"trestle.example/migrations"
)

func TestMigrate(t *testing.T) {
	t.Parallel()
	files, err := fs.Glob(migrations.Application().FS, "*.tx.up.sql")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	newest := "application/" + strings.TrimSuffix(files[len(files)-1], ".tx.up.sql")
	onBoth(t, func(t *testing.T, r *rig) {
		_ = r.database().Ping() // makes a file, empty
		for _, step := range []struct {
			name, call string
			code       int
			out, err   string
		}{
			{"nothing is applied at first", "migrate status", exitNeedsAction, "auth/0001_users", "trestle migrate up"},
			{"other commands ask for it", "token list --email a@example.com", exitNeedsAction, "", "run: trestle migrate up"},
			{"and so does the server", "serve --addr 127.0.0.1:0", exitNeedsAction, "", "run: trestle migrate up"},
			{"undoing nothing is no failure", "migrate down --yes", exitOK, "", "nothing to undo"},
			{"up applies all", "migrate up", exitOK, "", "Applied auth/0001_users"},
			{"then none is pending", "migrate status", exitOK, "auth/0001_users", ""},
			{"a second time does nothing", "migrate up", exitOK, "", "up to date"},
			{"down undoes the newest", "migrate down --yes", exitOK, "", "Undid " + newest},
			{"which is pending then", "migrate status", exitNeedsAction, "pending", "lacks the migration " + newest},
			{"and can be applied again", "migrate up", exitOK, "", "Applied " + newest},
		} {
			got := r.run(step.call)
			if got.code != step.code || !strings.Contains(got.stdout, step.out) || !strings.Contains(got.stderr, step.err) {
				t.Fatalf("%s: exit code %d, standard output %q, standard error %q; want %+v", step.name, got.code, got.stdout, got.stderr, step)
			}
		}
	})
}

// A waitTest is a migration that waits for a lock, which a statement takes.
type waitTest struct{ call, statement, then string }

// TestAMigrationReportsWhatItWaitsFor: a migration that waits for another process reports it
// once, with the process if the database reports it. It goes on when that process ends its
// transaction.
func TestAMigrationReportsWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	const row = "UPDATE trestle_migration_lock SET held = held + 1"
	for name, test := range map[string]waitTest{
		"the row of the lock":            {"up", row, "Applied application/"},
		"the row of the lock, to undo":   {"down --yes", row, "Undid application/"},
		"the table of the records":       {"up", "LOCK TABLE trestle_migrations IN ACCESS EXCLUSIVE MODE", "Applied application/"},
		"a table that a migration needs": {"up", "LOCK TABLE appointments IN ACCESS EXCLUSIVE MODE", "Applied application/"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, r *rig) {
				r.ok("migrate up")
				r.ok("migrate down --yes")
				test.run(t, r)
			})
		})
	}
}

func (test waitTest) run(t *testing.T, r *rig) {
	t.Helper()
	db, name := r.database(), "SET LOCAL application_name TO 'a report'"
	says := `Waiting for a lock that the server's process \d+ holds \(application_name "a report"\) since 2\S+Z\. ` +
		`To go on: wait for its transaction; if it is stuck: SELECT pg_terminate_backend\(\d+\);`
	if db.Kind() == sqldb.SQLite {
		if strings.HasPrefix(test.statement, "LOCK") {
			return // SQLite has one lock
		}
		name, says = "", `Waiting for another process that writes to the database\.`
	}
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback() }()
	for _, statement := range []string{name, test.statement} {
		if _, err := tx.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	stderr, ended := newLogged(), make(chan int, 1)
	go func() {
		words := append([]string{"migrate"}, strings.Fields(test.call)...)
		ended <- program.Run(t.Context(), trestle(), words, r.env, strings.NewReader(""), io.Discard, stderr)
	}()
	stderr.find(regexp.MustCompile(says))
	if err := tx.Rollback(); err != nil {
		t.Error(err)
	}
	got := result{code: <-ended, stderr: stderr.String()}
	got.is(t, exitOK, test.then)
	if strings.Count(got.stderr, "Waiting for") != 1 {
		t.Errorf("the wait is not reported once: %s", got.stderr)
	}
}

// TestADatabaseFileThatDoesNotExist: only a command that makes the schema makes the file.
func TestADatabaseFileThatDoesNotExist(t *testing.T) {
	t.Parallel()
	for _, call := range []string{
		"migrate status", "migrate status --json", "migrate down --yes", "user list", "user create --email a@example.com --staff", "createsuperuser --email a@example.com",
		"user disable --email a@example.com", "user grant --email a@example.com patients.view", "group list", "group create nurses", "token list --email a@example.com",
		"reindex", "seed", "serve --addr 127.0.0.1:0", "serve --seed --addr 127.0.0.1:0",
	} {
		t.Run(call, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, sqliteURL(t))
			path := sqldb.File(strings.TrimPrefix(r.env[0], "DATABASE_URL="))
			r.run(call).is(t, exitNeedsAction, "the database file "+path+" does not exist; run: trestle migrate up")
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the file: %v; want that it does not exist", err)
			}
			r.ok("migrate up")
		})
	}
}

func TestAllMigrationsCanBeUndone(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		for range 100 {
			got := r.run("migrate down --yes")
			got.is(t, exitOK)
			if strings.Contains(got.stderr, "nothing to undo") {
				r.ok("migrate up")
				return
			}
		}
		t.Error("there is always one more to undo")
	})
}

func TestMigrateNewPrintsItsFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := newRig(t, "")
	if got := strings.Fields(r.ok("migrate new add_email --dir " + dir)); len(got) != 2 || filepath.Dir(got[0]) != dir {
		t.Errorf("it prints %q; want two files in %s", got, dir)
	}
	r.run("migrate new add_email --dir "+filepath.Join(dir, "none")).is(t, exitFailure, "there is no folder", "--dir")
}

// An older program starts on a schema that a newer one migrated, unless the newer
// one said that it must not.
func TestAnOlderProgramStarts(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		db, url := r.database(), strings.TrimPrefix(r.env[0], "DATABASE_URL=")
		r.change(db, "INSERT INTO trestle_migrations SELECT namespace, '9998', 'adds', checksum, 998, applied_at, false FROM trestle_migrations WHERE position = 1")
		r.ok("migrate up")
		r.ok("check --database " + url)
		if told := r.ok("migrate status"); !strings.Contains(told, "framework/9998_adds") || !strings.Contains(told, ", by another version of the program") {
			t.Errorf("the status is\n%s", told)
		}
		r.examined()["migrations"].is(t, warning, "framework/9998_adds", "this one lacks it")

		r.change(db, "INSERT INTO trestle_migrations SELECT namespace, '9999', 'breaks', checksum, 999, applied_at, true FROM trestle_migrations WHERE position = 1")
		for _, command := range []string{"migrate up", "migrate status", "user list", "check --database " + url, "serve --addr 127.0.0.1:0", "serve --migrate --addr 127.0.0.1:0"} {
			got := r.run(command)
			got.is(t, exitNeedsAction, "trestle: sqldb: framework/9999_breaks was applied to this database by a newer version of the program")
			if strings.Contains(got.stderr, "9998") {
				t.Errorf("%s names another migration: %s", command, got.stderr)
			}
		}
		r.examined()["migrations"].is(t, problem, "framework/9999_breaks")
	})
}
