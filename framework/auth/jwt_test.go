package auth

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

func TestIssueAndRefresh(t *testing.T) {
	jwtOnBoth(t, func(w *jwtWorld) {
		user := w.user("asha@example.com")
		for _, kid := range []string{"ed", "hs", "rs"} {
			w.serve(kid)
			pair := w.login(user)
			w.open(pair, true)
			w.pass(time.Minute)
			next := w.refresh(pair)
			w.open(next, true)
			w.open(pair, true) // an earlier token stays valid until it expires
			if next.Family != pair.Family || next.UserID != user.ID || next.Refresh.Reveal() == pair.Refresh.Reveal() {
				w.Errorf("%s: refreshing %+v gave %+v", kid, pair, next)
			}
			if other := w.login(user); other.Family == pair.Family {
				w.Error("two logins are one family")
			}
		}
	})
}

func TestIssueRejects(t *testing.T) {
	jwtOnBoth(t, func(w *jwtWorld) {
		user := w.user("asha@example.com")
		w.pass(time.Second)
		for name, change := range map[string]func(*User){
			"somebody unknown":           func(u *User) { u.ID = uuid.New() },
			"as it was before a change":  func(*User) { w.must(w.users.SetPassword(w.ctx, w.s, user.ID, "another four words walk")) },
			"an inactive user, as it is": func(u *User) { w.must(w.users.SetActive(w.ctx, w.s, user.ID, false)); u.UpdatedAt = w.now },
		} {
			who := user
			change(&who)
			if pair, err := w.jwt.Issue(w.ctx, w.s, who); !errors.Is(err, ErrWrongCredentials) || pair != (Pair{}) {
				w.Errorf("%s got %+v, %v", name, pair, err)
			}
		}
	})
}

func TestTokensExpire(t *testing.T) {
	jwtOnBoth(t, func(w *jwtWorld) {
		user := w.user("asha@example.com")
		pair := w.login(user)
		begun := w.now
		for _, c := range []struct {
			name            string
			after           time.Duration
			access, refresh string // "" for accepted, else a part of the error
		}{
			{"at once", 0, "", ""},
			{"on a server whose clock is 10 s behind", -10 * time.Second, "", ""},
			{"on a server whose clock is 11 s behind", -11 * time.Second, "not valid", "not valid"},
			{"just before 5 minutes", 5*time.Minute - time.Microsecond, "", ""},
			{"after 5 minutes", 5 * time.Minute, "expired", ""},
			{"just before a day", 24*time.Hour - time.Microsecond, "expired", ""},
			{"after a day", 24 * time.Hour, "expired", "expired"},
		} {
			w.now = begun.Add(c.after)
			for kind, want := range map[string]string{accessType: c.access, refreshType: c.refresh} {
				token := map[string]Secret{accessType: pair.Access, refreshType: pair.Refresh}[kind].Reveal()
				_, err := w.jwt.read(token, w.now.Unix(), kind)
				if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
					w.Errorf("%s: the %s token: %v; want %q", c.name, kind, err, want)
				}
			}
		}
	})
}

// TestALoginEndsHoweverOftenItIsRefreshed: even if each refresh is in time, the login
// ends after 30 days.
func TestALoginEndsHoweverOftenItIsRefreshed(t *testing.T) {
	jwtOnBoth(t, func(w *jwtWorld) {
		pair := w.login(w.user("asha@example.com"))
		for range 29 {
			w.pass(24*time.Hour - 30*time.Second)
			pair = w.refresh(pair)
		}
		w.pass(24*time.Hour - 30*time.Second)
		pair = w.refresh(pair)
		w.pass(time.Hour)
		w.rejects(pair, framework.CodeInvalidToken, false)
		w.families(pair.UserID, 0)
	})
}

