package auth

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"trestle.example/framework/sqldb"
)

func TestSigningInAndOut(t *testing.T) {
	onBoth(t, func(w *world) {
		w.user("asha@example.com")
		for _, secure := range []bool{true, false} {
			s := w.site(SessionOptions{Secure: secure})
			b := s.browser()
			b.admitted(false)
			s.wants(b.show(), http.StatusOK, `"email":""`)
			if b.key(presessionCookie) == "" || b.key(sessionCookie) != "" || b.token == "" {
				w.Fatalf("before login the cookies are %v", b.cookies)
			}
			before := b.token
			b.enter("asha@example.com", http.StatusOK)
			if b.key(presessionCookie) != "" || b.key(sessionCookie) == "" || b.token == before {
				w.Fatalf("after login the cookies are %v", b.cookies)
			}
			b.admitted(true)
			s.wants(b.show(), http.StatusOK, `"email":"asha@example.com"`)
			b.wants(b.do("POST", "act/", ""), http.StatusNoContent, "")
			b.wants(b.do("DELETE", "session/", ""), http.StatusNoContent, "")
			if len(b.cookies) != 0 {
				w.Errorf("after logout the cookies are %v", b.cookies)
			}
			b.admitted(false)
		}
	})
}

func TestSigningInNeedsTheTokenOfThePresession(t *testing.T) {
	onBoth(t, func(w *world) {
		w.user("asha@example.com")
		s := w.site(SessionOptions{Secure: true})
		b, attacker := s.browser(), s.browser()
		b.show()
		attacker.show()
		const body = `{"email":"asha@example.com"}`
		for _, c := range []struct {
			name    string
			headers []string
			refused string
		}{
			{"neither cookie nor token", nil, "X-CSRFToken is missing"},
			{"a cookie and no token", []string{"Cookie: " + b.cookie()}, "X-CSRFToken is missing"},
			{"a cookie and an empty token", []string{"Cookie: " + b.cookie(), "X-CSRFToken: "}, "X-CSRFToken is missing"},
			{"a token and no cookie", []string{"X-CSRFToken: " + b.token}, "no cookie"},
			{"only the cookie csrftoken", []string{"Cookie: csrftoken=" + b.token, "X-CSRFToken: " + b.token}, "no cookie"},
			{"another browser's token", []string{"Cookie: " + b.cookie(), "X-CSRFToken: " + attacker.token}, "another session"},
			{"a presession under its name without __Host-", []string{"Cookie: presession=" + b.key(presessionCookie), "X-CSRFToken: " + b.token}, "no cookie"},
			{"an invalid presession", []string{"Cookie: __Host-presession=x", "X-CSRFToken: " + b.token}, "no cookie"},
			{"two presessions", []string{"Cookie: " + b.cookie() + "; " + attacker.cookie(), "X-CSRFToken: " + b.token}, "no cookie"},
			{"another site", []string{"Cookie: " + b.cookie(), "X-CSRFToken: " + b.token, "Origin: https://evil.test"}, "header Origin"},
		} {
			w.Run(c.name, func(t *testing.T) {
				s := s.on(t)
				r := s.wants(s.send("POST", "session/", body, c.headers...), http.StatusForbidden, c.refused)
				if cookies := r.Header().Values("Set-Cookie"); len(cookies) != 0 {
					t.Errorf("an error sets %v", cookies)
				}
			})
		}
	})
}

