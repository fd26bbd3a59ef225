package oidc

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/throttle"
)

// ScopeOIDC is the scope of the rate of the paths of this package.
const ScopeOIDC = "oidc"

// Options are the settings of [New]. Only Providers is required.
type Options struct {
	// Providers are the identity providers.
	Providers []Provider
	// FailurePage is a path of the own origin, such as "/sign-in". After a failed sign-in the
	// browser is sent there with the query parameter "code", an error code. Defaults to none:
	// the answer is the error itself.
	FailurePage string
	// Rate is how many requests one address may send to the paths of this package. Defaults
	// to 60 in a minute.
	Rate throttle.Rate
	// Counters stores the counts of the rate. Defaults to a throttle.Memory.
	Counters throttle.Store
	// HTTP is the client for requests to providers. Defaults to one with a limit of 10 s for
	// an answer.
	HTTP *http.Client
	// Now returns the time, for tests. Defaults to time.Now.
	Now func() time.Time
	// Log receives a line for each answer of a provider that is not accepted. It contains no
	// secret and no personal data. Defaults to slog.Default.
	Log *slog.Logger
}

// A SignIn signs people in by identity providers. Make one for the process with [New]. It is safe
// for concurrent use.
type SignIn struct {
	identity    *auth.Service
	clients     map[string]*client
	limiter     *throttle.Limiter
	failurePage string
	log         *slog.Logger
}

// New returns the sign-in to the accounts of identity by the providers of o. The error lists every
// mistake of the declaration. New sends no request: a provider that does not answer does not keep
// the program from starting.
func New(identity *auth.Service, o Options) (*SignIn, error) {
	if err := o.check(identity); err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.Counters == nil {
		o.Counters = new(throttle.Memory)
	}
	s := &SignIn{
		identity: identity, clients: map[string]*client{}, limiter: throttle.New(o.Counters, ScopeOIDC, o.Rate),
		failurePage: o.FailurePage, log: o.Log,
	}
	for _, p := range o.Providers {
		s.clients[p.Name] = newClient(p, o.HTTP, o.Now)
	}
	return s, nil
}

// check returns every mistake of the options, and sets the default of the rate.
func (o *Options) check(identity *auth.Service) error {
	var mistakes []error
	if identity == nil {
		mistakes = append(mistakes, naming.Sentence("oidc: the service is nil; auth.New makes one"))
	}
	if len(o.Providers) == 0 {
		mistakes = append(mistakes, naming.Sentence("oidc: Options.Providers is empty; declare a provider"))
	}
	if o.FailurePage != "" && !isOwnPath(o.FailurePage) {
		mistakes = append(mistakes, naming.Sentence("oidc: Options.FailurePage %q is not a path of this server, as in /sign-in", o.FailurePage))
	}
	o.Rate.Limit, o.Rate.Per = cmp.Or(o.Rate.Limit, 60), cmp.Or(o.Rate.Per, time.Minute)
	if err := o.Rate.Check(); err != nil {
		mistakes = append(mistakes, naming.Sentence("oidc: Options.Rate: %w", err))
	}
	names := map[string]bool{}
	for _, p := range o.Providers {
		mistakes = append(mistakes, p.check())
		if names[p.Name] {
			mistakes = append(mistakes, naming.Sentence("oidc: two providers have the name %q", p.Name))
		}
		names[p.Name] = true
	}
	return errors.Join(mistakes...)
}

// Handler returns the handler of all paths below {prefix}/auth/oidc/ of an API. It has the hosts,
// throttles, errors and log lines of the API, as [framework.API.Protect] states. Its errors are
// those of Protect.
func (s *SignIn) Handler(api *framework.API) (http.Handler, error) {
	return api.Protect(framework.Anyone(), &handler{s, api})
}

// Ready returns an error if a provider has not been reached yet, after another attempt to reach
// it. Use it as a check of /readyz that only degrades:
//
//	httpserver.Check{Name: "oidc", Degrades: true, Run: signIn.Ready}
func (s *SignIn) Ready(ctx context.Context) error {
	var away []error
	for _, c := range s.clients {
		if _, err := c.discover(ctx); err != nil {
			away = append(away, err)
		}
	}
	return errors.Join(away...)
}

// note logs why the answer of a provider was not accepted.
func (s *SignIn) note(c *framework.Call, provider, reason string, err error) {
	s.log.LogAttrs(c, slog.LevelWarn, "a sign-in by an identity provider failed", slog.String("provider", provider),
		slog.String("request", c.ID.String()), slog.String("reason", reason), slog.String("error", brief(err)))
}
