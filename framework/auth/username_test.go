package auth_test

import (
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/throttle"
)

// withUsernames is a desk whose users may have a user name, and may change their account.
func withUsernames(own *auth.Config, common *framework.Config) {
	unlimited(own, common)
	own.Usernames, own.Account.Change = true, true
}

func namedRegistrationOf(email, username string) map[string]any {
	return map[string]any{"email": email, "username": username, "password": goodPassword}
}

func byName(username, password string) map[string]any {
	return map[string]any{"username": username, "password": password}
}

// TestSignInByUsername: every sign-in accepts the user name and the e-mail address, in either
// member.
func TestSignInByUsername(t *testing.T) {
	onDesk(t, withUsernames, func(d *desk) {
		d.Post(register, namedRegistrationOf("asha@example.com", " Asha.Räo ")).Expect(http.StatusCreated)
		for name, body := range map[string]map[string]any{
			"the user name": byName("asha.räo", goodPassword), "in capitals": byName("ASHA.RÄO", goodPassword),
			"in full width": byName("ａｓｈａ.räo", goodPassword), "decomposed": byName("asha.ra\u0308o", goodPassword),
			"the user name as email": credentialsOf("asha.räo", goodPassword), "the e-mail": credentialsOf("asha@example.com", goodPassword),
			"the e-mail as user name": byName("asha@example.com", goodPassword),
		} {
			d.Run(name, func(t *testing.T) {
				d := d.on(t)
				for _, path := range []string{login, "/api/auth/token", "/api/auth/jwt"} {
					d.Post(path, body).Expect(http.StatusOK)
				}
				b := d.tab()
				b.do(http.MethodGet, nil).Expect(http.StatusOK)
				b.do(http.MethodPost, body).Expect(http.StatusOK)
			})
		}
		for name, body := range map[string]map[string]any{
			"a wrong password": byName("asha.räo", "another four words walk"), "an unknown name": byName("ben", goodPassword),
			"a part of the name": byName("asha", goodPassword), "text that is no name": byName("a b", goodPassword),
			"the local part": byName("asha", goodPassword), "SQL": byName("' OR 1=1 --", goodPassword),
		} {
			d.Run(name, func(t *testing.T) {
				d.on(t).Post(login, body).Expect(http.StatusUnauthorized).Code(auth.CodeInvalidCredentials).Contains("The user name, the e-mail or the password is wrong")
			})
		}
		both := byName("asha.räo", goodPassword)
		both["email"] = "asha@example.com"
		d.Post(login, both).Expect(http.StatusBadRequest).Fault("/username", "ambiguous")
	})
}

// TestUsernamesAreOffByDefault: a user name does not sign in, and no field sets one.
func TestUsernamesAreOffByDefault(t *testing.T) {
	onDesk(t, unlimited, func(d *desk) {
		must(d.T, d.service.Users.SetUsername(d.Context(), d.db.Session(), d.user("asha@example.com").ID, "asha"))
		d.Post(login, byName("asha", goodPassword)).Expect(http.StatusUnauthorized)
		d.Post(register, namedRegistrationOf("ben@example.com", "ben")).Expect(http.StatusCreated).Header("Trestle-Ignored", "/username")
		d.Post(login, byName("ben", goodPassword)).Expect(http.StatusUnauthorized)
	})
}

func TestUsernamesThatAreRejected(t *testing.T) {
	onDesk(t, withUsernames, func(d *desk) {
		d.Post(register, namedRegistrationOf("asha@example.com", "asha")).Expect(http.StatusCreated)
		bearer := d.as("Bearer " + d.token(d.user("ben@example.com")))
		for _, c := range []struct{ name, username, code string }{
			{"two characters", "as", "too_short"},
			{"151 characters", strings.Repeat("a", 151), "too_long"},
			{"a very long text", strings.Repeat("a", 5000), "too_long"},
			{"an e-mail address", "asha@example.org", "username"},
			{"a full-width at", "asha＠example", "username"},
			{"a space", "asha rao", "username"},
			{"a line break", "asha\nrao", "line"},
			{"a character without width", "asha\u200brao", "username"},
			{"a mark of direction", "asha\u202eoar", "line"},
			{"a mark of direction alone", "\u202e", "line"},
			{"a filler that is not drawn", "asha\u3164rao", "username"},
		} {
			d.Run(c.name, func(t *testing.T) {
				d := d.on(t)
				d.Post(register, namedRegistrationOf("c@example.com", c.username)).Expect(http.StatusBadRequest).Code("validation_failed").Fault("/username", c.code)
				bearer.On(t).Patch(mePath, map[string]any{"username": c.username}).Expect(http.StatusBadRequest).Fault("/username", c.code)
				_, err := auth.NormalizeUsername(c.username)
				if wrong, ok := errors.AsType[*auth.InputError](err); !ok || wrong.Code != c.code {
					t.Errorf("NormalizeUsername returns %+v; want the code %s as well", err, c.code)
				}
			})
		}
		for _, taken := range []string{"asha", "ASHA", "ａｓｈａ"} {
			d.Post(register, namedRegistrationOf("c@example.com", taken)).Expect(http.StatusConflict).Code("not_unique").Fault("/username", "not_unique")
			bearer.Patch(mePath, map[string]any{"username": taken}).Expect(http.StatusConflict).Code("not_unique")
		}
		d.Post(register, namedRegistrationOf("asha@example.com", "cara")).Expect(http.StatusConflict).Code(auth.CodeEmailTaken)
		if d.count("auth_users") != 2 {
			d.Errorf("there are %d accounts", d.count("auth_users"))
		}
	})
}

