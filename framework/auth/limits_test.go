package auth_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/internal/fair"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
)

// limited checks that a response is a 429 with a number of seconds.
func limited(r *frameworktest.Response, scope, rate, wait string) {
	r.Expect(http.StatusTooManyRequests).Code(framework.CodeThrottled).Header("Retry-After", wait)
	h := r.Headers()
	if !strings.Contains(strings.Join(h.Values("RateLimit"), ", "), `"`+scope+`";r=0;t=`+wait) ||
		!strings.Contains(strings.Join(h.Values("RateLimit-Policy"), ", "), `"`+scope+`";`+rate) {
		r.Header("RateLimit", `"`+scope+`";r=0;t=`+wait).Header("RateLimit-Policy", `"`+scope+`";`+rate)
	}
}

func TestPasswordsAreTriedAtARate(t *testing.T) {
	set := rates(map[string]throttle.Rate{auth.ScopeLogin: {Limit: 3, Per: time.Minute}})
	onDesk(t, set, func(d *desk) {
		d.user("asha@example.com")
		d.user("bela@example.com")
		mallory, asha := d.from("198.51.100.7"), d.from("203.0.113.9")
		mallory.Post(login, wrong).Expect(http.StatusUnauthorized).Header("RateLimit", `"login_address";r=59;t=60, "login";r=2;t=60`)
		d.clock.turn(10 * time.Second)
		mallory.Post(token, credentialsOf("ASHA@example.com ", "another four words walk")).Expect(http.StatusUnauthorized)
		mallory.Post(jwtPath, map[string]any{"username": "asha@example.com", "password": "x"}).Expect(http.StatusUnauthorized)

		hashes := d.hashes.Load()
		for _, path := range []string{login, token, jwtPath} {
			limited(mallory.Post(path, wrong), "login", "q=3;w=60", "50")
			limited(mallory.Post(path, right), "login", "q=3;w=60", "50")
		}
		b := d.tab()
		b.Client = mallory
		b.do(http.MethodGet, nil).Expect(http.StatusOK)
		limited(b.do(http.MethodPost, right), "login", "q=3;w=60", "50")
		if d.hashes.Load() != hashes {
			d.Error("a password was checked although the account is limited")
		}

		mallory.Post(login, credentialsOf("bela@example.com", goodPassword)).Expect(http.StatusOK)
		asha.Post(login, right).Expect(http.StatusOK)
		asha.Post(login, wrong).Expect(http.StatusUnauthorized)
		asha.Post(login, right).Expect(http.StatusOK)
		limited(asha.Post(login, right), "login", "q=3;w=60", "60")

		d.clock.turn(50*time.Second - time.Microsecond)
		limited(mallory.Post(login, right), "login", "q=3;w=60", "1")
		d.clock.turn(time.Microsecond)
		mallory.Post(login, right).Expect(http.StatusOK)
	})
}

// TestUnknownAccountsAreLimitedAlike: an account that does not exist is limited like any
// other, and so is an invalid address.
func TestUnknownAccountsAreLimitedAlike(t *testing.T) {
	set := rates(map[string]throttle.Rate{auth.ScopeLogin: {Limit: 2, Per: time.Minute}})
	onDesk(t, set, func(d *desk) {
		d.user("asha@example.com")
		d.inactive()
		for _, emails := range [][]string{
			{"asha@example.com", "Asha@Example.com", "asha@example.com"}, {"gone@example.com", "gone@example.com", "gone@example.com"},
			{"nobody@example.com", "nobody@example.com", "nobody@example.com"}, {"no e-mail", "another", "'"},
		} {
			for i, email := range emails {
				r := d.Post(login, credentialsOf(email, "another four words walk"))
				if i < 2 {
					r.Expect(http.StatusUnauthorized)
				} else {
					limited(r, "login", "q=2;w=60", "60")
				}
			}
		}
	})
}

