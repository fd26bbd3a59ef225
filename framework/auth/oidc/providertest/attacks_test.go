package providertest

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"trestle.example/framework/auth"
	"trestle.example/framework/auth/oidc"
)

// An attack is a sign-in that must fail with a code and change no row.
type attack struct {
	name string
	code string
	run  func(*browser) *httptest.ResponseRecorder
}

// TestAttacksOnTheAnswer: the address to which the provider sends the browser is changed, sent
// again, or sent by another browser.
func TestAttacksOnTheAnswer(t *testing.T) {
	onBoth(t, nil, func(c *clinic) { c.reject(answerAttacks) })
}

var answerAttacks = []attack{
	{"no state", oidc.CodeState, edited(func(q url.Values) { q.Del("state") })},
	{"an empty state", oidc.CodeState, edited(func(q url.Values) { q.Set("state", "") })},
	{"another state", oidc.CodeState, edited(func(q url.Values) { q.Set("state", strings.Repeat("A", 43)) })},
	{"the state twice", oidc.CodeState, edited(func(q url.Values) { q.Add("state", q.Get("state")) })},
	{"no cookie", oidc.CodeState, func(b *browser) *httptest.ResponseRecorder {
		return b.browser().get(b.reach("ada").String())
	}},
	{"the cookie of another sign-in", oidc.CodeState, func(b *browser) *httptest.ResponseRecorder {
		victim := b.browser()
		victim.begin("/")
		return victim.get(b.reach("ada").String())
	}},
	{"the cookie of the sign-in before", oidc.CodeState, func(b *browser) *httptest.ResponseRecorder {
		back := b.reach("ada")
		b.begin("/")
		return b.get(back.String())
	}},
	{"a changed cookie", oidc.CodeState, func(b *browser) *httptest.ResponseRecorder {
		back := b.reach("ada")
		parts := strings.Split(b.cookies["__Host-oidc_company"], ".")
		parts[3] = base64.RawURLEncoding.EncodeToString([]byte("/elsewhere"))
		b.cookies["__Host-oidc_company"] = strings.Join(parts, ".")
		return b.get(back.String())
	}},
	{"a cookie of garbage", oidc.CodeState, func(b *browser) *httptest.ResponseRecorder {
		back := b.reach("ada")
		b.cookies["__Host-oidc_company"] = "1.2.3.4"
		return b.get(back.String())
	}},
	{"a state twice, after its end", oidc.CodeState, func(b *browser) *httptest.ResponseRecorder {
		back := b.reach("ada").String()
		b.rejected(b.get(edit(back, func(q url.Values) { q.Set("error", "access_denied") })), oidc.CodeDenied)
		return b.get(back)
	}},
	{"a code that is not one", oidc.CodeDenied, edited(func(q url.Values) { q.Set("code", "guess") })},
	{"the code twice", oidc.CodeDenied, edited(func(q url.Values) { q.Add("code", q.Get("code")) })},
	{"no code", oidc.CodeDenied, edited(func(q url.Values) { q.Del("code") })},
	{"the code of another client", oidc.CodeDenied, func(b *browser) *httptest.ResponseRecorder {
		other := b.provider.signIn(b.provider.issuer()+"/auth?"+url.Values{
			"client_id": {otherClient}, "redirect_uri": {otherReturn}, "response_type": {"code"}, "scope": {"openid"}, "state": {"x"},
		}.Encode(), "ada")
		return b.get(edit(b.reach("ada").String(), func(q url.Values) { q.Set("code", other.Query().Get("code")) }))
	}},
	{"the code of another sign-in", oidc.CodeDenied, func(b *browser) *httptest.ResponseRecorder {
		other := b.browser().reach("ada").Query().Get("code")
		return b.get(edit(b.reach("ada").String(), func(q url.Values) { q.Set("code", other) }))
	}},
	{"an ID token in place of a code", oidc.CodeDenied, func(b *browser) *httptest.ResponseRecorder {
		to := b.begin("/")
		token := b.provider.sign(map[string]any{
			"iss": b.provider.issuer(), "aud": clientID, "sub": "ada", "nonce": to.Query().Get("nonce"), "exp": time.Now().Add(time.Hour).Unix(),
		})
		return b.get(callback + "?" + url.Values{"state": {to.Query().Get("state")}, "id_token": {token}}.Encode())
	}},
	{"the person stops at the provider", oidc.CodeDenied, edited(func(q url.Values) { q.Del("code"); q.Set("error", "access_denied") })},
	{"an error beside a code", oidc.CodeDenied, edited(func(q url.Values) {
		q.Set("error", "<script>alert(1)</script>")
		q.Set("error_description", "<script>alert(2)</script>")
	})},
	{"without TLS", auth.CodeTLSRequired, func(b *browser) *httptest.ResponseRecorder {
		back := b.reach("ada")
		b.cleartext = true
		return b.get(back.String())
	}},
	{"the issuer of another provider", oidc.CodeInvalid, edited(func(q url.Values) { q.Set("iss", "https://evil.example") })},
}

