package framework

import (
	"net/http"
	"net/netip"
	"testing"
)

func TestAddressBelievesTrustedProxiesAlone(t *testing.T) {
	cases := map[string]struct {
		trusted   []string
		peer      string
		forwarded []string
		want      string
	}{
		"nobody is trusted":                    {nil, "203.0.113.7:1", []string{"6.6.6.6"}, "203.0.113.7"},
		"a stranger names somebody":            {[]string{"10.0.0.0/8"}, "203.0.113.7:1", []string{"6.6.6.6"}, "203.0.113.7"},
		"a proxy names the client":             {[]string{"10.0.0.0/8"}, "10.0.0.1:1", []string{"203.0.113.7"}, "203.0.113.7"},
		"the client lies before the proxy":     {[]string{"10.0.0.0/8"}, "10.0.0.1:1", []string{"6.6.6.6, 203.0.113.7"}, "203.0.113.7"},
		"two proxies in turn":                  {[]string{"10.0.0.0/8"}, "10.0.0.1:1", []string{"203.0.113.7, 10.0.0.2"}, "203.0.113.7"},
		"two headers are one list":             {[]string{"10.0.0.0/8"}, "10.0.0.1:1", []string{"6.6.6.6", "203.0.113.7"}, "203.0.113.7"},
		"a proxy names nobody":                 {[]string{"10.0.0.0/8"}, "10.0.0.1:1", nil, "10.0.0.1"},
		"a proxy passes on what is no address": {[]string{"10.0.0.0/8"}, "10.0.0.1:1", []string{"6.6.6.6, unknown"}, "10.0.0.1"},
		"an IPv4 peer in IPv6 clothes":         {[]string{"10.0.0.0/8"}, "[::ffff:10.0.0.1]:1", []string{"203.0.113.7"}, "203.0.113.7"},
		"a proxy that names ports":             {[]string{"10.0.0.0/8"}, "10.0.0.1:1", []string{"203.0.113.7:5678"}, "203.0.113.7"},
		"IPv6":                                 {[]string{"fd00::/8"}, "[fd00::1]:1", []string{"2001:db8::7"}, "2001:db8::7"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			a := New(Config{})
			for _, p := range c.trusted {
				a.config.TrustedProxies = append(a.config.TrustedProxies, netip.MustParsePrefix(p))
			}
			r := &http.Request{RemoteAddr: c.peer, Header: http.Header{"X-Forwarded-For": c.forwarded}}
			if got := a.address(r); got != netip.MustParseAddr(c.want) {
				t.Errorf("the address is %s, not %s", got, c.want)
			}
		})
	}
}
