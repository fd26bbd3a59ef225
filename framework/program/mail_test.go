package program

import (
	"path/filepath"
	"strings"
	"testing"

	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/internal/testserver/mailserver"
)

// TestAProgramThatSendsMails needs a mail server in production, and only there. Commands that do
// not serve need none.
func TestAProgramThatSendsMails(t *testing.T) {
	t.Parallel()
	keys, err := auth.GenerateKey("a", auth.HS256)
	if err != nil {
		t.Fatal(err)
	}
	server := mailserver.Start(t, mailserver.NoTLS)
	p := usersAlone()
	p.Identity = func(c auth.Config) (*auth.Service, error) {
		c.Account = auth.AccountOptions{Change: true, Reset: true, Verify: true}
		return auth.New(c)
	}
	database := "DATABASE_URL=sqlite://" + filepath.ToSlash(filepath.Join(t.TempDir(), "test.db"))
	production := []string{database, "TRESTLE_ENV=production", "TRESTLE_HOSTS=api.example.org", "TRESTLE_JWT_KEYS=" + keys.Reveal(), "TRESTLE_TRUSTED_PROXIES=127.0.0.1"}
	mails := []string{"TRESTLE_SMTP_URL=smtp://" + server.Address + "?tls=off", "TRESTLE_MAIL_FROM=Shop <shop@example.org>"}
	const missing = "set TRESTLE_SMTP_URL, for example"
	for _, c := range []struct {
		name, command string
		env           []string
		code          int
		says          string
	}{
		{"check in development", "check", []string{database}, exit.OK, "ok: "},
		{"migrate in production without a mail server", "migrate up", production, exit.OK, ""},
		{"check in production without a mail server", "check", production, exit.Usage, missing},
		{"serve in production without a mail server", "serve --migrate", production, exit.Usage, missing},
		{"check in production with one", "check", append(production, mails...), exit.OK, "ok: "},
		{"a mail server without a sender", "check", []string{database, mails[0]}, exit.Usage, "TRESTLE_MAIL_FROM is not"},
		{"the endpoints", "routes", []string{database}, exit.OK, "/api/auth/password/reset/confirm"},
		{"doctor in production without a mail server", "doctor", production, exit.Failure, missing},
		{"doctor with one that is away", "doctor", []string{database, "TRESTLE_SMTP_URL=smtp://127.0.0.1:1", mails[1]}, exit.Failure, "no mail can be sent"},
	} {
		if code, said := run(t, p, c.command, c.env...); code != c.code || !strings.Contains(said, c.says) {
			t.Errorf("%s ends with %d and prints %q; want %d and %q", c.name, code, said, c.code, c.says)
		}
	}
	if got := server.Take(); len(got) != 0 {
		t.Errorf("check sent %v", got)
	}
}