func TestFixation(t *testing.T) {
	onBoth(t, func(w *world) {
		w.user("asha@example.com")
		w.user("mallory@example.com")
		for _, secure := range []bool{true, false} {
			s := w.site(SessionOptions{Secure: secure})

			w.Run("an id that the attacker made up is not taken over", func(*testing.T) {
				b := s.browser()
				planted := newKey()
				b.cookies[s.sessions.name(sessionCookie)] = planted
				b.show()
				b.enter("asha@example.com", http.StatusOK)
				if b.key(sessionCookie) == planted {
					w.Error("the planted id is in use")
				}
				s.wants(s.with(planted), http.StatusUnauthorized, "")
			})
			w.Run("the attacker's own session dies when the victim signs in over it", func(*testing.T) {
				mallory := s.signedIn("mallory@example.com")
				planted := mallory.key(sessionCookie)
				b := s.browser()
				b.cookies[s.sessions.name(sessionCookie)] = planted
				b.show()
				b.enter("asha@example.com", http.StatusOK)
				if b.key(sessionCookie) == planted {
					w.Error("the planted id is in use")
				}
				s.wants(s.with(planted), http.StatusUnauthorized, "")
				mallory.admitted(false)
				b.admitted(true)
			})
			w.Run("signing in again makes a new id and kills the old", func(*testing.T) {
				b := s.signedIn("asha@example.com")
				first, token := b.key(sessionCookie), b.token
				b.enter("asha@example.com", http.StatusOK)
				s.wants(s.with(first), http.StatusUnauthorized, "")
				b.admitted(true)
				b.token, b.cookies[csrfCookie] = token, token
				b.wants(b.do("POST", "act/", ""), http.StatusForbidden, "before signing in")
			})
			w.Run("a presession is no session, before and after", func(*testing.T) {
				b := s.browser()
				b.show()
				waiting := b.key(presessionCookie)
				s.wants(s.with(waiting), http.StatusUnauthorized, "")
				b.enter("asha@example.com", http.StatusOK)
				s.wants(s.with(waiting), http.StatusUnauthorized, "")
				if b.key(presessionCookie) != "" || b.key(sessionCookie) == waiting {
					w.Errorf("the cookies are %v", b.cookies)
				}
			})
		}
	})
}

// with tries to act with the key of a session.
func (s *site) with(key string) *httptest.ResponseRecorder {
	s.Helper()
	return s.send("GET", "act/", "", "Cookie: "+s.sessions.name(sessionCookie)+"="+key)
}

// TestWhatEndsASession: an end takes effect with the next request, and ends no other
// session.
func TestWhatEndsASession(t *testing.T) {
	onBoth(t, func(w *world) {
		user, other := w.user("asha@example.com"), w.user("other@example.com")
		s := w.site(SessionOptions{})
		stranger := s.signedIn(other.Email)
		for _, c := range []struct {
			name  string
			kill  func(b *browser)
			twins bool // whether it ends the other sessions of the user, too
		}{
			{"logout", func(b *browser) { b.copy().do("DELETE", "session/", "") }, false},
			{"a new password", func(*browser) {
				w.must(w.users.SetPassword(w.ctx, w.s, user.ID, "another set of plain words"))
			}, true},
			{"a new password in a transaction", func(*browser) {
				w.must(w.db.InTx(w.ctx, func(ctx context.Context, tx *sqldb.Session) error {
					return w.users.SetPassword(ctx, tx, user.ID, goodPassword)
				}))
			}, true},
			{"EndAll", func(*browser) { w.must(s.sessions.EndAll(w.ctx, w.s, user.ID)) }, true},
			{"EndByID", func(*browser) {
				list, err := s.sessions.List(w.ctx, w.s, user.ID)
				w.must(err)
				w.must(s.sessions.EndByID(w.ctx, w.s, user.ID, list[len(list)-1].ID))
			}, false},
			{"being made inactive", func(*browser) { w.must(w.users.SetActive(w.ctx, w.s, user.ID, false)) }, true},
		} {
			w.Run(c.name, func(*testing.T) {
				w.must(w.users.SetActive(w.ctx, w.s, user.ID, true))
				w.must(s.sessions.EndAll(w.ctx, w.s, user.ID))
				twin := s.signedIn(user.Email)
				w.now = w.now.Add(time.Millisecond)
				b := s.signedIn(user.Email)
				b.admitted(true)
				c.kill(b)
				b.admitted(false)
				if b.key(sessionCookie) != "" {
					w.Error("the cookie was not cleared")
				}
				twin.admitted(!c.twins)
				stranger.admitted(true)
			})
		}
		wantNotFound(w.T, s.sessions.EndByID(w.ctx, w.s, user.ID, newID()))
		list, err := s.sessions.List(w.ctx, w.s, other.ID)
		w.must(err)
		wantNotFound(w.T, s.sessions.EndByID(w.ctx, w.s, user.ID, list[0].ID))
		stranger.admitted(true)
		_, err = w.s.Exec(w.ctx, w.s.IDB().NewDelete().Table("auth_users").Where("id = ?", other.ID))
		w.must(err)
		stranger.admitted(false)
	})
}

