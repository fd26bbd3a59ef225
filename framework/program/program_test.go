package program

import (
	"bytes"
	"context"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"trestle.example/framework"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/console"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/internal/testserver/postgres"
)

// usersAlone is a program without services of its own, with all defaults.
func usersAlone() Program {
	return Program{Register: func(api *framework.API, site *Site) { api.Register(site.Identity.ViewSet()) }}.withDefaults()
}

// onBoth runs a test on a fresh, migrated database of each kind.
func onBoth(t *testing.T, test func(t *testing.T, database string)) {
	t.Helper()
	onBothEmpty(t, func(t *testing.T, database string) {
		if code, said := called(t, database, "migrate up"); code != exit.OK {
			t.Fatal(said)
		}
		test(t, database)
	})
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

// called runs a command, and returns its exit code and all that it printed.
func called(t *testing.T, database, command string) (int, string) {
	t.Helper()
	return run(t, usersAlone(), command, "DATABASE_URL="+database, "TRESTLE_DB_CONNS=4", "TRESTLE_PASSWORD=correct horse battery")
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
		if code, said := called(t, "", command); code != want.code || !strings.Contains(said, want.says) {
			t.Errorf("%s ends with %d and says %q; want %d, %q", command, code, said, want.code, want.says)
		}
	}
}

// TestUsersAreListedInParts of any size.
func TestUsersAreListedInParts(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, database string) {
		for _, email := range []string{"a@example.com", "b@example.com", "c@example.com"} {
			if code, said := called(t, database, "user create --email "+email); code != exit.OK {
				t.Fatal(said)
			}
		}
		p := &program{Program: usersAlone(), env: map[string]string{"DATABASE_URL": database}, Console: console.Console{Out: io.Discard, Err: io.Discard}}
		for _, atOnce := range []int{1, 2, 5} {
			var out bytes.Buffer
			err := p.with(context.Background(), pflag.NewFlagSet("", pflag.ContinueOnError), func(s *site) error {
				return s.writeUsers(t.Context(), &out, atOnce)
			})
			if err != nil {
				t.Fatal(err)
			}
			var emails []string
			for line := range strings.Lines(out.String()) {
				emails = append(emails, strings.Fields(line)[1])
			}
			if got := strings.Join(emails, " "); got != "EMAIL a@example.com b@example.com c@example.com" {
				t.Errorf("%d at a time the list is of %s", atOnce, got)
			}
		}
	})
}

// TestTheTimeToStop is what the files of deploy/ allow for.
func TestTheTimeToStop(t *testing.T) {
	t.Parallel()
	if got := config.ProductionDelay + drainTime + lastWrites; got != 33*time.Second {
		t.Errorf("a server stops within %s; change longestStop of cmd/trestle too", got)
	}
}