// TestAttacksOnTheToken: the provider sends a token that is not valid for this sign-in.
func TestAttacksOnTheToken(t *testing.T) {
	onBoth(t, nil, func(c *clinic) {
		foreign, err := rsa.GenerateKey(rand.Reader, 2048)
		must(t, err)
		c.reject(tokenAttacks(foreign))
	})
}

func tokenAttacks(foreign *rsa.PrivateKey) []attack {
	ago := func(d time.Duration) int64 { return time.Now().Add(-d).Unix() }
	claim := func(name string, value any) func(*provider, map[string]any) {
		return func(_ *provider, claims map[string]any) { claims[name] = value }
	}
	return []attack{
		forged("the nonce of another sign-in", claim("nonce", strings.Repeat("A", 43))),
		forged("no nonce", func(_ *provider, claims map[string]any) { delete(claims, "nonce") }),
		forged("another audience", claim("aud", otherClient)),
		forged("no audience", claim("aud", []string{})),
		forged("several audiences and no authorized party", func(_ *provider, claims map[string]any) {
			claims["aud"] = []string{clientID, otherClient}
			delete(claims, "azp")
		}),
		forged("another authorized party", claim("azp", otherClient)),
		forged("the issuer with a slash", func(p *provider, claims map[string]any) { claims["iss"] = p.issuer() + "/" }),
		forged("another issuer", claim("iss", "https://evil.example")),
		forged("no issuer", claim("iss", "")),
		forged("expired more than a minute ago", claim("exp", ago(70*time.Second))),
		forged("no expiry", func(_ *provider, claims map[string]any) { delete(claims, "exp") }),
		forged("issued in the future", claim("iat", ago(-70*time.Second))),
		forged("not valid yet", claim("nbf", ago(-10*time.Minute))),
		forged("no subject", claim("sub", "")),
		forged("a subject of 256 bytes", claim("sub", strings.Repeat("a", 256))),
		forged("the hash of another access token", claim("at_hash", "AAAAAAAAAAAAAAAAAAAAAA")),
		replaced("alg none", func(_ *provider, claims map[string]any) string { return unsigned(claims, `{"alg":"none","typ":"JWT"}`) }),
		replaced("no signature", func(_ *provider, claims map[string]any) string {
			return unsigned(claims, `{"alg":"RS256","typ":"JWT"}`)
		}),
		replaced("HS256 with the public key", func(p *provider, claims map[string]any) string {
			der, _ := x509.MarshalPKIXPublicKey(&p.key().private.PublicKey)
			secret := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
			return p.signAs(claims, jose.SigningKey{Algorithm: jose.HS256, Key: jose.JSONWebKey{Key: secret, KeyID: p.key().id}})
		}),
		replaced("HS256 with the secret of the client", func(p *provider, claims map[string]any) string {
			return p.signAs(claims, jose.SigningKey{Algorithm: jose.HS256, Key: []byte(clientSecret + strings.Repeat("\x00", 16))})
		}),
		replaced("a foreign key with the id of the right one", func(p *provider, claims map[string]any) string {
			return p.signAs(claims, jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: foreign, KeyID: p.key().id}})
		}),
		replaced("a foreign key with an id of its own", func(p *provider, claims map[string]any) string {
			return p.signAs(claims, jose.SigningKey{Algorithm: jose.RS256, Key: jose.JSONWebKey{Key: foreign, KeyID: "mine"}})
		}),
		replaced("a key that the provider removed", func(p *provider, claims map[string]any) string {
			token := p.sign(claims)
			p.rotate()
			return token
		}),
		replaced("no token", func(*provider, map[string]any) string { return "" }),
		replaced("not a token", func(*provider, map[string]any) string { return "a.b.c" }),
		{"the profile of another person", oidc.CodeInvalid, func(b *browser) *httptest.ResponseRecorder {
			back := b.reach("ada")
			b.provider.change(func() { b.provider.profile = func(claims map[string]any) { claims["sub"] = "eve" } })
			defer b.provider.change(func() { b.provider.profile = nil })
			return b.get(back.String())
		}},
		{"a subject with U+0000, also in the profile", oidc.CodeInvalid, func(b *browser) *httptest.ResponseRecorder {
			p, subject := b.provider, func(claims map[string]any) { claims["sub"] = "a\x00b" }
			back := b.reach("ada")
			p.change(func() {
				p.forge = func(claims map[string]any) string { subject(claims); return p.sign(claims) }
				p.profile = subject
			})
			defer p.change(func() { p.forge, p.profile = nil, nil })
			return b.get(back.String())
		}},
		{"a claim of a wrong type", oidc.CodeInvalid, func(b *browser) *httptest.ResponseRecorder {
			back := b.reach("ada")
			b.provider.change(func() { b.provider.profile = func(claims map[string]any) { claims["email"] = 7 } })
			defer b.provider.change(func() { b.provider.profile = nil })
			return b.get(back.String())
		}},
	}
}