func TestAnIPv6SubscriberIsOneNetwork(t *testing.T) {
	set := rates(map[string]throttle.Rate{auth.ScopeLogin: {Limit: 1, Per: time.Minute}})
	onDesk(t, set, func(d *desk) {
		d.user("asha@example.com")
		d.from("2001:db8:1:2::1").Post(login, wrong).Expect(http.StatusUnauthorized)
		limited(d.from("2001:db8:1:2:ffff::9").Post(login, right), "login", "q=1;w=60", "60")
		d.from("2001:db8:1:103::1").Post(login, right).Expect(http.StatusOK)
		d.from("198.51.100.7").Post(login, right).Expect(http.StatusOK)
		limited(d.from("::ffff:198.51.100.7").Post(login, right), "login", "q=1;w=60", "60")
	})
}

func TestOneAddressTriesPasswordsAtARate(t *testing.T) {
	set := rates(map[string]throttle.Rate{auth.ScopeLoginAddress: {Limit: 4, Per: time.Minute}})
	onDesk(t, set, func(d *desk) {
		d.user("asha@example.com")
		mallory := d.from("198.51.100.7")
		for i, path := range []string{login, token, jwtPath, login} {
			mallory.Post(path, credentialsOf(fmt.Sprintf("%d@example.com", i), "another four words walk")).Expect(http.StatusUnauthorized)
		}
		for _, path := range signIns {
			if path == sessionPath {
				b := d.tab()
				b.Client = mallory
				b.do(http.MethodGet, nil).Expect(http.StatusOK)
				limited(b.do(http.MethodPost, right), "login_address", "q=4;w=60", "60")
				continue
			}
			limited(mallory.Post(path, right), "login_address", "q=4;w=60", "60")
		}
		d.from("203.0.113.9").Post(login, right).Expect(http.StatusOK)
		d.clock.turn(time.Minute)
		mallory.Post(login, right).Expect(http.StatusOK)
	})
}

// TestClaimedAddressesDoNotCount: an address in a header of an untrusted client does not
// count. A client that sends a new one with each attempt is limited by its own address.
func TestClaimedAddressesDoNotCount(t *testing.T) {
	set := func(_ *auth.Config, f *framework.Config) { f.TrustedProxies = nil }
	onDesk(t, set, func(d *desk) {
		d.user("asha@example.com")
		for i := range 10 {
			d.from(fmt.Sprintf("203.0.113.%d", i)).Post(login, wrong).Expect(http.StatusUnauthorized)
		}
		limited(d.from("203.0.113.11").Post(login, right), "login", "q=10;w=60", "60")
	})
}

func TestRegistrationsHaveARateOfTheirOwn(t *testing.T) {
	set := rates(map[string]throttle.Rate{auth.ScopeRegister: {Limit: 2, Per: time.Hour}})
	onDesk(t, set, func(d *desk) {
		mallory := d.from("198.51.100.7")
		mallory.Post(register, credentialsOf("a@example.com", goodPassword)).Expect(http.StatusCreated).Header("RateLimit", `"register";r=1;t=3600`)
		mallory.Post(register, credentialsOf("a@example.com", goodPassword)).Expect(http.StatusConflict)
		limited(mallory.Post(register, credentialsOf("b@example.com", goodPassword)), "register", "q=2;w=3600", "3600")
		mallory.Post(login, credentialsOf("a@example.com", goodPassword)).Expect(http.StatusOK)
		d.from("203.0.113.9").Post(register, credentialsOf("b@example.com", goodPassword)).Expect(http.StatusCreated)
		if d.count("auth_users") != 2 {
			d.Errorf("there are %d accounts", d.count("auth_users"))
		}
	})
}

