package program

import (
	"testing"
)

// TestCookiesInsistOnHTTPS wherever clients come by it.
func TestCookiesInsistOnHTTPS(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		c    config
		want bool
	}{
		"development":                    {config{}, false},
		"a public URL of http":           {config{publicURL: "http://a.example"}, false},
		"a public URL of https":          {config{publicURL: "https://a.example"}, true},
		"a public URL, in capitals":      {config{publicURL: "HTTPS://a.example"}, true},
		"TLS of its own":                 {config{tlsCert: "a.pem"}, true},
		"production":                     {config{production: true}, true},
		"production, with a URL of http": {config{production: true, publicURL: "http://a.example"}, true},
	} {
		if got := test.c.identityConfig(nil).Session.Secure; got != test.want {
			t.Errorf("%s: %t; want %t", name, got, test.want)
		}
	}
}