// TestAttacksOnAccounts: a person that the provider knows gets no account of another person.
func TestAttacksOnAccounts(t *testing.T) {
	onBoth(t, func(p *oidc.Provider) { p.LinkEmail = true }, func(c *clinic) {
		c.user("staff@example.com", func(n *auth.NewUser) { n.Staff = true })
		c.user("root@example.com", func(n *auth.NewUser) { n.Superuser = true })
		c.disable(c.user("disabled@example.com", nil))
		c.user("asha@example.com", nil)
		c.provider.add("known", "known@example.com")
		c.disable(c.browser().signsIn("known"))
		c.reject([]attack{
			person("an address that is not verified", oidc.CodeEmailUnverified, "asha@example.com", false),
			person("a new address that is not verified", oidc.CodeEmailUnverified, "new@example.com", false),
			person("no address", oidc.CodeEmailUnverified, "", true),
			person("an address that no account can have", oidc.CodeEmailUnverified, "a\u200bda@example.com", true),
			person("the address of staff", auth.CodeEmailTaken, "staff@example.com", true),
			person("the address of a superuser", auth.CodeEmailTaken, "root@example.com", true),
			person("the address of a disabled account", oidc.CodeInactive, "disabled@example.com", true),
			{"a disabled account with an identity", oidc.CodeInactive, func(b *browser) *httptest.ResponseRecorder {
				return b.get(b.reach("known").String())
			}},
		})
	})
}

// TestAddressesAreNotLinkedByDefault: the account of an address is not given away.
func TestAddressesAreNotLinkedByDefault(t *testing.T) {
	onBoth(t, nil, func(c *clinic) {
		c.user("asha@example.com", nil)
		c.reject([]attack{person("the address of an account", auth.CodeEmailTaken, "ASHA@example.com", true)})
	})
}

