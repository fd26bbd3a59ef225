package config

import (
	"errors"
	"fmt"
	"strings"

	"trestle.example/framework/auth"
	"trestle.example/framework/auth/oidc"
)

// An oidcConfig is the identity provider by which people sign in.
type oidcConfig struct {
	oidcIssuer    string // "" for no provider
	oidcClientID  string
	oidcSecret    auth.Secret
	oidcScopes    []string
	oidcRegister  bool
	oidcLinkEmail bool
}

// oidcSettings returns the settings of the identity provider. None needs code of the project.
func oidcSettings() []Setting {
	return []Setting{
		{
			Flag: "oidc-issuer", Variable: "{PROGRAM}_OIDC_ISSUER", Example: "https://id.example.org", serving: true, Shown: "no identity provider",
			Usage: "`URL` of the identity provider by which people sign in with OpenID Connect, exactly as its tokens have it",
			Read:  func(c *Config, v string) error { return readIssuer(&c.oidcIssuer, v) },
		},
		{
			Flag: "oidc-client-id", Variable: "{PROGRAM}_OIDC_CLIENT_ID", serving: true, Shown: "none",
			Usage: "`id` of this program at the identity provider",
			Read:  func(c *Config, v string) error { return readText(&c.oidcClientID, v) },
		},
		{
			Variable: "{PROGRAM}_OIDC_CLIENT_SECRET", serving: true, Shown: "none, for a public client",
			Read: func(c *Config, v string) error { return keepSecret(&c.oidcSecret, v) },
		},
		{
			Flag: "oidc-scopes", Variable: "{PROGRAM}_OIDC_SCOPES", Fallback: "profile,email", Example: "profile,email", serving: true,
			Usage: "`scopes`, separated by commas, that are requested besides openid",
			Read:  func(c *Config, v string) error { return readScopes(&c.oidcScopes, v) },
		},
		{
			Flag: "oidc-register", Variable: "{PROGRAM}_OIDC_REGISTER", Fallback: "off", Example: "on", serving: true,
			Usage: "`switch`, on or off: create an account at the first sign-in of a person whose e-mail address the identity provider verified",
			Read:  func(c *Config, v string) error { return readSwitch(&c.oidcRegister, v) },
		},
		{
			Flag: "oidc-link-email", Variable: "{PROGRAM}_OIDC_LINK_EMAIL", Fallback: "off", Example: "on", serving: true,
			Usage: "`switch`, on or off: give a person the account that has their verified e-mail address already, and end its other credentials",
			Read:  func(c *Config, v string) error { return readSwitch(&c.oidcLinkEmail, v) },
		},
	}
}

// readIssuer leaves the check to package oidc.
func readIssuer(to *string, v string) error {
	*to = v
	if v == "" {
		return nil
	}
	if err := oidc.CheckIssuer(v); err != nil {
		return fmt.Errorf("it %w", err)
	}
	return nil
}

func readScopes(to *[]string, v string) error {
	*to = []string{} // nil would be the default of package oidc
	for scope := range parts(v) {
		if strings.ContainsAny(scope, " \t\r\n\"\\") {
			return errors.New("it must be names of scopes, separated by commas")
		}
		*to = append(*to, scope)
	}
	return nil
}

// oidcTogether checks the settings of the identity provider together.
func (c Config) oidcTogether() error {
	wrong := ""
	switch {
	case c.oidcIssuer == "" && (c.oidcClientID != "" || c.oidcSecret.Reveal() != "" || c.oidcRegister || c.oidcLinkEmail):
		wrong = "a setting of the identity provider is set, and {PROGRAM}_OIDC_ISSUER is not; set it, or none of them"
	case c.oidcIssuer == "":
	case c.oidcClientID == "":
		wrong = "{PROGRAM}_OIDC_ISSUER is set, and {PROGRAM}_OIDC_CLIENT_ID is not; set the id that the provider gave to this program"
	case !c.oidcRegister && !c.oidcLinkEmail:
		wrong = "{PROGRAM}_OIDC_ISSUER is set, and no person could sign in; set {PROGRAM}_OIDC_REGISTER=on to create accounts, " +
			"{PROGRAM}_OIDC_LINK_EMAIL=on to use those with the same e-mail address, or both"
	}
	if wrong == "" {
		return nil
	}
	return errors.New(c.Program.Text(wrong))
}

// ProviderName is the name of the identity provider of the settings, in paths and in logs.
const ProviderName = "sso"

// Providers returns the identity provider of the settings, or none.
func (c Config) Providers() []oidc.Provider {
	if c.oidcIssuer == "" {
		return nil
	}
	return []oidc.Provider{{
		Name: ProviderName, Issuer: c.oidcIssuer, ClientID: c.oidcClientID, ClientSecret: c.oidcSecret, Scopes: c.oidcScopes,
		Register: c.oidcRegister, LinkEmail: c.oidcLinkEmail,
	}}
}
