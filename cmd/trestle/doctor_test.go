package main

import (
	"encoding/json"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/redis"
)

// database opens that of the rig, beside the program.
func (r *rig) database() *sqldb.DB {
	r.t.Helper()
	db, err := sqldb.Open(strings.TrimPrefix(r.env[0], "DATABASE_URL="), sqldb.Options{})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = db.Close() })
	return db
}

func (r *rig) change(db *sqldb.DB, statement string) {
	r.t.Helper()
	if _, err := db.ExecContext(r.t.Context(), statement); err != nil {
		r.t.Fatalf("%s: %v", statement, err)
	}
}

// A check is one element of the report of doctor --json.
type check struct {
	Name     string `json:"check"`
	Subject  string
	Result   string
	Findings []struct{ Weight, Where, What, Fix string }
}

// The results of a check.
const (
	healthy = "ok"
	warning = "warning"
	problem = "problem"
)

const replicaVariable = "DATABASE_REPLICA_URL"

// examined runs doctor, and checks its exit code by its own report.
func (r *rig) examined() map[string]*check {
	r.t.Helper()
	got := r.run("doctor --json")
	var told struct {
		Healthy bool
		Checks  []*check
	}
	if err := json.Unmarshal([]byte(got.stdout), &told); err != nil {
		r.t.Fatalf("%v: %s%s", err, got.stdout, got.stderr)
	}
	if want := map[bool]int{true: exitOK, false: exitFailure}[told.Healthy]; got.code != want || got.stderr != "" {
		r.t.Errorf("exit code %d; want %d; standard error %q", got.code, want, got.stderr)
	}
	checks := map[string]*check{}
	for _, c := range told.Checks {
		checks[c.Name] = c
	}
	return checks
}

// is checks the result of one check, and that one of its findings has all of
// some words in it.
func (c *check) is(t *testing.T, result string, says ...string) {
	t.Helper()
	if c == nil || c.Result != result || (result == healthy) != (len(c.Findings) == 0) {
		t.Fatalf("%+v; want %s", c, result)
	}
	if result == healthy {
		return
	}
	for _, f := range c.Findings {
		text := strings.Join([]string{f.Weight, f.Where, f.What, f.Fix}, "\n")
		if !slices.ContainsFunc(says, func(words string) bool { return !strings.Contains(text, words) }) {
			return
		}
	}
	t.Errorf("%+v; want a finding that says %q", c.Findings, says)
}

// What the services declare is what their migrations make.
func TestDoctorFindsNothing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		r.ok("seed --scale 1 --patients 20 --appointments 20 --products 20")
		for name, c := range r.examined() {
			if c.Result != healthy || len(c.Findings) > 0 {
				t.Errorf("%s: %+v", name, c)
			}
		}
		text := r.ok("doctor")
		if lines := strings.Split(strings.TrimSpace(text), "\n"); len(lines) < 10 || strings.Contains(text, "fix:") {
			t.Errorf("it prints\n%s\nwant a line for each check, and nothing else", text)
		}
		for line := range strings.Lines(text) {
			if fields := strings.Fields(line); fields[0] != "CHECK" && fields[len(fields)-1] != healthy {
				t.Errorf("%q does not end with %q", line, healthy)
			}
		}
	})
}

func TestDoctorBeforeMigrations(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		path := sqldb.File(strings.TrimPrefix(r.env[0], "DATABASE_URL="))
		got := r.examined()
		if path != "" {
			got["file"].is(t, problem, "there is no database yet", "trestle migrate up")
			if _, err := os.Stat(path); err == nil {
				t.Error("it made the database")
			}
			_ = r.database().Ping() // makes it, empty
			got = r.examined()
		}
		got["migrations"].is(t, problem, "auth/0001_users, ", "migrations are pending", "trestle migrate up")
		if n := len(got["migrations"].Findings); n != 1 {
			t.Errorf("%d findings about pending migrations; want 1", n)
		}
		got["migration lock"].is(t, healthy)
		if got["indexes"] != nil || got["search documents"] != nil {
			t.Error("it looks into tables that are not there")
		}
		r.run("migrate status").is(t, exitNeedsAction) // and made nothing
	})
}

