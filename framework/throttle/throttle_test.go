package throttle_test

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
)

// broken is a store that must not be used.
type broken struct{ tb testing.TB }

func (b broken) Take(context.Context, string, throttle.Rate) (throttle.Quota, error) {
	b.tb.Error("the fallback was used")
	return throttle.Quota{}, nil
}

func hourly(limit int) throttle.Rate { return throttle.Rate{Limit: limit, Per: time.Hour} }

// TestEveryClassIsAThrottle checks each class, on each store, against the contract of
// framework.Throttle.
func TestEveryClassIsAThrottle(t *testing.T) {
	onBothStores(t, func(t *testing.T, store func() throttle.Store) {
		for name, class := range map[string]func(throttle.Store) framework.Throttle{
			"anonymous": func(s throttle.Store) framework.Throttle { return throttle.Anonymous(s, hourly(5)) },
			"user":      func(s throttle.Store) framework.Throttle { return throttle.User(s, hourly(5)) },
			"scoped":    func(s throttle.Store) framework.Throttle { return throttle.Scoped(s, "upload", hourly(5)) },
			"scoped by address": func(s throttle.Store) framework.Throttle {
				return throttle.Scoped(s, "upload", hourly(1), throttle.ByAddress())
			},
			"scoped, a large limit": func(s throttle.Store) framework.Throttle { return throttle.Scoped(s, "upload", hourly(150)) },
			"scoped by account and caller": func(s throttle.Store) framework.Throttle {
				account := throttle.ByAccount(func(*framework.Call) string { return "ada@example.com" })
				return throttle.Scoped(s, "upload", hourly(5), account, throttle.ByCaller())
			},
		} {
			t.Run(name, func(t *testing.T) {
				allows := 5
				switch name {
				case "scoped by address":
					allows = 1
				case "scoped, a large limit":
					allows = 150
				}
				frameworktest.TestThrottle(t, frameworktest.ThrottleCase{
					New: func() framework.Throttle { return class(store()) }, Allows: allows,
				})
			})
		}
	})
}

func TestStringOfEachClass(t *testing.T) {
	t.Parallel()
	s := new(throttle.Memory)
	for want, class := range map[string]fmt.Stringer{
		"anon: 60/min per address":         throttle.Anonymous(s, throttle.Rate{Limit: 60, Per: time.Minute}),
		"user: 5/hour per caller":          throttle.User(s, hourly(5)),
		"upload: 5/hour per caller":        throttle.Scoped(s, "upload", hourly(5)),
		"login: 5/hour per address":        throttle.Scoped(s, "login", hourly(5), throttle.ByAddress()),
		"up: 5/hour per caller and tenant": throttle.Scoped(s, "up", hourly(5), throttle.ByCaller(), throttle.By("tenant", nil)),
		"login: 5/hour":                    throttle.New(s, "login", hourly(5)),
	} {
		if got := class.String(); got != want {
			t.Errorf("String is %q; want %q", got, want)
		}
	}
}