func TestAReplacedTokenWithinAndAfterTheGrace(t *testing.T) {
	jwtOnBoth(t, func(w *jwtWorld) {
		user, other := w.user("asha@example.com"), w.user("other@example.com")
		for _, c := range []struct {
			name     string
			after    time.Duration
			restarts bool
			dies     bool
		}{
			{"at once", 0, false, false},
			{"just within the grace", 10*time.Second - time.Microsecond, false, false},
			{"when the grace ends", 10 * time.Second, false, true},
			{"hours later", 5 * time.Hour, false, true},
			{"within the grace, after a restart", 9 * time.Second, true, false},
			{"after the grace and a restart", 11 * time.Second, true, true},
		} {
			w.Run(c.name, func(t *testing.T) {
				old, mine, theirs := w.login(user), w.login(user), w.login(other)
				next := w.refresh(old)
				w.pass(c.after)
				if c.restarts {
					w.restart()
				}
				if !c.dies {
					w.rejects(old, CodeRefreshSuperseded, false)
					w.rejects(old, CodeRefreshSuperseded, false)
					w.refresh(next)
					return
				}
				w.rejects(old, framework.CodeInvalidToken, true)
				w.open(next, false)
				w.open(old, false)
				if c.restarts {
					w.restart()
				}
				w.rejects(next, framework.CodeInvalidToken, false)
				w.rejects(old, framework.CodeInvalidToken, false)
				w.refresh(mine) // another login of the same user
				w.refresh(theirs)
			})
		}
	})
}

// TestTheGraceCountsFromEachReplacement: each replaced token has its own grace, which
// counts from its replacement.
func TestTheGraceCountsFromEachReplacement(t *testing.T) {
	jwtOnBoth(t, func(w *jwtWorld) {
		first := w.login(w.user("asha@example.com"))
		second := w.refresh(first)
		w.pass(4 * time.Second)
		third := w.refresh(second)
		w.pass(4 * time.Second)
		fourth := w.refresh(third)
		for _, old := range []Pair{first, second, third} {
			w.rejects(old, CodeRefreshSuperseded, false)
		}
		w.pass(5 * time.Second) // 13, 9 and 5 seconds since the replacements
		for _, old := range []Pair{second, third} {
			w.rejects(old, CodeRefreshSuperseded, false)
		}
		fifth := w.refresh(fourth)
		w.rejects(first, framework.CodeInvalidToken, true)
		w.rejects(fifth, framework.CodeInvalidToken, false)
	})
}

func TestWhatEndsALogin(t *testing.T) {
	jwtOnBoth(t, func(w *jwtWorld) {
		for i, c := range []struct {
			name string
			end  func(Pair) error
			all  bool // the other logins of the user too
		}{
			{"its refresh token", func(p Pair) error { return w.jwt.Revoke(w.ctx, w.s, p.Refresh.Reveal()) }, false},
			{"its access token", func(p Pair) error { return w.jwt.Revoke(w.ctx, w.s, p.Access.Reveal()) }, false},
			{"a refresh token that was replaced long ago", func(p Pair) error {
				w.refresh(p)
				w.pass(time.Minute)
				return w.jwt.Revoke(w.ctx, w.s, p.Refresh.Reveal())
			}, false},
			{"the header of a request", func(p Pair) error {
				return w.jwt.RevokeBearer(w.ctx, w.s, http.Header{"Authorization": {"Bearer " + p.Access.Reveal()}})
			}, false},
			{"its id", func(p Pair) error { return w.jwt.RevokeFamily(w.ctx, w.s, p.Family) }, false},
			{"the user's id", func(p Pair) error { return w.jwt.RevokeUser(w.ctx, w.s, p.UserID) }, true},
			{"a new password", func(p Pair) error { return w.users.SetPassword(w.ctx, w.s, p.UserID, "another four words walk") }, true},
			{"deactivating the user", func(p Pair) error { return w.users.SetActive(w.ctx, w.s, p.UserID, false) }, true},
			{"deactivating and activating again", func(p Pair) error {
				return errors.Join(w.users.SetActive(w.ctx, w.s, p.UserID, false), w.users.SetActive(w.ctx, w.s, p.UserID, true))
			}, true},
			{"deleting the user", func(p Pair) error {
				_, err := w.s.Exec(w.ctx, w.s.IDB().NewDelete().Table("auth_users").Where("id = ?", p.UserID))
				return err
			}, true},
		} {
			w.Run(c.name, func(t *testing.T) {
				user := w.user(string(rune('a'+i)) + "@example.com")
				other := w.user(string(rune('a'+i)) + "@example.org")
				pair, mine, theirs := w.login(user), w.login(user), w.login(other)
				w.open(pair, true)
				w.must(c.end(pair))
				w.open(pair, false)
				w.rejects(pair, framework.CodeInvalidToken, false)
				w.open(mine, !c.all)
				w.open(w.refresh(theirs), true)
				if c.all {
					w.rejects(mine, framework.CodeInvalidToken, false)
				} else {
					w.refresh(mine)
				}
				w.must(w.jwt.Revoke(w.ctx, w.s, pair.Refresh.Reveal())) // again is not an error
			})
		}
	})
}

