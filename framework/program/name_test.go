package program

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/exit"
)

// library is a program with its own name and with demo data.
func library() Program {
	p := usersAlone()
	p.Name = "library"
	p.Demo = &Demo{
		Usage: "[--books N]", Long: "Seed makes books.", Example: "  {program} seed",
		Flags: func(flags *pflag.FlagSet) { flags.Int("books", 10, "`number` of books") },
		Plan:  noPlan,
	}
	return p
}

// run runs a command of a program. It returns the exit code and everything that it printed.
func run(t *testing.T, p Program, command string, env ...string) (int, string) {
	t.Helper()
	var said bytes.Buffer
	code := Run(t.Context(), p, strings.Fields(command), env, strings.NewReader(""), &said, &said)
	return code, said.String()
}

var blanks = regexp.MustCompile(" +")

// squeezed returns a text with each run of blanks replaced by one.
func squeezed(text string) string { return blanks.ReplaceAllString(text, " ") }

func TestWrongNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"My Shop", "9lives", "-", "a_b", "bücher", "a="} {
		p := usersAlone()
		p.Name = name
		if code, said := run(t, p, "version"); code != exit.Failure || !strings.Contains(said, "it must be lower-case letters, digits and hyphens") {
			t.Errorf("%q ends with %d and says %q", name, code, said)
		}
	}
}

// without reports Trestle's name in a text that should have the name of the program. Tables
// and the line in a migration have the framework's name.
func without(t *testing.T, what, text string) {
	t.Helper()
	for _, own := range []string{"--trestle:breaking", "trestle_migrations", "trestle_migration_lock"} {
		text = strings.ReplaceAll(text, own, "")
	}
	if strings.Contains(strings.ToLower(text), "trestle") || strings.Contains(text, "{program}") || strings.Contains(text, "{PROGRAM}") {
		t.Errorf("%s has another name than the program's: %s", what, text)
	}
}

// TestHelpHasTheNameOfTheProgram in each command.
func TestHelpHasTheNameOfTheProgram(t *testing.T) {
	t.Parallel()
	p, seen := library(), 0
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		seen++
		_, words, _ := strings.Cut(c.CommandPath()+" ", " ")
		code, said := run(t, p, words+"--help")
		if code != exit.OK || !strings.Contains(said, c.CommandPath()) || !strings.HasPrefix(c.CommandPath(), "library") {
			t.Errorf("%s --help ends with %d and says %s", c.CommandPath(), code, said)
		}
		without(t, c.CommandPath()+" --help", said)
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	visit(newRoot(&command.Run{Project: p.project()}, p))
	if seen < 35 {
		t.Errorf("there are %d commands; want all of them", seen)
	}
}

// TestReportsHaveTheNameOfTheProgram, results and mistakes alike.
func TestReportsHaveTheNameOfTheProgram(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		command, env string
		code         int
		says         string
	}{
		"settings":                       {"config", "TRESTLE_PAGE_SIZE=7", exit.OK, "LIBRARY_PAGE_SIZE 20 "},
		"the file of the database":       {"config", "", exit.OK, "(sqlite file ./data/library.db)"},
		"the service in traces":          {"config", "", exit.OK, "OTEL_SERVICE_NAME (library)"},
		"a wrong setting":                {"check", "LIBRARY_PAGE_SIZE=0", exit.Usage, `library: LIBRARY_PAGE_SIZE is "0"`},
		"settings that differ":           {"check", "LIBRARY_QUEUE_TIMEOUT=15s", exit.Usage, "but LIBRARY_REQUEST_TIMEOUT is 15s"},
		"an unknown setting":             {"check", "LIBRARY_PAGESIZ=7", exit.OK, "did you mean LIBRARY_PAGE_SIZE?"},
		"an unknown setting, unlike any": {"check", "LIBRARY_X=7", exit.OK, "library serve --help lists them"},
		"production without keys":        {"check", "LIBRARY_ENV=production", exit.Usage, "LIBRARY_JWT_KEYS is not set, and in production the server generates no key; make one with: library jwt keygen"},
		"wrong keys":                     {"check", "LIBRARY_JWT_KEYS=x", exit.Usage, "make one with: library jwt keygen"},
		"half a certificate":             {"check", "LIBRARY_TLS_CERT=a.pem", exit.Usage, "by LIBRARY_TLS_KEY (--tls-key)"},
		"the other half":                 {"config", "LIBRARY_TLS_KEY=a.pem", exit.Usage, "LIBRARY_TLS_KEY (--tls-key) names a key"},
		"a file that is not there":       {"doctor --database sqlite:///nowhere/a.db --addr :80", "", exit.Failure, "library migrate up makes it"},
		"any port":                       {"health --addr :0", "", exit.Usage, "set LIBRARY_ADDR to a port"},
		"an unknown command":             {"serv", "", exit.Usage, `unknown command "serv" for "library"`},
		"a token that is none":           {"token revoke --email a@example.com x", "", exit.Usage, "library token list shows them"},
		"no token":                       {"token revoke --email a@example.com", "", exit.Usage, "as library token list shows them"},
		"demo data in production":        {"serve --seed", "LIBRARY_ENV=production", exit.Usage, "LIBRARY_ENV is production, where demo data is never made"},
		"a key":                          {"jwt keygen", "", exit.OK, "Put it first in LIBRARY_JWT_KEYS"},
		"the version":                    {"version", "", exit.OK, "library "},
		"the version, in short":          {"--version", "", exit.OK, "library "},
		"the API":                        {"openapi", "", exit.OK, `"openapi"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, said := run(t, library(), c.command, c.env)
			if code != c.code || !strings.Contains(squeezed(said), c.says) {
				t.Errorf("it ends with %d and says %s; want %d, %q", code, said, c.code, c.says)
			}
			if c.command != "openapi" { // its headers belong to the framework
				without(t, c.command, said)
			}
		})
	}
}

// TestTheDatabaseIsOfTheNamedProgram: reports about a database have the program's name.
func TestTheDatabaseIsOfTheNamedProgram(t *testing.T) {
	t.Parallel()
	onBothEmpty(t, func(t *testing.T, database string) {
		for _, step := range []struct {
			command string
			code    int
			says    string
		}{
			{"user list", exit.ActionFirst, "run: library migrate up"},
			{"doctor", exit.Failure, "fix: library migrate up"},
			{"migrate up", exit.OK, "Applied "},
			{"createsuperuser --email a@example.com", exit.OK, "Created the superuser a@example.com."},
			{"user disable --email b@example.com", exit.Failure, "library user list shows them"},
			{"user grant --email a@example.com books.view", exit.OK, "library routes lists"},
			{"group join readers --email a@example.com", exit.Failure, "library group list shows them"},
			{"seed", exit.Usage, "no book was written yet"},
			{"doctor", exit.OK, "migrations"},
		} {
			code, said := run(t, library(), step.command, "DATABASE_URL="+database, "LIBRARY_PASSWORD=correct horse battery")
			if code != step.code || !strings.Contains(said, step.says) {
				t.Errorf("%s ends with %d and says %s; want %d, %q", step.command, code, said, step.code, step.says)
			}
			without(t, step.command, said)
		}
	})
}
