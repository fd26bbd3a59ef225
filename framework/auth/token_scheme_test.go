package auth

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

func (w *world) identify(authorization ...string) (*framework.Caller, error) {
	return Token{}.identify(w.ctx, w.s, w.now, http.Header{"Authorization": authorization})
}

func (w *world) admits(token string, want bool) {
	w.Helper()
	caller, err := w.identify("Token " + token)
	if want && (err != nil || caller.Anonymous()) || !want && !isRefused(err) {
		w.Errorf("identify returns %v, %v; want a caller: %v", caller, err, want)
	}
}

func isRefused(err error) bool {
	var e *framework.Error
	return errors.As(err, &e) && e.Status == http.StatusUnauthorized
}

func TestHeaderSpellings(t *testing.T) {
	const (
		known = "known"         // the caller of the token
		none  = "not this kind" // left to another scheme
	)
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		token := w.token(user, 0)
		for _, c := range []struct {
			name   string
			header []string
			want   string // known, none, or a part of the error
		}{
			{"no header", nil, none},
			{"an empty header", []string{""}, none},
			{"Token", []string{"Token " + token}, known},
			{"Bearer", []string{"Bearer " + token}, known},
			{"token in lower case", []string{"token " + token}, known},
			{"BEARER in upper case", []string{"BEARER " + token}, known},
			{"several spaces between", []string{"Token   " + token}, known},
			{"a tab between", []string{"Token\t" + token}, known},
			{"space around", []string{"  Token " + token + " "}, known},
			{"Basic", []string{"Basic YTpi"}, none},
			{"Basic with a valid token", []string{"Basic " + token}, none},
			{"the token without a keyword", []string{token}, none},
			{"keyword and token without a space", []string{"Token" + token}, none},
			{"Token with a colon", []string{"Token: " + token}, none},
			{"Bearer of another kind", []string{"Bearer eyJhbGciOiJIUzI1NiJ9.e30.c2ln"}, none},
			{"Bearer with the prefix in upper case", []string{"Bearer TRS_" + token[4:]}, none},
			{"Bearer and nothing", []string{"Bearer"}, none},
			{"Token and nothing", []string{"Token"}, "holds no token"},
			{"Token and spaces", []string{"Token   "}, "holds no token"},
			{"Token with a JWT", []string{"Token eyJhbGciOiJIUzI1NiJ9.e30.c2ln"}, "begin with trs_"},
			{"Token with another key", []string{"Token 9944b09199c62bcf9418ad846dd0e4bb"}, "begin with trs_"},
			{"two tokens in one header", []string{"Token " + token + " " + token}, "a space"},
			{"two credentials in one header", []string{"Token " + token + ", Token " + token}, "a space"},
			{"a space inside", []string{"Token " + token[:20] + " " + token[20:]}, "a space"},
			{"not ASCII", []string{"Token trs_é" + token[6:]}, "not ASCII"},
			{"not UTF-8", []string{"Token trs_\xff" + token[5:]}, "not ASCII"},
			{"NUL", []string{"Token trs_\x00" + token[5:]}, "not ASCII"},
			{"two headers, both good", []string{"Token " + token, "Token " + token}, "several"},
			{"two headers, one good", []string{"Basic YTpi", "Token " + token}, "several"},
			{"two headers of other kinds", []string{"Basic YTpi", "Basic YTpi"}, "several"},
			{"512 bytes", []string{"Token trs_" + strings.Repeat("a", 508)}, "unknown or expired"},
			{"513 bytes", []string{"Token trs_" + strings.Repeat("a", 509)}, "too long"},
			{"a megabyte", []string{"Bearer trs_" + strings.Repeat("a", 1<<20)}, "too long"},
			{"unknown", []string{"Token " + newToken()}, "unknown or expired"},
			{"unknown as Bearer", []string{"Bearer " + newToken()}, "unknown or expired"},
			{"the prefix alone", []string{"Token trs_"}, "unknown or expired"},
			{"one character less", []string{"Token " + token[:len(token)-1]}, "unknown or expired"},
			{"one character more", []string{"Token " + token + "A"}, "unknown or expired"},
			{"letters in another case", []string{"Token trs_" + swapCase(token[4:])}, "unknown or expired"},
			{"SQL", []string{"Token trs_'OR'1'='1"}, "unknown or expired"},
		} {
			w.Run(c.name, func(t *testing.T) {
				caller, err := w.identify(c.header...)
				switch c.want {
				case known:
					if err != nil || caller == nil || caller.ID != user.ID || caller.Scheme != "Token" {
						t.Errorf("got %+v, %v; want the caller", caller, err)
					}
				case none:
					if caller != nil || err != nil {
						t.Errorf("got %+v, %v; want neither a caller nor an error", caller, err)
					}
				default:
					if caller != nil || !isRefused(err) || !strings.Contains(err.Error(), c.want) {
						t.Errorf("got %+v, %v; want 401 with %q", caller, err, c.want)
					}
				}
				if err != nil && strings.Contains(err.Error(), token[8:]) {
					t.Errorf("the error repeats the token: %v", err)
				}
			})
		}
	})
}

func swapCase(s string) string {
	return strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r ^ 0x20
		}
		return r
	}, s)
}

