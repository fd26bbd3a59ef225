package main

import (
	"strings"
	"testing"
)

func TestAllWrongValuesAtOnce(t *testing.T) {
	t.Parallel()
	got := newRig(t, "postgres://app:hidden@host", "TRESTLE_ADDR=x", "TRESTLE_LOG=y").run("serve --page-size z")
	got.is(t, exitUsage, "TRESTLE_ADDR", "TRESTLE_LOG", "--page-size", "it names no database after the host")
	if strings.Contains(got.stderr, "hidden") {
		t.Errorf("it shows the password: %s", got.stderr)
	}
}

// TestAWrongNameInProduction is one mistake: the name was set, but is wrong.
func TestAWrongNameInProduction(t *testing.T) {
	t.Parallel()
	for pair, says := range map[string]string{
		"TRESTLE_HOSTS=https://api.example.org": "must be a name alone",
		"TRESTLE_PUBLIC_URL=api.example.org":    "must be a URL that begins with https://",
		"TRESTLE_HOSTS=api.example.org,a:80":    "must be a name alone",
	} {
		for _, call := range []string{"serve", "check"} {
			got := newRig(t, sqliteURL(t), "TRESTLE_ENV=production", pair).run(call)
			got.is(t, exitUsage, says)
			if strings.Contains(got.stderr, "nothing says") {
				t.Errorf("%s with %s says that there is no name: %s", call, pair, got.stderr)
			}
		}
	}
}

// Secrets are neither in the descriptions of settings nor in the help.
func TestWrongSecrets(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ pair, call, says string }{
		"a Redis without a scheme":     {"REDIS_URL=:hidden@host:6379", "migrate status", "REDIS_URL: this is not the address of a Redis server: it should look like redis://"},
		"a Redis of another scheme":    {"REDIS_URL=http://:hidden@host", "check", "REDIS_URL: this is not the address of a Redis server"},
		"a Redis, by the flag":         {"X=", "serve --redis hidden", "--redis: this is not the address of a Redis server"},
		"a JWT key without its id":     {"TRESTLE_JWT_KEYS=hidden", "serve", "TRESTLE_JWT_KEYS: JWT key 1 of 1: it is not of the form kid:algorithm:key; make one with: trestle jwt keygen"},
		"a JWT key that is short":      {"TRESTLE_JWT_KEYS=a:HS256:hiddenhi", "check", "HS256 needs at least 32 random bytes"},
		"a JWT key of no algorithm":    {"TRESTLE_JWT_KEYS=a:hidden:" + strings.Repeat("hidden", 10), "serve", "its algorithm is unknown"},
		"no JWT key in production":     {"TRESTLE_ENV=production", "serve", "TRESTLE_JWT_KEYS is not set, and in production the server generates no key; make one with: trestle jwt keygen"},
		"no name in production":        {"TRESTLE_ENV=production", "serve", "set TRESTLE_PUBLIC_URL (--public-url) or TRESTLE_HOSTS (--hosts)"},
		"no name, with a check":        {"TRESTLE_ENV=production", "check", "set TRESTLE_PUBLIC_URL (--public-url) or TRESTLE_HOSTS (--hosts)"},
		"the same, with a check":       {"TRESTLE_ENV=production", "check", "TRESTLE_JWT_KEYS is not set"},
		"several wrong things at once": {"TRESTLE_JWT_KEYS=hidden", "serve --env production --seed --tls-cert a.pem --rates x", "serve without --seed\ntrestle: TRESTLE_JWT_KEYS"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := newRig(t, sqliteURL(t), test.pair).run(test.call)
			got.is(t, exitUsage, test.says)
			if strings.Contains(strings.ReplaceAll(got.stderr, "--redis hidden", "")+got.stdout, "hidden") {
				t.Errorf("it shows the secret: %s", got.stderr)
			}
		})
	}
}

func TestHelpShowsNoSecret(t *testing.T) {
	t.Parallel()
	r := newRig(t, "postgres://app:hidden@host/db", "REDIS_URL=redis://:hidden@host", "TRESTLE_JWT_KEYS=a:HS256:hidden")
	for _, call := range []string{"serve --help", "check --help", "serve --adr"} {
		if got := r.run(call); strings.Contains(got.stdout+got.stderr, "hidden") {
			t.Errorf("%s shows a secret: %s%s", call, got.stdout, got.stderr)
		}
	}
}

// A setting that only a server needs does not stop other commands.
func TestCommandsThatNeedNoKeys(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.env = append(r.env, "TRESTLE_ENV=production", "REDIS_URL=redis://127.0.0.1:1", "TRESTLE_TLS_CERT=/nowhere/cert.pem")
		for _, call := range []string{
			"migrate up", "migrate status", "routes", "permissions", "reindex", "createsuperuser --email a@example.com", "token create --email a@example.com",
		} {
			got := r.with("correct horse battery\n", call)
			got.is(t, exitOK)
			if strings.Contains(got.stderr, "Redis") || strings.Contains(got.stderr, "JWT") {
				t.Errorf("%s says %q", call, got.stderr)
			}
		}
	})
}

func TestPasswordMinimumHoldsForCommands(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		for _, test := range []struct {
			least string
			code  int
			says  string
		}{
			{"21", exitFailure, "at least 21"},
			{"20", exitOK, "Created"},
		} {
			got := r.with("correct horse batter\n", "createsuperuser --email a@example.com", "TRESTLE_PASSWORD_MIN="+test.least)
			got.is(t, test.code, test.says)
		}
	})
}
