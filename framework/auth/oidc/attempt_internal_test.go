package oidc

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestReturnTo: only a path of the own origin is accepted.
func TestReturnTo(t *testing.T) {
	for _, path := range []string{"/", "/orders", "/orders?open=yes&page=2", "/a/b#part", "/a%2F%2Fb", "/search?q=http://example.org", "/" + strings.Repeat("a", 1999)} {
		if !isOwnPath(path) {
			t.Errorf("%q is rejected", path)
		}
	}
	for _, elsewhere := range []string{
		"", "orders", "//evil.example", "///evil.example", `/\evil.example`, `\/evil.example`, `/a\b`, "https://evil.example/", "HTTPS:evil.example",
		"javascript:alert(1)", "/\t/evil.example", "/\n/evil.example", "\t//evil.example", " //evil.example", "/a b", "/a\x00", "/\u2028", "/é",
		"/%zz", "https:/evil.example", "/" + strings.Repeat("a", 2000), "?next=/", "#/", ".", "..//evil.example",
	} {
		if isOwnPath(elsewhere) {
			t.Errorf("%q is accepted", elsewhere)
		}
	}
}

// FuzzReturnTo: whatever is accepted leads to the own origin, as browsers resolve it.
func FuzzReturnTo(f *testing.F) {
	for _, text := range []string{"/", "//x", `/\x`, "/a?b#c", "/\t/x", "https://x"} {
		f.Add(text)
	}
	own, _ := url.Parse("https://clinic.example/api/auth/oidc/company/callback")
	f.Fuzz(func(t *testing.T, text string) {
		if !isOwnPath(text) {
			return
		}
		// Browsers remove tabs and line breaks, and read a backslash as a slash.
		seen := strings.NewReplacer("\t", "", "\n", "", "\r", "", `\`, "/").Replace(strings.TrimSpace(text))
		to, err := own.Parse(seen)
		if err != nil || to.Scheme != "https" || to.Host != own.Host {
			t.Errorf("%q leads to %v, %v", text, to, err)
		}
	})
}

// TestTheCookieOfAnAttempt: it is read as it was written, and any change is another attempt or none.
func TestTheCookieOfAnAttempt(t *testing.T) {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	a := newAttempt("company", "/orders?open=yes", now)
	read, ok := parseAttempt("company", a.cookie(), now)
	if !ok || read.state() != a.state() || read.nonce() != a.nonce() || read.verifier() != a.verifier() || read.returnTo != a.returnTo {
		t.Errorf("the cookie is read as %+v, %v", read, ok)
	}
	secrets := []string{a.state(), a.nonce(), a.verifier(), newAttempt("company", "/", now).state()}
	slices.Sort(secrets)
	if len(slices.Compact(secrets)) != 4 || len(a.verifier()) != 43 {
		t.Error("state, nonce and verifier are not four different secrets of 43 characters")
	}
	if other, _ := parseAttempt("home", a.cookie(), now); other.state() == a.state() {
		t.Error("the cookie of one provider is good for another")
	}
	if len(newAttempt("company", "/"+strings.Repeat("a", maximumReturn-1), now).cookie()) > 3800 {
		t.Error("the longest cookie is above the limit of browsers")
	}
	parts := strings.Split(a.cookie(), ".")
	for name, cookie := range map[string]string{
		"empty": "", "of another version": "2." + strings.Join(parts[1:], "."), "with a short key": "1.AAAA." + strings.Join(parts[2:], "."),
		"too long": a.cookie() + ".x", "with a far expiry": parts[0] + "." + parts[1] + ".99999999999." + parts[3],
		"with another site": strings.Join(parts[:3], ".") + ".Ly9ldmlsLmV4YW1wbGU", // //evil.example
	} {
		if _, ok := parseAttempt("company", cookie, now); ok {
			t.Errorf("a cookie %s is accepted", name)
		}
	}
	for after, want := range map[time.Duration]bool{0: true, 9 * time.Minute: true, 10 * time.Minute: false, -2 * time.Second: false} {
		if _, ok := parseAttempt("company", a.cookie(), now.Add(after)); ok != want {
			t.Errorf("after %s the cookie is accepted: %v", after, ok)
		}
	}
}

// FuzzCookie: no value of a cookie ends the program, and each accepted one leads to the own origin.
func FuzzCookie(f *testing.F) {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	f.Add(newAttempt("company", "/", now).cookie())
	f.Add("1...")
	f.Fuzz(func(t *testing.T, cookie string) {
		if a, ok := parseAttempt("company", cookie, now); ok && (!isOwnPath(a.returnTo) || len(a.key) != attemptKey) {
			t.Errorf("%q is read as %+v", cookie, a)
		}
	})
}

// TestClaims: the forms in which providers send claims.
func TestClaims(t *testing.T) {
	for _, test := range []struct {
		name, token string
		groups      []string
		verified    bool
		fails       bool
	}{
		{name: "a list", token: `{"groups": ["a", "b"], "email_verified": true}`, groups: []string{"a", "b"}, verified: true},
		{name: "a text", token: `{"groups": "a", "email_verified": "true"}`, groups: []string{"a"}, verified: true},
		{name: "nothing", token: `{}`},
		{name: "null", token: `{"groups": null, "email_verified": null}`},
		{name: "other values of email_verified", token: `{"email_verified": 1}`},
		{name: "an object", token: `{"groups": {"a": true}}`, fails: true},
		{name: "a list of numbers", token: `{"groups": [1]}`, fails: true},
		{name: "an address that is no text", token: `{"email": ["a"]}`, fails: true},
	} {
		c, err := readClaims(decodes(test.token), "groups")
		if (err != nil) != test.fails || err == nil && (!slices.Equal(c.groups, test.groups) || bool(c.EmailVerified) != test.verified) {
			t.Errorf("%s: %+v, %v", test.name, c, err)
		}
	}
}
