package main

import (
	"regexp"
	"strings"
	"testing"
)

func TestCreateSuperuser(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		for _, step := range []struct {
			name, stdin, call string
			env               string
			code              int
			says              string
		}{
			{"no password", "", "createsuperuser --email a@example.com", "", exitFailure, "set TRESTLE_PASSWORD"},
			{"a password that is too short", "short\n", "createsuperuser --email a@example.com", "", exitFailure, "at least 8"},
			{"a common password", "password123\n", "createsuperuser --email a@example.com", "", exitFailure, "one of the most common ones"},
			{"no e-mail address", "correct horse\n", "createsuperuser --email nobody", "", exitFailure, "must have one @"},
			{"from standard input", "correct horse battery\n", "createsuperuser --email A@Example.com", "", exitOK, "Created the superuser a@example.com."},
			{"the same e-mail again", "correct horse battery\n", "createsuperuser --email a@example.com", "", exitFailure, "a@example.com exists already"},
			{"from the variable", "", "createsuperuser --email b@example.com --name B", "TRESTLE_PASSWORD=correct horse battery", exitOK, "b@example.com"},
		} {
			got := r.with(step.stdin, step.call, step.env)
			if got.code != step.code || !strings.Contains(got.stderr, step.says) {
				t.Fatalf("%s: exit code %d, standard error %q; want %d, %q", step.name, got.code, got.stderr, step.code, step.says)
			}
			if strings.Contains(got.stdout+got.stderr, "correct horse") {
				t.Errorf("%s: it shows the password: %q", step.name, got.stderr)
			}
			if id := regexp.MustCompile(`^[0-9a-f-]{36}\n$`); got.code == exitOK && !id.MatchString(got.stdout) {
				t.Errorf("%s: standard output %q; want an id alone", step.name, got.stdout)
			}
		}
	})
}

func TestTokens(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		r.with("correct horse battery\n", "createsuperuser --email a@example.com").is(t, exitOK)
		r.with("correct horse battery\n", "createsuperuser --email b@example.com").is(t, exitOK)
		r.run("token create --email nobody@example.com").is(t, exitFailure, "no user has the e-mail nobody@example.com; trestle user list shows them\n")
		r.ok("user disable --email b@example.com")
		r.run("token create --email b@example.com").is(t, exitFailure, "b@example.com is disabled; first run: trestle user enable --email b@example.com")
		r.ok("user enable --email b@example.com")
		r.run("token create --email a@example.com --expires-in 3").is(t, exitUsage, `--expires-in must be a time with its unit (ms, s, m, h), such as 90s or 24h, not "3"`)
		r.run("token create --email a@example.com --expires-in -1h").is(t, exitFailure, "cannot live for -1h")

		token := r.ok("token create --email a@example.com --name laptop --expires-in 1h")
		if !regexp.MustCompile(`^trs_[A-Za-z0-9_-]{43}\n$`).MatchString(token) {
			t.Fatalf("standard output %q; want a token alone", token)
		}
		list := r.ok("token list --email a@example.com")
		if !strings.Contains(list, token[:8]) || !strings.Contains(list, "laptop") || strings.Contains(list, strings.TrimSpace(token)) {
			t.Errorf("the list is %q; want the token's first characters and its name", list)
		}
		id := regexp.MustCompile(`[0-9a-f-]{36}`).FindString(list)
		r.run("token revoke --email b@example.com "+id).is(t, exitFailure, "b@example.com has no token with the id "+id)
		r.ok("token revoke --email a@example.com " + id)
		r.run("token revoke --email a@example.com "+id).is(t, exitFailure, "a@example.com has no token with the id "+id)

		r.ok("token create --email a@example.com")
		r.ok("token create --email a@example.com")
		r.ok("token revoke --email a@example.com --all")
		if list := r.ok("token list --email a@example.com"); strings.Count(list, "\n") != 1 {
			t.Errorf("tokens are left: %q", list)
		}
	})
}