// copy returns the browser as it is now, so that later changes do not affect it.
func (b *browser) copy() *browser {
	twin := b.site.browser()
	twin.token = b.token
	maps.Copy(twin.cookies, b.cookies)
	return twin
}

// TestSessionCookieSpellings: which cookies name a session, and which are cleared.
func TestSessionCookieSpellings(t *testing.T) {
	onBoth(t, func(w *world) {
		w.user("asha@example.com")
		w.user("mallory@example.com")
		for _, secure := range []bool{true, false} {
			s := w.site(SessionOptions{Secure: secure})
			name, wrong := sessionCookie, hostPrefix+sessionCookie
			if secure {
				name, wrong = wrong, name
			}
			good := s.signedIn("asha@example.com").key(sessionCookie)
			planted := s.signedIn("mallory@example.com").key(sessionCookie)
			for _, c := range []struct {
				name             string
				cookies          []string
				admitted, clears bool
			}{
				{"the session", []string{name + "=" + good}, true, false},
				{"among others", []string{"a=b; " + name + "=" + good + "; c=d"}, true, false},
				{"in a second header", []string{"a=b", name + "=" + good}, true, false},
				{"quoted", []string{name + `="` + good + `"`}, true, false},
				{"none", nil, false, false},
				{"another name", []string{"session=" + good}, false, false},
				{"the name with the other prefix", []string{wrong + "=" + good}, false, false},
				{"the name in upper case", []string{strings.ToUpper(name) + "=" + good}, false, false},
				{"the presession's name", []string{s.sessions.name(presessionCookie) + "=" + good}, false, false},
				{"unknown", []string{name + "=" + newKey()}, false, true},
				{"empty", []string{name + "="}, false, true},
				{"one character less", []string{name + "=" + good[1:]}, false, true},
				{"one character more", []string{name + "=" + good + "A"}, false, true},
				{"another alphabet", []string{name + "=" + strings.Repeat("+", keyLength)}, false, true},
				{"SQL", []string{name + "='OR'1'='1"}, false, true},
				{"very long", []string{name + "=" + strings.Repeat("A", 1<<16)}, false, true},
				{"the table's hash", []string{name + "=" + hex.EncodeToString(hashToken(good))}, false, true},
				{"twice", []string{name + "=" + good + "; " + name + "=" + good}, false, false},
				{"a planted one first", []string{name + "=" + planted + "; " + name + "=" + good}, false, false},
				{"a planted one last", []string{name + "=" + good + "; " + name + "=" + planted}, false, false},
				{"a planted one in another header", []string{name + "=" + good, name + "=" + planted}, false, false},
				{"beside a dead one", []string{name + "=" + good + "; " + name + "=" + newKey()}, false, false},
			} {
				w.Run(fmt.Sprintf("secure %v/%s", secure, c.name), func(t *testing.T) {
					s := s.on(t)
					status := http.StatusUnauthorized
					if c.admitted {
						status = http.StatusNoContent
					}
					var headers []string
					for _, cookie := range c.cookies {
						headers = append(headers, "Cookie: "+cookie)
					}
					r := s.wants(s.send("GET", "act/", "", headers...), status, "")
					want := ""
					if c.clears {
						want = name + "=; Path=/; Max-Age=0; HttpOnly"
						if secure {
							want += "; Secure"
						}
						want += "; SameSite=Lax"
					}
					if got := strings.Join(r.Header().Values("Set-Cookie"), ", "); got != want {
						t.Errorf("Set-Cookie is %q; want %q", got, want)
					}
					if strings.Contains(r.Body.String(), good) {
						t.Error("the answer repeats the key")
					}
				})
			}
		}
	})
}

