package origin

import (
	"crypto/tls"
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
		"IPv6 in brackets":                     {[]string{"fd00::/8"}, "[fd00::1]:1", []string{"[2001:db8::7]"}, "2001:db8::7"},
		"IPv6":                                 {[]string{"fd00::/8"}, "[fd00::1]:1", []string{"2001:db8::7"}, "2001:db8::7"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var o Origin
			for _, p := range c.trusted {
				o.Proxies = append(o.Proxies, netip.MustParsePrefix(p))
			}
			r := &http.Request{RemoteAddr: c.peer, Header: http.Header{"X-Forwarded-For": c.forwarded}}
			if got := o.Address(r); got != netip.MustParseAddr(c.want) {
				t.Errorf("the address is %s, not %s", got, c.want)
			}
		})
	}
}

// TestSecure: a request is secure if this server received it over TLS, or if a trusted proxy
// reports https.
func TestSecure(t *testing.T) {
	o := Origin{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	for _, c := range []struct {
		about, peer string
		tls         bool
		told        []string
		want        bool
	}{
		{"nothing", "192.0.2.1:1", false, nil, false},
		{"this server's own TLS", "192.0.2.1:1", true, nil, true},
		{"its own TLS, whatever a header says", "192.0.2.1:1", true, []string{"http"}, true},
		{"a stranger's word", "192.0.2.1:1", false, []string{"https"}, false},
		{"a proxy's word", "10.0.0.1:1", false, []string{"https"}, true},
		{"a proxy's word in capitals", "10.0.0.1:1", false, []string{" HTTPS "}, true},
		{"a proxy that spoke plain HTTP", "10.0.0.1:1", false, []string{"http"}, false},
		{"a proxy that says nothing", "10.0.0.1:1", false, nil, false},
		{"a client's word before the proxy's", "10.0.0.1:1", false, []string{"https, http"}, false},
		{"a client's line before the proxy's", "10.0.0.1:1", false, []string{"https", "http"}, false},
		{"two proxies with TLS", "10.0.0.1:1", false, []string{"https, https"}, true},
		{"a proxy in IPv6 clothes", "[::ffff:10.0.0.1]:1", false, []string{"https"}, true},
		{"a peer without an address", "@", false, []string{"https"}, false},
	} {
		t.Run(c.about, func(t *testing.T) {
			r := &http.Request{RemoteAddr: c.peer, Header: http.Header{"X-Forwarded-Proto": c.told}}
			if c.tls {
				r.TLS = &tls.ConnectionState{}
			}
			if got := o.Secure(r); got != c.want {
				t.Errorf("secure is %v", got)
			}
		})
	}
}