func TestCredentialsThatFailAreCounted(t *testing.T) {
	set := rates(map[string]throttle.Rate{auth.ScopeCredentials: {Limit: 3, Per: time.Minute}})
	bad := map[string]func(*frameworktest.Client) *frameworktest.Response{
		"an unknown token": func(c *frameworktest.Client) *frameworktest.Response {
			return c.With("Authorization", "Token trs_"+strings.Repeat("A", 43)).Get(me)
		},
		"a malformed token": func(c *frameworktest.Client) *frameworktest.Response {
			return c.With("Authorization", "Token trs_x").Get(me)
		},
		"a forged JWT": func(c *frameworktest.Client) *frameworktest.Response {
			return c.With("Authorization", "Bearer a.b.c").Get(me)
		},
		"an unknown scheme": func(c *frameworktest.Client) *frameworktest.Response {
			return c.With("Authorization", "Basic YTpi").Get(me)
		},
		"a header where none is accepted": func(c *frameworktest.Client) *frameworktest.Response {
			return c.With("Authorization", "Token trs_x").Get(sessionPath)
		},
		"no token to revoke": func(c *frameworktest.Client) *frameworktest.Response {
			return c.With("Authorization", "Token trs_x").Delete(token)
		},
		"a forged refresh token": func(c *frameworktest.Client) *frameworktest.Response {
			return c.Post(refreshPath, map[string]any{"refresh": "a.b.c"})
		},
		"a forged token to revoke": func(c *frameworktest.Client) *frameworktest.Response {
			return c.Post(revokePath, map[string]any{"refresh": "a.b.c"})
		},
	}
	onDesk(t, set, func(d *desk) {
		user := d.user("asha@example.com")
		for name, send := range bad {
			d.Run(name, func(t *testing.T) {
				d := d.on(t)
				mallory, good := d.from("198.51.100.7"), "Token "+d.token(user)
				for range 3 {
					send(mallory).Expect(http.StatusUnauthorized).Code(framework.CodeInvalidToken)
				}
				limited(send(mallory), "credentials", "q=3;w=60", "60")
				mallory.With("Authorization", good).Get(me).Expect(http.StatusOK).Header("RateLimit", "")
				pair := d.pair(user)
				mallory.Post(refreshPath, map[string]any{"refresh": pair.Refresh}).Expect(http.StatusOK)
				mallory.Get(me).Expect(http.StatusUnauthorized).Code(framework.CodeAuthenticationRequired)
				send(d.from("203.0.113.9")).Expect(http.StatusUnauthorized)
				d.clock.turn(time.Minute)
				send(mallory).Expect(http.StatusUnauthorized)
				d.clock.turn(time.Minute)
			})
		}
	})
}

// TestCallersAreLimitedWhereRatesSaySo: callers are limited if there are rates for them.
func TestCallersAreLimitedWhereRatesSaySo(t *testing.T) {
	set := rates(map[string]throttle.Rate{
		throttle.ScopeUser: {Limit: 2, Per: time.Minute}, throttle.ScopeAnonymous: {Limit: 1, Per: time.Minute},
	})
	onDesk(t, set, func(d *desk) {
		asha, bela := d.as("Token "+d.token(d.user("asha@example.com"))), d.as("Token "+d.token(d.user("bela@example.com")))
		asha.Get(me).Expect(http.StatusOK).Header("RateLimit", `"user";r=1;t=60`)
		asha.Get("/api/groups/who").Expect(http.StatusOK)
		limited(asha.Get(me), "user", "q=2;w=60", "60")
		bela.Get(me).Expect(http.StatusOK)
		d.Get("/api/groups/open").Expect(http.StatusOK)
		limited(d.Get("/api/groups/open"), "anon", "q=1;w=60", "60")
	})
}

func TestCallersAreNotLimitedByDefault(t *testing.T) {
	onDesk(t, nil, func(d *desk) {
		d.as("Token "+d.token(d.user("asha@example.com"))).Get(me).Expect(http.StatusOK).Header("RateLimit", "")
	})
}

