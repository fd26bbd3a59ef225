package program

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/internal/testserver/postgres"
)

// usersAlone is a program without services of its own, with all defaults.
func usersAlone() Program {
	return Program{Register: func(api *framework.API, site *Site) { api.Register(site.Identity.ViewSet()) }}.withDefaults()
}

// onBothEmpty runs a test on a fresh database of each kind, without tables.
func onBothEmpty(t *testing.T, test func(t *testing.T, database string)) {
	t.Helper()
	for name, fresh := range map[string]func(*testing.T) string{
		"sqlite": func(t *testing.T) string {
			t.Helper()
			return (&url.URL{Scheme: "sqlite", Path: filepath.Join(t.TempDir(), "test.db")}).String()
		},
		"postgresql": func(t *testing.T) string { t.Helper(); return postgres.Database(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, fresh(t))
		})
	}
}

// called runs a command. It returns the exit code and everything that it printed.
func called(t *testing.T, command string) (int, string) {
	t.Helper()
	return run(t, usersAlone(), command, "DATABASE_URL=", "TRESTLE_DB_CONNS=4", "TRESTLE_PASSWORD=correct horse battery")
}

// TestAProgramWithoutDemoData has neither seed nor --seed, and all other commands.
func TestAProgramWithoutDemoData(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]struct {
		code int
		says string
	}{
		"seed":         {exit.Usage, `unknown command "seed"`},
		"serve --seed": {exit.Usage, "unknown flag: --seed"},
		"check":        {exit.OK, "ok: "},
		"routes":       {exit.OK, "/api/auth/login"},
	} {
		if code, said := called(t, command); code != want.code || !strings.Contains(said, want.says) {
			t.Errorf("%s ends with %d and says %q; want %d, %q", command, code, said, want.code, want.says)
		}
	}
}

// TestHelpWithoutDemoData mentions neither demo data nor the services of another project.
func TestHelpWithoutDemoData(t *testing.T) {
	t.Parallel()
	var commands func(*cobra.Command) []string
	commands = func(c *cobra.Command) (paths []string) {
		_, path, _ := strings.Cut(c.CommandPath(), " ")
		for _, below := range c.Commands() {
			paths = append(paths, commands(below)...)
		}
		return append(paths, path)
	}
	p := usersAlone()
	for _, command := range commands(newRoot(&command.Run{Project: p.project()}, p)) {
		_, help := called(t, command+" --help")
		for _, word := range []string{"seed", "demo", "clinic"} {
			if strings.Contains(strings.ToLower(help), word) {
				t.Errorf("%s --help contains %q:\n%s", command, word, help)
			}
		}
	}
}

// TestAMistakeInADeclaration ends a command with exit code 1, unlike a wrong setting: an
// operator cannot mend it.
func TestAMistakeInADeclaration(t *testing.T) {
	t.Parallel()
	p := usersAlone()
	p.Register = func(api *framework.API, _ *Site) {
		api.Register(framework.ViewSet[Setting[int]]{Name: "notes"})
	}
	for _, command := range []string{"check", "serve --migrate", "routes"} {
		if code, said := run(t, p, command, "DATABASE_URL=sqlite://"+filepath.ToSlash(filepath.Join(t.TempDir(), "test.db"))); code != exit.Failure || !strings.Contains(said, "notes: ") {
			t.Errorf("%s ends with %d and prints %q; want %d", command, code, said, exit.Failure)
		}
	}
	if code, said := run(t, p, "check", "TRESTLE_ADDR=nowhere"); code != exit.Usage {
		t.Errorf("a wrong setting ends check with %d and prints %q; want %d", code, said, exit.Usage)
	}
}

// TestAURLWithAPasswordIsNotShown: a URL in a place where none belongs is an error that does not
// print it.
func TestAURLWithAPasswordIsNotShown(t *testing.T) {
	t.Parallel()
	const secret = "postgres://app:S3cr3tPw@db.example/shop"
	for _, command := range []string{
		"", "check", "doctor", "config", "serve", "migrate", "migrate up", "user list", "user create", "token create --email", "reindex", "backup",
		"backup --force", "restore", "openapi --format", "help", "version", "jwt keygen", "doctor --migration", "check --database=sqlite:///a.db", "routes --json",
	} {
		code, said := called(t, strings.TrimSpace(command+" "+secret))
		if code != exit.Usage || strings.Contains(said, "S3cr3t") || !strings.Contains(said, "--database") {
			t.Errorf("%s ends with %d and prints %q; want %d, and no password", command, code, said, exit.Usage)
		}
	}
	for _, command := range []string{"config --database " + secret, "config --database=" + secret} {
		if code, said := called(t, command); code != exit.OK || strings.Contains(said, "S3cr3t") {
			t.Errorf("%s ends with %d and prints %q", command, code, said)
		}
	}
}

