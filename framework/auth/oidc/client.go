package oidc

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	gooidc "github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const (
	clockSkew    = time.Minute
	retryAfter   = 5 * time.Second // between two attempts to discover a provider
	answerLimit  = 1 << 20         // bytes of an answer of a provider
	answerPeriod = 10 * time.Second
)

// A client talks to one provider. It discovers the provider at its first use, and after an error
// again at a later use. It is safe for concurrent use.
type client struct {
	Provider

	http    *http.Client
	now     func() time.Time
	found   atomic.Pointer[endpoints]
	turn    chan struct{} // has one place, for the request that discovers
	failed  time.Time     // when the last discovery failed; only the holder of turn uses it
	failure error         // its error
}

// endpoints are what discovery found.
type endpoints struct {
	provider   *gooidc.Provider
	oauth      oauth2.Config
	sendsIss   bool // RFC 9207
	hasProfile bool // there is a UserInfo endpoint
}

func newClient(p Provider, h *http.Client, now func() time.Time) *client {
	return &client{Provider: p, http: boundClient(h), now: now, turn: make(chan struct{}, 1)}
}

// discover returns the endpoints of the provider. If they are not known yet, it requests them,
// unless the last attempt failed less than retryAfter ago.
func (c *client) discover(ctx context.Context) (*endpoints, error) {
	if e := c.found.Load(); e != nil {
		return e, nil
	}
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if e := c.found.Load(); e != nil {
		return e, nil
	}
	if c.failure != nil && c.now().Sub(c.failed) < retryAfter {
		return nil, c.failure
	}
	e, err := c.request()
	if err != nil {
		c.failed, c.failure = c.now(), fmt.Errorf("discovering the provider %q: %s", c.Name, brief(err))
		return nil, c.failure
	}
	c.found.Store(e)
	return e, nil
}

// request reads the discovery document. Its context is not that of a request: the library uses it
// as long as the provider.
func (c *client) request() (*endpoints, error) {
	provider, err := gooidc.NewProvider(gooidc.ClientContext(context.Background(), c.http), c.Issuer)
	if err != nil {
		return nil, err
	}
	var document struct {
		Methods  []string `json:"token_endpoint_auth_methods_supported"`
		SendsIss bool     `json:"authorization_response_iss_parameter_supported"`
		Keys     string   `json:"jwks_uri"`
	}
	if err := provider.Claims(&document); err != nil {
		return nil, err
	}
	endpoint := provider.Endpoint()
	if endpoint.AuthURL == "" || endpoint.TokenURL == "" {
		return nil, errors.New("its document names no authorization_endpoint or no token_endpoint")
	}
	if err := c.checkTLS(endpoint.AuthURL, endpoint.TokenURL, document.Keys, provider.UserInfoEndpoint()); err != nil {
		return nil, err
	}
	endpoint.AuthStyle = c.authStyle(document.Methods)
	return &endpoints{
		provider: provider,
		oauth:    oauth2.Config{ClientID: c.ClientID, ClientSecret: c.ClientSecret.Reveal(), Endpoint: endpoint, Scopes: c.scopes()},
		sendsIss: document.SendsIss, hasProfile: provider.UserInfoEndpoint() != "",
	}, nil
}

// checkTLS returns an error if an issuer with TLS names an address without TLS: secrets and keys
// would be sent in cleartext. "" is no address.
func (c *client) checkTLS(addresses ...string) error {
	for _, address := range addresses {
		if address != "" && strings.HasPrefix(c.Issuer, "https:") && !strings.HasPrefix(address, "https:") {
			return fmt.Errorf("its document names the address %.100q, which is without TLS", address)
		}
	}
	return nil
}

// authStyle returns how the client sends its secret: as HTTP Basic authentication, unless the
// provider supports only the body. A public client sends its id in the body.
func (c *client) authStyle(methods []string) oauth2.AuthStyle {
	if c.ClientSecret.Reveal() == "" || !slices.Contains(methods, "client_secret_basic") && slices.Contains(methods, "client_secret_post") {
		return oauth2.AuthStyleInParams
	}
	return oauth2.AuthStyleInHeader
}

// address returns the URL of the provider at which a sign-in begins.
func (e *endpoints) address(a attempt, redirect string) string {
	flow := e.oauth
	flow.RedirectURL = redirect
	return flow.AuthCodeURL(a.state(), gooidc.Nonce(a.nonce()), oauth2.S256ChallengeOption(a.verifier()))
}

// errCode is the error for a code that the provider does not accept.
var errCode = errors.New("the provider does not accept the code")