func TestTheCallerIsTheUser(t *testing.T) {
	onBoth(t, func(w *world) {
		for _, n := range []NewUser{
			{Email: "plain@example.com", Name: "Plain", Password: goodPassword},
			{Email: "staff@example.com", Name: "Staff", Password: goodPassword, Staff: true},
			{Email: "super@example.com", Name: "Super", Password: goodPassword, Superuser: true},
		} {
			user, err := w.users.CreateUser(w.ctx, w.s, n)
			w.must(err)
			caller, err := w.identify("Token " + w.token(user, 0))
			w.must(err)
			if caller.ID != user.ID || caller.Email != n.Email || caller.Name != n.Name ||
				caller.Staff != n.Staff || caller.Superuser != n.Superuser || len(caller.Permissions) != 0 {
				w.Errorf("the caller of %s is %+v", n.Email, caller)
			}
			if caller.Holds("patients.view") != n.Superuser {
				w.Errorf("%s holds patients.view: %v", n.Email, caller.Holds("patients.view"))
			}
		}
	})
}

func TestATokenExpires(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		token := w.token(user, time.Hour)
		made := w.now
		for _, c := range []struct {
			name     string
			after    time.Duration
			admitted bool
		}{
			{"at once", 0, true},
			{"a microsecond before its end", time.Hour - time.Microsecond, true},
			{"at its end", time.Hour, false},
			{"long after", 1000 * time.Hour, false},
		} {
			w.Run(c.name, func(t *testing.T) {
				w.now = made.Add(c.after)
				w.admits(token, c.admitted)
			})
		}
		_, err := w.s.Exec(w.ctx, w.s.IDB().NewUpdate().Table("auth_tokens").
			Set("expires_at = NULL").Where("user_id = ?", user.ID))
		w.must(err)
		w.admits(token, true) // without an expiry, for ever
	})
}

func TestAnInactiveUserIsRejectedLikeAnUnknownToken(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		token := w.token(user, 0)
		expired := w.token(user, time.Minute)
		w.must(w.users.SetActive(w.ctx, w.s, user.ID, false))
		_, inactive := w.identify("Token " + token)
		_, unknown := w.identify("Token " + newToken())
		w.must(w.users.SetActive(w.ctx, w.s, user.ID, true))
		w.admits(token, true)
		w.now = w.now.Add(time.Minute)
		_, late := w.identify("Token " + expired)
		if !isRefused(inactive) || inactive.Error() != unknown.Error() || late.Error() != unknown.Error() {
			w.Errorf("inactive: %v\nunknown: %v\nexpired: %v", inactive, unknown, late)
		}
	})
}

func TestAuthenticatingCostsOneStatement(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		group, err := w.users.CreateGroup(w.ctx, w.s, "reception", "patients.view")
		w.must(err)
		w.must(w.users.Join(w.ctx, w.s, user.ID, group.ID))
		token := w.token(user, 0)

		var sent []sqldb.Event
		w.db.Observe(func(_ context.Context, e sqldb.Event) { sent = append(sent, e) })
		for _, c := range []struct {
			name, header string
			statements   int
		}{
			{"a known token", "Token " + token, 1},
			{"an unknown token", "Token " + newToken(), 1},
			{"no token", "Token", 0},
			{"an impossible token", "Token trs_short", 0},
			{"another scheme", "Basic YTpi", 0},
		} {
			w.Run(c.name, func(t *testing.T) {
				sent = nil
				_, _ = w.identify(c.header)
				if len(sent) != c.statements {
					t.Errorf("%d statements were sent: %+v", len(sent), sent)
				}
				for _, e := range sent {
					if e.Control || !strings.HasPrefix(e.SQL, "SELECT ") || len(e.Args) != 2 || strings.Contains(e.SQL, "trs_") {
						t.Errorf("the statement is %s with %d values", e.SQL, len(e.Args))
					}
				}
			})
		}
	})
}

func TestADatabaseErrorIsNotAnInvalidToken(t *testing.T) {
	onBoth(t, func(w *world) {
		token := w.token(w.user("asha@example.com"), 0)
		gone, cancel := context.WithCancel(w.ctx)
		cancel()
		w.ctx = gone
		caller, err := w.identify("Token " + token)
		if caller != nil || err == nil || isRefused(err) {
			w.Errorf("got %v, %v", caller, err)
		}
	})
}

func TestATokenInTheURLIsNotRead(t *testing.T) {
	onBoth(t, func(w *world) {
		token := w.token(w.user("asha@example.com"), 0)
		for _, query := range []string{"token=", "access_token=", "Authorization=Token%20"} {
			r := httptest.NewRequest(http.MethodGet, "/?"+query+token, nil)
			if caller, err := (Token{}).identify(w.ctx, w.s, w.now, r.Header); caller != nil || err != nil {
				w.Errorf("%s: got %v, %v", query, caller, err)
			}
		}
	})
}

func TestChallenge(t *testing.T) {
	for realm, want := range map[string]string{
		"":          `Token realm="api"`,
		"clinic":    `Token realm="clinic"`,
		`the "new"`: `Token realm="the \"new\""`,
	} {
		if got := (Token{Realm: realm}).Challenge(); got != want {
			t.Errorf("realm %q: %s, want %s", realm, got, want)
		}
	}
}

func FuzzReadToken(f *testing.F) {
	f.Add("Token trs_abc")
	f.Add("bearer  trs_\t")
	f.Fuzz(func(t *testing.T, value string) {
		token, err := readToken(http.Header{"Authorization": {value}})
		if err == nil && token != "" && (len(token) != tokenLength || !strings.HasPrefix(token, TokenPrefix)) {
			t.Errorf("%q gave the token %q", value, token)
		}
	})
}