// TestWhichRequestsEachClassCountsTogether sends two requests with a limit of one.
func TestWhichRequestsEachClassCountsTogether(t *testing.T) {
	type visit struct{ card, from string }
	const home, away = "198.51.100.7", "203.0.113.9"
	anonymous := func(s throttle.Store) framework.Throttle { return throttle.Anonymous(s, hourly(1)) }
	user := func(s throttle.Store) framework.Throttle { return throttle.User(s, hourly(1)) }
	byAddress := func(s throttle.Store) framework.Throttle {
		return throttle.Scoped(s, "login", hourly(1), throttle.ByAddress())
	}
	byBoth := func(s throttle.Store) framework.Throttle {
		return throttle.Scoped(s, "login", hourly(1), throttle.ByAddress(), throttle.ByCaller())
	}
	onBothStores(t, func(t *testing.T, store func() throttle.Store) {
		for _, c := range []struct {
			name          string
			class         func(throttle.Store) framework.Throttle
			first, second visit
			together      bool
		}{
			{"anonymous: one address", anonymous, visit{"", home}, visit{"", home}, true},
			{"anonymous: two addresses", anonymous, visit{"", home}, visit{"", away}, false},
			{"anonymous: authenticated callers pass", anonymous, visit{"ada", home}, visit{"ada", home}, false},
			{"anonymous: an authenticated caller does not count", anonymous, visit{"ada", home}, visit{"", home}, false},
			{"anonymous: IPv6 by /56", anonymous, visit{"", "2001:db8:1:2::a"}, visit{"", "2001:db8:1:3:ffff::b"}, true},
			{"anonymous: another /56", anonymous, visit{"", "2001:db8:1:2::a"}, visit{"", "2001:db8:1:102::a"}, false},
			{"anonymous: IPv4 in IPv6 is IPv4", anonymous, visit{"", home}, visit{"", "::ffff:" + home}, true},
			{"user: one caller at two addresses", user, visit{"ada", home}, visit{"ada", away}, true},
			{"user: two callers at one address", user, visit{"ada", home}, visit{"eve", home}, false},
			{"user: anonymous from one address", user, visit{"", home}, visit{"", home}, true},
			{"user: anonymous from two", user, visit{"", home}, visit{"", away}, false},
			{"by address: two callers at one address", byAddress, visit{"ada", home}, visit{"eve", home}, true},
			{"by address: one caller at two", byAddress, visit{"ada", home}, visit{"ada", away}, false},
			{"by both: the same", byBoth, visit{"ada", home}, visit{"ada", home}, true},
			{"by both: another address", byBoth, visit{"ada", home}, visit{"ada", away}, false},
			{"by both: another caller", byBoth, visit{"ada", home}, visit{"eve", home}, false},
		} {
			t.Run(c.name, func(t *testing.T) {
				h := house{Config: framework.Config{DB: database(t), TrustedProxies: onLoopback(), Throttles: []framework.Throttle{c.class(store())}}}
				client := h.open(t)
				ask := func(v visit) *frameworktest.Response {
					return client.With("X-Card", v.card).With("X-Forwarded-For", v.from).Get(openPath)
				}
				ask(c.first).Expect(http.StatusNoContent)
				want := http.StatusNoContent
				if c.together {
					want = http.StatusTooManyRequests
				}
				ask(c.second).Expect(want)
			})
		}
	})
}

func TestScopesOfOneStoreAreCountedApart(t *testing.T) {
	onBothStores(t, func(t *testing.T, store func() throttle.Store) {
		s := store()
		visits := func(scope string) *frameworktest.Client {
			return house{Config: framework.Config{DB: database(t), Throttles: []framework.Throttle{throttle.Scoped(s, scope, hourly(1))}}}.open(t)
		}
		visits("upload").Get(openPath).Expect(http.StatusNoContent)
		visits("upload").Get(openPath).Expect(http.StatusTooManyRequests)
		visits("download").Get(openPath).Expect(http.StatusNoContent)
	})
}

