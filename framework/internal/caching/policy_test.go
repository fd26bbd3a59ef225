package caching_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/internal/caching"
)

// keyed is an authenticator that reads a header of its own.
type keyed struct{ framework.Authenticator }

func (keyed) Security(string) [][]framework.SecurityScheme {
	return [][]framework.SecurityScheme{{{Name: "key", In: "header", Key: "x-api-key"}, {Name: "seen", In: "cookie", Key: "seen"}}}
}

// wrapped is an authenticator around another one, as those that count failures.
type wrapped struct{ framework.Authenticator }

func (w wrapped) Unwrap() framework.Authenticator { return w.Authenticator }

// TestCredentialsOfAuthenticators: a request with a header that an authenticator describes is not one without credentials.
func TestCredentialsOfAuthenticators(t *testing.T) {
	policy := caching.New(time.Minute, []framework.Authenticator{wrapped{keyed{}}, nil})
	for _, test := range []struct {
		name, header string
		want         bool
	}{
		{"none", "Accept", false},
		{"a token", "Authorization", true},
		{"a cookie", "Cookie", true},
		{"the header of the authenticator", "X-Api-Key", true},
		{"the header of another one", "X-Key", false},
	} {
		r := &http.Request{Header: http.Header{test.header: {"x"}}}
		if got := policy.HasCredentials(r); got != test.want {
			t.Errorf("%s: %t; want %t", test.name, got, test.want)
		}
	}
	for _, test := range []struct {
		name       string
		vary, want []string
	}{
		{"no header Vary", nil, []string{"Authorization", "Cookie", "X-Api-Key"}},
		{"another name", []string{"Origin"}, []string{"Origin", "Authorization", "Cookie", "X-Api-Key"}},
		{"some of the names", []string{"cookie, X-API-Key"}, []string{"cookie, X-API-Key", "Authorization"}},
	} {
		h := http.Header{"Vary": test.vary}
		if policy.Apply(h, false); !slices.Equal(h["Vary"], test.want) {
			t.Errorf("%s: Vary is %q; want %q", test.name, h["Vary"], test.want)
		}
	}
}

// TestIsPublic: a shared cache may keep an answer with the directive public or s-maxage.
func TestIsPublic(t *testing.T) {
	for control, want := range map[string]bool{
		"public, max-age=60": true, "max-age=5, PUBLIC": true, "s-maxage=60": true,
		"": false, "no-store": false, "private, no-cache": false, "max-age=60": false, "publicly": false,
	} {
		if got := caching.IsPublic(http.Header{"Cache-Control": {control}}); got != want {
			t.Errorf("%q: %t; want %t", control, got, want)
		}
	}
}
