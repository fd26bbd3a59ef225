package program

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/pflag"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/exit"
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
		"the API has no prefix":                     {"", below("/", ""), ""},
		"the API has no prefix, and it is on":       {"on", below("/", ""), overlaps + ", /; give the console a path beside it, or switch it off; in a program of package program, the setting CONSOLE does both"},
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

// A greeting is what a server printed when it was ready.
type greeting struct {
	once    sync.Once
	printed chan string
}

// Write implements [io.Writer].
func (g *greeting) Write(text []byte) (int, error) {
	g.once.Do(func() { g.printed <- string(text) })
	return len(text), nil
}

// greetingOf starts a server, calls do with what it prints on standard output, and stops it. It returns what the server logged.
func greetingOf(t *testing.T, p Program, env []string, do func(printed string)) (logged string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, log, ended := &greeting{printed: make(chan string, 1)}, &strings.Builder{}, make(chan int, 1)
	go func() {
		ended <- Run(ctx, p, []string{"serve", "--addr", "127.0.0.1:0", "--log-level", "debug"}, env, strings.NewReader(""), out, log)
	}()
	select {
	case printed := <-out.printed:
		do(printed)
		stop()
		if code := <-ended; code != exit.OK {
			t.Errorf("the server ends with %d", code)
		}
	case code := <-ended:
		t.Errorf("the server ends with %d before it serves", code)
	}
	return log.String()
}

// TestLinkOfTheFirstSuperuser: a server without a superuser prints a link that makes one, to standard output alone; in production to a terminal
// alone.
func TestLinkOfTheFirstSuperuser(t *testing.T) {
	t.Parallel()
	keys, err := auth.GenerateKey("a", auth.HS256)
	if err != nil {
		t.Fatal(err)
	}
	onBothEmpty(t, func(t *testing.T, database string) {
		env := []string{"DATABASE_URL=" + database, "TRESTLE_PASSWORD=four unrelated words walk", "TRESTLE_DB_CONNS=4"}
		production := "TRESTLE_ENV=production TRESTLE_HOSTS=api.example.org TRESTLE_TRUSTED_PROXIES=127.0.0.1 TRESTLE_JWT_KEYS=" + keys.Reveal()
		steps := []struct{ name, before, settings, link, lacks string }{
			{"an empty database", "migrate up", "", `(http://127\.0\.0\.1:[0-9]+)/admin/~first/([A-Z2-7]{26,})\n`, "/people/"},
			{"a public URL", "", "TRESTLE_PUBLIC_URL=https://api.example.org", `(https://api\.example\.org)/admin/~first/([A-Z2-7]{26,})\n`, "127.0.0.1"},
			{"production, without a terminal", "", production, "", "~first"},
			{"another path", "", "TRESTLE_CONSOLE=/people/", `(http://127\.0\.0\.1:[0-9]+)/people/~first/([A-Z2-7]{26,})\n`, "/admin/"},
			{"a user", "user create --email asha@example.com", "", `(http://127\.0\.0\.1:[0-9]+)/admin/~first/([A-Z2-7]{26,})\n`, "/people/"},
			{"no console", "", "TRESTLE_CONSOLE=off", "", "console"},
			{"a superuser", "createsuperuser --email boss@example.com", "", "", "~first"},
			{"a superuser who is not active", "user disable --email boss@example.com", "", `(http://127\.0\.0\.1:[0-9]+)/admin/~first/([A-Z2-7]{26,})\n`, "/people/"},
		}
		for _, step := range steps {
			if step.before != "" {
				if code, said := run(t, usersAlone(), step.before, env...); code != exit.OK {
					t.Fatalf("%s ends with %d: %s", step.before, code, said)
				}
			}
			token := ""
			logged := greetingOf(t, usersAlone(), append(slices.Clone(env), strings.Fields(step.settings)...), func(printed string) {
				found := regexp.MustCompile(cmp.Or(step.link, "never")).FindStringSubmatch(printed)
				if (found != nil) != (step.link != "") || strings.Contains(printed, step.lacks) {
					t.Errorf("%s: the server prints %q", step.name, printed)
				}
				if found == nil || strings.HasPrefix(found[1], "https:") {
					return
				}
				token = found[2]
				if status := statusOf(t, strings.TrimSpace(found[0])); status != http.StatusSeeOther {
					t.Errorf("%s: the link is answered %d", step.name, status)
				}
				if status := statusOf(t, strings.Replace(strings.TrimSpace(found[0]), token, strings.ToLower(token), 1)); status != http.StatusNotFound {
					t.Errorf("%s: another link is answered %d", step.name, status)
				}
			})
			if token != "" && strings.Contains(logged, token) {
				t.Errorf("%s: the log has the token: %s", step.name, logged)
			}
		}
	})
}

// statusOf sends a GET, and returns the status of the answer. It follows no redirect.
func statusOf(t *testing.T, url string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}
