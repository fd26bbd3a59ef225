package oidc

import (
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/throttle"
)

const (
	basePath     = "/auth/oidc/"
	callbackPath = "callback"
)

// A handler answers the requests below {prefix}/auth/oidc/ of one API.
type handler struct {
	*SignIn

	api *framework.API
}

// ServeHTTP implements [http.Handler], behind API.Protect.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := framework.CallOf(r.Context())
	to, err := h.route(c, r)
	if err == nil {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
		return
	}
	known, isError := errors.AsType[*framework.Error](err)
	if page := h.failurePage; page != "" && isError && known.Status != http.StatusNotFound && known.Status != http.StatusMethodNotAllowed {
		w.Header().Set("Location", withCode(page, known.Code))
		w.WriteHeader(http.StatusFound)
		return
	}
	h.api.WriteError(w, r, err)
}

// withCode adds the parameter code to the query of a path.
func withCode(path, code string) string {
	u, err := url.Parse(path)
	if err != nil {
		return path // cannot happen: New checked it
	}
	query := u.Query()
	query.Set("code", code)
	u.RawQuery = query.Encode()
	return u.String()
}

// route returns the address to which the browser is sent.
func (h *handler) route(c *framework.Call, r *http.Request) (string, error) {
	_, below, _ := strings.Cut(r.URL.Path, basePath)
	name, action, found := strings.Cut(below, "/")
	client := h.clients[name]
	if !found || client == nil || action != "" && action != callbackPath {
		return "", framework.NotFound()
	}
	if r.Method != http.MethodGet {
		e := framework.Refuse(http.StatusMethodNotAllowed, framework.CodeMethodNotAllowed, "A browser opens this address by GET.")
		e.Header = map[string]string{"Allow": http.MethodGet}
		return "", e
	}
	if err := h.limiter.Allow(c, throttle.Address(c)); err != nil {
		return "", err
	}
	if action == "" {
		return h.begin(c, client, r.URL.Query())
	}
	return h.end(c, client, r)
}

// begin stores an attempt in the browser, and returns the address of the provider.
func (h *handler) begin(c *framework.Call, client *client, query url.Values) (string, error) {
	returnTo := "/"
	if given := query["return_to"]; len(given) > 0 {
		returnTo = given[0]
		if len(given) > 1 || !isOwnPath(returnTo) {
			return "", framework.Refuse(http.StatusBadRequest, framework.CodeInvalidParameter,
				"return_to must be one path of this server, as in /orders?open=yes, of at most 2,000 bytes.")
		}
	}
	endpoints, err := client.discover(c)
	if err != nil {
		h.note(c, client.Name, "discovery", err)
		return "", unavailable()
	}
	a := newAttempt(client.Name, returnTo, c.Now)
	h.identity.Sessions.SetCookie(c, cookiePrefix+client.Name, a.cookie(), attemptLife)
	return endpoints.address(a, redirectURL(c, client.Name)), nil
}

// redirectURL returns the redirect URI of a provider. It is the same for both requests of a
// sign-in, and never has a part of the request but its host, which the API checked.
func redirectURL(c *framework.Call, provider string) string {
	return c.URL(basePath + provider + "/" + callbackPath)
}

// end checks the answer of the provider, signs the browser in, and returns the path to return to.
func (h *handler) end(c *framework.Call, client *client, r *http.Request) (string, error) {
	sessions, cookie := h.identity.Sessions, cookiePrefix+client.Name
	a, ok := parseAttempt(client.Name, sessions.Cookie(r, cookie), c.Now)
	query := r.URL.Query()
	if !ok || subtle.ConstantTimeCompare([]byte(single(query, "state")), []byte(a.state())) != 1 {
		return "", reject(CodeState, "The sign-in was not begun in this browser, or it has ended or is more than ten minutes old; begin it again.")
	}
	sessions.SetCookie(c, cookie, "", 0) // a state is used once
	person, err := h.confirm(c, client, a, query)
	if err != nil {
		return "", err
	}
	policy := auth.IdentityPolicy{Register: client.Register, LinkEmail: client.LinkEmail}
	if _, err := h.identity.SignInIdentity(c, client.identity(person), policy); err != nil {
		return "", accountError(err)
	}
	return a.returnTo, nil
}

// single returns a parameter that a query has exactly once, or "".
func single(query url.Values, name string) string {
	if len(query[name]) != 1 {
		return ""
	}
	return query.Get(name)
}

// confirm returns the claims of the person that the provider names by the query of its answer.
func (h *handler) confirm(c *framework.Call, client *client, a attempt, query url.Values) (claims, error) {
	endpoints, err := client.discover(c)
	if err != nil {
		h.note(c, client.Name, "discovery", err)
		return claims{}, unavailable()
	}
	if query.Has("iss") && single(query, "iss") != client.Issuer || endpoints.sendsIss && !query.Has("iss") {
		h.note(c, client.Name, "issuer", errors.New("the parameter iss does not name the provider"))
		return claims{}, reject(CodeInvalid, "The answer is not of the identity provider at which the sign-in began.")
	}
	code := single(query, "code")
	if query.Has("error") || code == "" {
		h.note(c, client.Name, "denied", errors.New(deniedBy(query)))
		return claims{}, reject(CodeDenied, "The identity provider did not sign you in; begin again, or sign in by other means.")
	}
	person, err := client.redeem(c, endpoints, a, redirectURL(c, client.Name), code)
	return person, h.redeemError(c, client.Name, err)
}

// deniedBy returns the error code of a provider if it is one of the standard (RFC 6749 section
// 4.1.2.1, OpenID Connect Core 1.0 section 3.1.2.6), so that the log has no text of a stranger.
func deniedBy(query url.Values) string {
	switch code := query.Get("error"); code {
	case "access_denied", "invalid_request", "invalid_scope", "server_error", "temporarily_unavailable", "unauthorized_client",
		"unsupported_response_type", "interaction_required", "login_required", "account_selection_required", "consent_required":
		return code
	case "":
		return "no code"
	}
	return "another error"
}

// redeemError logs an error of [client.redeem], and returns the error for the browser.
func (h *handler) redeemError(c *framework.Call, provider string, err error) error {
	switch {
	case err == nil:
		return nil
	case isUnreachable(err):
		h.note(c, provider, "unreachable", err)
		return unavailable()
	case errors.Is(err, errCode):
		h.note(c, provider, "code", err)
		return reject(CodeDenied, "The identity provider does not accept the code; begin the sign-in again.")
	}
	h.note(c, provider, "answer", err)
	return reject(CodeInvalid, "The answer of the identity provider failed a check; nothing was done.")
}

// accountError turns an error of [auth.Service.SignInIdentity] into one for the browser.
func accountError(err error) error {
	wrong, isInput := errors.AsType[*auth.InputError](err)
	switch {
	case isInput && wrong.Code == "unique":
		return framework.Conflict(auth.CodeEmailTaken, "An account with this e-mail address exists already; sign in to it by other means.")
	case isInput:
		return reject(CodeEmailUnverified, "The identity provider states no verified e-mail address that an account can have.")
	case errors.Is(err, auth.ErrNotFound):
		return reject(CodeNoAccount, "You have no account here; the operator of the service can create one.")
	case errors.Is(err, auth.ErrWrongCredentials):
		return reject(CodeInactive, "The account is not active.")
	}
	return err
}