func TestDoctorNamesAMissingIndex(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		db := r.database()
		for _, index := range []string{"patients_city_id", "orders_user"} {
			r.change(db, "DROP INDEX "+index)
		}
		got := r.examined()
		got["indexes"].is(t, problem, "patients (city, id)", `patients: order "city"`,
			`CREATE INDEX IF NOT EXISTS "patients_city_id" ON "patients" ("city", "id");`)
		got["indexes"].is(t, problem, "orders (user_id, placed_at, id)", "orders: default order of a caller's own")
		if n := len(got["indexes"].Findings); n != 2 {
			t.Errorf("%d findings; want 2: %+v", n, got["indexes"].Findings)
		}

		dir := t.TempDir()
		written := r.run("doctor --migration bring_them_back --dir " + dir)
		written.is(t, exitFailure)
		for _, words := range []string{"problem: patients (city, id): ", "fix: CREATE INDEX", "written: " + dir, "_bring_them_back.tx.up.sql", "_bring_them_back.tx.down.sql"} {
			if !strings.Contains(written.stdout, words) {
				t.Errorf("it prints\n%s\nwant it to say %q", written.stdout, words)
			}
		}
		if err := db.Migrate(t.Context(), nil, sqldb.Migrations{Namespace: "doctor", FS: os.DirFS(dir)}); err != nil {
			t.Fatal(err)
		}
		r.examined()["indexes"].is(t, healthy)
		none := r.run("doctor --migration once_more --dir " + dir)
		none.is(t, exitOK, "no migration was written")
		if files, err := os.ReadDir(dir); len(files) != 2 || err != nil {
			t.Errorf("the folder holds %v, %v; want two files", files, err)
		}
		if _, err := db.MigrateDown(t.Context(), nil, sqldb.Migrations{Namespace: "doctor", FS: os.DirFS(dir)}); err != nil {
			t.Fatal(err)
		}
		r.examined()["indexes"].is(t, problem, "patients (city, id)")
	})
}

func TestDoctorFindsWhatIsWrongInTheDatabase(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		r.ok("seed --scale 1 --patients 20 --appointments 20 --products 20")
		db := r.database()
		for _, test := range []struct {
			name, statement, check, result string
			says                           []string
		}{
			{"rows that were written elsewhere", "UPDATE patients SET search = ''", "search documents", problem, []string{"patients", "no search finds them", "trestle reindex patients"}},
			{"a lookup that nothing keeps unique", uniqueSlugs(db), "indexes", problem, []string{"products (slug)", "nothing keeps their values unique", "CREATE UNIQUE INDEX"}},
			{"a migration's file that was changed", "UPDATE trestle_migrations SET checksum = 'x' WHERE name = 'users'", "migrations", warning, []string{"auth/0001_users", "its file was changed"}},
			{"a migration of another version", "UPDATE trestle_migrations SET id = '0999' WHERE name = 'users'", "migrations", problem, []string{"its files are missing", "trestle migrate status"}},
		} {
			if test.statement == "" {
				continue
			}
			r.change(db, test.statement)
			t.Log(test.name)
			r.examined()[test.check].is(t, test.result, test.says...)
		}
	})
}

// TestDoctorOfARuleForSomeRows: the cure of a lost unique index does not hide that the index may
// have had a condition.
func TestDoctorOfARuleForSomeRows(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		r.change(r.database(), "DROP INDEX appointments_slot")
		const advice = "If only some of the rows must be unique, add their condition"
		r.examined()["indexes"].is(t, problem, "appointments (doctor_id, starts_at)", "CREATE UNIQUE INDEX", advice)
		dir := t.TempDir()
		r.run("doctor --migration slots --dir "+dir).is(t, exitFailure)
		files, err := filepath.Glob(filepath.Join(dir, "*.up.sql"))
		if err != nil || len(files) != 1 {
			t.Fatalf("%v, %v; want one file", files, err)
		}
		if text, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(text), "-- "+advice) {
			t.Errorf("%s, %v; want it to say %q", text, err, advice)
		}
	})
}

// uniqueSlugs takes the constraint from the products; SQLite cannot.
func uniqueSlugs(db *sqldb.DB) string {
	if db.Kind() == sqldb.SQLite {
		return ""
	}
	return "ALTER TABLE products DROP CONSTRAINT products_slug_key"
}

func TestDoctorSeesWhoMigrates(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		db := r.database()
		if db.Kind() == sqldb.SQLite { // its lock ends with the process
			r.examined()["migration lock"].is(t, healthy)
			return
		}
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = tx.Rollback() }()
		if _, err := tx.ExecContext(t.Context(), "UPDATE trestle_migration_lock SET held = held + 1"); err != nil {
			t.Fatal(err)
		}
		r.examined()["migration lock"].is(t, warning, "holds it since 2", "pg_terminate_backend(")
	})
}