func TestCookiesAreIgnoredBesideAnAuthorizationHeader(t *testing.T) {
	onBoth(t, func(w *world) {
		w.user("asha@example.com")
		other := w.user("other@example.com")
		s := w.site(SessionOptions{})
		b := s.signedIn("asha@example.com")
		token := w.token(other, 0)
		for _, c := range []struct {
			name, cookie, authorization string
			status                      int
			contains                    string
		}{
			{"a good token", b.cookie(), "Token " + token, 200, "other@example.com"},
			{"a bad token", b.cookie(), "Token " + newToken(), 401, "invalid_token"},
			{"a JWT", b.cookie(), "Bearer a.b.c", 401, "invalid_token"},
			{"another scheme", b.cookie(), "Basic YTpi", 401, "invalid_token"},
			{"nothing in it", b.cookie(), "", 200, `"email":""`},
			{"a good token, and a dead session", "sessionid=" + newKey(), "Token " + token, 200, "other@example.com"},
		} {
			w.Run(c.name, func(t *testing.T) {
				s := s.on(t)
				statements := w.statements(func() {
					caller, err := s.sessions.Authenticate(nil, s.request("POST", "act/", "", "Cookie: "+c.cookie, "Authorization: "+c.authorization))
					if caller != nil || err != nil {
						t.Errorf("the cookie was used: %v, %v", caller, err)
					}
				})
				r := s.wants(s.send("GET", "session/", "", "Cookie: "+c.cookie, "Authorization: "+c.authorization), c.status, c.contains)
				if len(statements) != 0 || strings.Contains(r.Body.String(), "asha@") {
					t.Errorf("%d statements, %s", len(statements), r.Body)
				}
			})
		}
	})
}

// statements returns the statements that reach the database while fn runs.
func (w *world) statements(fn func()) []sqldb.Event {
	var mu sync.Mutex
	var sent []sqldb.Event
	hears := true
	w.db.Observe(func(_ context.Context, e sqldb.Event) {
		mu.Lock()
		defer mu.Unlock()
		if hears && !e.Control {
			sent = append(sent, e)
		}
	})
	fn()
	mu.Lock()
	defer mu.Unlock()
	hears = false
	return sent
}

func TestASessionCostsOneStatementThatReads(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		w.must(w.users.Grant(w.ctx, w.s, user.ID, "groups.view"))
		s := w.site(SessionOptions{})
		b := s.signedIn("asha@example.com")
		key := b.key(sessionCookie)
		w.now = w.now.Add(time.Hour) // due to be written
		for _, c := range []struct {
			name, method string
			headers      []string
			statements   int
		}{
			{"reading", "GET", []string{"Cookie: " + b.cookie()}, 1},
			{"writing", "POST", []string{"Cookie: " + b.cookie(), "X-CSRFToken: " + b.token}, 1},
			{"writing without the token", "POST", []string{"Cookie: " + b.cookie()}, 1},
			{"an unknown session", "GET", []string{"Cookie: sessionid=" + newKey()}, 1},
			{"an impossible session", "GET", []string{"Cookie: sessionid=x"}, 0},
			{"two sessions", "GET", []string{"Cookie: sessionid=" + key + "; sessionid=" + key}, 0},
			{"no cookie", "GET", nil, 0},
		} {
			w.Run(c.name, func(t *testing.T) {
				sent := w.statements(func() { s.on(t).send(c.method, "act/", "", c.headers...) })
				if len(sent) != c.statements {
					t.Errorf("%d statements: %+v", len(sent), sent)
				}
				for _, e := range sent {
					if !strings.HasPrefix(e.SQL, "SELECT ") || len(e.Args) != 2 {
						t.Errorf("the statement is %s with %d values", e.SQL, len(e.Args))
					}
				}
			})
		}
	})
}

