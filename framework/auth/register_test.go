package auth_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
)

const register = "/api/auth/register"

func TestRegisterMakesAnAccountAndSignsIn(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		r := d.Post(register, map[string]any{"email": " Asha@Example.com ", "password": goodPassword, "name": " Asha Rao "}).Expect(http.StatusCreated)
		body := object(r)
		if got := members(body); got != "expiresAt token tokenType user" {
			d.Errorf("the body has %s", got)
		}
		if got := members(body["user"]); got != "createdAt email id name role" {
			d.Errorf("its user has %s", got)
		}
		r.Contains(`"tokenType":"Bearer"`, `"email":"asha@example.com"`, `"name":"Asha Rao"`, `"role":"user"`,
			`"expiresAt":"2026-12-20T10:00:00Z"`, `"createdAt":"2026-11-20T10:00:00Z"`)
		r.Lacks("argon2", "password", "superuser", "staff", "active").Header("Cache-Control", "no-store").Header("Set-Cookie", "")
		d.knows(d.as("Bearer "+text(body["token"])), "asha@example.com")
		d.knows(d.as("Token "+text(body["token"])), "asha@example.com")
		if d.hashes.Load() != 1 {
			d.Errorf("it hashed %d times", d.hashes.Load())
		}
	})
}

func TestRegisterRejects(t *testing.T) {
	long := strings.Repeat("x", 129)
	onDesk(t, unlimited, func(d *desk) {
		d.user("asha@example.com")
		before := d.hashes.Load()
		for _, c := range []struct {
			name   string
			body   map[string]any
			faults map[string]string
		}{
			{"nothing", map[string]any{}, map[string]string{"/email": "required", "/password": "required"}},
			{"null", map[string]any{"email": nil, "password": nil}, map[string]string{"/email": "null", "/password": "null"}},
			{"a number for a password", map[string]any{"email": "b@example.com", "password": 1234567890}, map[string]string{"/password": "type"}},
			{"an empty password", credentialsOf("b@example.com", ""), map[string]string{"/password": "required"}},
			{"a short password", credentialsOf("b@example.com", "4 words"), map[string]string{"/password": "too_short"}},
			{"a password that is short once it is normalised", credentialsOf("b@example.com", strings.Repeat("e\u0301", 7)), map[string]string{"/password": "too_short"}},
			{"a long password", credentialsOf("b@example.com", long), map[string]string{"/password": "too_long"}},
			{"a very long password", credentialsOf("b@example.com", strings.Repeat("x", 5000)), map[string]string{"/password": "too_long"}},
			{"a common password", credentialsOf("b@example.com", "PassWord1"), map[string]string{"/password": "too_common"}},
			{"one character", credentialsOf("b@example.com", "xxxxxxxxxxxx"), map[string]string{"/password": "too_common"}},
			{"spaces alone", credentialsOf("b@example.com", strings.Repeat(" ", 12)), map[string]string{"/password": "required"}},
			{"the e-mail as password", credentialsOf("bela@example.com", "Bela@Example.com"), map[string]string{"/password": "same_as_email"}},
			{"a blank e-mail", credentialsOf("  ", goodPassword), map[string]string{"/email": "required"}},
			{"no @", credentialsOf("example.com", goodPassword), map[string]string{"/email": "email"}},
			{"nothing before the @", credentialsOf("@example.com", goodPassword), map[string]string{"/email": "email"}},
			{"two @", credentialsOf("a@b@example.com", goodPassword), map[string]string{"/email": "email"}},
			{"a space in the e-mail", credentialsOf("a b@example.com", goodPassword), map[string]string{"/email": "email"}},
			{"an invisible character in the e-mail", credentialsOf("a\u200bb@example.com", goodPassword), map[string]string{"/email": "email"}},
			{"a long e-mail", credentialsOf(strings.Repeat("x", 250)+"@example.com", goodPassword), map[string]string{"/email": "email"}},
			{"a long name", map[string]any{"email": "b@example.com", "password": goodPassword, "name": strings.Repeat("é", 201)}, map[string]string{"/name": "max"}},
			{"a name of two lines", map[string]any{"email": "b@example.com", "password": goodPassword, "name": "a\nb"}, map[string]string{"/name": "line"}},
			{"a name of a direction mark alone", map[string]any{"email": "b@example.com", "password": goodPassword, "name": "\u202e"}, map[string]string{"/name": "line"}},
			{"a name with a line break at its end", map[string]any{"email": "b@example.com", "password": goodPassword, "name": "a\n"}, map[string]string{"/name": "line"}},
			{"a name with a direction mark", map[string]any{"email": "b@example.com", "password": goodPassword, "name": "a\u202eb"}, map[string]string{"/name": "line"}},
			{"a full-width e-mail", credentialsOf("ｂ@example.com", goodPassword), map[string]string{"/email": "email"}},
			{"a password of one character that stands for eighteen", credentialsOf("b@example.com", "\ufdfa"), map[string]string{"/password": "too_short"}},
			{
				"everything at once", map[string]any{"email": "b", "password": "4 words", "name": strings.Repeat("é", 201)},
				map[string]string{"/email": "email", "/password": "too_short", "/name": "max"},
			},
		} {
			d.Run(c.name, func(t *testing.T) {
				r := d.on(t).Post(register, c.body).Expect(http.StatusBadRequest).Code("validation_failed")
				for at, code := range c.faults {
					r.Fault(at, code)
				}
				if faults, _ := object(r)["errors"].([]any); len(faults) != len(c.faults) {
					t.Errorf("%d faults in %s", len(faults), r.Body())
				}
				r.Lacks("xxxxxxxx", "PassWord1", "4 words")
			})
		}
		if d.hashes.Load() != before || d.count("auth_users") != 1 || d.count("auth_tokens") != 0 {
			d.Errorf("rejected registrations left %d hashes, %d users, %d tokens", d.hashes.Load()-before, d.count("auth_users"), d.count("auth_tokens"))
		}
	})
}