// TestSchemaOfUsernames: the OpenAPI document rejects what the server rejects as a user name. It accepts
// empty text, which sets no user name.
func TestSchemaOfUsernames(t *testing.T) {
	onDesk(t, withUsernames, func(d *desk) {
		type schema struct {
			MaxLength int
			Pattern   string
		}
		var document struct {
			Components struct {
				Schemas map[string]struct {
					Properties struct{ Username schema }
				}
			}
		}
		d.Get("/api/openapi.json").Expect(http.StatusOK).JSON(&document)
		for _, name := range []string{"NamedRegistrationInput", "NamedAccountPatch"} {
			found := document.Components.Schemas[name].Properties.Username
			pattern := regexp.MustCompile(found.Pattern)
			for text, want := range map[string]bool{
				"": true, "asha": true, "Asha.Räo": true, "चित्रा": true, strings.Repeat("a", 150): true,
				"as": false, strings.Repeat("a", 151): false, "asha@example.org": false, "asha rao": false, "asha\nrao": false,
				"asha\u200brao": false, "asha\u202eoar": false, "asha\u3164rao": false, "asha\ufe0frao": false,
			} {
				if accepted := pattern.MatchString(text) && utf8.RuneCountInString(text) <= found.MaxLength; accepted != want {
					d.Errorf("%s: the schema accepts %q: %v", name, text, accepted)
				}
			}
		}
	})
}

// TestChangeTheOwnUsername: it may be set, changed and removed. Two users may be without one.
func TestChangeTheOwnUsername(t *testing.T) {
	onDesk(t, withUsernames, func(d *desk) {
		bearer := d.as("Bearer " + d.token(d.user("asha@example.com")))
		d.user("ben@example.com")
		bearer.Get(mePath).Expect(http.StatusOK).Contains(`"username":""`)
		bearer.Patch(mePath, map[string]any{"username": "Straße"}).Expect(http.StatusOK).Contains(`"username":"strasse"`)
		d.Post(login, byName("STRASSE", goodPassword)).Expect(http.StatusOK)
		bearer.Patch(mePath, map[string]any{"name": "Rao"}).Expect(http.StatusOK).Contains(`"username":"strasse"`, `"name":"Rao"`)
		bearer.Patch(mePath, map[string]any{"username": "", "name": "a\nb"}).Expect(http.StatusBadRequest)
		bearer.Get(mePath).Contains(`"username":"strasse"`)
		bearer.Patch(mePath, map[string]any{"username": ""}).Expect(http.StatusOK).Contains(`"username":""`)
		d.Post(login, byName("strasse", goodPassword)).Expect(http.StatusUnauthorized)
	})
}

// TestFailedSignInsByNameAreAlike: an unknown user name, an inactive user and a wrong password have
// the same answer after the same work.
func TestFailedSignInsByNameAreAlike(t *testing.T) {
	onDesk(t, withUsernames, func(d *desk) {
		users, s := d.service.Users, d.db.Session()
		must(d.T, users.SetUsername(d.Context(), s, d.user("asha@example.com").ID, "asha"))
		must(d.T, users.SetUsername(d.Context(), s, d.inactive().ID, "absent"))
		statements := frameworktest.CountStatements(d.db)
		for _, path := range signIns {
			first := d.watched(statements, path, "unknown", goodPassword)
			for name, got := range map[string]attempt{
				"an inactive user": d.watched(statements, path, "absent", goodPassword),
				"a wrong password": d.watched(statements, path, "asha", "another four words walk"),
			} {
				if got.status != http.StatusUnauthorized || got.hashes != 1 || len(got.statements) != 1 || got.body != first.body || got.headers != first.headers {
					d.Errorf("%s, %s:\n%+v\nbut an unknown user:\n%+v", path, name, got, first)
				}
			}
		}
	})
}

// TestSignInsByNameAreLimited: by the normal form of the name, whether the user exists or not.
func TestSignInsByNameAreLimited(t *testing.T) {
	onDesk(t, func(own *auth.Config, _ *framework.Config) {
		own.Usernames = true
		own.Rates = map[string]throttle.Rate{auth.ScopeLogin: {Limit: 1, Per: time.Hour}}
	}, func(d *desk) {
		d.Post(login, byName("nobody", goodPassword)).Expect(http.StatusUnauthorized)
		d.Post(login, byName("NOBODY", goodPassword)).Expect(http.StatusTooManyRequests)
		d.Post(login, byName("another", goodPassword)).Expect(http.StatusUnauthorized)
	})
}

// FuzzNormalizeUsername: a user name in normal form is its own normal form, and has no invisible
// character.
func FuzzNormalizeUsername(f *testing.F) {
	for _, seed := range []string{"asha", "ASHA", "ａｓｈａ", "Straße", "ǅungla", "İstanbul", "a\u0345b\u0301c", "\u202easha", "\u13a0\uab71\u13f8"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		normal, err := auth.NormalizeUsername(text)
		if err != nil {
			return
		}
		if again, err := auth.NormalizeUsername(normal); err != nil || again != normal {
			t.Errorf("%q becomes %q, and then %q, %v", text, normal, again, err)
		}
		if upper, err := auth.NormalizeUsername(" " + normal + "\t"); err != nil || upper != normal {
			t.Errorf("%q with space around it becomes %q, %v", normal, upper, err)
		}
		if strings.ContainsAny(normal, " @\n\u200b\u202e") {
			t.Errorf("%q becomes %q", text, normal)
		}
	})
}