// TestAnInactiveUserCannotRefresh: an operator may deactivate a user in the table itself.
func TestAnInactiveUserCannotRefresh(t *testing.T) {
	jwtOnBoth(t, func(w *jwtWorld) {
		user := w.user("asha@example.com")
		pair := w.login(user)
		w.must(w.users.update(w.ctx, w.s, user.ID, "is_active", false))
		w.open(pair, false)
		w.rejects(pair, framework.CodeInvalidToken, false)
		w.must(w.users.SetActive(w.ctx, w.s, user.ID, true))
		w.rejects(pair, framework.CodeInvalidToken, false)
	})
}

func TestRevokeRejectsInvalidTokens(t *testing.T) {
	jwtOnBoth(t, func(w *jwtWorld) {
		pair := w.login(w.user("asha@example.com"))
		for _, token := range []string{"", "x", "..", "trs_x", pair.Access.Reveal() + "A"} {
			wantRefusal(w.T, w.jwt.Revoke(w.ctx, w.s, token), framework.CodeInvalidToken)
			wantRefusal(w.T, w.jwt.RevokeBearer(w.ctx, w.s, http.Header{"Authorization": {"Bearer " + token}}), framework.CodeInvalidToken)
		}
		wantRefusal(w.T, w.jwt.RevokeBearer(w.ctx, w.s, http.Header{}), framework.CodeInvalidToken)
		w.open(pair, true)
	})
}

func TestRefreshInsideATransactionIsAnError(t *testing.T) {
	jwtOnBoth(t, func(w *jwtWorld) {
		pair := w.login(w.user("asha@example.com"))
		err := w.db.InTx(w.ctx, func(ctx context.Context, s *sqldb.Session) error {
			_, err := w.jwt.Refresh(ctx, s, pair.Refresh.Reveal())
			return err
		})
		if err == nil || isRefused(err) || !strings.Contains(err.Error(), "Untransacted") {
			w.Errorf("error is %v", err)
		}
		w.refresh(pair)
	})
}

// TestExpiredLoginsAreDeletedAtLogin: expired logins of a user are deleted when the user logs
// in; those of other users stay.
func TestExpiredLoginsAreDeletedAtLogin(t *testing.T) {
	jwtOnBoth(t, func(w *jwtWorld) {
		user, other := w.user("asha@example.com"), w.user("other@example.com")
		w.refresh(w.login(user))
		w.login(other)
		w.pass(12 * time.Hour)
		w.login(user)
		w.families(user.ID, 2)
		w.pass(12 * time.Hour)
		w.login(user)
		w.families(user.ID, 2)
		w.families(other.ID, 1)
		var left int
		w.must(w.s.IDB().NewSelect().TableExpr("auth_jwt_superseded").ColumnExpr("count(*)").Scan(w.ctx, &left))
		if left != 0 {
			w.Errorf("%d replaced tokens are stored", left)
		}
	})
}

func (w *jwtWorld) families(userID uuid.UUID, want int64) {
	w.Helper()
	n, err := w.s.IDB().NewSelect().TableExpr("auth_jwt_families").Where("user_id = ?", userID.String()).Count(w.ctx)
	if err != nil || n != want {
		w.Errorf("the user has %d logins, %v; want %d", n, err, want)
	}
}

