package providertest

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"trestle.example/framework/auth"
	"trestle.example/framework/auth/oidc"
)

// TestAPersonSignsIn: the first sign-in creates an account and a session, later ones use it.
func TestAPersonSignsIn(t *testing.T) {
	onBoth(t, nil, func(c *clinic) {
		b := c.browser()
		to := b.begin("/orders?open=yes")
		sent := to.Query()
		for name, want := range map[string]string{
			"client_id": clientID, "response_type": "code", "redirect_uri": callback, "scope": "openid profile email", "code_challenge_method": "S256",
		} {
			if sent.Get(name) != want {
				c.Errorf("the provider gets %s=%q; want %q", name, sent.Get(name), want)
			}
		}
		back := c.provider.signIn(to.String(), "ada")
		w := b.get(back.String())
		if w.Code != http.StatusFound || w.Header().Get("Location") != "/orders?open=yes" {
			c.Fatalf("the end of the sign-in: %d %s %s", w.Code, w.Header(), w.Body)
		}
		user := b.me()
		if user.Email != "ada@example.com" || user.Name != "Ada Rao" || user.IsStaff || user.IsSuperuser {
			c.Errorf("the account is %+v", user)
		}
		if _, ok := b.cookies["__Host-oidc_company"]; ok || len(b.cookies) != 2 {
			c.Errorf("the browser still has the cookies %v", b.cookies)
		}
		if again := c.browser().signsIn("ada"); again.ID != user.ID {
			c.Errorf("the second sign-in is another user: %s, not %s", again.ID, user.ID)
		}
		if got, want := c.counts(), [5]int64{1, 1, 2}; got != want {
			c.Errorf("users, identities, sessions, ...: %v; want %v", got, want)
		}
		for _, secret := range []string{back.Query().Get("code"), back.Query().Get("state"), clientSecret, "ada@example.com"} {
			if strings.Contains(c.log.String(), secret) {
				c.Errorf("the log has %q:\n%s", secret, c.log)
			}
		}
		if !strings.Contains(c.log.String(), `"event":"registered"`) || !strings.Contains(c.log.String(), `"event":"login"`) {
			c.Errorf("the audit log lacks the sign-in:\n%s", c.log)
		}
	})
}

// TestTheSessionIsThatOfPackageAuth: writes need the CSRF token, and signing out ends it.
func TestTheSessionIsThatOfPackageAuth(t *testing.T) {
	onBoth(t, nil, func(c *clinic) {
		b := c.browser()
		b.signsIn("ada")
		b.rejected(b.do(http.MethodDelete, "/api/auth/session", ""), auth.CodeCSRFFailed)
		if w := b.do(http.MethodDelete, "/api/auth/session", b.cookies["csrftoken"]); w.Code != http.StatusNoContent {
			c.Errorf("signing out: %d %s", w.Code, w.Body)
		}
		b.rejected(b.get("/api/auth/me"), "authentication_required")
	})
}

// TestAnAccountWithoutAPassword: no password opens an account that a sign-in created.
func TestAnAccountWithoutAPassword(t *testing.T) {
	onBoth(t, nil, func(c *clinic) {
		c.browser().signsIn("ada")
		for _, guess := range []string{"", password, "!"} {
			if _, err := c.identity.Users.CheckPassword(c.Context(), c.db.Session(), "ada@example.com", guess); err == nil || !strings.Contains(err.Error(), "do not belong") {
				c.Errorf("the password %q: %v", guess, err)
			}
		}
	})
}

// TestIdentityIsTheSubject: an address may change, and may be given to another person.
func TestIdentityIsTheSubject(t *testing.T) {
	onBoth(t, func(p *oidc.Provider) { p.LinkEmail = true }, func(c *clinic) {
		user := c.browser().signsIn("ada")
		c.provider.change(func() { c.provider.people["ada"].Email = "ada.rao@example.com" })
		if again := c.browser().signsIn("ada"); again.ID != user.ID || again.Email != user.Email {
			c.Errorf("after a change of the address the user is %+v", again)
		}
		c.provider.add("eve", "ada@example.com")
		before := c.counts()
		b := c.browser()
		b.rejected(b.get(b.reach("eve").String()), auth.CodeEmailTaken)
		if after := c.counts(); after != before {
			c.Errorf("the rows were %v and are %v", before, after)
		}
	})
}

// TestTwoFirstSignInsAtOnce: one person, two browsers, one account.
func TestTwoFirstSignInsAtOnce(t *testing.T) {
	onBoth(t, nil, func(c *clinic) {
		const browsers = 4
		var all sync.WaitGroup
		for range browsers {
			b := c.browser()
			back := b.reach("ada").String()
			all.Go(func() { b.rejected(b.get(back), "") })
		}
		all.Wait()
		if got, want := c.counts(), [5]int64{1, 1, browsers}; got != want {
			c.Errorf("users, identities, sessions, ...: %v; want %v", got, want)
		}
	})
}

// TestKeysRotate: a key that is new since the last sign-in is read again; one that was removed is
// not accepted.
func TestKeysRotate(t *testing.T) {
	onBoth(t, nil, func(c *clinic) {
		c.browser().signsIn("ada")
		b := c.browser()
		back := b.reach("ada")
		c.provider.rotate()
		b.rejected(b.get(back.String()), "")
		b.me()
	})
}