// redeem exchanges a code for the claims of the person, after every check of the ID token. The
// error is errCode, one of [isUnreachable], or what is wrong with the answer.
func (c *client) redeem(ctx context.Context, e *endpoints, a attempt, redirect, code string) (claims, error) {
	ctx = gooidc.ClientContext(ctx, c.http)
	flow := e.oauth
	flow.RedirectURL = redirect
	tokens, err := flow.Exchange(ctx, code, oauth2.VerifierOption(a.verifier()))
	if err != nil {
		return claims{}, exchangeError(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	if raw == "" {
		return claims{}, errors.New("the token endpoint sent no ID token")
	}
	idToken, err := c.verifier(ctx, e).Verify(ctx, raw)
	if err != nil {
		return claims{}, err
	}
	if err := c.check(idToken, a, tokens.AccessToken); err != nil {
		return claims{}, err
	}
	person, err := readClaims(idToken.Claims, c.GroupsClaim)
	if err != nil || !e.hasProfile || !person.lacks(c.GroupsClaim) {
		return person, err
	}
	return c.addProfile(ctx, e, person, tokens)
}

// verifier returns a verifier that reads the keys of the provider. Each sign-in has one of its own,
// because the library keeps the keys that it read: a new key is used at once, and a key that the
// provider removed is no longer accepted.
func (c *client) verifier(ctx context.Context, e *endpoints) *gooidc.IDTokenVerifier {
	return e.provider.VerifierContext(ctx, &gooidc.Config{
		ClientID: c.ClientID, Now: func() time.Time { return c.now().Add(-clockSkew) },
	})
}

// check makes the checks of an ID token that the library leaves to its user.
func (c *client) check(t *gooidc.IDToken, a attempt, accessToken string) error {
	var more struct {
		Party string `json:"azp"`
	}
	if err := t.Claims(&more); err != nil {
		return err
	}
	switch {
	case subtle.ConstantTimeCompare([]byte(t.Nonce), []byte(a.nonce())) != 1:
		return errors.New("the nonce of the ID token is not that of this sign-in")
	case t.Issuer != c.Issuer: // the library accepts a second spelling for one provider
		return fmt.Errorf("the issuer of the ID token is %q", t.Issuer)
	case t.Subject == "" || len(t.Subject) > 255 || strings.ContainsRune(t.Subject, 0):
		return errors.New("the subject of the ID token is empty, has more than 255 bytes or contains U+0000")
	case t.IssuedAt.After(c.now().Add(clockSkew)):
		return fmt.Errorf("the ID token was issued in the future, at %s", t.IssuedAt.UTC().Format(time.RFC3339))
	}
	if t.AccessTokenHash != "" {
		if err := t.VerifyAccessToken(accessToken); err != nil {
			return err
		}
	}
	return checkParty(t.Audience, more.Party, c.ClientID)
}

// addProfile adds the claims of the UserInfo endpoint. They must be about the same person (OpenID
// Connect Core 1.0, section 5.3.2).
func (c *client) addProfile(ctx context.Context, e *endpoints, person claims, tokens *oauth2.Token) (claims, error) {
	info, err := e.provider.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	if err != nil {
		return person, err
	}
	if info.Subject != person.Subject {
		return person, errors.New("the UserInfo endpoint answered about another person")
	}
	more, err := readClaims(info.Claims, c.GroupsClaim)
	person.fill(more)
	return person, err
}

// An unreachableError is a status of 500 and above of a provider.
type unreachableError struct{ error }

// isUnreachable reports whether an error is a status of 500 and above, or one of the connection.
func isUnreachable(err error) bool {
	_, failed := errors.AsType[unreachableError](err)
	_, cut := errors.AsType[*url.Error](err)
	return failed || cut
}

// brief returns the text of an error without what follows its first 200 bytes: errors of the
// library may contain whole answers of a provider.
func brief(err error) string {
	text := err.Error()
	if len(text) > 200 {
		text = strings.ToValidUTF8(text[:200], "") + "..."
	}
	return text
}

// exchangeError removes the body of the answer from an error: a log should not have it. A client
// error is errCode, unless it is about this client and not about the code (RFC 6749 section 5.2).
func exchangeError(err error) error {
	failed, answered := errors.AsType[*oauth2.RetrieveError](err)
	if !answered || failed.Response == nil {
		return err
	}
	status := failed.Response.StatusCode
	said := fmt.Errorf("the token endpoint answered %d, error %.40q", status, failed.ErrorCode)
	switch {
	case status >= http.StatusInternalServerError:
		return unreachableError{said}
	case status < http.StatusBadRequest || slices.Contains([]string{"invalid_client", "unauthorized_client", "unsupported_grant_type"}, failed.ErrorCode):
		return said
	}
	return fmt.Errorf("%w: %w", errCode, said)
}

// boundClient returns an HTTP client that waits at most answerPeriod for an answer and reads at
// most answerLimit bytes of it. It follows no redirect, which would send secrets elsewhere.
func boundClient(h *http.Client) *http.Client {
	bound := &http.Client{}
	if h != nil {
		*bound = *h
	}
	if bound.Timeout == 0 {
		bound.Timeout = answerPeriod
	}
	if bound.Transport == nil {
		bound.Transport = http.DefaultTransport
	}
	if bound.CheckRedirect == nil {
		bound.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	bound.Transport = boundTransport{bound.Transport}
	return bound
}

// boundTransport ends each answer after answerLimit bytes.
type boundTransport struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (b boundTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		answer.Body = &boundBody{io.LimitReader(answer.Body, answerLimit), answer.Body}
	}
	return answer, err
}

type boundBody struct {
	io.Reader
	io.Closer
}
