package auth

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/throttle"
)

// The scopes of a [Service]'s rates, beside throttle.ScopeAnonymous and
// throttle.ScopeUser.
const (
	// ScopeLogin counts passwords that are tried on one account from one
	// network, whether the account exists or not. Nobody elsewhere is kept
	// out by it.
	ScopeLogin = "login"
	// ScopeLoginAddress counts passwords that are tried from one address.
	ScopeLoginAddress = "login_address"
	// ScopeRegister counts registrations from one address.
	ScopeRegister = "register"
	// ScopeCredentials counts tokens and the like that do not hold, from one
	// address. Those that hold always pass.
	ScopeCredentials = "credentials"
)

// Scopes are the scopes that a [Service] may be given rates for.
func Scopes() []string {
	return []string{ScopeLogin, ScopeLoginAddress, ScopeRegister, ScopeCredentials, throttle.ScopeUser, throttle.ScopeAnonymous}
}

// DefaultRates are what a [Service] holds to where it is not told otherwise,
// by scope. Callers as such, "user" and "anon", are not limited by default.
func DefaultRates() map[string]throttle.Rate {
	return map[string]throttle.Rate{
		ScopeLogin:        {Limit: 10, Per: time.Minute},
		ScopeLoginAddress: {Limit: 60, Per: time.Minute},
		ScopeRegister:     {Limit: 20, Per: time.Hour},
		ScopeCredentials:  {Limit: 60, Per: time.Minute},
	}
}

// limits are the rates of a service at work.
type limits struct {
	login        *throttle.Limiter
	loginAddress *throttle.Limiter
	register     *throttle.Limiter
	credentials  *throttle.Limiter
	general      []framework.Throttle
}

func newLimits(store throttle.Store, given map[string]throttle.Rate) limits {
	rates := DefaultRates()
	maps.Copy(rates, given)
	l := limits{
		login:        throttle.New(store, ScopeLogin, rates[ScopeLogin]),
		loginAddress: throttle.New(store, ScopeLoginAddress, rates[ScopeLoginAddress]),
		register:     throttle.New(store, ScopeRegister, rates[ScopeRegister]),
		credentials:  throttle.New(store, ScopeCredentials, rates[ScopeCredentials]),
	}
	if rate, ok := rates[throttle.ScopeAnonymous]; ok {
		l.general = append(l.general, throttle.Anonymous(store, rate))
	}
	if rate, ok := rates[throttle.ScopeUser]; ok {
		l.general = append(l.general, throttle.User(store, rate))
	}
	return l
}

// checkRates refuses the rate of an unknown scope, and one that cannot be.
func checkRates(rates map[string]throttle.Rate) error {
	for _, scope := range slices.Sorted(maps.Keys(rates)) {
		if !slices.Contains(Scopes(), scope) {
			return fmt.Errorf("auth.Config: Rates has the scope %q; there are %s", scope, strings.Join(Scopes(), ", "))
		}
		if err := rates[scope].Check(); err != nil {
			return fmt.Errorf("auth.Config: Rates, scope %q: %w", scope, err)
		}
	}
	return nil
}