// TestGroupsGiveRights: the rights follow the groups at each sign-in, and those that an operator
// gave stay.
func TestGroupsGiveRights(t *testing.T) {
	onBoth(t, grants, func(c *clinic) {
		doctors, err := c.identity.Users.CreateGroup(c.Context(), c.db.Session(), "doctors", "patients.view")
		must(c.T, err)
		rights := func() []string {
			user := c.browser().signsIn("ada")
			caller, err := c.identity.Users.Caller(c.Context(), c.db.Session(), user.ID, "Test")
			must(c.T, err)
			var held []string
			for _, p := range []string{"patients.view", "patients.change", "orders.view", "orders.delete"} {
				if caller.Holds(p) {
					held = append(held, p)
				}
			}
			return held
		}
		belongs := func(groups ...string) { c.provider.change(func() { c.provider.groups["ada"] = groups }) }
		expect := func(when string, want ...string) {
			c.Helper()
			if got := rights(); !slices.Equal(got, want) {
				c.Errorf("%s: %q; want %q", when, got, want)
			}
		}
		expect("without the claim")
		belongs("staff", "superuser", "Clinic-Doctors", "doctors")
		expect("in groups that are not declared")
		belongs("clinic-doctors", "clinic-office", "clinic-office")
		expect("in both groups", "patients.view", "patients.change", "orders.view")
		must(c.T, c.identity.Users.Grant(c.Context(), c.db.Session(), c.browser().signsIn("ada").ID, "orders.delete"))
		belongs("clinic-office")
		expect("after leaving one", "orders.view", "orders.delete")
		belongs("clinic-doctors")
		must(c.T, c.identity.Users.Leave(c.Context(), c.db.Session(), c.browser().signsIn("ada").ID, doctors.ID))
		expect("after an operator removed the membership", "patients.view", "patients.change", "orders.delete")
		c.provider.change(func() { delete(c.provider.groups, "ada") })
		expect("when the claim is absent again", "orders.delete")
		if !strings.Contains(c.log.String(), `"group":"no such group"`) {
			c.Error("the log does not name the group that does not exist")
		}
	})
}

func grants(p *oidc.Provider) {
	p.GroupsClaim = "groups"
	p.Grants = map[string]oidc.Grant{
		"clinic-doctors": {Groups: []string{"doctors", "no such group"}, Permissions: []string{"patients.change"}},
		"clinic-office":  {Permissions: []string{"orders.view"}},
	}
}

// TestAnAccountIsLinked: with LinkEmail, a verified address leads to its account. All credentials
// of the account before end.
func TestAnAccountIsLinked(t *testing.T) {
	onBoth(t, func(p *oidc.Provider) { p.LinkEmail, p.Register = true, false }, func(c *clinic) {
		user := c.user("ada@example.com", nil)
		_, _, err := c.identity.Users.IssueToken(c.Context(), c.db.Session(), user, "", 0)
		must(c.T, err)
		if got := c.browser().signsIn("ada"); got.ID != user.ID {
			c.Errorf("the user is %s; want %s", got.ID, user.ID)
		}
		if _, err := c.identity.Users.CheckPassword(c.Context(), c.db.Session(), user.Email, "four unrelated words walk"); err == nil {
			c.Error("the password of whoever made the account still works")
		}
		n, err := c.db.NewSelect().Table("auth_tokens").Count(c.Context())
		if err != nil || n != 0 {
			c.Errorf("the account still has %d tokens, %v", n, err)
		}
	})
}

// TestAProviderThatIsAway: the program starts, is degraded, and signs in as soon as the provider
// answers.
func TestAProviderThatIsAway(t *testing.T) {
	onBoth(t, nil, func(c *clinic) {
		c.provider.change(func() { c.provider.away = true })
		b := c.browser()
		if err := c.signIn.Ready(c.Context()); err == nil || !strings.Contains(err.Error(), `"company"`) {
			c.Errorf("the check says %v", err)
		}
		w := b.get("/api/auth/oidc/company/")
		b.rejected(w, oidc.CodeUnavailable)
		if w.Header().Get("Retry-After") == "" || len(b.cookies) != 0 {
			c.Errorf("the headers are %v", w.Header())
		}
		c.provider.change(func() { c.provider.away = false })
		c = openClinic(c.T, c.db, c.provider, nil) // else the next attempt is 5 s later
		must(c.T, c.signIn.Ready(c.Context()))
		b = c.browser()
		back := b.reach("ada")
		c.provider.change(func() { c.provider.away = true })
		b.rejected(b.get(back.String()), oidc.CodeUnavailable)
		c.provider.change(func() { c.provider.away = false })
		c.browser().signsIn("ada")
	})
}

// TestPKCE: a code without the verifier is worth nothing.
func TestPKCE(t *testing.T) {
	onBoth(t, nil, func(c *clinic) {
		code := c.browser().reach("ada").Query().Get("code")
		form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {callback}, "client_id": {clientID}}
		request, err := http.NewRequestWithContext(c.Context(), http.MethodPost, c.provider.issuer()+"/oauth/token", strings.NewReader(form.Encode()))
		must(c.T, err)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.SetBasicAuth(url.QueryEscape(clientID), url.QueryEscape(clientSecret))
		answer, err := c.provider.agent.Do(request)
		must(c.T, err)
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusBadRequest {
			c.Errorf("the provider answers %s to a code without its verifier", answer.Status)
		}
	})
}
