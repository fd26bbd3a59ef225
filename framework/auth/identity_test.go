package auth

import (
	"context"
	"errors"
	"slices"
	"testing"

	"trestle.example/framework/sqldb"
)

// arrive signs an identity in, in a transaction, as SignInIdentity does.
func (w *world) arrive(id Identity, policy IdentityPolicy) (a arrival, err error) {
	err = w.db.InTx(w.ctx, func(ctx context.Context, s *sqldb.Session) (err error) {
		a, err = w.users.admitIdentity(ctx, s, id, policy)
		return err
	})
	return a, err
}

// verified checks whether the address of a user counts as verified, in the value and in the table.
func (w *world) verified(user User, want bool) {
	w.Helper()
	stored, err := w.users.UserByID(w.ctx, w.s, user.ID)
	w.must(err)
	if (stored.EmailVerifiedAt != nil) != want || (user.EmailVerifiedAt != nil) != want {
		w.Errorf("%s is verified at %v, in the table at %v; want verified: %t", user.Email, user.EmailVerifiedAt, stored.EmailVerifiedAt, want)
	}
}

// accounts returns the numbers of accounts and of identities.
func (w *world) accounts() (n [2]int64) {
	w.Helper()
	for i, table := range []string{"auth_users", "auth_identities"} {
		var err error
		n[i], err = w.db.NewSelect().Table(table).Count(w.ctx)
		w.must(err)
	}
	return n
}

// TestIdentities: which account an identity gets, and which it does not get.
func TestIdentities(t *testing.T) {
	register, link := IdentityPolicy{Register: true}, IdentityPolicy{LinkEmail: true}
	ada := Identity{Issuer: "https://id.example", Subject: "1", Email: "Ada@Example.com", Name: "Ada"}
	with := func(change func(*Identity)) Identity {
		id := ada
		change(&id)
		return id
	}
	onBoth(t, func(w *world) {
		first, err := w.arrive(ada, register)
		w.must(err)
		if first.event != eventRegistered || first.user.Email != "ada@example.com" || first.user.Name != "Ada" {
			w.Errorf("the first sign-in: %+v", first)
		}
		w.verified(first.user, true)
		again, err := w.arrive(with(func(id *Identity) { id.Email, id.Name = "", "Other" }), IdentityPolicy{})
		w.must(err)
		if again.user.ID != first.user.ID || again.user.Name != "Ada" || again.event != "" {
			w.Errorf("the second sign-in: %+v", again)
		}
		_, err = w.users.CreateUser(w.ctx, w.s, NewUser{Email: "staff@example.com", Password: goodPassword, Staff: true})
		w.must(err)
		local := w.user("local@example.com")
		w.verified(local, false)
		w.user("kim@example.com")
		_, err = w.users.CreateGroup(w.ctx, w.s, "doctors")
		w.must(err)
		for _, test := range []struct {
			name   string
			id     Identity
			policy IdentityPolicy
			reason string
		}{
			{"the same subject in another case", with(func(id *Identity) { id.Subject = "1 "; id.Email = "" }), register, "email_required"},
			{"the same subject of another issuer", with(func(id *Identity) { id.Issuer += "/" }), register, "email_unique"},
			{"another subject with a linked address", with(func(id *Identity) { id.Subject = "2" }), link, "email_unique"},
			{"the address of staff", with(func(id *Identity) { id.Subject, id.Email = "3", "staff@example.com" }), link, "email_unique"},
			{"the address of an account, without LinkEmail", with(func(id *Identity) { id.Subject, id.Email = "4", local.Email }), register, "email_unique"},
			{"a new person, without Register", with(func(id *Identity) { id.Subject, id.Email = "5", "new@example.com" }), link, "unknown"},
			{"an address that is none", with(func(id *Identity) { id.Subject, id.Email = "6", "new" }), register, "email_email"},
			{"an address whose lower case is that of an account", with(func(id *Identity) { id.Subject, id.Email = "8", "\u212Aim@example.com" }), link, "email_email"},
			{"an address whose lower case is nearly that of an account", with(func(id *Identity) { id.Subject, id.Email = "9", "k\u0130m@example.com" }), link, "email_email"},
		} {
			before := w.accounts()
			if _, err := w.arrive(test.id, test.policy); err == nil || identityReason(err) != test.reason {
				w.Errorf("%s: %v; want the reason %s", test.name, err, test.reason)
			}
			if after := w.accounts(); after != before {
				w.Errorf("%s: rows were added", test.name)
			}
		}
		linked, err := w.arrive(with(func(id *Identity) { id.Subject, id.Email = "7", "LOCAL@example.com" }), link)
		w.must(err)
		if linked.user.ID != local.ID || linked.event != eventIdentityLinked {
			w.Errorf("linked: %+v", linked)
		}
		w.verified(linked.user, true)
		if _, err := w.users.CheckPassword(w.ctx, w.s, local.Email, goodPassword); !errors.Is(err, ErrWrongCredentials) {
			w.Errorf("the password of a linked account: %v", err)
		}
		w.must(w.users.SetActive(w.ctx, w.s, first.user.ID, false))
		if _, err := w.arrive(ada, register); identityReason(err) != "inactive" {
			w.Errorf("an inactive account: %v", err)
		}
	})
}

