package program

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/auth"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/selfsigned"
)

func TestDoctorOfTheDeployment(t *testing.T) {
	t.Parallel()
	proxy := netip.MustParsePrefix("10.0.0.0/8")
	made, err := auth.GenerateKey("made", auth.HS256)
	if err != nil {
		t.Fatal(err)
	}
	good, late := selfsigned.NewFiles(t), selfsigned.NewFiles(t)
	cert, key := selfsigned.Make(t, 2, time.Now().Add(-3*time.Hour), time.Now().Add(time.Hour))
	late.Write(t, cert, key)
	safe := config{programName: "trestle", addr: "127.0.0.1:80", publicURL: "https://a.example", trustedProxies: []netip.Prefix{proxy}}
	for name, test := range map[string]struct {
		change func(c *config)
		check  string
		result string
		says   string
	}{
		"no key in production":             {func(c *config) { c.production = true }, "secrets", problem, "in production no key is made up"},
		"a key that was typed":             {func(c *config) { c.jwtKeys = auth.NewSecret("typed:HS256:" + strings.Repeat("abcd", 12)) }, "secrets", problem, "the key typed repeats itself"},
		"a key that was made":              {func(c *config) { c.jwtKeys = made }, "secrets", healthy, ""},
		"no key in development":            {func(*config) {}, "secrets", healthy, ""},
		"a certificate that is not there":  {func(c *config) { c.tlsCert, c.tlsKey = "/nowhere/a.pem", "/nowhere/b.pem" }, "secrets", problem, "cannot be read"},
		"a certificate that ends soon":     {func(c *config) { c.tlsCert, c.tlsKey = late.Cert, late.Key }, "secrets", warning, "the certificate expires at"},
		"a certificate that was renewed":   {func(c *config) { c.tlsCert, c.tlsKey = good.Cert, good.Key }, "secrets", healthy, ""},
		"production without TLS":           {func(c *config) { c.production, c.trustedProxies = true, nil }, "transport", problem, "nobody can sign in"},
		"other machines in the clear":      {func(c *config) { c.addr = ":80" }, "transport", warning, "in the clear"},
		"this machine alone":               {func(*config) {}, "transport", healthy, ""},
		"any host in production":           {func(c *config) { c.production, c.publicURL = true, "" }, "hosts", problem, "TRESTLE_PUBLIC_URL or TRESTLE_HOSTS"},
		"any host in development":          {func(c *config) { c.publicURL = "" }, "hosts", healthy, ""},
		"private networks of proxies":      {func(c *config) { c.trustedProxies = append(c.trustedProxies, netip.MustParsePrefix("fc00::/7")) }, "proxies", healthy, ""},
		"half of the internet for proxies": {func(c *config) { c.trustedProxies = append(c.trustedProxies, netip.MustParsePrefix("128.0.0.0/1")) }, "proxies", problem, "128.0.0.0/1"},
		"most of IPv6 for proxies":         {func(c *config) { c.trustedProxies = []netip.Prefix{netip.MustParsePrefix("2000::/3")} }, "proxies", problem, "2000::/3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := &examination{config: safe}
			e.trustedProxies = slices.Clone(safe.trustedProxies)
			test.change(&e.config)
			e.examineSettings(t.Context())
			at := slices.IndexFunc(e.Checks, func(c *check) bool { return c.Name == test.check })
			if got := e.Checks[at]; got.Result != test.result || !strings.Contains(fmt.Sprint(got.Findings), test.says) {
				t.Errorf("%+v; want %s that says %q", got, test.result, test.says)
			}
		})
	}
}

func TestDoctorOfTheConnection(t *testing.T) {
	t.Parallel()
	for link, want := range map[sqldb.Link]string{
		{Local: true}:                     healthy,
		{Encrypted: true, Verified: true}: healthy,
		{Encrypted: true}:                 warning,
		{}:                                warning, // somebody wrote sslmode=disable
	} {
		e := &examination{}
		e.found("connection", "", unsafeLink(link, databaseVariable)...)
		if got := e.Checks[0].Result; got != want {
			t.Errorf("%+v is %s; want %s", link, got, want)
		}
	}
	if got := oldVersion(sqldb.Version{Program: "PostgreSQL", Number: "14.9", Old: true}, databaseVariable); len(got) != 1 || !strings.Contains(got[0].What, "PostgreSQL 14.9") {
		t.Errorf("an old version: %+v", got)
	}
}
