package oidc

import (
	"cmp"
	"errors"
	"maps"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"trestle.example/framework/auth"
	"trestle.example/framework/internal/naming"
)

// A Provider declares an identity provider. Only Name, Issuer and ClientID are required.
type Provider struct {
	// Name is a part of the paths: lower-case letters, digits and hyphens.
	Name string
	// Issuer is the URL that identifies the provider, exactly as its tokens have it, with or
	// without a slash at the end. Its scheme is https; on a loopback address http is allowed.
	Issuer string
	// ClientID is the id of this program at the provider.
	ClientID string
	// ClientSecret is the secret of this program at the provider. Defaults to none, for a
	// public client.
	ClientSecret auth.Secret
	// Scopes are requested in addition to openid. Defaults to profile and email.
	Scopes []string

	// Register creates an account at the first sign-in of a person. The provider must have
	// verified the e-mail address. Defaults to false: only people with an account sign in,
	// which needs LinkEmail.
	Register bool
	// LinkEmail gives a person the account that already has their verified e-mail address,
	// and ends its other credentials; see [auth.IdentityPolicy]. Enable it only for a
	// provider that verifies addresses. Defaults to false: such a sign-in is 409 email_taken.
	LinkEmail bool
	// EmailsVerified states that the provider verifies each address, for a provider that does
	// not send the claim email_verified. Defaults to false.
	EmailsVerified bool

	// GroupsClaim names the claim that lists the groups of a person, such as "groups".
	// Defaults to none: the provider gives no rights.
	GroupsClaim string
	// Grants maps groups of the provider to rights. A group that is not in it gives nothing.
	// The rights are renewed at each sign-in: a person who left a group keeps its rights
	// until the next sign-in.
	Grants map[string]Grant
}

// A Grant is what a group of the provider gives to its members.
type Grant struct {
	Groups      []string // names of groups of package auth, which must exist
	Permissions []string // such as "patients.view"
}

var providerName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// check returns every mistake of a declaration.
func (p Provider) check() error {
	var mistakes []error
	add := func(format string, args ...any) {
		mistakes = append(mistakes, naming.Sentence("oidc: provider %q: "+format, append([]any{p.Name}, args...)...))
	}
	if !providerName.MatchString(p.Name) {
		add("the name is a part of a path; it must be lower-case letters, digits and hyphens, as in my-company")
	}
	if err := CheckIssuer(p.Issuer); err != nil {
		add("the issuer %q %w", p.Issuer, err)
	}
	if p.ClientID == "" {
		add("ClientID is empty; it is the id that the provider gave to this program")
	}
	if !p.Register && !p.LinkEmail {
		add("no person could sign in; set Register to create accounts, LinkEmail to use those with the same e-mail address, or both")
	}
	if (p.GroupsClaim == "") != (len(p.Grants) == 0) {
		add("GroupsClaim and Grants need each other: the first names the claim with the groups, the second states what a group gives")
	}
	for _, scope := range p.Scopes {
		if scope == "" || strings.ContainsAny(scope, " \t\r\n\"\\") {
			add("the scope %q is not a scope; write one name per entry", scope)
		}
	}
	for _, group := range slices.Sorted(maps.Keys(p.Grants)) {
		mistakes = append(mistakes, p.checkGrant(group)...)
	}
	return errors.Join(mistakes...)
}

func (p Provider) checkGrant(group string) (mistakes []error) {
	at := func(err error) error {
		return naming.Sentence("oidc: provider %q: grant of %q: %w", p.Name, group, err)
	}
	grant := p.Grants[group]
	if len(grant.Groups)+len(grant.Permissions) == 0 {
		mistakes = append(mistakes, at(errors.New("it gives nothing; name groups or permissions")))
	}
	for _, permission := range grant.Permissions {
		if err := auth.CheckPermission(permission); err != nil {
			mistakes = append(mistakes, at(err))
		}
	}
	if slices.Contains(grant.Groups, "") {
		mistakes = append(mistakes, at(errors.New("the name of a group is empty")))
	}
	return mistakes
}

// CheckIssuer returns what is wrong with the Issuer of a [Provider], without the issuer itself, as
// the end of a sentence that begins with it: "must begin with https://...". It returns nil for a
// valid one. It sends no request.
func CheckIssuer(issuer string) error {
	u, err := url.Parse(issuer)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("is not an absolute URL without a query, as in https://id.example.org")
	case u.Scheme == "http" && !isLoopback(u.Hostname()), u.Scheme != "http" && u.Scheme != "https":
		return errors.New("must begin with https://; http:// is for a provider on this machine only")
	}
	return nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// scopes returns the scopes to request, openid first.
func (p Provider) scopes() []string {
	scopes := p.Scopes
	if scopes == nil {
		scopes = []string{"profile", "email"}
	}
	return append([]string{"openid"}, slices.DeleteFunc(slices.Clone(scopes), func(scope string) bool { return scope == "openid" })...)
}

// identity returns what a token states about a person, for package auth.
func (p Provider) identity(c claims) auth.Identity {
	id := auth.Identity{Issuer: p.Issuer, Subject: c.Subject, Name: cmp.Or(c.Name, c.GivenName)}
	if bool(c.EmailVerified) || p.EmailsVerified {
		id.Email = c.Email
	}
	for _, group := range c.groups {
		grant := p.Grants[group]
		id.Groups = append(id.Groups, grant.Groups...)
		id.Permissions = append(id.Permissions, grant.Permissions...)
	}
	return id
}
