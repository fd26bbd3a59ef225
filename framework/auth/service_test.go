package auth_test

import (
	"context"
	"maps"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/auth"
	"trestle.example/framework/throttle"
)

func TestNewRejectsInvalidSettings(t *testing.T) {
	for _, c := range []struct {
		name   string
		config auth.Config
		says   string
	}{
		{"an unknown scope", auth.Config{Rates: map[string]throttle.Rate{"logins": {Limit: 1, Per: time.Minute}}},
			`auth.Config: Rates has the unknown scope "logins"; the scopes are login, login_address, register, credentials, mail, mail_address, user, anon`},
		{"an invalid rate", auth.Config{Rates: map[string]throttle.Rate{auth.ScopeLogin: {}}}, `auth.Config: Rates, scope "login": `},
		{"tokens without a life", auth.Config{TokenLife: -time.Second}, "auth.Config: TokenLife is -1s; it must be above zero"},
		{"short passwords", auth.Config{Passwords: auth.PasswordPolicy{Minimum: 4}}, "PasswordPolicy.Minimum is 4"},
		{"a short idle life", auth.Config{Session: auth.SessionOptions{IdleLife: time.Second}}, "IdleLife is 1s"},
		{"a long grace", auth.Config{JWT: auth.JWTOptions{Grace: time.Hour}}, "JWTOptions.Grace is 1h"},
	} {
		t.Run(c.name, func(t *testing.T) {
			service, err := auth.New(c.config)
			if err == nil || service != nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, error %v; want an error with %s", service, err, c.says)
			}
		})
	}
}

func TestDefaults(t *testing.T) {
	service, err := auth.New(auth.Config{})
	must(t, err)
	var challenges []string
	for _, scheme := range service.Authentication() {
		if challenge := scheme.Challenge(); challenge != "" {
			challenges = append(challenges, challenge)
		}
	}
	if got := strings.Join(challenges, ", "); got != `Session realm="api", Token realm="api", Bearer realm="api"` {
		t.Errorf("the challenges are %s", got)
	}
	if len(service.Throttles()) != 0 {
		t.Errorf("callers are limited: %v", service.Throttles())
	}
	got := map[string]string{}
	for scope, rate := range auth.DefaultRates() {
		got[scope] = rate.String()
	}
	want := map[string]string{
		"login": "10/min", "login_address": "60/min", "register": "20/hour", "credentials": "60/min", "mail": "5/hour", "mail_address": "30/hour",
	}
	if !maps.Equal(got, want) {
		t.Errorf("the rates are %v; want %v", got, want)
	}
}

func TestAllSchemesHaveTheRealm(t *testing.T) {
	service, err := auth.New(auth.Config{Realm: "clinic", JWT: auth.JWTOptions{Realm: "jwt"}})
	must(t, err)
	var challenges []string
	for _, scheme := range service.Authentication() {
		challenges = append(challenges, scheme.Challenge())
	}
	if got := strings.Join(challenges, " "); got != `Session realm="clinic" Token realm="clinic" Bearer realm="jwt" ` {
		t.Errorf("the challenges are %s", got)
	}
}

func TestTokensLiveAsLongAsTheSettingSays(t *testing.T) {
	onDesk(t, lives(time.Hour), func(d *desk) {
		d.user("asha@example.com")
		body := object(d.Post(login, right).Expect(200).Contains(`"expiresAt":"2026-11-20T11:00:00Z"`))
		asha := d.as("Token " + text(body["token"]))
		d.clock.turn(time.Hour - time.Microsecond)
		d.knows(asha, "asha@example.com")
		d.clock.turn(time.Microsecond)
		d.knows(asha, "")
	})
}

// TestRunWritesTheLastUses: when Run ends, it writes the last use of tokens and sessions.
func TestRunWritesTheLastUses(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		user := d.user("asha@example.com")
		asha, b := d.as("Token "+d.token(user)), d.signedIn()
		d.clock.turn(time.Hour)
		d.knows(asha, "asha@example.com")
		d.knows(b.client(), "asha@example.com")
		ended, end := context.WithCancel(d.Context())
		end()
		d.service.Run(ended, d.db, func(err error) { d.Errorf("it reports %v", err) })
		tokens, err := d.service.Users.ListTokens(d.Context(), d.db.Session(), user.ID)
		must(d.T, err)
		if len(tokens) != 1 || tokens[0].LastUsedAt == nil || !tokens[0].LastUsedAt.Equal(d.clock.now()) {
			d.Errorf("the tokens are %+v", tokens)
		}
		sessions, err := d.service.Sessions.List(d.Context(), d.db.Session(), user.ID)
		must(d.T, err)
		if len(sessions) != 1 || !sessions[0].LastSeenAt.Equal(d.clock.now()) {
			d.Errorf("the sessions are %+v", sessions)
		}
	})
}
