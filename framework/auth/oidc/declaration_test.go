package oidc_test

import (
	"strings"
	"testing"
	"time"

	"trestle.example/framework/auth"
	"trestle.example/framework/auth/oidc"
	"trestle.example/framework/throttle"
)

// TestMistakesOfTheDeclaration: each is one sentence with its place.
func TestMistakesOfTheDeclaration(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*oidc.Options)
		want   string
	}{
		{"no provider", func(o *oidc.Options) { o.Providers = nil }, "oidc: Options.Providers is empty; declare a provider"},
		{"a name that is no part of a path", work(func(p *oidc.Provider) { p.Name = "My Company" }), `oidc: provider "My Company": the name is a part of a path; it must be lower-case letters, digits and hyphens, as in my-company`},
		{"two of a name", func(o *oidc.Options) { o.Providers = append(o.Providers, o.Providers[0]) }, `oidc: two providers have the name "company"`},
		{"no issuer", work(func(p *oidc.Provider) { p.Issuer = "" }), `oidc: provider "company": the issuer "" is not an absolute URL without a query, as in https://id.example.org`},
		{"an issuer with a query", work(func(p *oidc.Provider) { p.Issuer = "https://id.example.org?tenant=1" }), `is not an absolute URL without a query`},
		{"an issuer with a password", work(func(p *oidc.Provider) { p.Issuer = "https://me:secret@id.example.org" }), `is not an absolute URL without a query`},
		{"an issuer without TLS", work(func(p *oidc.Provider) { p.Issuer = "http://id.example.org" }), `must begin with https://; http:// is for a provider on this machine only`},
		{"no client", work(func(p *oidc.Provider) { p.ClientID = "" }), `oidc: provider "company": ClientID is empty; it is the id that the provider gave to this program`},
		{"no way to sign in", work(func(p *oidc.Provider) { p.Register = false }), `oidc: provider "company": no person could sign in; set Register`},
		{"grants without a claim", work(func(p *oidc.Provider) { p.Grants = map[string]oidc.Grant{"a": {Groups: []string{"b"}}} }), `GroupsClaim and Grants need each other`},
		{"a claim without grants", work(func(p *oidc.Provider) { p.GroupsClaim = "groups" }), `GroupsClaim and Grants need each other`},
		{"a wrong permission", granting(oidc.Grant{Permissions: []string{"patients"}}), `oidc: provider "company": grant of "doctors": "patients" is not a permission; it must be a resource and a right, as in patients.view.`},
		{"a grant of nothing", granting(oidc.Grant{}), `oidc: provider "company": grant of "doctors": it gives nothing; name groups or permissions`},
		{"a group without a name", granting(oidc.Grant{Groups: []string{""}}), `oidc: provider "company": grant of "doctors": the name of a group is empty`},
		{"two scopes in one", work(func(p *oidc.Provider) { p.Scopes = []string{"email profile"} }), `the scope "email profile" is not a scope; write one name per entry`},
		{"a failure page elsewhere", func(o *oidc.Options) { o.FailurePage = "//evil.example" }, `oidc: Options.FailurePage "//evil.example" is not a path of this server, as in /sign-in`},
		{"a wrong rate", func(o *oidc.Options) { o.Rate = throttle.Rate{Limit: -1, Per: time.Minute} }, `oidc: Options.Rate: `},
	} {
		o := options()
		test.change(&o)
		if _, err := oidc.New(service(t), o); err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s:\n%v\nwant\n%s", test.name, err, test.want)
		}
	}
	if _, err := oidc.New(nil, options()); err == nil || err.Error() != "oidc: the service is nil; auth.New makes one" {
		t.Errorf("without a service: %v", err)
	}
	for name, issuer := range map[string]string{"TLS": "https://id.example.org/", "this machine": "http://127.0.0.1:9998", "its name": "http://localhost:9998"} {
		o := options()
		o.Providers[0].Issuer = issuer
		if _, err := oidc.New(service(t), o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func options() oidc.Options {
	return oidc.Options{Providers: []oidc.Provider{{
		Name: "company", Issuer: "https://id.example.org", ClientID: "clinic", ClientSecret: auth.NewSecret("hidden"), Register: true,
	}}}
}

func work(change func(*oidc.Provider)) func(*oidc.Options) {
	return func(o *oidc.Options) { change(&o.Providers[0]) }
}

func granting(g oidc.Grant) func(*oidc.Options) {
	return work(func(p *oidc.Provider) { p.GroupsClaim, p.Grants = "groups", map[string]oidc.Grant{"doctors": g} })
}

func service(t *testing.T) *auth.Service {
	t.Helper()
	identity, err := auth.New(auth.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return identity
}
