package oidc

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// claims are what a provider states about a person.
type claims struct {
	Subject       string `json:"sub"`
	Email         string `json:"email"`
	EmailVerified truth  `json:"email_verified"`
	Name          string `json:"name"`
	GivenName     string `json:"given_name"`
	groups        []string
	hasGroups     bool
}

// truth is a boolean that some providers send as text.
type truth bool

// UnmarshalJSON accepts true and "true". Anything else is false.
func (t *truth) UnmarshalJSON(text []byte) error {
	*t = string(text) == "true" || string(text) == `"true"`
	return nil
}

// decoder decodes the claims of a token into a value.
type decoder func(any) error

// readClaims reads the claims of a token. groupsClaim names the claim with the groups, or is "".
func readClaims(decode decoder, groupsClaim string) (claims, error) {
	var c claims
	if err := decode(&c); err != nil {
		return c, fmt.Errorf("a claim has a wrong type: %w", err)
	}
	if groupsClaim == "" {
		return c, nil
	}
	all := map[string]json.RawMessage{}
	if err := decode(&all); err != nil {
		return c, err
	}
	listed, ok := all[groupsClaim]
	if !ok {
		return c, nil
	}
	c.hasGroups = true
	var err error
	c.groups, err = readGroups(listed)
	if err != nil {
		return c, fmt.Errorf("the claim %q is neither a list of texts nor a text: %w", groupsClaim, err)
	}
	return c, nil
}

// readGroups reads a list of texts, or a single text.
func readGroups(listed json.RawMessage) (groups []string, err error) {
	if strings.HasPrefix(strings.TrimSpace(string(listed)), `"`) {
		groups = []string{""}
		return groups, json.Unmarshal(listed, &groups[0])
	}
	err = json.Unmarshal(listed, &groups)
	return groups, err
}

// lacks reports whether the claims of an ID token lack some that the UserInfo endpoint may have.
func (c *claims) lacks(groupsClaim string) bool {
	return c.Email == "" || !bool(c.EmailVerified) || groupsClaim != "" && !c.hasGroups
}

// fill adds the claims of the UserInfo endpoint that are absent.
func (c *claims) fill(more claims) {
	if c.Email == "" || c.Email == more.Email && !bool(c.EmailVerified) {
		c.Email, c.EmailVerified = more.Email, more.EmailVerified
	}
	if c.Name == "" && c.GivenName == "" {
		c.Name, c.GivenName = more.Name, more.GivenName
	}
	if !c.hasGroups {
		c.groups, c.hasGroups = more.groups, more.hasGroups
	}
}

// checkParty checks the audience of an ID token beyond its first rule (OpenID Connect Core 1.0,
// section 3.1.3.7, rules 3 to 5): a token for several clients names this one as the authorized
// party, and no token names another.
func checkParty(audience []string, party, clientID string) error {
	switch {
	case !slices.Contains(audience, clientID):
		return fmt.Errorf("the audience %q has not this client", audience)
	case party != "" && party != clientID:
		return fmt.Errorf("the authorized party is %q", party)
	case party == "" && len(audience) > 1:
		return fmt.Errorf("the audience %q has several clients, and no authorized party is named", audience)
	}
	return nil
}