// TestRequestsOfOtherSitesAreNotCounted: another site can make its visitors send such
// requests, and must not use up their rates.
func TestRequestsOfOtherSitesAreNotCounted(t *testing.T) {
	set := rates(map[string]throttle.Rate{auth.ScopeLoginAddress: {Limit: 3, Per: time.Minute}, auth.ScopeRegister: {Limit: 3, Per: time.Minute}})
	onDesk(t, set, func(d *desk) {
		d.user("asha@example.com")
		b := d.tab()
		b.do(http.MethodGet, nil).Expect(http.StatusOK)
		simple := d.With("Content-Type", "text/plain").With("Origin", "https://evil.example").With("Sec-Fetch-Site", "cross-site")
		for range 5 {
			for _, path := range []string{register, login, token, jwtPath, sessionPath} {
				simple.Post(path, `{"email": "asha@example.com", "password": "x"}`).Expect(http.StatusUnsupportedMediaType).Header("RateLimit", "")
			}
			d.Post(sessionPath, right).Expect(http.StatusForbidden).Header("RateLimit", "")
		}
		d.Post(login, right).Expect(http.StatusOK).Header("RateLimit", `"login_address";r=2;t=60, "login";r=9;t=60`)
		d.Post(register, credentialsOf("bela@example.com", goodPassword)).Expect(http.StatusCreated)
	})
}

// TestFailuresOfAnOwnSchemeCount: failures of a scheme of the program count together
// with those of the service.
func TestFailuresOfAnOwnSchemeCount(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		must(t, db.Migrate(t.Context(), nil, auth.Migrations()))
		service, err := auth.New(auth.Config{Rates: map[string]throttle.Rate{auth.ScopeCredentials: {Limit: 2, Per: time.Hour}}, Log: slog.New(slog.DiscardHandler)})
		must(t, err)
		user, err := service.Users.CreateUser(t.Context(), db.Session(), auth.NewUser{Email: "asha@example.com", Password: goodPassword})
		must(t, err)
		secret, _, err := service.Users.IssueToken(t.Context(), db.Session(), user, "", time.Hour)
		must(t, err)
		own := APIKeys{Users: service.Users}
		for scheme, ok := range map[string]bool{"ApiKey": true, "": false, "Token": false, "Session": false, "JWT": false} {
			if caller, err := service.Users.Caller(t.Context(), db.Session(), user.ID, scheme); (err == nil) != ok || ok && caller.Scheme != scheme {
				t.Errorf("a scheme named %q: %v, %v", scheme, caller, err)
			}
		}
		api := framework.New(framework.Config{DB: db, Authentication: service.Authentication(own), Codes: service.Codes(), Log: slog.New(slog.DiscardHandler)})
		api.Register(service.ViewSet())
		c := client(t, api)
		bad := c.With("X-Api-Key", "guessed")
		bad.Get(me).Expect(http.StatusUnauthorized)
		c.As("trs_x").Get(me).Expect(http.StatusUnauthorized)
		bad.Get(me).Expect(http.StatusTooManyRequests)
		c.As(secret.Reveal()).Get(me).Expect(http.StatusOK)
	})
}

// TestAFullQueueIsAnError: if the queue for hashes is full, the client gets an error at
// once.
func TestAFullQueueIsAnError(t *testing.T) {
	onDesk(t, nil, func(d *desk) {
		d.user("asha@example.com")
		release := auth.FillQueue(d.service, "127.0.0.1")
		for _, path := range []string{login, token, jwtPath} {
			d.Post(path, right).Expect(http.StatusServiceUnavailable).Code(framework.CodeUnavailable).Header("Retry-After", "1").Header("RateLimit", "")
			d.Post(path, credentialsOf("nobody@example.com", goodPassword)).Expect(http.StatusServiceUnavailable)
		}
		for range 25 { // more than the rate: a retry is not counted
			d.Post(register, credentialsOf("bela@example.com", goodPassword)).Expect(http.StatusServiceUnavailable).Header("Retry-After", "1")
		}
		_, err := d.service.Users.CheckPassword(fair.With(d.Context(), fair.Client{Anonymous: true, Address: "127.0.0.1"}), d.db.Session(), "asha@example.com", goodPassword)
		if told, ok := errors.AsType[*framework.Error](err); !ok || told.Status != http.StatusServiceUnavailable {
			d.Errorf("a program's own endpoint would answer %v", err)
		}
		release()
		d.Post(login, right).Expect(http.StatusOK)
		d.Post(register, credentialsOf("bela@example.com", goodPassword)).Expect(http.StatusCreated)
	})
}
