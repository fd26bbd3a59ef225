package framework_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// turnstile is a throttle of the tests' own: so many calls, then a wait.
type turnstile struct {
	free int
	wait time.Duration
	err  error

	mu    sync.Mutex
	calls []string
}

func (t *turnstile) Allow(c *framework.Call, _ *http.Request) (time.Duration, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, c.Caller.Name+" "+c.Route.Name)
	if t.err != nil {
		return 0, t.err
	}
	if len(t.calls) <= t.free {
		return 0, nil
	}
	return max(t.wait, time.Second), nil
}

func (t *turnstile) String() string { return fmt.Sprint(t.free, " calls") }

// TestThrottles run after the caller is identified and before the permission is checked.
func TestThrottles(t *testing.T) {
	db := sqlite(t)
	served := func(ts ...framework.Throttle) *client {
		c := config(db)
		c.Throttles = ts
		v := countries()
		v.Permission = framework.Staff()
		return serve(t, c, v)
	}
	t.Run("a wait is 429, rounded up to whole seconds", func(t *testing.T) {
		for wait, want := range map[time.Duration]string{time.Second: "1", 1001 * time.Millisecond: "2", time.Minute: "60", 59*time.Second + 1: "60"} {
			api := served(&turnstile{free: 1, wait: wait}).in(t).as("eve")
			api.get("/api/countries/").is(200).head("Retry-After", "")
			api.get("/api/countries/").refuses(429, "rate_limited").head("Retry-After", want).says("in " + want + " s")
		}
	})
	t.Run("who is refused was counted", func(t *testing.T) {
		first := &turnstile{free: 1}
		api := served(first).in(t)
		api.as("ada").get("/api/countries/").refuses(403, "forbidden")
		api.as("ada").get("/api/countries/").refuses(429, "rate_limited")
		if len(first.calls) != 2 || first.calls[0] != "Ada list" {
			t.Errorf("asked for %v", first.calls)
		}
	})
	t.Run("in turn, and the first that makes wait ends it", func(t *testing.T) {
		first, second, third := &turnstile{free: 9}, &turnstile{}, &turnstile{free: 9}
		served(first, second, third).in(t).as("eve").get("/api/countries/").refuses(429, "rate_limited")
		if len(first.calls) != 1 || len(second.calls) != 1 || len(third.calls) != 0 {
			t.Errorf("asked %d, %d and %d times", len(first.calls), len(second.calls), len(third.calls))
		}
	})
	t.Run("a throttle that fails is a failure of the server", func(t *testing.T) {
		served(&turnstile{err: errors.New("the store of secrets is away")}).in(t).as("eve").get("/api/countries/").refuses(500, "internal").lacks("secrets")
	})
	t.Run("bad credentials are 401 before any throttle", func(t *testing.T) {
		first := &turnstile{}
		served(first).in(t).as("nobody").get("/api/countries/").refuses(401, "invalid_token")
		if len(first.calls) != 0 {
			t.Errorf("asked for %v", first.calls)
		}
	})
}

// An earlyTurnstile is a turnstile that may run before the caller is identified.
type earlyTurnstile struct {
	*turnstile

	before bool
}

func (e earlyTurnstile) BeforeCaller() bool { return e.before }

// TestEarlyThrottles: a request beyond the rate of its address makes no statement, also
// if it has credentials.
func TestEarlyThrottles(t *testing.T) {
	db := sqlite(t)
	var statements atomic.Int64
	db.Observe(func(context.Context, sqldb.Event) { statements.Add(1) })
	served := func(ts ...framework.Throttle) *client {
		c := config(db)
		c.Throttles = ts
		c.Authentication = []framework.Authenticator{looksUp{c.Authentication[0]}}
		return serve(t, c, countries())
	}
	for _, who := range []string{"ada", "nobody", ""} {
		t.Run("a request of "+cmp.Or(who, "an anonymous client"), func(t *testing.T) {
			first, late := &turnstile{}, &turnstile{free: 9}
			api := served(late, earlyTurnstile{first, true}).in(t).as(who)
			statements.Store(0)
			api.get("/api/countries/").refuses(429, "rate_limited").head("Retry-After", "1")
			if n := statements.Load(); n != 0 {
				t.Errorf("%d statements; want none", n)
			}
			if len(late.calls) != 0 || len(first.calls) != 1 || first.calls[0] != " list" {
				t.Errorf("early %v, late %v; want one early call without a caller", first.calls, late.calls)
			}
		})
	}
	t.Run("a throttle that needs the caller is asked afterwards", func(t *testing.T) {
		needs, early := &turnstile{}, &turnstile{free: 9}
		api := served(earlyTurnstile{needs, false}, earlyTurnstile{early, true}).in(t).as("ada")
		statements.Store(0)
		api.get("/api/countries/").refuses(429, "rate_limited")
		if len(needs.calls) != 1 || needs.calls[0] != "Ada list" || len(early.calls) != 1 || statements.Load() == 0 {
			t.Errorf("early %v, late %v after %d statements", early.calls, needs.calls, statements.Load())
		}
	})
	t.Run("each is asked once", func(t *testing.T) {
		early, late := &turnstile{free: 9}, &turnstile{free: 9}
		served(late, earlyTurnstile{early, true}).in(t).as("ada").get("/api/countries/").is(200)
		if len(early.calls) != 1 || len(late.calls) != 1 {
			t.Errorf("early %v, late %v", early.calls, late.calls)
		}
	})
}

// looksUp is a scheme that makes a statement for each request.
type looksUp struct{ framework.Authenticator }

func (l looksUp) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	if _, err := c.Session().Read(c, c.DB.NewRaw("SELECT 1")); err != nil {
		return nil, err
	}
	return l.Authenticator.Authenticate(c, r)
}
