package doctor

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/site"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/mailserver"
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
	open := mailserver.Start(t, mailserver.NoTLS)
	strange := mailserver.Start(t, mailserver.STARTTLS)
	mailFrom := func(url string) func(*config.Config) {
		return func(c *config.Config) { c.SMTPURL, c.MailFrom = auth.NewSecret(url), "shop@example.org" }
	}
	safe := config.Config{Program: "trestle", Addr: "127.0.0.1:80", PublicURL: "https://a.example", TrustedProxies: []netip.Prefix{proxy}}
	for name, test := range map[string]struct {
		change func(c *config.Config)
		check  string
		result string
		says   string
	}{
		"no key in production":            {func(c *config.Config) { c.Production = true }, "secrets", problem, "in production the server generates no key"},
		"a key that was typed":            {func(c *config.Config) { c.JWTKeys = auth.NewSecret("typed:HS256:" + strings.Repeat("abcd", 12)) }, "secrets", problem, "the key typed repeats itself"},
		"a key that was made":             {func(c *config.Config) { c.JWTKeys = made }, "secrets", healthy, ""},
		"no key in development":           {func(*config.Config) {}, "secrets", healthy, ""},
		"a certificate that is not there": {func(c *config.Config) { c.TLSCert, c.TLSKey = "/nowhere/a.pem", "/nowhere/b.pem" }, "secrets", problem, "cannot be read"},
		"a certificate that ends soon":    {func(c *config.Config) { c.TLSCert, c.TLSKey = late.Cert, late.Key }, "secrets", warning, "the certificate expires at"},
		"a certificate that was renewed":  {func(c *config.Config) { c.TLSCert, c.TLSKey = good.Cert, good.Key }, "secrets", healthy, ""},
		"production without TLS":          {func(c *config.Config) { c.Production, c.TrustedProxies = true, nil }, "transport", problem, "no user can sign in"},
		"other machines in the clear":     {func(c *config.Config) { c.Addr = ":80" }, "transport", warning, "in the clear"},
		"this machine alone":              {func(*config.Config) {}, "transport", healthy, ""},
		"any host in production":          {func(c *config.Config) { c.Production, c.PublicURL = true, "" }, "hosts", problem, "TRESTLE_PUBLIC_URL or TRESTLE_HOSTS"},
		"any host in development":         {func(c *config.Config) { c.PublicURL = "" }, "hosts", healthy, ""},
		"private networks of proxies":     {func(c *config.Config) { c.TrustedProxies = append(c.TrustedProxies, netip.MustParsePrefix("fc00::/7")) }, "proxies", healthy, ""},
		"half of the internet for proxies": {func(c *config.Config) {
			c.TrustedProxies = append(c.TrustedProxies, netip.MustParsePrefix("128.0.0.0/1"))
		}, "proxies", problem, "128.0.0.0/1"},
		"no mail server in development":          {func(*config.Config) {}, "mail", healthy, ""},
		"no mail server in production":           {func(c *config.Config) { c.Production = true }, "mail", problem, "set TRESTLE_SMTP_URL"},
		"a mail server":                          {mailFrom("smtp://" + open.Address + "?tls=off"), "mail", healthy, ""},
		"a mail server with another certificate": {mailFrom("smtp://" + strange.Address), "mail", problem, "no mail can be sent"},
		"a mail server that is away":             {mailFrom("smtp://127.0.0.1:1?tls=off"), "mail", problem, "no mail can be sent"},
		"most of IPv6 for proxies":               {func(c *config.Config) { c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("2000::/3")} }, "proxies", problem, "2000::/3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := &examination{Config: safe, Project: site.Project{NewIdentity: resettingPasswords}}
			e.TrustedProxies = slices.Clone(safe.TrustedProxies)
			test.change(&e.Config)
			e.examineSettings(t.Context())
			at := slices.IndexFunc(e.Checks, func(c *check) bool { return c.Name == test.check })
			if got := e.Checks[at]; got.Result != test.result || !strings.Contains(fmt.Sprint(got.Findings), test.says) {
				t.Errorf("%+v; want %s that says %q", got, test.result, test.says)
			}
		})
	}
}

// resettingPasswords is a service that sends mails.
func resettingPasswords(c auth.Config) (*auth.Service, error) {
	c.Account.Reset = true
	return auth.New(c)
}

func TestDoctorOfTheConnection(t *testing.T) {
	t.Parallel()
	for link, want := range map[sqldb.Link]string{
		{Local: true}:                     healthy,
		{Encrypted: true, Verified: true}: healthy,
		{Encrypted: true}:                 warning,
		{}:                                warning, // a user wrote sslmode=disable
	} {
		e := &examination{}
		e.found("connection", "", findUnsafeLink(link, config.DatabaseVariable)...)
		if got := e.Checks[0].Result; got != want {
			t.Errorf("%+v is %s; want %s", link, got, want)
		}
	}
	if got := findOldVersion(sqldb.Version{Program: "PostgreSQL", Number: "14.9", Old: true}, config.DatabaseVariable); len(got) != 1 || !strings.Contains(got[0].What, "PostgreSQL 14.9") {
		t.Errorf("an old version: %+v", got)
	}
}
