package oidc

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	attemptLife    = 10 * time.Minute
	attemptKey     = 32   // bytes
	maximumReturn  = 2000 // bytes of return_to
	cookiePrefix   = "oidc_"
	attemptVersion = "1"
)

// An attempt is one sign-in between its begin and its end. Only a cookie of the browser has it;
// the server stores nothing. Its state, nonce and PKCE verifier follow from a random key, so a
// callback is accepted only in the browser that began.
type attempt struct {
	provider string
	returnTo string
	expires  int64 // Unix time, in seconds
	key      []byte
}

func newAttempt(provider, returnTo string, now time.Time) attempt {
	key := make([]byte, attemptKey)
	_, _ = rand.Read(key) // never fails: it ends the program instead
	return attempt{provider, returnTo, now.Add(attemptLife).Unix(), key}
}

// cookie returns the value of the cookie.
func (a attempt) cookie() string {
	encode := base64.RawURLEncoding.EncodeToString
	return strings.Join([]string{attemptVersion, encode(a.key), strconv.FormatInt(a.expires, 10), encode([]byte(a.returnTo))}, ".")
}

// parseAttempt reads the value of the cookie of a provider. It reports false for a value that is
// malformed or has expired.
func parseAttempt(provider, cookie string, now time.Time) (attempt, bool) {
	parts := strings.Split(cookie, ".")
	if len(parts) != 4 || parts[0] != attemptVersion {
		return attempt{}, false
	}
	strict := base64.RawURLEncoding.Strict()
	key, wrongKey := strict.DecodeString(parts[1])
	expires, wrongTime := strconv.ParseInt(parts[2], 10, 64)
	returnTo, wrongPath := strict.DecodeString(parts[3])
	if wrongKey != nil || wrongTime != nil || wrongPath != nil || len(key) != attemptKey {
		return attempt{}, false
	}
	a := attempt{provider, string(returnTo), expires, key}
	left := time.Unix(expires, 0).Sub(now)
	return a, left > 0 && left <= attemptLife && isOwnPath(a.returnTo)
}

func (a attempt) state() string    { return a.derive("state") }
func (a attempt) nonce() string    { return a.derive("nonce") }
func (a attempt) verifier() string { return a.derive("verifier") } // 43 characters, RFC 7636 section 4.1

// derive returns a secret for one use. It depends on all values of the attempt, so that none can
// be exchanged.
func (a attempt) derive(use string) string {
	mac := hmac.New(sha256.New, a.key)
	for _, part := range []string{use, a.provider, strconv.FormatInt(a.expires, 10), a.returnTo} {
		mac.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// isOwnPath reports whether text is a path of the own origin, with or without a query, so that a
// redirect to it cannot lead to another site. Browsers read "//" and "/\" as the begin of a host,
// and remove tabs and line breaks before they read.
func isOwnPath(text string) bool {
	if len(text) > maximumReturn || !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") {
		return false
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f || r == '\\' }) {
		return false
	}
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "" && u.Host == "" && u.User == nil && u.Opaque == ""
}