// TestOnlyPeopleWithAnAccount: without Register no account is created.
func TestOnlyPeopleWithAnAccount(t *testing.T) {
	onBoth(t, func(p *oidc.Provider) { p.Register, p.LinkEmail = false, true }, func(c *clinic) {
		c.user("ada@example.com", nil)
		c.reject([]attack{person("a person without an account", oidc.CodeNoAccount, "new@example.com", true)})
	})
}

// TestClocksThatDiffer: a token that expired within the last minute is accepted.
func TestClocksThatDiffer(t *testing.T) {
	onBoth(t, nil, func(c *clinic) {
		c.provider.change(func() {
			c.provider.forge = func(claims map[string]any) string {
				claims["exp"], claims["iat"] = time.Now().Add(-20*time.Second).Unix(), time.Now().Add(20*time.Second).Unix()
				claims["aud"], claims["azp"] = []string{clientID, otherClient}, clientID
				return c.provider.sign(claims)
			}
		})
		c.browser().signsIn("ada")
	})
}

// reject runs attacks, and checks that each fails with its code and changes no row. Then a person can
// still sign in.
func (c *clinic) reject(attacks []attack) {
	for _, a := range attacks {
		c.Run(a.name, func(t *testing.T) {
			c := c.on(t)
			before, b := c.counts(), c.browser()
			w := a.run(b)
			b.rejected(w, a.code)
			if after := c.counts(); after != before {
				t.Errorf("the rows were %v and are %v", before, after)
			}
			for name := range b.cookies {
				if strings.Contains(name, "sessionid") {
					t.Errorf("the browser has the cookie %s", name)
				}
			}
			for _, text := range []string{"script", "evil"} {
				if strings.Contains(w.Body.String()+c.log.String(), text+"<") || strings.Contains(w.Body.String(), text) {
					t.Errorf("the answer has %q: %s", text, w.Body)
				}
			}
		})
	}
	c.browser().signsIn("ada")
}

func (c *clinic) disable(user auth.User) {
	c.Helper()
	must(c.T, c.identity.Users.SetActive(c.Context(), c.db.Session(), user.ID, false))
}

// edited returns an attack that changes the query of a valid answer.
func edited(change func(url.Values)) func(*browser) *httptest.ResponseRecorder {
	return func(b *browser) *httptest.ResponseRecorder { return b.get(edit(b.reach("ada").String(), change)) }
}

func edit(address string, change func(url.Values)) string {
	u, _ := url.Parse(address)
	query := u.Query()
	change(query)
	u.RawQuery = query.Encode()
	return u.String()
}

// forged returns an attack that changes the claims of the ID token; its signature is right.
func forged(name string, change func(*provider, map[string]any)) attack {
	return replaced(name, func(p *provider, claims map[string]any) string {
		change(p, claims)
		return p.sign(claims)
	})
}

// replaced returns an attack that replaces the ID token.
func replaced(name string, token func(*provider, map[string]any) string) attack {
	return attack{name, oidc.CodeInvalid, func(b *browser) *httptest.ResponseRecorder {
		back, p := b.reach("ada"), b.provider
		p.change(func() { p.forge = func(claims map[string]any) string { return token(p, claims) } })
		defer p.change(func() { p.forge = nil })
		return b.get(back.String())
	}}
}

func unsigned(claims map[string]any, header string) string {
	body, _ := json.Marshal(claims)
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(header)) + "." + encode(body) + "."
}

// person returns an attack by a person with an address.
func person(name, code, email string, verified bool) attack {
	return attack{name, code, func(b *browser) *httptest.ResponseRecorder {
		b.provider.add("eve", email)
		b.provider.change(func() { b.provider.people["eve"].EmailVerified = verified })
		return b.get(b.reach("eve").String())
	}}
}
