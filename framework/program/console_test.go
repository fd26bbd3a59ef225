package program

import (
	"log/slog"
	"net/http"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/sqldb"
)

// numbered is an authenticator whose callers have numbers.
type numbered struct{ auth.Token }

func (numbered) CallerID() reflect.Type { return reflect.TypeFor[int64]() }

// consoleOf returns the mistake that keeps a program with a setting of the console from serving, "" for none.
func consoleOf(t *testing.T, p Program, setting string) string {
	t.Helper()
	project, log := p.project(), slog.New(slog.DiscardHandler)
	c, err := project.Table().Read(pflag.NewFlagSet("", pflag.ContinueOnError), map[string]string{
		"DATABASE_URL": "sqlite://" + filepath.ToSlash(filepath.Join(t.TempDir(), "test.db")), "TRESTLE_CONSOLE": setting,
	})
	if err != nil {
		return err.Error()
	}
	s, err := project.Open(c, c.IdentityConfig(log), log)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	api := s.API()
	if _, err = api.Handler(); err == nil {
		_, err = s.CollectBeside(api)
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// TestMistakesOfTheConsole: a program has a console by default, so a path that it cannot have is a mistake at start, and the
// sentence says how to mend it.
func TestMistakesOfTheConsole(t *testing.T) {
	t.Parallel()
	below := func(prefix, console string) func(*Program) {
		return func(p *Program) {
			p.Config = func(site *Site) framework.Config {
				c := DefaultConfig(site)
				c.Prefix, c.Console.Path = prefix, console
				return c
			}
		}
	}
	beside := func(pattern string) func(*Program) {
		return func(p *Program) {
			p.Beside = func(*framework.API, *Site) (Beside, error) {
				return Beside{Handlers: map[string]http.Handler{pattern: http.NotFoundHandler()}}, nil
			}
		}
	}
	overlaps, atConsole := "overlaps with the prefix of the API", "is at the console, /admin/"
	for name, test := range map[string]struct {
		setting string
		change  func(*Program)
		says    string // "" if there is no mistake
	}{
		"nothing is set":                            {"", func(*Program) {}, ""},
		"the API has no prefix":                     {"", below("/", ""), overlaps + ", /; give the console a path beside it, or switch it off; in a program of package program, the flag --console does both"},
		"the API is at the path":                    {"", below("/admin", ""), overlaps},
		"the API is below the path":                 {"", below("/admin/api", ""), overlaps},
		"the path of the setting is below the API":  {"/api/people/", func(*Program) {}, overlaps},
		"the path of the setting lacks a slash":     {"/people", func(*Program) {}, "must begin and end with a slash"},
		"the declared path is below the API":        {"", below("/api", "/api/people/"), overlaps},
		"the setting replaces the declared path":    {"/people/", below("/api", "/api/people/"), ""},
		"no prefix, and the console is off":         {"off", below("/", ""), ""},
		"the console is off, by another word":       {"False", below("/admin", ""), ""},
		"the declared console is off":               {"off", below("/api", "/api/people/"), ""},
		"a handler is at the console":               {"", beside("/admin/"), `the pattern "/admin/" ` + atConsole},
		"a handler is below the console":            {"", beside("GET /admin/health"), `the pattern "GET /admin/health" ` + atConsole},
		"a handler has the path without a slash":    {"on", beside("/admin"), atConsole},
		"a handler is there for a host":             {"", beside("shop.example/admin/{page}"), atConsole},
		"a handler there, and the console is off":   {"off", beside("/admin/"), ""},
		"a handler there, and a console elsewhere":  {"/people/", beside("/admin/"), ""},
		"a handler has a name that begins the same": {"", beside("/administer/"), ""},
		"the program has no users, and sets it": {"/admin/", func(p *Program) {
			p.Migrations, p.Register = []sqldb.Migrations{framework.Migrations()}, func(*framework.API, *Site) {}
		}, "GET /api/auth/session, by which people sign in"},
		"the program has no users": {"", func(p *Program) {
			p.Migrations, p.Register = []sqldb.Migrations{framework.Migrations()}, func(*framework.API, *Site) {}
		}, ""},
		"the program has users, and no endpoint for them": {"", func(p *Program) {
			p.Register = func(*framework.API, *Site) {}
			p.Config = func(site *Site) framework.Config {
				return framework.Config{DB: site.DB, Authentication: []framework.Authenticator{auth.Token{}}}
			}
		}, ""},
		"its callers have other ids": {"", func(p *Program) {
			p.Register = func(*framework.API, *Site) {}
			p.Config = func(site *Site) framework.Config {
				return framework.Config{DB: site.DB, Authentication: []framework.Authenticator{numbered{}}}
			}
		}, "ids of type uuid.UUID, and callers of the API have ids of type int64"},
	} {
		p := usersAlone()
		test.change(&p)
		if err := consoleOf(t, p, test.setting); (err == "") != (test.says == "") || !strings.Contains(err, test.says) {
			t.Errorf("%s: the server says %q; want %q", name, err, test.says)
		}
	}
}