func TestRegisterAcceptsWhatThePolicyAllows(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		for name, c := range map[string]struct{ email, password string }{
			"exactly eight characters":                       {"a@example.com", "pq7 wz1k"},
			"exactly 128 characters":                         {"b@example.com", strings.Repeat("pq7w", 32)},
			"spaces around it, which count":                  {"c@example.com", "  pq7 wz  "},
			"eight characters of four bytes":                 {"d@example.com", "🙂🙃🙂🙃🙂🙃🙂🙃"},
			"a name with quotes and SQL":                     {"e@example.com", `'; DROP TABLE auth_users; --"\`},
			"an address of one letter before and after an @": {"f@g", goodPassword},
		} {
			d.Run(name, func(t *testing.T) {
				d := d.on(t)
				body := object(d.Post(register, credentialsOf(c.email, c.password)).Expect(http.StatusCreated).Contains(`"name":""`))
				d.knows(d.as("Bearer "+text(body["token"])), c.email)
				d.Post("/api/auth/login", credentialsOf(c.email, c.password)).Expect(http.StatusOK)
				if trimmed := strings.TrimSpace(c.password); trimmed != c.password {
					d.Post("/api/auth/login", credentialsOf(c.email, trimmed)).Expect(http.StatusUnauthorized)
				}
			})
		}
	})
}

func TestAnEmailInAnySpellingIsOneAccount(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		d.Post(register, credentialsOf("asha@example.com", goodPassword)).Expect(http.StatusCreated)
		for name, email := range map[string]string{
			"as it is": "asha@example.com", "in capitals": "ASHA@EXAMPLE.COM", "with spaces around it": " asha@example.com\t",
		} {
			d.Run(name, func(t *testing.T) {
				d.on(t).Post(register, credentialsOf(email, "another four words walk")).Expect(http.StatusConflict).Code(auth.CodeEmailTaken).
					Lacks("asha", "ASHA").Header("Location", "")
				d.on(t).Post("/api/auth/login", credentialsOf(email, goodPassword)).Expect(http.StatusOK).Contains(`"email":"asha@example.com"`)
			})
		}
		if d.count("auth_users") != 1 {
			d.Errorf("there are %d accounts", d.count("auth_users"))
		}
	})
}

func TestOneOfTwoRegistrationsAtOnceSucceeds(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		answers := make([]*frameworktest.Response, 2)
		var both sync.WaitGroup
		for i := range answers {
			both.Go(func() { answers[i] = d.Post(register, credentialsOf("asha@example.com", goodPassword)) })
		}
		both.Wait()
		slices.SortFunc(answers, func(a, b *frameworktest.Response) int { return a.Status() - b.Status() })
		answers[0].Expect(http.StatusCreated)
		answers[1].Expect(http.StatusConflict).Code(auth.CodeEmailTaken)
		if d.count("auth_users") != 1 || d.count("auth_tokens") != 1 {
			d.Errorf("there are %d accounts with %d tokens", d.count("auth_users"), d.count("auth_tokens"))
		}
	})
}

// TestRegisterLeavesNothingHalfMade: if the token cannot be stored, no account is
// created.
func TestRegisterLeavesNothingHalfMade(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		_, err := d.db.ExecContext(d.Context(), "DROP TABLE auth_tokens")
		must(d.T, err)
		d.Post(register, credentialsOf("asha@example.com", goodPassword)).Expect(http.StatusInternalServerError).Lacks("auth_tokens")
		if d.count("auth_users") != 0 {
			d.Error("there is an account without a token")
		}
		if lines := d.log.Take(d.T); len(lines) != 0 {
			d.Errorf("the audit log is %v", lines)
		}
	})
}
