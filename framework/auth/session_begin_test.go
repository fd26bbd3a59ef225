package auth

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
)

func TestBeginRejectsUsersWhoMayNotSignIn(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		changed := user
		changed.UpdatedAt = changed.UpdatedAt.Add(-time.Second)
		for _, c := range []struct {
			name string
			user User
			ok   bool
		}{
			{"a user as just read", user, true},
			{"a user that was changed since", changed, false},
			{"a user that does not exist", User{ID: uuid.Must(uuid.NewV7()), IsActive: true}, false},
			{"the zero user", User{}, false},
		} {
			w.Run(c.name, func(t *testing.T) {
				err := w.db.InTx(w.ctx, func(ctx context.Context, tx *sqldb.Session) error { return lockUnchanged(ctx, tx, c.user) })
				if (err == nil) != c.ok || !c.ok && !errors.Is(err, ErrWrongCredentials) {
					t.Errorf("got %v", err)
				}
			})
		}
		w.must(w.users.SetActive(w.ctx, w.s, user.ID, false))
		b := w.site(SessionOptions{}).browser()
		b.show()
		b.enter(user.Email, http.StatusInternalServerError) // the site does not translate ErrWrongCredentials
		if b.key(sessionCookie) != "" {
			w.Error("an inactive user got a cookie")
		}
	})
}

// TestBeginAfterANewPassword: a function that changes the password of its caller can keep the
// browser signed in. Every other session ends, that of the request too.
func TestBeginAfterANewPassword(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		s := w.site(SessionOptions{})
		b, other := s.signedIn(user.Email), s.signedIn(user.Email)
		old := b.copy()
		const body = `{"password":"another set of plain words"}`
		for _, c := range []struct{ name, token string }{
			{"no token", ""}, {"a token of another session", other.token}, {"a token that is none", "x"},
		} {
			w.Run(c.name, func(*testing.T) {
				forged := b.copy()
				forged.token = c.token
				forged.wants(forged.do("POST", "password/", body), http.StatusForbidden, CodeCSRFFailed)
			})
		}
		b.admitted(true)
		b.wants(b.do("POST", "password/", body), http.StatusOK, user.Email)
		b.admitted(true)
		old.admitted(false)
		other.admitted(false)
		b.wants(b.do("POST", "act/", ""), http.StatusNoContent, "") // the new token belongs to the new session
	})
}

// TestALoginDoesNotSurviveAPasswordChange: a login that was checked against the old
// password must not survive the change, in any order of the two transactions.
func TestALoginDoesNotSurviveAPasswordChange(t *testing.T) {
	onBoth(t, outlasts)
	t.Run("postgresql, repeatable read", func(t *testing.T) {
		url := postgres.Database(t)
		setIsolation(t, url, "repeatable read")
		w := newWorld(t, url)
		var level string
		w.must(w.db.QueryRowContext(w.ctx, "SHOW transaction_isolation").Scan(&level))
		if level != "repeatable read" {
			t.Fatalf("the isolation is %s", level)
		}
		outlasts(w)
	})
}

// setIsolation sets the isolation of the transactions of a database, for connections that
// are made after it.
func setIsolation(t *testing.T, url, level string) {
	t.Helper()
	db, err := sqldb.Open(url, sqldb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var name string
	if err := db.QueryRowContext(t.Context(), "SELECT current_database()").Scan(&name); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `ALTER DATABASE "`+name+`" SET default_transaction_isolation TO '`+level+`'`); err != nil {
		t.Fatal(err)
	}
}

func outlasts(w *world) {
	checked := w.user("asha@example.com")
	began := 0
	for round := range 40 {
		w.now = w.now.Add(time.Second)
		var group sync.WaitGroup
		var first, second error
		group.Go(func() {
			first = w.db.InTx(w.ctx, func(ctx context.Context, tx *sqldb.Session) error {
				if err := lockUnchanged(ctx, tx, checked); err != nil {
					return err
				}
				return insertSession(ctx, tx, newKey(), checked.ID, w.now)
			})
		})
		group.Go(func() {
			second = w.db.InTx(w.ctx, func(ctx context.Context, tx *sqldb.Session) error {
				if err := w.users.update(ctx, tx, checked.ID, "name", strconv.Itoa(round)); err != nil {
					return err
				}
				return endSessions(ctx, tx, checked.ID)
			})
		})
		group.Wait()
		w.must(second)
		if first == nil {
			began++
		} else if !errors.Is(first, ErrWrongCredentials) {
			w.Fatal(first)
		}
		var left []SessionRecord
		w.must(scanAll(w.ctx, w.s, w.s.IDB().NewSelect().Model(&left), &left))
		if len(left) != 0 {
			w.Fatalf("round %d: the session survived the change", round)
		}
		var err error
		checked, err = w.users.UserByID(w.ctx, w.s, checked.ID)
		w.must(err)
	}
	w.Logf("%d of 40 logins came first", began)
}
