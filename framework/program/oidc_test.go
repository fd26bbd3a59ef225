package program

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/program/internal/exit"
)

// TestTheIdentityProviderOfTheSettings: check finds what is wrong with the settings, also beside
// the declarations of a program. No command connects to the provider, and none prints the secret.
func TestTheIdentityProviderOfTheSettings(t *testing.T) {
	t.Parallel()
	own := usersAlone()
	own.Beside = func(*framework.API, *Site) (Beside, error) {
		return Beside{Handlers: map[string]http.Handler{"/api/auth/oidc/": http.NotFoundHandler()}}, nil
	}
	other := usersAlone()
	other.Beside = func(*framework.API, *Site) (Beside, error) {
		return Beside{Handlers: map[string]http.Handler{"/events": http.NotFoundHandler()}}, nil
	}
	database := "DATABASE_URL=sqlite://" + filepath.ToSlash(filepath.Join(t.TempDir(), "test.db"))
	provider := []string{"TRESTLE_OIDC_ISSUER=https://127.0.0.1:1", "TRESTLE_OIDC_CLIENT_ID=clinic", "TRESTLE_OIDC_CLIENT_SECRET=hidden", "TRESTLE_OIDC_REGISTER=on"}
	for _, c := range []struct {
		name, command string
		program       Program
		env           []string
		code          int
		says          string
	}{
		{"check", "check", usersAlone(), provider, exit.OK, "ok: "},
		{"check of a program with handlers", "check", other, provider, exit.OK, "ok: "},
		{"check of a program with providers", "check", own, nil, exit.OK, "ok: "},
		{"check of a program with providers, and the settings", "check", own, provider, exit.Usage, "the program declares identity providers of its own"},
		{"check without a client", "check", usersAlone(), provider[:1], exit.Usage, "TRESTLE_OIDC_CLIENT_ID is not"},
		{"config", "config", usersAlone(), provider, exit.OK, "(set, and not shown)"},
		{"config, as JSON", "config --json", usersAlone(), provider, exit.OK, `"https://127.0.0.1:1"`},
		{"config without a client", "config", usersAlone(), provider[:1], exit.Usage, "TRESTLE_OIDC_CLIENT_ID is not"},
	} {
		var out, errs strings.Builder
		code := Run(t.Context(), c.program, strings.Fields(c.command), append([]string{database}, c.env...), strings.NewReader(""), &out, &errs)
		text := out.String() + errs.String()
		if code != c.code || !strings.Contains(text, c.says) {
			t.Errorf("%s: code %d, %s; want code %d and %q", c.name, code, text, c.code, c.says)
		}
		if strings.Contains(text, "hidden") {
			t.Errorf("%s prints the secret: %s", c.name, text)
		}
	}
}
