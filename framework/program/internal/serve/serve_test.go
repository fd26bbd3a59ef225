package serve

import (
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"testing"

	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/doctor"
	"trestle.example/framework/program/internal/site"
)

func TestNextAddress(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		":8080": ":8081", "127.0.0.1:80": "127.0.0.1:81", "[::1]:9": "[::1]:10", "localhost:65535": "localhost:8080",
	} {
		if got := nextAddress(addr); got != want {
			t.Errorf("after %s comes %s; want %s", addr, got, want)
		}
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for name, test := range map[string]struct {
		c    config.Config
		says string // "" for no warning
	}{
		"loopback":                        {config.Config{Addr: "127.0.0.1:80"}, ""},
		"loopback, IPv6":                  {config.Config{Addr: "[::1]:80"}, ""},
		"localhost":                       {config.Config{Addr: "localhost:80"}, ""},
		"every network":                   {config.Config{Addr: ":80"}, "in the clear"},
		"another network":                 {config.Config{Addr: "10.0.0.1:80"}, "in the clear"},
		"every network, by TLS":           {config.Config{Addr: ":80", TLSCert: "a.pem"}, ""},
		"every network, with a proxy":     {config.Config{Addr: ":80", PublicURL: "https://a.example", TrustedProxies: proxies}, "in the clear"},
		"production, with its public URL": {config.Config{Addr: ":80", Production: true, TLSCert: "a.pem", PublicURL: "https://a.example"}, ""},
		"production, with its host":       {config.Config{Addr: ":80", Production: true, TrustedProxies: proxies, Hosts: []string{"a.example"}}, ""},
		"production, without either":      {config.Config{Addr: ":80", Production: true, TrustedProxies: proxies}, "TRESTLE_PUBLIC_URL or TRESTLE_HOSTS"},
		"production, without TLS":         {config.Config{Addr: "127.0.0.1:80", Production: true, PublicURL: "https://a.example"}, "no user can sign in"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			test.c.Program = "trestle"
			s := &site.Site{Config: test.c, Log: slog.New(slog.NewTextHandler(&log, nil))}
			doctor.WarnOfSettings(s)
			if got := log.String(); (got == "") != (test.says == "") || !strings.Contains(got, test.says) {
				t.Errorf("the log says %q; want %q", got, test.says)
			}
		})
	}
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		addr, public, cert, want string
	}{
		"loopback":         {"127.0.0.1:8080", "", "", "http://127.0.0.1:8080"},
		"IPv6":             {"[::1]:8080", "", "", "http://[::1]:8080"},
		"every network":    {"[::]:8080", "", "", "http://localhost:8080"},
		"every IPv4":       {"0.0.0.0:8080", "", "", "http://localhost:8080"},
		"a public address": {"127.0.0.1:8080", "https://api.example.org", "", "https://api.example.org"},
		"TLS of its own":   {"127.0.0.1:8443", "", "a.pem", "https://127.0.0.1:8443"},
		"TLS, everywhere":  {"[::]:8443", "", "a.pem", "https://localhost:8443"},
		"a proxy's TLS":    {"127.0.0.1:8080", "https://api.example.org", "a.pem", "https://api.example.org"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr, err := net.ResolveTCPAddr("tcp", test.addr)
			if err != nil {
				t.Fatal(err)
			}
			if got := baseURL(&site.Site{Config: config.Config{PublicURL: test.public, TLSCert: test.cert}}, addr); got != test.want {
				t.Errorf("%s; want %s", got, test.want)
			}
		})
	}
}