// TestPathsOfHealth: under the prefix "/", a viewset cannot have the name of a path that the server
// answers itself.
func TestPathsOfHealth(t *testing.T) {
	t.Parallel()
	type row struct {
		ID   uuid.UUID `bun:",pk"`
		Name string
	}
	type view struct {
		Name string `json:"name"`
	}
	for _, c := range []struct {
		prefix, name string
		code         int
		says         string
	}{
		{"/", "livez", exit.Failure, `livez: the server's own health is at "/livez"; choose another name`},
		{"/", "readyz", exit.Failure, `readyz: the server's own health is at "/readyz"; choose another name`},
		{"/", "rows", exit.OK, "ok: "},
		{"/api", "livez", exit.OK, "ok: "},
	} {
		p := usersAlone()
		p.Config = func(site *Site) framework.Config {
			common := DefaultConfig(site)
			common.Prefix = c.prefix
			return common
		}
		p.Register = func(api *framework.API, site *Site) {
			api.Register(site.Identity.ViewSet(), framework.ViewSet[row]{Name: c.name, Verbs: framework.ReadOnly[view](), Scope: framework.Public()})
		}
		if code, said := run(t, p, "check", "DATABASE_URL="); code != c.code || !strings.Contains(said, c.says) {
			t.Errorf("%s below %s: check ends with %d and says %q; want %d, %q", c.name, c.prefix, code, said, c.code, c.says)
		}
	}
}

// TestWhatIsBesideTheAPI is made with the API and its users. A mistake ends the commands that
// check the declarations, and serve.
func TestWhatIsBesideTheAPI(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		beside func(*framework.API, *Site) (Beside, error)
		code   int
		says   string
	}{
		"check": {func(api *framework.API, site *Site) (Beside, error) {
			handler, err := api.Protect(framework.Authenticated(), http.NotFoundHandler())
			if site.Identity == nil {
				err = errors.New("the site has no users")
			}
			return Beside{Handlers: map[string]http.Handler{"/events": handler}}, err
		}, exit.OK, "ok: "},
		"check ": {func(*framework.API, *Site) (Beside, error) { return Beside{}, errors.New("no provider") }, exit.Failure, "no provider"},
		"serve --migrate --addr 127.0.0.1:0": {func(*framework.API, *Site) (Beside, error) {
			return Beside{Handlers: map[string]http.Handler{"/events": nil}}, nil
		}, exit.Failure, `program: Beside: the handler of "/events" is nil`},
	} {
		p := usersAlone()
		p.Beside = test.beside
		database := "sqlite://" + filepath.ToSlash(filepath.Join(t.TempDir(), "test.db"))
		if code, said := run(t, p, strings.TrimSpace(name), "DATABASE_URL="+database); code != test.code || !strings.Contains(said, test.says) {
			t.Errorf("%s ends with %d and says %q; want %d, %q", name, code, said, test.code, test.says)
		}
	}
}

// byKey identifies callers by a header of their own.
type byKey struct {
	mu    sync.Mutex
	known map[string]*framework.Caller
}

func (*byKey) Challenge() string { return `Key realm="tests"` }

func (k *byKey) Authenticate(_ *framework.Call, r *http.Request) (*framework.Caller, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.known[r.Header.Get("X-Api-Key")], nil
}

// signIn makes a user in the database, and a key.
func (k *byKey) signIn(ctx context.Context, site *Site, kind framework.ProofCaller) (http.Header, *framework.Caller, error) {
	user, err := site.Identity.Users.CreateUser(ctx, site.DB.Session(), auth.NewUser{Email: rand.Text() + "@example.com", Password: rand.Text(), Staff: kind.Staff, Superuser: kind.Superuser})
	if err != nil {
		return nil, nil, err
	}
	caller := &framework.Caller{ID: user.ID, Staff: kind.Staff, Superuser: kind.Superuser, Permissions: map[string]bool{}}
	for _, permission := range kind.Permissions {
		caller.Permissions[permission] = true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.known[user.ID.String()] = caller
	return http.Header{"X-Api-Key": {user.ID.String()}}, caller, nil
}

// TestAProofByOtherAuthenticators: a program without tokens of package auth makes the callers of a proof itself.
func TestAProofByOtherAuthenticators(t *testing.T) {
	t.Parallel()
	onBothEmpty(t, func(t *testing.T, database string) {
		keys := &byKey{known: map[string]*framework.Caller{}}
		p := usersAlone()
		p.Config = func(site *Site) framework.Config {
			c := DefaultConfig(site)
			c.Authentication = []framework.Authenticator{keys}
			return c
		}
		p.Register = func(api *framework.API, _ *Site) {
			api.Register(framework.ViewSet[auth.User]{
				Name: "people", Scope: framework.Own(func(u *auth.User) *uuid.UUID { return &u.ID }), Permission: framework.Authenticated(),
				Verbs: framework.Verbs{List: framework.Shows[struct {
					ID uuid.UUID `json:"id"`
				}]()},
			})
		}
		p.ProofSignIn = keys.signIn
		proof, err := p.Prove(t.Context(), database, framework.ProofOptions{Seed: 1})
		if err != nil || len(proof.Findings)+len(proof.Unexercised) > 0 {
			t.Errorf("the proof finds %v, %v", proof, err)
		}
	})
}

// TestAProofNeedsAnEmptyDatabase: a proof of a database that has tables changes nothing.
func TestAProofNeedsAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	onBothEmpty(t, func(t *testing.T, database string) {
		proof, err := usersAlone().Prove(t.Context(), database, framework.ProofOptions{Seed: 1})
		if err != nil || len(proof.Findings)+len(proof.Unexercised) > 0 {
			t.Errorf("the proof of an empty database finds %v, %v", proof, err)
		}
		if _, err = usersAlone().Prove(t.Context(), database, framework.ProofOptions{Seed: 1}); err == nil || !strings.Contains(err.Error(), "a proof needs an empty database") {
			t.Errorf("the error of a second proof is %v", err)
		}
	})
}