// TestIdentityRights: the rights of an identity replace those of its last sign-in, and no others.
func TestIdentityRights(t *testing.T) {
	onBoth(t, func(w *world) {
		doctors, err := w.users.CreateGroup(w.ctx, w.s, "doctors", "patients.view")
		w.must(err)
		id := Identity{Issuer: "https://id.example", Subject: "1", Email: "ada@example.com"}
		signIn := func(groups, permissions []string) (User, arrival) {
			w.Helper()
			id.Groups, id.Permissions = groups, permissions
			a, err := w.arrive(id, IdentityPolicy{Register: true})
			w.must(err)
			return a.user, a
		}
		holds := func(user User, want ...string) {
			w.Helper()
			caller, err := w.users.Caller(w.ctx, w.s, user.ID, "Test")
			w.must(err)
			var got []string
			for _, p := range []string{"orders.view", "orders.add", "patients.view"} {
				if caller.Holds(p) {
					got = append(got, p)
				}
			}
			if !slices.Equal(got, want) {
				w.Errorf("the user holds %q; want %q", got, want)
			}
		}
		user, a := signIn([]string{"doctors", "nurses", "doctors"}, []string{"orders.view", "orders.view"})
		if !slices.Equal(a.unknown, []string{"nurses"}) {
			w.Errorf("unknown groups: %q", a.unknown)
		}
		holds(user, "orders.view", "patients.view")
		w.must(w.users.Grant(w.ctx, w.s, user.ID, "orders.add"))
		signIn(nil, []string{"orders.view"})
		holds(user, "orders.view", "orders.add")
		signIn([]string{"doctors"}, []string{"orders.add"})
		holds(user, "orders.add", "patients.view")
		signIn(nil, nil)
		holds(user, "orders.add") // an operator gave it before the provider did
		w.must(w.users.Join(w.ctx, w.s, user.ID, doctors.ID))
		signIn([]string{"doctors"}, nil)
		signIn(nil, nil)
		holds(user, "orders.add", "patients.view")
		w.must(w.users.Leave(w.ctx, w.s, user.ID, doctors.ID))
		signIn([]string{"doctors"}, nil)
		_, err = w.s.Exec(w.ctx, w.s.IDB().NewDelete().Table("auth_groups").Where("id = ?", doctors.ID))
		w.must(err)
		signIn(nil, nil)
		holds(user, "orders.add")
	})
}

// TestAnUnusableHash: no password belongs to it, and no two accounts share it.
func TestAnUnusableHash(t *testing.T) {
	passwords, err := NewPasswords(PasswordOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first, second := unusableHash(), unusableHash()
	if first == second || (userWithHash{PasswordHash: first}).hasPassword() {
		t.Errorf("%s, %s", first, second)
	}
	for _, password := range []string{"", "!", first, first[1:]} {
		if ok, _, err := passwords.Verify(t.Context(), first, password); ok || err != nil {
			t.Errorf("%q: %t, %v", password, ok, err)
		}
	}
}
