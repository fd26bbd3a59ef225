package config

import (
	"testing"
)

// TestCookiesInsistOnHTTPS if clients use https.
func TestCookiesInsistOnHTTPS(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		c    Config
		want bool
	}{
		"development":                    {Config{}, false},
		"a public URL of http":           {Config{PublicURL: "http://a.example"}, false},
		"a public URL of https":          {Config{PublicURL: "https://a.example"}, true},
		"a public URL, in capitals":      {Config{PublicURL: "HTTPS://a.example"}, true},
		"TLS of its own":                 {Config{TLSCert: "a.pem"}, true},
		"production":                     {Config{Production: true}, true},
		"production, with a URL of http": {Config{Production: true, PublicURL: "http://a.example"}, true},
	} {
		if got := test.c.IdentityConfig(nil).Session.Secure; got != test.want {
			t.Errorf("%s: %t; want %t", name, got, test.want)
		}
	}
}
