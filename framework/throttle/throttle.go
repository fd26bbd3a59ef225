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

// A Throttle is a [framework.Throttle]: a limiter with the keys by which it
// counts. It does not change and is used by many requests at once.
type Throttle struct {
	limiter *Limiter
	keys    []Key
	counts  func(*framework.Call) bool // nil for every request
}

var _ framework.EarlyThrottle = (*Throttle)(nil)

// Anonymous limits anonymous callers, each address on its own, in the scope
// "anon". Callers who are known pass. A mistake in the declaration panics, as
// in [New].
func Anonymous(store Store, rate Rate) *Throttle {
	return &Throttle{New(store, ScopeAnonymous, rate), []Key{ByAddress()}, func(c *framework.Call) bool { return c.Caller.Anonymous() }}
}

// User limits each caller on their own, from wherever they call, in the scope
// "user". Anonymous callers count by their address; put [Anonymous] beside it
// for a smaller rate.
func User(store Store, rate Rate) *Throttle { return Scoped(store, ScopeUser, rate, ByCaller()) }

// Scoped limits whatever it is declared for, counted in a scope of its own: all
// viewsets and actions with the same scope, store and rate count together. Of
// several keys the combination counts. Without any it counts [ByCaller].
func Scoped(store Store, scope string, rate Rate, by ...Key) *Throttle {
	if len(by) == 0 {
		by = []Key{ByCaller()}
	}
	return &Throttle{limiter: New(store, scope, rate), keys: by}
}

// Allow implements [framework.Throttle].
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

// BeforeCaller implements [framework.EarlyThrottle]: it is true for a throttle that
// counts by address alone.
func (t *Throttle) BeforeCaller() bool {
	return t.counts == nil && !slices.ContainsFunc(t.keys, func(k Key) bool { return !k.early })
}

// String says what the throttle allows: "login: 5/min per address".
func (t *Throttle) String() string {
	names := make([]string, len(t.keys))
	for i, k := range t.keys {
		names[i] = k.name
	}
	return t.limiter.String() + " per " + strings.Join(names, " and ")
}
