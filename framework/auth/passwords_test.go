package auth

import (
	"errors"
	"strings"
	"testing"
)

// The hashes of one password by Django 5.2, with few iterations, and, with version 2a, by bcrypt as Ruby writes it.
const (
	hashOfDjango = "pbkdf2_sha256$1000$00112233445566778899aabbccddeeff$+GGbNTzSrbc767vG+qqujNgpMMwn4YLTDHew0tdLp+0="
	hashOfRails  = "$2a$04$xjW.P6Tr4248rwGdhXq0wuvJkgs.qFu8YwLmiKkyq5NFQcuziFpbC"
	hashOfDevise = "$2a$04$KKxhRJDZ986BMwus1xVcZ.Ee5TalsjBWZBAropdCtxH06JnOmi/f6" // with the pepper "pepper of devise"
)

// TestUsersOfAnotherFrameworkSignIn: the hash is renewed in the format that is set, and the
// account and its sessions do not change.
func TestUsersOfAnotherFrameworkSignIn(t *testing.T) {
	for _, c := range []struct {
		name, stored string
		hashes       HashOptions
		renewed      string // the beginning of the hash after the sign-in
	}{
		{"Django, renewed for Trestle", hashOfDjango, HashOptions{}, "$argon2id$v=19$m=19456,t=2,p=1$"},
		{"Django, while Django runs beside", hashOfDjango, HashOptions{Write: DjangoPBKDF2(1000)}, hashOfDjango},
		{"Django, upgraded beside", hashOfDjango, HashOptions{Write: DjangoPBKDF2(2000)}, "pbkdf2_sha256$2000$"},
		{"Rails, renewed for Trestle", hashOfRails, HashOptions{}, "$argon2id$"},
		{"Rails, while Rails runs beside", hashOfRails, HashOptions{Write: Bcrypt(4)}, hashOfRails},
		{"Devise, renewed beside", hashOfDevise, HashOptions{Write: Bcrypt(5), Pepper: NewSecret("pepper of devise")}, "$2a$05$"},
	} {
		t.Run(c.name, func(t *testing.T) {
			onBoth(t, func(w *world) {
				user := w.user("asha@example.com")
				var err error
				w.users, err = NewUsers(Options{Now: w.clock, Hashes: c.hashes})
				w.must(err)
				w.must(w.users.update(w.ctx, w.s, user.ID, "password_hash", c.stored))
				token := w.token(user, 0)
				if _, err := w.users.CheckPassword(w.ctx, w.s, user.Email, "another four words walk"); !errors.Is(err, ErrWrongCredentials) {
					w.Fatalf("a wrong password: %v", err)
				}
				for range 2 {
					_, err = w.users.CheckPassword(w.ctx, w.s, user.Email, goodPassword)
					w.must(err)
				}
				row, err := findByEmail(w.ctx, w.s, user.Email)
				w.must(err)
				if !strings.HasPrefix(row.PasswordHash, c.renewed) || !row.UpdatedAt.Equal(user.UpdatedAt) {
					w.Errorf("the hash is %.40s, updated at %s", row.PasswordHash, row.UpdatedAt)
				}
				w.must(w.users.RevokeToken(w.ctx, w.s, token)) // it is still there
			})
		})
	}
}

// TestAnAccountWithoutAPassword: no password signs in, after the work of a wrong one.
func TestAnAccountWithoutAPassword(t *testing.T) {
	onBoth(t, func(w *world) {
		user := w.user("asha@example.com")
		w.must(w.users.update(w.ctx, w.s, user.ID, "password_hash", "!XsgRaQMNfal6LEB0BOkReMiXbj2WTw4XMBrQbMsa"))
		for _, password := range []string{goodPassword, "", "!XsgRaQMNfal6LEB0BOkReMiXbj2WTw4XMBrQbMsa"} {
			hasher, count := countedHasher()
			w.users.passwords.hasher = hasher
			if _, err := w.users.CheckPassword(w.ctx, w.s, user.Email, password); !errors.Is(err, ErrWrongCredentials) || count.Load() != 1 {
				w.Errorf("%q: %v after %d hashes", password, err, count.Load())
			}
		}
	})
}

