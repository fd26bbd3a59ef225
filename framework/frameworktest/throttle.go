package frameworktest

import (
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"trestle.example/framework"
)

// A ThrottleCase is a throttle with its limit.
type ThrottleCase struct {
	// New makes a throttle that has counted nothing yet. Required.
	New func() framework.Throttle
	// Allows is how many consecutive requests of one anonymous client pass before the
	// first is rejected, at least 1. Choose a long period, such as 5 an hour, so that the
	// period does not end during the test. Required.
	Allows int
}

// TestThrottle checks a throttle against the contract of [framework.Throttle]. Exactly
// c.Allows requests must pass, one after the other and also if many arrive at once. Further
// requests must be answered 429 with Retry-After in whole seconds. String must return one
// line that states the limit.
func TestThrottle(t *testing.T, c ThrottleCase) {
	t.Helper()
	checkThrottle(t, c)
}

func checkThrottle(tb testing.TB, c ThrottleCase) {
	tb.Helper()
	if c.New == nil || c.Allows < 1 {
		tb.Fatal("a ThrottleCase needs New and Allows, at least 1")
	}
	throttle := c.New()
	if name := throttle.String(); strings.TrimSpace(name) == "" || strings.ContainsAny(name, "\r\n") {
		tb.Errorf("String is %q; want one line that states what it allows", name)
	}
	checkInTurn(tb, serveThrottled(tb, throttle), c.Allows)
	checkAtOnce(tb, serveThrottled(tb, c.New()), c.Allows)
}

func serveThrottled(tb testing.TB, t framework.Throttle) *Client {
	tb.Helper()
	return serveWhoami(tb, framework.Config{Throttles: []framework.Throttle{t}})
}

func checkInTurn(tb testing.TB, c *Client, allows int) {
	tb.Helper()
	for i := range allows {
		if r := c.Get(whoamiPath); r.Status() != http.StatusOK {
			r.failf("request %d of the %d that are allowed has status %d; want 200", i+1, allows, r.Status())
			return
		}
	}
	for range 2 {
		r := c.Get(whoamiPath).Expect(http.StatusTooManyRequests).Code(framework.CodeThrottled)
		if wait, err := strconv.Atoi(r.Headers().Get("Retry-After")); err != nil || wait < 1 {
			r.failf("Retry-After is %q; want whole seconds, at least 1", r.Headers().Get("Retry-After"))
		}
	}
}

func checkAtOnce(tb testing.TB, c *Client, allows int) {
	tb.Helper()
	var passed atomic.Int64
	var group sync.WaitGroup
	for range allows + 16 {
		group.Go(func() {
			switch r := c.Get(whoamiPath); r.Status() {
			case http.StatusOK:
				passed.Add(1)
			case http.StatusTooManyRequests:
			default:
				r.failf("status %d; want 200 or 429", r.Status())
			}
		})
	}
	group.Wait()
	if got := passed.Load(); got != int64(allows) {
		tb.Errorf("of many requests at once %d pass; want %d", got, allows)
	}
}
