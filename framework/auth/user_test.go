package auth

import (
	"context"
	"errors"
	"strings"
	"testing"

	"trestle.example/framework/auth/internal/hashers"
	"trestle.example/framework/sqldb"
)

func TestCreateUser(t *testing.T) {
	onBoth(t, func(w *world) {
		made, err := w.users.CreateUser(w.ctx, w.s, NewUser{
			Email: " Asha@Example.com", Name: " Asha Rao ", Password: goodPassword, Staff: true,
		})
		w.must(err)
		found, err := w.users.FindUser(w.ctx, w.s, "ASHA@example.com ")
		w.must(err)
		if !found.CreatedAt.Equal(w.now) || !found.UpdatedAt.Equal(w.now) {
			w.Errorf("it was made at %v and changed at %v", found.CreatedAt, found.UpdatedAt)
		}
		found.CreatedAt, found.UpdatedAt = made.CreatedAt, made.UpdatedAt
		want := User{
			ID: made.ID, Email: "asha@example.com", Name: "Asha Rao", IsActive: true, IsStaff: true,
			CreatedAt: made.CreatedAt, UpdatedAt: made.UpdatedAt,
		}
		if found != want || made != want {
			w.Errorf("made %+v\nfound %+v\nwant %+v", made, found, want)
		}
		byID, err := w.users.UserByID(w.ctx, w.s, made.ID)
		if err != nil || byID.Email != want.Email {
			w.Errorf("by id: %+v, %v", byID, err)
		}
	})
}

func TestCreateUserRejects(t *testing.T) {
	onBoth(t, func(w *world) {
		w.user("asha@example.com")
		for _, c := range []struct {
			name, field, code string
			new               NewUser
		}{
			{"an e-mail in use", "email", "unique", NewUser{Email: "asha@example.com", Password: goodPassword}},
			{"an e-mail in use, in another case", "email", "unique", NewUser{Email: "ASHA@example.com ", Password: goodPassword}},
			{"no e-mail", "email", "required", NewUser{Password: goodPassword}},
			{"a bad e-mail", "email", "email", NewUser{Email: "asha", Password: goodPassword}},
			{"no password", "password", "too_short", NewUser{Email: "b@example.com"}},
			{"a common password", "password", "too_common", NewUser{Email: "b@example.com", Password: "password1"}},
			{"its e-mail as password", "password", "same_as_email", NewUser{Email: "b@example.com", Password: "B@example.com"}},
			{"a long name", "name", "max", NewUser{Email: "b@example.com", Name: strings.Repeat("é", 201), Password: goodPassword}},
			{"a full-width e-mail", "email", "email", NewUser{Email: "ｂ@example.com", Password: goodPassword}},
			{"a password of one character", "password", "too_short", NewUser{Email: "b@example.com", Password: "\ufdfa"}},
			{"a name with a direction mark", "name", "line", NewUser{Email: "b@example.com", Name: "a\u202eb", Password: goodPassword}},
			{"a name of two lines", "name", "line", NewUser{Email: "b@example.com", Name: "a\nb", Password: goodPassword}},
		} {
			w.Run(c.name, func(t *testing.T) {
				_, err := w.users.CreateUser(w.ctx, w.s, c.new)
				wantInput(t, err, c.field, c.code)
			})
		}
		_, err := w.users.CreateUser(w.ctx, w.s, NewUser{Email: "asha@example.com", Password: goodPassword})
		if err.Error() != "A user with the e-mail asha@example.com exists already." {
			w.Errorf("the error is %q", err)
		}
	})
}

func TestAnUnknownUserIsNotFound(t *testing.T) {
	onBoth(t, func(w *world) {
		for name, call := range map[string]func() error{
			"find":         func() error { _, err := w.users.FindUser(w.ctx, w.s, "x@example.com"); return err },
			"find no mail": func() error { _, err := w.users.FindUser(w.ctx, w.s, "x"); return err },
			"by id":        func() error { _, err := w.users.UserByID(w.ctx, w.s, newID()); return err },
			"set password": func() error { return w.users.SetPassword(w.ctx, w.s, newID(), goodPassword) },
			"set active":   func() error { return w.users.SetActive(w.ctx, w.s, newID(), true) },
			"grant":        func() error { return w.users.Grant(w.ctx, w.s, newID(), "patients.view") },
			"grant group":  func() error { return w.users.GrantGroup(w.ctx, w.s, newID(), "patients.view") },
			"join":         func() error { return w.users.Join(w.ctx, w.s, newID(), newID()) },
			"find group":   func() error { _, err := w.users.FindGroup(w.ctx, w.s, "x"); return err },
			"revoke token": func() error { return w.users.RevokeToken(w.ctx, w.s, newToken()) },
			"revoke by id": func() error { return w.users.RevokeTokenByID(w.ctx, w.s, newID(), newID()) },
		} {
			w.Run(name, func(t *testing.T) { wantNotFound(t, call()) })
		}
	})
}