// many calls fn from many goroutines at once.
func many(n int, fn func(i int)) {
	var group sync.WaitGroup
	begin := make(chan struct{})
	for i := range n {
		group.Go(func() {
			<-begin
			fn(i)
		})
	}
	close(begin)
	group.Wait()
}

// TestParallelRefreshesHaveOneWinner: of many refreshes with one token exactly one gets a
// pair. The others are rejected, and the login continues.
func TestParallelRefreshesHaveOneWinner(t *testing.T) {
	jwtOnBoth(t, func(w *jwtWorld) {
		rounds := 100
		if testing.Short() {
			rounds = 10
		}
		current := w.login(w.user("asha@example.com"))
		for round := range rounds {
			pairs, errs := w.refreshAll(current, 50)
			winners := 0
			for i, err := range errs {
				if err == nil {
					winners, current = winners+1, pairs[i]
					continue
				}
				wantRefusal(w.T, err, CodeRefreshSuperseded)
			}
			if winners != 1 {
				w.Fatalf("round %d had %d winners", round, winners)
			}
			w.pass(7 * time.Second) // some of the earlier ones expire, some do not
		}
		w.open(current, true)
	})
}

func (w *jwtWorld) refreshAll(old Pair, n int) (pairs []Pair, errs []error) {
	pairs, errs = make([]Pair, n), make([]error, n)
	many(n, func(i int) { pairs[i], errs[i] = w.jwt.Refresh(w.ctx, w.s, old.Refresh.Reveal()) })
	return pairs, errs
}

// TestParallelReplaysEndTheLogin: many replays at once are all rejected, end the login
// once, and cause no database error.
func TestParallelReplaysEndTheLogin(t *testing.T) {
	jwtOnBoth(t, func(w *jwtWorld) {
		user := w.user("asha@example.com")
		for range 5 {
			old := w.login(user)
			next := w.refresh(old)
			w.pass(10 * time.Second)
			_, errs := w.refreshAll(old, 30)
			reused := 0
			for _, err := range errs {
				wantRefusal(w.T, err, framework.CodeInvalidToken)
				if errors.Is(err, ErrRefreshReused) {
					reused++
				}
			}
			if reused == 0 {
				w.Error("no error is ErrRefreshReused")
			}
			w.rejects(next, framework.CodeInvalidToken, false)
		}
	})
}

// TestEndingALoginWhileItIsRefreshed: a login that is ended during a refresh has ended
// afterwards, without a database error.
func TestEndingALoginWhileItIsRefreshed(t *testing.T) {
	jwtOnBoth(t, func(w *jwtWorld) {
		user := w.user("asha@example.com")
		rounds := 20
		if testing.Short() {
			rounds = 4
		}
		for range rounds {
			for name, end := range map[string]func(Pair) error{
				"revoking":     func(p Pair) error { return w.jwt.Revoke(w.ctx, w.s, p.Refresh.Reveal()) },
				"all of them":  func(p Pair) error { return w.jwt.RevokeUser(w.ctx, w.s, p.UserID) },
				"deactivating": func(p Pair) error { return w.users.SetActive(w.ctx, w.s, p.UserID, false) },
			} {
				w.must(w.users.SetActive(w.ctx, w.s, user.ID, true))
				fresh, err := w.users.UserByID(w.ctx, w.s, user.ID)
				w.must(err)
				pair := w.login(fresh)
				pairs, errs := make([]Pair, 12), make([]error, 12)
				many(12, func(i int) {
					if i%4 == 0 {
						errs[i] = end(pair)
						return
					}
					pairs[i], errs[i] = w.jwt.Refresh(w.ctx, w.s, pair.Refresh.Reveal())
				})
				for i, err := range errs {
					if err != nil && !isRefused(err) {
						w.Errorf("%s, at %d: %v", name, i, err)
					}
				}
				for _, p := range append(slices.Clone(pairs), pair) {
					if p != (Pair{}) {
						w.open(p, false)
						w.rejects(p, framework.CodeInvalidToken, false)
					}
				}
			}
		}
	})
}
