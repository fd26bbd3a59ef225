package throttle

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"trestle.example/framework"
)

// The scopes of [Anonymous] and [User].
const (
	ScopeAnonymous = "anon"
	ScopeUser      = "user"
)

// A Throttle is a [framework.Throttle]: a limiter with the keys by which it counts. It
// never changes and is safe for concurrent use.
type Throttle struct {
	limiter *Limiter
	keys    []Key
	counts  func(*framework.Call) bool // nil for every request
}

var _ framework.EarlyThrottle = (*Throttle)(nil)

// Anonymous limits anonymous callers by address, in the scope "anon". Authenticated
// callers pass. It panics if the declaration has a mistake, see [New].
func Anonymous(store Store, rate Rate) *Throttle {
	return &Throttle{New(store, ScopeAnonymous, rate), []Key{ByAddress()}, func(c *framework.Call) bool { return c.Caller.Anonymous() }}
}

// User limits each caller, at any address, in the scope "user". Anonymous callers count
// by their address; add [Anonymous] for a smaller rate. It panics if the declaration has a
// mistake, see [New].
func User(store Store, rate Rate) *Throttle { return Scoped(store, ScopeUser, rate, ByCaller()) }

// Scoped limits the viewset or action for which it is declared, in a scope of its own.
// All viewsets and actions with the same scope, store, rate and keys are counted together.
// If there are several keys, their combination counts. Without a key it counts [ByCaller].
// It panics if the declaration has a mistake, see [New].
func Scoped(store Store, scope string, rate Rate, by ...Key) *Throttle {
	if len(by) == 0 {
		by = []Key{ByCaller()}
	}
	return &Throttle{limiter: New(store, scope, rate), keys: by}
}

// Allow implements [framework.Throttle]. It returns 0 if the request passes, or else the time
// until another may pass. If the throttle does not apply to the caller, the request passes and
// is not counted. An error of the store is returned as it is.
func (t *Throttle) Allow(c *framework.Call, _ *http.Request) (wait time.Duration, err error) {
	if t.counts != nil && !t.counts(c) {
		return 0, nil
	}
	parts := make([]string, len(t.keys))
	for i, k := range t.keys {
		parts[i] = k.of(c)
	}
	q, err := t.limiter.take(c, parts...)
	return q.Wait, err
}

// BeforeCaller implements [framework.EarlyThrottle]. It is true for a throttle that counts
// every request and whose only keys are [ByAddress]. It is false for [Anonymous], which needs
// the caller.
func (t *Throttle) BeforeCaller() bool {
	return t.counts == nil && !slices.ContainsFunc(t.keys, func(k Key) bool { return !k.early })
}

// String returns the scope, the rate and the keys: "login: 5/min per address".
func (t *Throttle) String() string {
	names := make([]string, len(t.keys))
	for i, k := range t.keys {
		names[i] = k.name
	}
	return t.limiter.String() + " per " + strings.Join(names, " and ")
}
