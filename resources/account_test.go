package resources_test

import (
	"context"
	"log/slog"
	"net/http"
	"regexp"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/mail"
	"trestle.example/framework/sqldb"
	"trestle.example/resources"
)

// A postbox is a mailer whose mails a test takes.
type postbox chan mail.Message

// Send implements mail.Mailer.
func (p postbox) Send(_ context.Context, m mail.Message) error {
	p <- m
	return nil
}

var mailedToken = regexp.MustCompile(`trl_[\w-]{43}`)

// take waits for a mail to asha@example.com with a subject, and returns the token in it, or "".
func (p postbox) take(t *testing.T, subject string) (token string) {
	t.Helper()
	select {
	case m := <-p:
		if m.To != "asha@example.com" || m.Subject != subject {
			t.Fatalf("the mail to %s is %q; want one to asha@example.com, %q", m.To, m.Subject, subject)
		}
		return mailedToken.FindString(m.Text)
	case <-t.Context().Done():
		t.Fatalf("no mail %q", subject)
	}
	return ""
}

// A holder is a user with an account.
type holder struct {
	*frameworktest.Client // with a token

	t    *testing.T
	mail postbox
	site *frameworktest.Client // anonymous
}

// holdAccount runs a test on both databases with a new account of asha@example.com, whose address
// is verified.
func holdAccount(t *testing.T, test func(*holder)) {
	t.Helper()
	both(t, func(t *testing.T, db *sqldb.DB) {
		box, log := make(postbox, 8), slog.New(slog.DiscardHandler)
		identity, err := resources.Identity(auth.Config{Mailer: box, Log: log, Hashes: auth.HashOptions{Write: auth.DjangoBcrypt(4)}})
		if err != nil {
			t.Fatal(err)
		}
		config := resources.Config(db, 20, identity)
		config.Log = log
		api := framework.New(config)
		resources.Register(api, identity)
		handler, err := api.Handler()
		if err != nil {
			t.Fatal(err)
		}
		h := &holder{t: t, mail: box, site: frameworktest.New(t, promised(t, api, 0).Wrap(t, handler))}
		h.site.Post("/api/auth/register", map[string]any{"email": "asha@example.com", "password": password}).Expect(201)
		token := box.take(t, "Trestle: confirm your e-mail address")
		h.site.Post("/api/auth/email/verify", map[string]any{"token": token}).Expect(204)
		h.site.Post("/api/auth/email/verify", map[string]any{"token": token}).Expect(400).Code("invalid_link")
		h.Client = h.signIn("asha@example.com", password)
		test(h)
	})
}

// signIn returns a client with a new token.
func (h *holder) signIn(email, password string) *frameworktest.Client {
	h.t.Helper()
	var made struct{ Token string }
	h.site.Post("/api/auth/login", map[string]any{"email": email, "password": password}).Expect(200).JSON(&made)
	return h.site.With("Authorization", "Bearer "+made.Token)
}

const newPhrase = "five other unrelated words"

// TestTheOwnAccount: users change their name, e-mail address and password themselves. GET /auth/me
// stays as it was before these endpoints.
func TestTheOwnAccount(t *testing.T) {
	holdAccount(t, func(h *holder) {
		h.Patch("/api/auth/me", map[string]any{"name": "Asha Rao"}).Expect(200).Contains(`"name":"Asha Rao"`, `"emailVerified":true`)
		h.Get("/api/auth/me").Expect(200).Contains(`"name":"Asha Rao"`, `"role":"customer"`).Lacks("emailVerified")

		h.Post("/api/auth/password", map[string]any{"currentPassword": "wrong", "password": newPhrase}).Expect(400).Fault("/currentPassword", "wrong_password")
		h.Post("/api/auth/password", map[string]any{"currentPassword": password, "password": newPhrase}).Expect(204)
		h.mail.take(h.t, "Trestle: your password was changed")
		h.signIn("asha@example.com", newPhrase)

		h.Post("/api/auth/email", map[string]any{"currentPassword": "wrong", "email": "rao@example.com"}).Expect(400).Fault("/currentPassword", "wrong_password")
		h.Post("/api/auth/email", map[string]any{"currentPassword": newPhrase, "email": "rao@example.com"}).Expect(202)
		token := h.mail.takeBoth(h.t)
		h.Get("/api/auth/me").Expect(200).Contains(`"email":"asha@example.com"`)
		h.site.Post("/api/auth/email/verify", map[string]any{"token": token}).Expect(204)
		h.mail.take(h.t, "Trestle: your e-mail address was changed")
		h.Get("/api/auth/me").Expect(200).Contains(`"email":"rao@example.com"`)
	})
}

