package program

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"trestle.example/framework"
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