func TestDoctorSeesAnUnfinishedIndex(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		db := r.database()
		if db.Kind() == sqldb.SQLite { // it finishes them or not at all
			r.examined()["indexes"].is(t, healthy)
			return
		}
		r.ok("seed --scale 1 --patients 20 --appointments 20 --products 20")
		r.change(db, "UPDATE doctors SET name = 'Dr Meera Iyer'")
		if _, err := db.ExecContext(t.Context(), "CREATE UNIQUE INDEX CONCURRENTLY doctors_once ON doctors (name)"); err == nil {
			t.Fatal("the doctors have names of their own")
		}
		r.change(db, "DROP INDEX doctors_name")
		got := r.examined()["indexes"]
		got.is(t, problem, "doctors_once", "did not finish it", `DROP INDEX "doctors_once"`)
		got.is(t, problem, "doctors (name, id)", "CREATE INDEX") // which it would serve
	})
}

// If one part is unavailable, the other parts are checked, and no secret is printed.
func TestDoctorOfADatabaseThatIsAway(t *testing.T) {
	t.Parallel()
	r := newRig(t, "postgres://app:hidden@127.0.0.1:1/app", "REDIS_URL=redis://:hidden@127.0.0.1:1")
	got := r.examined()
	got["database"].is(t, problem, "DATABASE_URL", "the database cannot be reached")
	got["redis"].is(t, problem, "REDIS_URL", "Redis does not answer")
	got["secrets"].is(t, healthy)
	for _, call := range []string{"doctor", "doctor --json"} {
		if text := r.run(call); strings.Contains(text.stdout+text.stderr, "hidden") {
			t.Errorf("%s shows a secret: %s%s", call, text.stdout, text.stderr)
		}
	}
	r.env = append(r.env, "REDIS_URL="+redis.Server(t))
	r.examined()["redis"].is(t, healthy)
}

func TestDoctorOfAFileThatIsNoDatabase(t *testing.T) {
	t.Parallel()
	r := newRig(t, sqliteURL(t))
	path := sqldb.File(strings.TrimPrefix(r.env[0], "DATABASE_URL="))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	putFile(t, path, strings.Repeat("no database\n", 1000))
	r.examined()["database"].is(t, problem, "the SQLite file cannot be used", "restore it from a backup")
	r.run("migrate status").is(t, exitFailure, "the SQLite file cannot be used")
}

func TestDoctorLeavesWrongSettingsToCheck(t *testing.T) {
	t.Parallel()
	r := newRig(t, sqliteURL(t), "TRESTLE_ADDR=x")
	check, doctor := r.run("check"), r.run("doctor")
	doctor.is(t, exitUsage, "TRESTLE_ADDR")
	if doctor.stdout != "" || doctor.stderr != check.stderr {
		t.Errorf("it says %q and %q; want what check says, %q", doctor.stdout, doctor.stderr, check.stderr)
	}
	for _, call := range []string{"doctor --migration ../x", "doctor --migration ", "doctor --migration Add"} {
		newRig(t, sqliteURL(t)).run(call).is(t, exitUsage)
	}
}

// A file mode gives access to every user of the machine, or it does not.
func TestDoctorOfFiles(t *testing.T) {
	t.Parallel()
	r := newRig(t, sqliteURL(t))
	r.ok("migrate up")
	path := sqldb.File(strings.TrimPrefix(r.env[0], "DATABASE_URL="))
	folder := filepath.Dir(path)
	for _, test := range []struct {
		name         string
		file, folder os.FileMode
		result, says string
	}{
		{"as they were made", 0o600, 0o700, healthy, ""},
		{"for a group", 0o640, 0o750, healthy, ""},
		{"for all to look into the folder", 0o600, 0o755, healthy, ""},
		{"for all to read", 0o644, 0o700, problem, "chmod o-rwx " + path},
		{"for all to write", 0o602, 0o700, problem, path},
		{"for all to replace", 0o600, 0o777, problem, "chmod o-w " + folder},
	} {
		t.Run(test.name, func(t *testing.T) { //nolint:paralleltest // one file, in turn
			for name, mode := range map[string]os.FileMode{path: test.file, folder: test.folder} {
				if err := os.Chmod(name, mode); err != nil {
					t.Fatal(err)
				}
			}
			r.examined()["file"].is(t, test.result, test.says)
		})
	}
	if os.Geteuid() != 0 { // root may write every file
		if err := errors.Join(os.Chmod(folder, 0o700), os.Chmod(path, 0o400)); err != nil {
			t.Fatal(err)
		}
		r.examined()["file"].is(t, problem, "permission denied", "read and write the file")
	}
	away := (&url.URL{Scheme: "sqlite", Path: filepath.Join(t.TempDir(), "nothing", "a.db")}).String()
	newRig(t, away).examined()["file"].is(t, problem, "there is no database yet")
}
