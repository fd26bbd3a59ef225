package config

import (
	"slices"
	"strings"
	"testing"
)

func TestSettingsOfTheIdentityProvider(t *testing.T) {
	t.Parallel()
	const issuer, client, register = "TRESTLE_OIDC_ISSUER=https://id.example.org/", "TRESTLE_OIDC_CLIENT_ID=clinic", "TRESTLE_OIDC_REGISTER=on"
	const secret = "TRESTLE_OIDC_CLIENT_SECRET=hidden"
	for _, c := range []struct {
		name string
		env  []string
		want string // in the error, or ""
	}{
		{"none", nil, ""},
		{"all", []string{issuer, client, register, secret, "TRESTLE_OIDC_LINK_EMAIL=on", "TRESTLE_OIDC_SCOPES=email, groups"}, ""},
		{"a public client", []string{issuer, client, register}, ""},
		{"accounts that exist", []string{issuer, client, "TRESTLE_OIDC_LINK_EMAIL=on"}, ""},
		{"a provider on this machine", []string{"TRESTLE_OIDC_ISSUER=http://127.0.0.1:9000", client, register}, ""},
		{"nobody can sign in", []string{issuer, client}, "no person could sign in; set TRESTLE_OIDC_REGISTER=on"},
		{"no client", []string{issuer, register}, "TRESTLE_OIDC_CLIENT_ID is not; set the id"},
		{"a client alone", []string{client}, "TRESTLE_OIDC_ISSUER is not; set it, or none of them"},
		{"a secret alone", []string{secret}, "TRESTLE_OIDC_ISSUER is not; set it, or none of them"},
		{"accounts without a provider", []string{register}, "TRESTLE_OIDC_ISSUER is not; set it, or none of them"},
		{"no TLS", []string{"TRESTLE_OIDC_ISSUER=http://id.example.org", client, register}, `TRESTLE_OIDC_ISSUER is "http://id.example.org": it must begin with https://`},
		{"a password in the issuer", []string{"TRESTLE_OIDC_ISSUER=https://a:hidden@id.example.org", client, register}, `"https://***@id.example.org": it is not an absolute URL`},
		{"a scope that is two", []string{issuer, client, register, "TRESTLE_OIDC_SCOPES=profile email"}, "it must be names of scopes, separated by commas; for example"},
		{"no switch", []string{issuer, client, "TRESTLE_OIDC_REGISTER=maybe"}, "it must be on or off"},
	} {
		_, err := configOf(t, nil, c.env...)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: the error has a secret: %v", c.name, err)
		}
	}
}

// TestTheProviderOfTheSettings has what the settings state, and nothing besides.
func TestTheProviderOfTheSettings(t *testing.T) {
	t.Parallel()
	none, err := configOf(t, nil)
	if err != nil || none.Providers() != nil {
		t.Errorf("without settings the providers are %+v, error %v", none.Providers(), err)
	}
	c, err := configOf(t, nil, "TRESTLE_OIDC_ISSUER=https://id.example.org", "TRESTLE_OIDC_CLIENT_ID=clinic", "TRESTLE_OIDC_CLIENT_SECRET=hidden", "TRESTLE_OIDC_REGISTER=on")
	if err != nil {
		t.Fatal(err)
	}
	got := c.Providers()
	if len(got) != 1 {
		t.Fatalf("the providers are %+v; want one", got)
	}
	p := got[0]
	if p.Name != "sso" || p.Issuer != "https://id.example.org" || p.ClientID != "clinic" || p.ClientSecret.Reveal() != "hidden" ||
		!slices.Equal(p.Scopes, []string{"profile", "email"}) || !p.Register || p.LinkEmail || p.EmailsVerified || p.Grants != nil {
		t.Errorf("the provider is %+v", p)
	}
}
