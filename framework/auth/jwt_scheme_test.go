package auth

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework/sqldb"
)

func TestBearerSpellings(t *testing.T) {
	const (
		known = "known"
		none  = "not this kind" // left to another scheme
	)
	jwtOnBoth(t, func(w *jwtWorld) {
		pair := w.login(w.user("asha@example.com"))
		token := pair.Access.Reveal()
		for _, c := range []struct {
			name   string
			header []string
			want   string // known, none, or a part of the error
		}{
			{"Bearer", []string{"Bearer " + token}, known},
			{"bearer in lower case", []string{"bearer " + token}, known},
			{"several spaces between", []string{"Bearer   " + token}, known},
			{"space around", []string{" Bearer " + token + " "}, known},
			{"no header", nil, none},
			{"an empty header", []string{""}, none},
			{"Token with a JWT", []string{"Token " + token}, none},
			{"JWT as keyword", []string{"JWT " + token}, none},
			{"Basic with a JWT", []string{"Basic " + token}, none},
			{"the token without a keyword", []string{token}, none},
			{"an opaque token", []string{"Bearer " + newToken()}, none},
			{"an opaque token with dots", []string{"Bearer trs_.a.b"}, none},
			{"Bearer and nothing", []string{"Bearer"}, none},
			{"no dots", []string{"Bearer abc"}, none},
			{"one dot", []string{"Bearer a.b"}, none},
			{"four parts", []string{"Bearer " + token + ".x"}, none},
			{"three empty parts", []string{"Bearer .."}, "not valid"},
			{"the refresh token", []string{"Bearer " + pair.Refresh.Reveal()}, "not valid"},
			{"two tokens", []string{"Bearer " + token + " x"}, "not valid"},
			{"two headers, both good", []string{"Bearer " + token, "Bearer " + token}, "several"},
			{"two headers, one good", []string{"Basic YTpi", "Bearer " + token}, "several"},
		} {
			w.Run(c.name, func(t *testing.T) {
				caller, err := w.jwt.identify(w.ctx, w.s, w.now, http.Header{"Authorization": c.header})
				switch c.want {
				case known:
					if err != nil || caller == nil || caller.ID != pair.UserID || caller.Scheme != "JWT" {
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
			})
		}
	})
}

// TestTheCallerOfAJWTIsTheUserAsTheyAreNow: the permissions are those in the database at
// the time of the request.
func TestTheCallerOfAJWTIsTheUserAsTheyAreNow(t *testing.T) {
	jwtOnBoth(t, func(w *jwtWorld) {
		user, err := w.users.CreateUser(w.ctx, w.s, NewUser{Email: "asha@example.com", Name: "Asha", Password: goodPassword, Staff: true})
		w.must(err)
		group, err := w.users.CreateGroup(w.ctx, w.s, "reception", "patients.view")
		w.must(err)
		pair := w.login(user)
		before, err := w.bearer(pair.Access.Reveal())
		w.must(err)
		if !before.Staff || before.Holds("patients.view") || before.Email != user.Email || before.Name != "Asha" {
			w.Errorf("the caller is %+v", before)
		}
		w.must(w.users.Join(w.ctx, w.s, user.ID, group.ID))
		w.must(w.users.update(w.ctx, w.s, user.ID, "is_staff", false))
		after, err := w.bearer(pair.Access.Reveal())
		w.must(err)
		if after.Staff || !after.Holds("patients.view") || after.Superuser {
			w.Errorf("the caller is now %+v", after)
		}
	})
}

func TestAJWTCostsOneStatement(t *testing.T) {
	jwtOnBoth(t, func(w *jwtWorld) {
		pair := w.login(w.user("asha@example.com"))
		var sent []sqldb.Event
		w.db.Observe(func(_ context.Context, e sqldb.Event) { sent = append(sent, e) })
		for _, c := range []struct {
			name, token string
			statements  int
		}{
			{"an access token", pair.Access.Reveal(), 1},
			{"a refresh token", pair.Refresh.Reveal(), 0},
			{"a forged one", pair.Access.Reveal() + "A", 0},
			{"an opaque one", newToken(), 0},
		} {
			sent = nil
			_, _ = w.bearer(c.token)
			if len(sent) != c.statements {
				w.Errorf("%s: %d statements were sent: %+v", c.name, len(sent), sent)
			}
			for _, e := range sent {
				if e.Control || !strings.HasPrefix(e.SQL, "SELECT ") {
					w.Errorf("%s sends %s", c.name, e.SQL)
				}
			}
		}
	})
}

func TestADatabaseErrorIsNotAnInvalidJWT(t *testing.T) {
	jwtOnBoth(t, func(w *jwtWorld) {
		pair := w.login(w.user("asha@example.com"))
		gone, cancel := context.WithCancel(w.ctx)
		cancel()
		w.ctx = gone
		if caller, err := w.bearer(pair.Access.Reveal()); caller != nil || err == nil || isRefused(err) {
			w.Errorf("got %v, %v", caller, err)
		}
		if next, err := w.jwt.Refresh(gone, w.s, pair.Refresh.Reveal()); next != (Pair{}) || err == nil || isRefused(err) {
			w.Errorf("got %v, %v", next, err)
		}
	})
}
