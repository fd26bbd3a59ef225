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

// The scopes of the rates of a [Service], in addition to throttle.ScopeAnonymous and
// throttle.ScopeUser. An address is that of throttle.Address: an IPv4 address, or the /56
// network of an IPv6 address.
const (
	// ScopeLogin counts the passwords that one address tries on one account, whether the
	// account exists or not. It does not affect other addresses. All texts that are not
	// e-mail addresses count as one account.
	ScopeLogin = "login"
	// ScopeLoginAddress counts the passwords that one address tries.
	ScopeLoginAddress = "login_address"
	// ScopeRegister counts registrations with valid input from one address, even if the
	// e-mail is taken.
	ScopeRegister = "register"
	// ScopeCredentials counts invalid tokens and similar credentials from one address.
	// Valid ones always pass.
	ScopeCredentials = "credentials"
	// ScopeMail counts the mails that are requested for one e-mail address, from any address of
	// a client, whether it has an account or not.
	ScopeMail = "mail"
	// ScopeMailAddress counts the mails that one address of a client requests.
	ScopeMailAddress = "mail_address"
)

// Scopes returns the scopes for which a [Service] accepts rates.
func Scopes() []string {
	return []string{ScopeLogin, ScopeLoginAddress, ScopeRegister, ScopeCredentials, ScopeMail, ScopeMailAddress, throttle.ScopeUser, throttle.ScopeAnonymous}
}

// DefaultRates returns the rates of a [Service] by scope, for the scopes that have no rate in
// [Config].Rates. By default "user" and "anon" have no rate.
func DefaultRates() map[string]throttle.Rate {
	return map[string]throttle.Rate{
		ScopeLogin:        {Limit: 10, Per: time.Minute},
		ScopeLoginAddress: {Limit: 60, Per: time.Minute},
		ScopeRegister:     {Limit: 20, Per: time.Hour},
		ScopeCredentials:  {Limit: 60, Per: time.Minute},
		ScopeMail:         {Limit: 5, Per: time.Hour},
		ScopeMailAddress:  {Limit: 30, Per: time.Hour},
	}
}

// limits are the limiters of a service.
type limits struct {
	login        *throttle.Limiter
	loginAddress *throttle.Limiter
	register     *throttle.Limiter
	credentials  *throttle.Limiter
	mail         *throttle.Limiter
	mailAddress  *throttle.Limiter
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
		mail:         throttle.New(store, ScopeMail, rates[ScopeMail]),
		mailAddress:  throttle.New(store, ScopeMailAddress, rates[ScopeMailAddress]),
	}
	if rate, ok := rates[throttle.ScopeAnonymous]; ok {
		l.general = append(l.general, throttle.Anonymous(store, rate))
	}
	if rate, ok := rates[throttle.ScopeUser]; ok {
		l.general = append(l.general, throttle.User(store, rate))
	}
	return l
}

// checkRates returns an error for the first unknown scope or invalid rate.
func checkRates(rates map[string]throttle.Rate) error {
	for _, scope := range slices.Sorted(maps.Keys(rates)) {
		if !slices.Contains(Scopes(), scope) {
			return fmt.Errorf("auth.Config: Rates has the unknown scope %q; the scopes are %s", scope, strings.Join(Scopes(), ", "))
		}
		if err := rates[scope].Check(); err != nil {
			return fmt.Errorf("auth.Config: Rates, scope %q: %w", scope, err)
		}
	}
	return nil
}