func TestCheckPasswordGivesOneAnswerForTheSameWork(t *testing.T) {
	onBoth(t, func(w *world) {
		w.user("asha@example.com")
		gone := w.user("gone@example.com")
		w.must(w.users.SetActive(w.ctx, w.s, gone.ID, false))
		for _, c := range []struct {
			name, email, password string
			want                  error
			hashes                int64
		}{
			{"right", "Asha@example.com", goodPassword, nil, 1},
			{"wrong password", "asha@example.com", "wrong password", ErrWrongCredentials, 1},
			{"empty password", "asha@example.com", "", ErrWrongCredentials, 1},
			{"unknown user", "nobody@example.com", goodPassword, ErrWrongCredentials, 1},
			{"no e-mail at all", "nobody", goodPassword, ErrWrongCredentials, 1},
			{"inactive user, right password", "gone@example.com", goodPassword, ErrWrongCredentials, 1},
			{"inactive user, wrong password", "gone@example.com", "wrong password", ErrWrongCredentials, 1},
			{"impossible password, known user", "asha@example.com", strings.Repeat("x", 5000), ErrWrongCredentials, 0},
			{"impossible password, unknown user", "nobody@example.com", strings.Repeat("x", 5000), ErrWrongCredentials, 0},
		} {
			w.Run(c.name, func(t *testing.T) {
				hasher, count := countedHasher()
				w.users.passwords.hasher = hasher
				_, err := w.users.CheckPassword(w.ctx, w.s, c.email, c.password)
				if !errors.Is(err, c.want) || count.Load() != c.hashes {
					t.Errorf("error %v after %d hashes; want %v after %d", err, count.Load(), c.want, c.hashes)
				}
				if err != nil && err.Error() != ErrWrongCredentials.Error() {
					t.Errorf("the error reveals the reason: %v", err)
				}
			})
		}
	})
}

func TestCheckPasswordHashesAnOldCostAgain(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		old, err := hashers.Argon2id{Memory: 1024, Passes: 1, Threads: 1}.New(goodPassword)
		w.must(err)
		w.must(w.users.update(w.ctx, w.s, user.ID, "password_hash", old))

		if _, err := w.users.CheckPassword(w.ctx, w.s, user.Email, "wrong password"); !errors.Is(err, ErrWrongCredentials) {
			w.Fatal(err)
		}
		if row, _ := findByEmail(w.ctx, w.s, user.Email); row.PasswordHash != old {
			w.Error("a wrong password replaced the hash")
		}
		_, err = w.users.CheckPassword(w.ctx, w.s, user.Email, goodPassword)
		w.must(err)
		row, err := findByEmail(w.ctx, w.s, user.Email)
		w.must(err)
		if ok, again, err := w.users.passwords.Verify(w.ctx, row.PasswordHash, goodPassword); !ok || again || err != nil {
			w.Errorf("the hash is %.40s, %v", row.PasswordHash, err)
		}
		if _, err := w.users.CheckPassword(w.ctx, w.s, user.Email, goodPassword); err != nil {
			w.Errorf("the new hash does not match: %v", err)
		}
	})
}

// TestCheckPasswordOfABrokenHash: the error is that of a wrong password, with its own reason for
// the audit log.
func TestCheckPasswordOfABrokenHash(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		w.must(w.users.update(w.ctx, w.s, user.ID, "password_hash", "$argon2id$v=19$m=4294967295,t=9,p=1$canary$canary"))
		_, err := w.users.CheckPassword(w.ctx, w.s, user.Email, goodPassword)
		failed, ok := errors.AsType[rejection](err)
		if !ok || failed.reason != "hash" || failed.user != user.ID || strings.Contains(err.Error(), "canary") {
			w.Errorf("error is %v, %+v", err, failed)
		}
	})
}

func TestSetPasswordRevokesTokens(t *testing.T) {
	onBoth(t, func(w *world) {
		user, other := w.user("asha@example.com"), w.user("other@example.com")
		mine, theirs := w.token(user, 0), w.token(other, 0)

		wantInput(w.T, w.users.SetPassword(w.ctx, w.s, user.ID, "password"), "password", "too_common")
		w.admits(mine, true)
		w.must(w.users.SetPassword(w.ctx, w.s, user.ID, "another four words walk"))
		w.admits(mine, false)
		w.admits(theirs, true)
		if _, err := w.users.CheckPassword(w.ctx, w.s, user.Email, goodPassword); !errors.Is(err, ErrWrongCredentials) {
			w.Errorf("the old password: %v", err)
		}
		if _, err := w.users.CheckPassword(w.ctx, w.s, user.Email, "another four words walk"); err != nil {
			w.Errorf("the new password: %v", err)
		}
	})
}

func TestMethodsJoinATransaction(t *testing.T) {
	onBoth(t, func(w *world) {
		stop := errors.New("stop")
		err := w.db.InTx(w.ctx, func(ctx context.Context, s *sqldb.Session) error {
			user, err := w.users.CreateUser(ctx, s, NewUser{Email: "asha@example.com", Password: goodPassword})
			if err != nil {
				return err
			}
			group, err := w.users.CreateGroup(ctx, s, "reception", "patients.view")
			if err != nil {
				return err
			}
			return errors.Join(
				w.users.Join(ctx, s, user.ID, group.ID),
				w.users.SetPassword(ctx, s, user.ID, "another four words walk"), stop)
		})
		if !errors.Is(err, stop) || strings.Count(err.Error(), "\n") > 0 {
			w.Fatal(err)
		}
		_, err = w.users.FindUser(w.ctx, w.s, "asha@example.com")
		wantNotFound(w.T, err)
		_, err = w.users.FindGroup(w.ctx, w.s, "reception")
		wantNotFound(w.T, err)
	})
}