func TestWrongHashOptions(t *testing.T) {
	for _, c := range []struct {
		hashes HashOptions
		want   string
	}{
		{HashOptions{Write: DjangoPBKDF2(100)}, "auth.HashOptions.Write: "},
		{HashOptions{Unknown: Bcrypt(20)}, "bcrypt: the cost is 20; it must be from 4 to 15"},
		{HashOptions{Write: Bcrypt(12), Pepper: NewSecret(strings.Repeat("p", 64))}, "the pepper has 64 bytes"},
	} {
		_, err := NewPasswords(PasswordOptions{Hashes: c.hashes})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "ppp") {
			t.Errorf("%v; want %s", err, c.want)
		}
	}
}

// TestPasswordsWithoutATable: the work for an unknown account, the policy, and text that no
// password can be.
func TestPasswordsWithoutATable(t *testing.T) {
	p, err := NewPasswords(PasswordOptions{Policy: PasswordPolicy{Minimum: 12}, Hashes: HashOptions{Write: DjangoPBKDF2(1000)}})
	if err != nil {
		t.Fatal(err)
	}
	stored, err := p.Hash(t.Context(), goodPassword)
	if err != nil || !strings.HasPrefix(stored, "pbkdf2_sha256$1000$") {
		t.Fatalf("%s, %v", stored, err)
	}
	for _, c := range []struct {
		name, stored, password string
		ok, outdated           bool
	}{
		{"the password", stored, goodPassword, true, false},
		{"another one", stored, "another four words walk", false, false},
		{"a hash of another format", hashOfRails, goodPassword, true, true},
		{"a wrong password of another format", hashOfRails, "another", false, false},
		{"no UTF-8", stored, "\xff", false, false},
		{"a very long text", stored, strings.Repeat("x", 5000), false, false},
	} {
		if ok, outdated, err := p.Verify(t.Context(), c.stored, c.password); ok != c.ok || outdated != c.outdated || err != nil {
			t.Errorf("%s: %v, outdated %v, %v", c.name, ok, outdated, err)
		}
	}
	if _, _, err := p.Verify(t.Context(), "md5$salt$canary", goodPassword); !errors.Is(err, ErrHash) || strings.Contains(err.Error(), "canary") {
		t.Errorf("an unknown format: %v", err)
	}
	if err := p.Pretend(t.Context(), goodPassword); err != nil {
		t.Errorf("an unknown account: %v", err)
	}
	wantInput(t, p.Check(t.Context(), "eleven char", PasswordOwner{Email: "asha@example.com"}), "password", "too_short")
	_, err = p.Hash(t.Context(), "\xff")
	wantInput(t, err, "password", "not_utf8")
}

// TestTheWorkForAnUnknownAccount is that of the format that is set for it, else that of new hashes.
func TestTheWorkForAnUnknownAccount(t *testing.T) {
	for _, c := range []struct {
		name   string
		hashes HashOptions
		want   HashFormat
	}{
		{"by default", HashOptions{}, Argon2id()},
		{"as new hashes", HashOptions{Write: DjangoPBKDF2(2000)}, DjangoPBKDF2(2000)},
		{"as the hashes of most accounts", HashOptions{Unknown: DjangoScrypt()}, DjangoScrypt()},
	} {
		p, err := NewPasswords(PasswordOptions{Hashes: c.hashes})
		if err != nil {
			t.Fatal(err)
		}
		if !c.want.format.IsCurrent(p.hasher.nobody) {
			t.Errorf("%s: the work is that of %T", c.name, p.hasher.nobody)
		}
	}
}

// TestAPasswordThatBcryptCannotHash is rejected when it is set. If the user has it already, the
// old hash stays.
func TestAPasswordThatBcryptCannotHash(t *testing.T) {
	onBoth(t, func(w *world) {
		long := strings.Repeat("four unrelated words ", 4) // 84 bytes
		user, err := w.users.CreateUser(w.ctx, w.s, NewUser{Email: "asha@example.com", Password: long})
		w.must(err)
		before, err := findByEmail(w.ctx, w.s, user.Email)
		w.must(err)
		w.users, err = NewUsers(Options{Now: w.clock, Hashes: HashOptions{Write: Bcrypt(4)}})
		w.must(err)
		_, err = w.users.CheckPassword(w.ctx, w.s, user.Email, long)
		w.must(err)
		if after, _ := findByEmail(w.ctx, w.s, user.Email); after.PasswordHash != before.PasswordHash {
			w.Errorf("the hash is %.40s", after.PasswordHash)
		}
		wantInput(w.T, w.users.SetPassword(w.ctx, w.s, user.ID, long), "password", "too_long")
	})
}
