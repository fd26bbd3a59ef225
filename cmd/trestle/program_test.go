package main

import (
	"bytes"
	"context"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"trestle.example/framework/program"
	"trestle.example/internal/testserver/postgres"
)

// A rig runs commands against one database.
type rig struct {
	t   *testing.T
	env []string
}

// A result is what a command left behind.
type result struct {
	code           int
	stdout, stderr string
}

// onBoth runs a test on a fresh database of each kind.
func onBoth(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, newRig(t, sqliteURL(t)))
	})
	t.Run("postgresql", func(t *testing.T) {
		t.Parallel()
		test(t, newRig(t, postgres.Database(t)))
	})
}

func sqliteURL(t *testing.T) string {
	t.Helper()
	return (&url.URL{Scheme: "sqlite", Path: filepath.Join(t.TempDir(), "a folder", "test.db")}).String()
}

func newRig(t *testing.T, database string, env ...string) *rig {
	t.Helper()
	return &rig{t, append([]string{"DATABASE_URL=" + database, "TRESTLE_DB_CONNS=4"}, env...)}
}

// run runs a command with words that hold no space.
func (r *rig) run(command string) result { return r.with("", command) }

// with is run with standard input.
func (r *rig) with(stdin, command string, env ...string) result {
	return r.entered(stdin, strings.Fields(command), env...)
}

// call runs a command with words that may hold spaces.
func (r *rig) call(words ...string) result { return r.entered("", words) }

func (r *rig) entered(stdin string, words []string, env ...string) result {
	r.t.Helper()
	var stdout, stderr bytes.Buffer
	code := program.Run(context.Background(), trestle(), words, append(r.env, env...), strings.NewReader(stdin), &stdout, &stderr)
	return result{code, stdout.String(), stderr.String()}
}

// ok runs a command that must succeed, and returns its standard output.
func (r *rig) ok(command string) string {
	r.t.Helper()
	got := r.run(command)
	got.is(r.t, exitOK)
	return got.stdout
}

// is checks an exit code, and that standard error says some words.
func (got result) is(t *testing.T, code int, says ...string) {
	t.Helper()
	if got.code != code {
		t.Fatalf("exit code %d; want %d\nstandard output: %s\nstandard error: %s", got.code, code, got.stdout, got.stderr)
	}
	for _, words := range says {
		if !strings.Contains(got.stderr, words) {
			t.Errorf("standard error %q; want it to say %q", got.stderr, words)
		}
	}
}

func TestWrongCalls(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		call string
		says string
	}{
		"an unknown command":                      {"migrat", `unknown command "migrat" for "trestle"; did you mean migrate?`},
		"an unknown command of a group":           {"token make", `unknown command "make" for "trestle token"` + "\n"},
		"an unknown flag":                         {"serve --adr :1", "unknown flag: --adr; did you mean --addr?"},
		"a flag that is near none":                {"serve --xyzzyx", "unknown flag: --xyzzyx\n"},
		"a misspelt command of a group":           {"group gran", `unknown command "gran" for "trestle group"; did you mean grant?`},
		"a misspelt migration":                    {"migrate uup", `unknown command "uup" for "trestle migrate"; did you mean up?`},
		"a misspelt command of JWT":               {"jwt keygn", `unknown command "keygn" for "trestle jwt"; did you mean keygen?`},
		"no file of a backup":                     {"backup", "name the file: trestle backup FILE"},
		"no file to restore":                      {"restore", "name the file: trestle restore FILE"},
		"a word too many":                         {"serve now", `unknown command "now"`},
		"no e-mail for a superuser":               {"createsuperuser", "say whose: --email ADDRESS"},
		"no e-mail for a token":                   {"token create", "say whose: --email ADDRESS"},
		"no tokens to revoke":                     {"token revoke --email a@example.com", "either their ids"},
		"tokens to revoke, and all":               {"token revoke --email a@example.com --all 01a1fb21-fe1b-7692-ad93-e9f270ba6438", "either their ids"},
		"no id of a token":                        {"token revoke --email a@example.com trs_abcdefghijkl", `"trs_abcd..." is no id`},
		"a migration without a name":              {"migrate new", "such as add_patient_email"},
		"a migration with a path for a name":      {"migrate new ../x", "such as add_patient_email"},
		"undoing a migration, without a terminal": {"migrate down", "add --yes"},
		"a scale of nothing":                      {"seed --scale 0", "--scale is 0; it must be from 1"},
		"fewer patients than none":                {"seed --patients -1", "--patients is -1; it must be from 1"},
		"more appointments than a disk":           {"seed --appointments 2000000000", "it must be from 1"},
		"two resources to reindex":                {"reindex a b", "accepts at most 1 arg"},
		"demo data in production":                 {"serve --seed --env production", "serve without --seed"},
		"a wrong setting, by a flag":              {"check --page-size many", `--page-size is "many": it must be a whole number from 1 to 1000; for example --page-size=20`},
		"a wrong database":                        {"migrate status --database mysql://x", `the scheme "mysql" is not one of`},
		"a wrong database, where none is read":    {"check --database mysql://x", `--database: database URL "mysql://x": the scheme "mysql" is not one of`},
		"a database by a relative path":           {"check --database sqlite://rel.db", "the path must be absolute"},
		"a database without a name":               {"check --database postgres://", "it names no database"},
		"a database with an unknown sslmode":      {"check --database postgres://h/db?sslmode=foo", `sslmode "foo" is not one of`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newRig(t, sqliteURL(t)).run(test.call).is(t, exitUsage, test.says)
		})
	}
}

func TestAWrongDatabaseOfTheVariable(t *testing.T) {
	t.Parallel()
	r := newRig(t, "mysql://app:hidden@host/db")
	for _, call := range []string{"check", "routes", "serve", "migrate up", "token list --email a@example.com"} {
		got := r.run(call)
		got.is(t, exitUsage, "DATABASE_URL: ", `the scheme "mysql" is not one of`)
		if strings.Contains(got.stdout+got.stderr, "hidden") || strings.Count(got.stderr, "mysql") != 2 {
			t.Errorf("%s shows the password or says it twice: %s", call, got.stderr)
		}
	}
}

func TestADatabaseThatIsAway(t *testing.T) {
	t.Parallel()
	r := newRig(t, "postgres://app:hidden@127.0.0.1:1/app")
	for _, call := range []string{"migrate up", "migrate status", "seed", "token list --email a@example.com", "reindex"} {
		got := r.run(call)
		got.is(t, exitFailure, "the database cannot be reached", "DATABASE_URL")
		if got.stdout != "" {
			t.Errorf("%s prints %q before that", call, got.stdout)
		}
		if strings.Contains(got.stdout+got.stderr, "hidden") {
			t.Errorf("%s shows the password: %s", call, got.stderr)
		}
	}
}

func TestWhatNeedsNoDatabase(t *testing.T) {
	t.Parallel()
	r := newRig(t, "postgres://app:hidden@127.0.0.1:1/app")
	for _, call := range []string{"check", "routes", "routes --json", "--help", "--version", "help serve", "migrate", "token"} {
		r.run(call).is(t, exitOK)
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	got := newRig(t, "").ok("--version")
	if !regexp.MustCompile(`^trestle \S+ go1\.\S+.*\n$`).MatchString(got) {
		t.Errorf("it prints %q; want its name, its version and Go's", got)
	}
}