// TestTheHeaders: the headers follow draft-ietf-httpapi-ratelimit-headers-10.
func TestTheHeaders(t *testing.T) {
	onBothStores(t, func(t *testing.T, store func() throttle.Store) {
		s := store()
		client := house{Config: framework.Config{DB: database(t), Throttles: []framework.Throttle{
			throttle.Anonymous(s, throttle.Rate{Limit: 60, Per: time.Minute}), throttle.User(s, hourly(2)), throttle.Scoped(s, "day", throttle.Rate{Limit: 1000, Per: 24 * time.Hour}),
		}}}.open(t)
		const policies = `"anon";q=60;w=60` + "\n" + `"user";q=2;w=3600` + "\n" + `"day";q=1000;w=86400`
		const t1, t2, t3 = `t=(60|59|58)`, `t=(3600|35\d\d)`, `t=8\d\d\d\d`

		r := client.Get(openPath).Expect(http.StatusNoContent)
		matches(t, lines(r, "RateLimit-Policy"), regexp.QuoteMeta(policies))
		matches(t, lines(r, "RateLimit"), `"anon";r=59;`+t1+"\n"+`"user";r=1;`+t2+"\n"+`"day";r=999;`+t3)
		r.Header("Retry-After", "")

		client.Get(openPath).Expect(http.StatusNoContent)
		r = client.Get(openPath).Expect(http.StatusTooManyRequests)
		matches(t, lines(r, "RateLimit"), `"anon";r=57;t=\d+`+"\n"+`"user";r=0;`+t2) // after a rejection no other throttle counts
		if wait := r.Headers().Get("Retry-After"); !strings.HasSuffix(lines(r, "RateLimit"), ";t="+wait) {
			t.Errorf("Retry-After is %s; RateLimit is %s", wait, lines(r, "RateLimit"))
		}

		r = client.With("X-Card", "ada").Get(openPath).Expect(http.StatusNoContent)
		matches(t, lines(r, "RateLimit-Policy"), `"user";q=2;w=3600`+"\n"+`"day";q=1000;w=86400`) // a throttle that does not count adds no header
	})
}

func TestTheLeastQuotaOfAScopeIsSent(t *testing.T) {
	t.Parallel()
	s := new(throttle.Memory)
	wide := throttle.Scoped(s, "login", hourly(9), throttle.ByAddress())
	tight := throttle.Scoped(s, "login", hourly(3), throttle.ByAddress())
	for name, order := range map[string][]framework.Throttle{"first": {tight, wide}, "last": {wide, tight}} {
		t.Run(name, func(t *testing.T) {
			r := house{Config: framework.Config{DB: database(t), Throttles: order}}.open(t).Get(openPath)
			matches(t, lines(r, "RateLimit-Policy"), `"login";q=3;w=3600`)
			matches(t, lines(r, "RateLimit"), `"login";r=[012];t=\d+`)
		})
	}
}

func matches(t *testing.T, got, pattern string) {
	t.Helper()
	if !regexp.MustCompile("^(?:" + pattern + ")$").MatchString(got) {
		t.Errorf("the header is\n%s\nwant\n%s", got, pattern)
	}
}

// TestALimiterInsideAnAction limits by a value of the body. Its count survives the
// rollback of the transaction.
func TestALimiterInsideAnAction(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		createVisits(t, db)
		onBothStores(t, func(t *testing.T, store func() throttle.Store) {
			if _, err := db.NewDelete().Model((*Visit)(nil)).Where("1 = 1").Exec(t.Context()); err != nil {
				t.Fatal(err)
			}
			h := house{Config: framework.Config{DB: db, TrustedProxies: onLoopback()}, perAccount: throttle.New(store(), "login", hourly(2))}
			client := h.open(t)
			login := func(email, from string) *frameworktest.Response {
				return client.With("X-Forwarded-For", from).Post(loginPath, signIn{email})
			}
			login("ada@example.com", "198.51.100.7").Expect(http.StatusNoContent)
			login("ada@example.com", "198.51.100.7").Expect(http.StatusNoContent)
			for range 3 {
				r := login("ada@example.com", "198.51.100.7").Expect(http.StatusTooManyRequests).Code(framework.CodeThrottled)
				matches(t, r.Headers().Get("Retry-After"), `3600|35\d\d`)
				matches(t, lines(r, "RateLimit"), `"login";r=0;t=3\d\d\d`)
			}
			login("ada@example.com", "203.0.113.9").Expect(http.StatusNoContent) // ada is not locked out at other addresses
			login("eve@example.com", "198.51.100.7").Expect(http.StatusNoContent)
			if n, err := db.NewSelect().Model((*Visit)(nil)).Count(t.Context()); err != nil || n != 4 {
				t.Errorf("%d visits are kept, error %v; want the 4 that passed", n, err)
			}
		})
	})
}