func TestADatabaseErrorIsNotAnAbsentSession(t *testing.T) {
	onBoth(t, func(w *world) {
		w.user("asha@example.com")
		s := w.site(SessionOptions{})
		b := s.signedIn("asha@example.com")
		_, err := w.s.Exec(w.ctx, w.s.IDB().NewRaw("ALTER TABLE auth_sessions RENAME TO away"))
		w.must(err)
		r := s.send("GET", "act/", "", "Cookie: "+b.cookie())
		if r.Code != http.StatusInternalServerError || len(r.Header().Values("Set-Cookie")) != 0 {
			w.Errorf("%d, Set-Cookie %v", r.Code, r.Header().Values("Set-Cookie"))
		}
	})
}

// TestNoSecretOfASessionIsKeptOrPrinted: keys and tokens are in cookies and in the answer
// for scripts, and nowhere else.
func TestNoSecretOfASessionIsKeptOrPrinted(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		s := w.site(SessionOptions{})
		var secrets []string
		var all strings.Builder
		sent := w.statements(func() {
			b := s.browser()
			b.show()
			secrets = append(secrets, b.key(presessionCookie), b.token)
			b.enter("asha@example.com", http.StatusOK)
			key := b.key(sessionCookie)
			secrets = append(secrets, key, b.token,
				string(csrfSecret(sessionCookie, key)), hex.EncodeToString(csrfSecret(sessionCookie, key)))
			for _, headers := range [][]string{
				{"X-CSRFToken: " + b.token}, {"X-CSRFToken: " + b.token[1:]}, {"X-CSRFToken: " + b.token, "Origin: null"},
				{"X-CSRFToken: " + b.token, "X-CSRFToken: " + b.token}, {"X-CSRFToken: " + secrets[1]},
			} {
				r := s.send("POST", "act/", "", append(headers, "Cookie: "+b.cookie())...)
				fmt.Fprint(&all, r.Body, r.Header())
			}
			fmt.Fprint(&all, s.send("GET", "act/", "", "Cookie: sessionid="+key[1:]).Body)
			list, err := s.sessions.List(w.ctx, w.s, user.ID)
			w.must(err)
			fmt.Fprintf(&all, "%+v %#v %+v", list, list, s.sessions)
			w.must(s.sessions.Flush(w.ctx, w.db))
			b.do("DELETE", "session/", "")
		})
		fmt.Fprintf(&all, "%+v %s", sent, s.log.String())
		if !strings.Contains(all.String(), "INSERT") || !strings.Contains(all.String(), "csrf_failed") {
			w.Fatal("there is nothing to search")
		}
		for i, secret := range secrets {
			if secret == "" || strings.Contains(all.String(), secret) {
				w.Errorf("secret %d was written:\n%s", i, all.String())
			}
		}
	})
}

func TestSessionsAtOnce(t *testing.T) {
	onBoth(t, func(w *world) {
		var browsers []*browser
		s := w.site(SessionOptions{})
		for i := range 8 {
			email := fmt.Sprintf("user%d@example.com", i)
			w.user(email)
			browsers = append(browsers, s.signedIn(email))
		}
		w.now = w.now.Add(2 * time.Minute)
		var group sync.WaitGroup
		for i, b := range browsers {
			group.Go(func() {
				email := fmt.Sprintf("user%d@example.com", i)
				for round := range 6 {
					b.wants(b.show(), http.StatusOK, email)
					b.wants(b.do("POST", "act/", ""), http.StatusNoContent, "")
					switch round % 3 {
					case 1:
						b.enter(email, http.StatusOK)
					case 2:
						w.must(s.sessions.Flush(w.ctx, w.db))
					}
				}
				b.do("DELETE", "session/", "")
				b.admitted(false)
			})
		}
		group.Wait()
		var left []SessionRecord
		w.must(scanAll(w.ctx, w.s, w.s.IDB().NewSelect().Model(&left), &left))
		if len(left) != 0 {
			w.Errorf("%d sessions are left", len(left))
		}
	})
}
