package caching

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
)

// HeaderControl is the header that says how caches may keep an answer.
const HeaderControl = "Cache-Control"

// A Policy is how caches may keep the answers of an endpoint. It does not change.
type Policy struct {
	control     string
	credentials []string // the request headers that may have credentials
}

// New makes the policy of an endpoint with some authenticators: for some time, caches use an answer to a request without
// credentials before they send another request.
func New(life time.Duration, schemes []call.Authenticator) *Policy {
	p := &Policy{"public, max-age=" + strconv.FormatInt(int64(life/time.Second), 10), []string{"Authorization", "Cookie"}}
	for _, scheme := range schemes {
		if scheme == nil { // a mistake, which is reported
			continue
		}
		for _, one := range slices.Concat(access.SecurityOf(scheme, http.MethodGet)...) {
			if name := http.CanonicalHeaderKey(one.Key); one.In == "header" && !slices.Contains(p.credentials, name) {
				p.credentials = append(p.credentials, name)
			}
		}
	}
	return p
}

// Public is Cache-Control of an answer to a request without credentials.
func (p *Policy) Public() string { return p.control }

// Private is Cache-Control of an answer to a request with credentials: the cache of the client may store it, and sends a conditional
// request before each use.
const Private = "private, no-cache"

// ofCaller are headers of an answer about the caller that a shared cache must not pass on to others.
var ofCaller = []string{"Ratelimit", "Ratelimit-Policy"}

// Apply sets Cache-Control and Vary of an answer. credentials is true if the request has credentials, or if the caller is not
// anonymous. A nil Policy sets nothing. No Policy changes an answer that has Cache-Control already, or Set-Cookie.
func (p *Policy) Apply(h http.Header, credentials bool) {
	if p == nil || len(h[HeaderControl]) > 0 || len(h["Set-Cookie"]) > 0 {
		return
	}
	p.vary(h)
	if credentials {
		h.Set(HeaderControl, Private)
		return
	}
	h.Set(HeaderControl, p.control)
	for _, name := range ofCaller {
		h.Del(name)
	}
}

// vary adds the headers with credentials to Vary.
func (p *Policy) vary(h http.Header) {
	known := strings.ToLower(strings.Join(h["Vary"], ","))
	for _, name := range p.credentials {
		if !slices.ContainsFunc(strings.Split(known, ","), func(one string) bool { return strings.TrimSpace(one) == strings.ToLower(name) }) {
			h.Add("Vary", name)
		}
	}
}

// HasCredentials reports whether a request has a header that may have credentials, even if no authenticator reads it. For a nil
// Policy it is false.
func (p *Policy) HasCredentials(r *http.Request) bool {
	return p != nil && slices.ContainsFunc(p.credentials, func(name string) bool { return len(r.Header[name]) > 0 })
}

// IsPublic reports whether a shared cache may keep an answer with some headers and pass it on to others.
func IsPublic(h http.Header) bool {
	for directive := range strings.SplitSeq(strings.ToLower(strings.Join(h[HeaderControl], ",")), ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(directive), "=")
		if name == "public" || name == "s-maxage" {
			return true
		}
	}
	return false
}