// takeBoth takes the mails about another address, which arrive in any order, and returns the token.
func (p postbox) takeBoth(t *testing.T) (token string) {
	t.Helper()
	subjects := map[string]string{}
	for range 2 {
		select {
		case m := <-p:
			subjects[m.To] = m.Subject
			token += mailedToken.FindString(m.Text)
		case <-t.Context().Done():
			t.Fatal("no mail")
		}
	}
	if subjects["rao@example.com"] != "Trestle: confirm your e-mail address" || subjects["asha@example.com"] != "Trestle: your e-mail address will change" {
		t.Errorf("the mails are %v", subjects)
	}
	return token
}

// TestResetByMail: a forgotten password is replaced by a token of a mail, which ends the sign-ins.
// An unknown address gets the same answer.
func TestResetByMail(t *testing.T) {
	holdAccount(t, func(h *holder) {
		h.site.Post("/api/auth/password/reset", map[string]any{"email": "unknown@example.com"}).Expect(202)
		h.site.Post("/api/auth/password/reset", map[string]any{"email": "asha@example.com"}).Expect(202)
		token := h.mail.take(h.t, "Trestle: reset your password")
		h.site.Post("/api/auth/password/reset/confirm", map[string]any{"token": token + "x", "password": newPhrase}).Expect(400).Code("invalid_link")
		h.site.Post("/api/auth/password/reset/confirm", map[string]any{"token": token, "password": newPhrase}).Expect(204)
		h.site.Post("/api/auth/password/reset/confirm", map[string]any{"token": token, "password": newPhrase}).Expect(400).Code("invalid_link")
		h.Get("/api/auth/me").Expect(401)
		h.signIn("asha@example.com", newPhrase)
	})
}

// TestDeleteTheOwnAccount: records of the clinic keep the account. Without them it is deleted, with
// its credentials and its cart.
func TestDeleteTheOwnAccount(t *testing.T) {
	holdAccount(t, func(h *holder) {
		proof := map[string]any{"password": password}
		remove := func(proof map[string]any) *frameworktest.Response {
			return h.Do(http.MethodDelete, "/api/auth/me", proof)
		}
		var patient struct{ ID string }
		h.Post("/api/patients/", map[string]any{"name": "Ben", "phone": "+91 50000 00000"}).Expect(201).JSON(&patient)
		remove(map[string]any{"password": "wrong"}).Expect(400).Fault("/password", "wrong_password")
		remove(proof).Expect(409).Code("still_referenced")
		h.Get("/api/patients/" + patient.ID + "/").Expect(200)
		h.Delete("/api/patients/" + patient.ID + "/").Expect(204)
		remove(proof).Expect(204)
		h.Get("/api/auth/me").Expect(401)
		h.site.Post("/api/auth/login", map[string]any{"email": "asha@example.com", "password": password}).Expect(401).Code("invalid_credentials")
	})
}

// TestTheOwnAccountNeedsASignIn: no other caller reaches an account.
func TestTheOwnAccountNeedsASignIn(t *testing.T) {
	holdAccount(t, func(h *holder) {
		for path, method := range map[string]string{
			"/api/auth/me": http.MethodPatch, "/api/auth/password": http.MethodPost, "/api/auth/email": http.MethodPost, "/api/auth/email/verification": http.MethodPost,
		} {
			h.site.Do(method, path, map[string]any{}).Expect(401).Code("authentication_required")
		}
		h.site.Do(http.MethodDelete, "/api/auth/me", map[string]any{"password": password}).Expect(401).Code("authentication_required")
	})
}