// TestFailedCredentials: invalid credentials are limited per address; valid ones are not.
func TestFailedCredentials(t *testing.T) {
	onBothStores(t, func(t *testing.T, store func() throttle.Store) {
		guarded := func(t *testing.T, c framework.Config) *frameworktest.Client {
			c.DB = database(t)
			c.Authentication = throttle.Failures(throttle.New(store(), "credentials", hourly(10)), cards{})
			return house{Config: c}.open(t)
		}
		t.Run("an address with too many failures", func(t *testing.T) {
			client := guarded(t, framework.Config{TrustedProxies: onLoopback()}).With("X-Forwarded-For", "198.51.100.7")
			for i := range 10 {
				r := client.With("X-Card", fmt.Sprint("guess ", i)).Get(openPath).Expect(http.StatusUnauthorized).Header("WWW-Authenticate", "Card")
				matches(t, lines(r, "RateLimit"), fmt.Sprintf(`"credentials";r=%d;t=\d+`, 9-i))
			}
			refused := client.With("X-Card", "guess").Get(openPath).Expect(http.StatusTooManyRequests).Code(framework.CodeThrottled).Header("WWW-Authenticate", "")
			matches(t, refused.Headers().Get("Retry-After"), `\d+`)
			client.With("Authorization", "Basic Zm9v").Get(openPath).Expect(http.StatusTooManyRequests)

			client.With("X-Card", "ada").Get(openPath).Expect(http.StatusNoContent).Header("RateLimit", "")
			client.Get(openPath).Expect(http.StatusNoContent)
			client.With("X-Forwarded-For", "203.0.113.9").With("X-Card", "guess").Get(openPath).Expect(http.StatusUnauthorized)
		})
		t.Run("an unknown scheme counts", func(t *testing.T) {
			client := guarded(t, framework.Config{}).With("Authorization", "Basic Zm9v")
			for range 10 {
				client.Get(openPath).Expect(http.StatusUnauthorized).Header("WWW-Authenticate", "Card").Contains("send Card, a space and the credentials.")
			}
			client.Get(openPath).Expect(http.StatusTooManyRequests)
		})
		t.Run("a scheme that fails does not count", func(t *testing.T) {
			client := guarded(t, framework.Config{}).With("X-Card", "off")
			for range 12 {
				client.Get(openPath).Expect(http.StatusInternalServerError).Header("RateLimit", "")
			}
		})
		t.Run("an error for an authenticated caller does not count", func(t *testing.T) {
			client := guarded(t, framework.Config{}).With("X-Card", "blocked")
			for range 12 {
				client.Get(openPath).Expect(http.StatusForbidden).Header("RateLimit", "")
			}
		})
		t.Run("behind another access check each request counts once", func(t *testing.T) {
			client := guarded(t, framework.Config{Guards: []framework.Guard{{Under: "visits", Permission: framework.Anyone()}}}).With("X-Card", "guess")
			for range 10 {
				client.Get(openPath).Expect(http.StatusUnauthorized)
			}
			client.Get(openPath).Expect(http.StatusTooManyRequests)
		})
		t.Run("a thousand wrong from a thousand spoofed addresses", func(t *testing.T) {
			client := guarded(t, framework.Config{})
			var refused, admitted atomic.Int64
			var group sync.WaitGroup
			for worker := range 10 {
				group.Go(func() {
					for i := range 100 {
						spoofed := fmt.Sprintf("198.51.%d.%d", worker, i)
						r := client.With("X-Forwarded-For", spoofed).With("X-Card", "guess "+spoofed).Get(openPath)
						switch r.Status() {
						case http.StatusTooManyRequests:
							refused.Add(1)
						case http.StatusUnauthorized:
							admitted.Add(1)
						}
					}
				})
			}
			group.Wait()
			if admitted.Load() != 10 || refused.Load() != 990 {
				t.Errorf("%d are 401 and %d are 429; want 10 and 990", admitted.Load(), refused.Load())
			}
		})
	})
}

func TestASchemeInsideFailuresIsStillAnAuthenticator(t *testing.T) {
	rate := throttle.Rate{Limit: 1_000_000, Per: 24 * time.Hour}
	schemes := throttle.Failures(throttle.New(new(throttle.Memory), "credentials", rate), cards{})
	card := func(name string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("X-Card", name) }
	}
	for name, scheme := range map[string]framework.Authenticator{"the scheme itself": schemes[0], "with the check for unknown schemes": inTurn(schemes)} {
		t.Run(name, func(t *testing.T) {
			frameworktest.TestAuthenticator(t, frameworktest.AuthenticatorCase{
				Authenticator: scheme, Valid: card("ada"),
				Invalid: map[string]func(*http.Request){"of an unknown card": card("nobody's")}, Secrets: []string{"nobody's"},
			})
		})
	}
	if inner, ok := schemes[0].(interface {
		Unwrap() framework.Authenticator
	}); !ok || inner.Unwrap() != framework.Authenticator(cards{}) {
		t.Error("Unwrap does not return the scheme")
	}
}

// inTurn calls schemes one after the other, as the framework does.
type inTurn []framework.Authenticator

func (s inTurn) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	for _, scheme := range s {
		if caller, err := scheme.Authenticate(c, r); caller != nil || err != nil {
			return caller, err
		}
	}
	return nil, nil
}

func (s inTurn) Challenge() string { return s[0].Challenge() }

// TestASpoofedAddressDoesNotHelp: without a trusted proxy the address of the connection
// counts.
func TestASpoofedAddressDoesNotHelp(t *testing.T) {
	onBothStores(t, func(t *testing.T, store func() throttle.Store) {
		h := house{Config: framework.Config{DB: database(t)}, login: []framework.Throttle{throttle.Scoped(store(), "login", hourly(10), throttle.ByAddress())}}
		createVisits(t, h.DB)
		client := h.open(t)
		for i := range 1000 {
			want := http.StatusNoContent
			if i >= 10 {
				want = http.StatusTooManyRequests
			}
			spoofed := fmt.Sprintf("198.51.%d.%d", i/250, i%250)
			client.With("X-Forwarded-For", spoofed).With("Forwarded", "for="+spoofed).With("X-Real-Ip", spoofed).
				Post(loginPath, signIn{strconv.Itoa(i)}).Expect(want)
		}
	})
}

// TestWhichClassesNeedNoCaller: these throttles run before authentication.
func TestWhichClassesNeedNoCaller(t *testing.T) {
	t.Parallel()
	s := new(throttle.Memory)
	scoped := func(by ...throttle.Key) *throttle.Throttle { return throttle.Scoped(s, "upload", hourly(5), by...) }
	account := throttle.ByAccount(func(*framework.Call) string { return "" })
	for name, c := range map[string]struct {
		class *throttle.Throttle
		want  bool
	}{
		"by address":             {scoped(throttle.ByAddress()), true},
		"by address twice":       {scoped(throttle.ByAddress(), throttle.ByAddress()), true},
		"by caller":              {scoped(), false},
		"by address and caller":  {scoped(throttle.ByAddress(), throttle.ByCaller()), false},
		"by account":             {scoped(account), false},
		"by address and account": {scoped(throttle.ByAddress(), account), false},
		"anonymous callers":      {throttle.Anonymous(s, hourly(5)), false},
		"users":                  {throttle.User(s, hourly(5)), false},
	} {
		if got := c.class.BeforeCaller(); got != c.want {
			t.Errorf("%s needs no caller: %v; want %v", name, got, c.want)
		}
	}
}
