package auth_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/mail"
	"trestle.example/framework/throttle"
)

const (
	resetPath   = "/api/auth/password/reset"
	confirmPath = "/api/auth/password/reset/confirm"
)

func resetOf(email string) map[string]any { return map[string]any{"email": email} }

func confirmationOf(token, password string) map[string]any {
	return map[string]any{"token": token, "password": password}
}

// TestResetAPassword: the mail has a token that sets a new password once. Every credential of the
// user ends.
func TestResetAPassword(t *testing.T) {
	inOffice(t, auth.AccountOptions{Reset: true, ResetURL: "https://clinic.example.org/reset?lang=en#{token}", Service: "Clinic"}, nil, func(o *office) {
		asha := o.user("asha@example.com")
		token, pair, browser := o.token(asha), o.pair(asha), o.signedIn()
		o.log.Take(o.T)
		o.Post(resetPath, resetOf(" Asha@Example.com ")).Expect(http.StatusAccepted)
		got := o.mails()
		if len(got) != 1 || got[0].To != "asha@example.com" || got[0].From != "clinic@example.org" || got[0].Subject != "Clinic: reset your password" ||
			!strings.Contains(got[0].Text, "https://clinic.example.org/reset?lang=en#trl_") {
			o.Fatalf("the mails are %+v", got)
		}
		link := tokenOfMail.FindString(got[0].Text)
		o.signsIn("asha@example.com", goodPassword)
		o.Post(confirmPath, confirmationOf(link, newPassword)).Expect(http.StatusNoContent)
		o.only("asha@example.com: Clinic: your password was changed")
		o.signsIn("asha@example.com", newPassword)
		o.rejectsOldPassword()
		o.knows(o.as("Bearer "+token), "")
		o.knows(o.as("Bearer "+pair.Access), "")
		o.knows(browser.client(), "")
		o.Post(confirmPath, confirmationOf(link, goodPassword)).Expect(http.StatusBadRequest).Code(auth.CodeInvalidLink)
		var events []string
		for _, line := range o.log.Take(o.T) {
			events = append(events, fmt.Sprint(line["event"]))
			if text := fmt.Sprint(line); strings.Contains(text, link) || strings.Contains(text, "asha@") {
				o.Errorf("the log has %s", text)
			}
		}
		if got := strings.Join(events, " "); !strings.Contains(got, "password_reset_requested") || !strings.Contains(got, "password_reset ") {
			o.Errorf("the audit log has %s", got)
		}
		user, err := o.service.Users.UserByID(o.Context(), o.db.Session(), asha.ID)
		must(o.T, err)
		if user.EmailVerifiedAt == nil {
			o.Error("the address is not verified, although its mail was read")
		}
	})
}

// TestARequestForAResetDisclosesNothing: the answer, the statements and the hashes are the same for
// every address. Only a user who is active and has a password gets a mail.
func TestARequestForAResetDisclosesNothing(t *testing.T) {
	inOffice(t, auth.AccountOptions{Reset: true}, nil, func(o *office) {
		o.user("asha@example.com")
		o.inactive()
		federated := o.user("federated@example.com")
		_, err := o.db.ExecContext(o.Context(), "UPDATE auth_users SET password_hash = '!' WHERE email = 'federated@example.com'")
		must(o.T, err)
		var first string
		for _, email := range []string{"asha@example.com", "nobody@example.com", "gone@example.com", federated.Email} {
			before := o.hashes.Load()
			r := o.Post(resetPath, resetOf(email)).Expect(http.StatusAccepted)
			answer := fmt.Sprint(r.Status(), r.Body(), alike(r.Headers()), o.hashes.Load()-before)
			if first == "" {
				first = answer
			}
			if answer != first {
				o.Errorf("%s:\n%s\nbut asha@example.com:\n%s", email, answer, first)
			}
			must(o.T, auth.WaitForMail(o.Context(), o.service))
		}
		o.only("asha@example.com: api: reset your password")
	})
}

// TestARequestForAResetDoesNoWork: the request runs no statement, so that its time discloses
// nothing. The outbox is busy meanwhile.
func TestARequestForAResetDoesNoWork(t *testing.T) {
	var started, release chan struct{}
	var sent []string
	mailer := mailerFunc(func(m mail.Message) error {
		if len(sent) == 0 {
			close(started)
			<-release
		}
		sent = append(sent, m.To)
		return nil
	})
	onDesk(t, func(own *auth.Config, common *framework.Config) {
		unlimited(own, common)
		own.Account.Reset, own.Mailer = true, mailer
	}, func(d *desk) {
		started, release, sent = make(chan struct{}), make(chan struct{}), nil
		d.user("asha@example.com")
		d.Post(resetPath, resetOf("asha@example.com")).Expect(http.StatusAccepted)
		<-started
		statements := frameworktest.CountStatements(d.db)
		for _, email := range []string{"asha@example.com", "nobody@example.com"} {
			if ran := statements.During(func() { d.Post(resetPath, resetOf(email)).Expect(http.StatusAccepted) }); len(ran) != 0 {
				d.Errorf("%s: the request ran %q", email, ran)
			}
		}
		close(release)
		must(d.T, auth.WaitForMail(d.Context(), d.service))
		if len(sent) != 2 {
			d.Errorf("mails were sent to %q", sent)
		}
	})
}

// A mailerFunc is a mailer that a test controls.
type mailerFunc func(mail.Message) error

func (f mailerFunc) Send(_ context.Context, m mail.Message) error { return f(m) }

func TestResetRejects(t *testing.T) {
	inOffice(t, auth.AccountOptions{Reset: true}, nil, func(o *office) {
		asha := o.user("asha@example.com")
		o.Post(resetPath, resetOf(asha.Email)).Expect(http.StatusAccepted)
		link := o.tokenTo(asha.Email)
		for _, c := range []struct {
			name string
			path string
			body map[string]any
			at   string
			code string
		}{
			{"no address", resetPath, map[string]any{}, "/email", "required"},
			{"no e-mail address", resetPath, resetOf("asha"), "/email", "email"},
			{"two addresses", resetPath, resetOf("asha@example.com, b@example.com"), "/email", "email"},
			{"an address with a header", resetPath, resetOf("asha@example.com\r\nBcc: b@example.com"), "/email", "email"},
			{"no token", confirmPath, map[string]any{"password": newPassword}, "/token", "required"},
			{"a long token", confirmPath, confirmationOf(strings.Repeat("x", 600), newPassword), "/token", "max"},
			{"no password", confirmPath, map[string]any{"token": "trl_x"}, "/password", "required"},
			{"a short password", confirmPath, confirmationOf(link, "short"), "/password", "too_short"},
			{"a common password", confirmPath, confirmationOf(link, "iloveyou1"), "/password", "too_common"},
			{"the e-mail as password", confirmPath, confirmationOf(link, "asha@example.com"), "/password", "same_as_email"},
		} {
			o.Run(c.name, func(t *testing.T) {
				o.on(t).Post(c.path, c.body).Expect(http.StatusBadRequest).Code("validation_failed").Fault(c.at, c.code)
			})
		}
		o.signsIn(asha.Email, goodPassword)
		o.only()
		o.Post(confirmPath, confirmationOf(link, newPassword)).Expect(http.StatusNoContent) // a fault does not use the token up
	})
}

// TestALinkEnds: a token is not accepted after these events.
func TestALinkEnds(t *testing.T) {
	for _, c := range []struct {
		name  string
		after func(*office, auth.User)
	}{
		{"after one hour", func(o *office, _ auth.User) { o.clock.turn(time.Hour) }},
		{"when another mail was requested", func(o *office, u auth.User) {
			o.Post(resetPath, resetOf(u.Email)).Expect(http.StatusAccepted)
			o.tokenTo(u.Email)
		}},
		{"when the password was changed", func(o *office, u auth.User) {
			must(o.T, o.service.Users.SetPassword(o.Context(), o.db.Session(), u.ID, newPassword))
		}},
		{"when the e-mail was changed", func(o *office, u auth.User) {
			must(o.T, o.service.Users.SetEmail(o.Context(), o.db.Session(), u.ID, "other@example.com"))
		}},
		{"when the user is inactive", func(o *office, u auth.User) {
			must(o.T, o.service.Users.SetActive(o.Context(), o.db.Session(), u.ID, false))
		}},
		{"when the user was deleted", func(o *office, u auth.User) {
			must(o.T, o.service.Users.DeleteUser(o.Context(), o.db.Session(), u.ID))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			inOffice(t, auth.AccountOptions{Reset: true}, nil, func(o *office) {
				asha := o.user("asha@example.com")
				o.Post(resetPath, resetOf(asha.Email)).Expect(http.StatusAccepted)
				token := o.tokenTo(asha.Email)
				c.after(o, asha)
				o.Post(confirmPath, confirmationOf(token, "yet another few words")).Expect(http.StatusBadRequest).Code(auth.CodeInvalidLink).Lacks(token)
				o.only()
			})
		})
	}
}

// TestOnlyTheHashOfATokenIsStored: the table has neither the token nor a part of it.
func TestOnlyTheHashOfATokenIsStored(t *testing.T) {
	inOffice(t, auth.AccountOptions{Reset: true}, nil, func(o *office) {
		o.user("asha@example.com")
		o.Post(resetPath, resetOf("asha@example.com")).Expect(http.StatusAccepted)
		token := o.tokenTo("asha@example.com")
		rows, err := o.db.QueryContext(o.Context(), "SELECT purpose, email, token_hash FROM auth_mail_links")
		must(o.T, err)
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var purpose, email string
			var hash []byte
			must(o.T, rows.Scan(&purpose, &email, &hash))
			if purpose != "reset" || email != "asha@example.com" || len(hash) != 32 || strings.Contains(string(hash), token[4:12]) {
				o.Errorf("the row has %s %s %x", purpose, email, hash)
			}
		}
		must(o.T, rows.Err())
	})
}

// TestOneOfTwoConfirmationsAtOnceSucceeds: the other one is rejected.
func TestOneOfTwoConfirmationsAtOnceSucceeds(t *testing.T) {
	inOffice(t, auth.AccountOptions{Reset: true}, nil, func(o *office) {
		o.user("asha@example.com")
		o.Post(resetPath, resetOf("asha@example.com")).Expect(http.StatusAccepted)
		token := o.tokenTo("asha@example.com")
		answers := make([]*frameworktest.Response, 2)
		var both sync.WaitGroup
		for i := range answers {
			both.Go(func() { answers[i] = o.Post(confirmPath, confirmationOf(token, newPassword)) })
		}
		both.Wait()
		if sum := answers[0].Status() + answers[1].Status(); sum != http.StatusNoContent+http.StatusBadRequest {
			o.Errorf("the answers are %d and %d", answers[0].Status(), answers[1].Status())
		}
		o.only("asha@example.com: api: your password was changed")
	})
}

// TestResetsAreLimited: by the e-mail address, with an account or without one, and by the address
// of the client.
func TestResetsAreLimited(t *testing.T) {
	few := rates(map[string]throttle.Rate{
		auth.ScopeMail: {Limit: 1, Per: time.Hour}, auth.ScopeMailAddress: {Limit: 3, Per: time.Hour}, auth.ScopeCredentials: {Limit: 2, Per: time.Hour},
	})
	inOffice(t, auth.AccountOptions{Reset: true}, few, func(o *office) {
		o.user("asha@example.com")
		for _, email := range []string{"asha@example.com", "nobody@example.com"} {
			o.from("192.0.2.1").Post(resetPath, resetOf(email)).Expect(http.StatusAccepted)
			o.from("192.0.2.2").Post(resetPath, resetOf(email)).Expect(http.StatusTooManyRequests)
		}
		o.from("192.0.2.1").Post(resetPath, resetOf("b@example.com")).Expect(http.StatusAccepted)
		o.from("192.0.2.1").Post(resetPath, resetOf("c@example.com")).Expect(http.StatusTooManyRequests)
		o.only("asha@example.com: api: reset your password")
		wrong := confirmationOf("trl_"+strings.Repeat("A", 43), newPassword)
		for range 2 {
			o.from("192.0.2.9").Post(confirmPath, wrong).Expect(http.StatusBadRequest)
		}
		o.from("192.0.2.9").Post(confirmPath, wrong).Expect(http.StatusTooManyRequests)
	})
}

// TestAMailThatCannotBeSent: the answer stays the same; the log has the error without the
// address.
func TestAMailThatCannotBeSent(t *testing.T) {
	inOffice(t, auth.AccountOptions{Reset: true}, nil, func(o *office) {
		o.user("asha@example.com")
		o.server.Reject(550, "no asha@example.com here")
		o.Post(resetPath, resetOf("asha@example.com")).Expect(http.StatusAccepted)
		o.only()
		lines := o.log.Take(o.T)
		last := fmt.Sprint(lines[len(lines)-1])
		if !strings.Contains(last, "a mail could not be sent") || !strings.Contains(last, "550") || strings.Contains(last, "asha") {
			o.Errorf("the log has %s", last)
		}
	})
}

func TestWrongAccountOptions(t *testing.T) {
	anyProfile := auth.Profile[struct{}, struct{}, struct{}]{
		Create: func(*framework.Call, auth.User, struct{}) error { return nil },
		Change: func(*framework.Call, auth.User, struct{}) error { return nil },
		Show:   func(*framework.Call, auth.User) (struct{}, error) { return struct{}{}, nil },
	}
	mailer := mail.Log{To: slog.New(slog.DiscardHandler)}
	for _, c := range []struct {
		name   string
		config auth.Config
		want   string
	}{
		{"a reset without a mailer", auth.Config{Account: auth.AccountOptions{Reset: true}}, "Account.Reset: it sends mails; set Mailer"},
		{"verification without a mailer", auth.Config{Account: auth.AccountOptions{Verify: true}}, "Account.Verify: it sends mails; set Mailer"},
		{"a page without a reset", auth.Config{Account: auth.AccountOptions{ResetURL: "https://a.example/{token}"}}, "Account.ResetURL: without Reset no mail has it"},
		{"a function without Delete", auth.Config{Account: auth.AccountOptions{BeforeDelete: func(*framework.Call, auth.User) error { return nil }}}, "Account.BeforeDelete: without Delete it never runs"},
		{"a plain me with user names", auth.Config{Usernames: true, Account: auth.AccountOptions{PlainMe: true}}, "Account.PlainMe: with Usernames or a Profile, GET /auth/me has further members"},
		{"a plain me with a profile", auth.Config{Profile: anyProfile, Account: auth.AccountOptions{PlainMe: true}}, "Account.PlainMe: with Usernames or a Profile"},
		{"no token in the page", auth.Config{Mailer: mailer, Account: auth.AccountOptions{Reset: true, ResetURL: "https://a.example/"}}, "Account.ResetURL: it must contain {token} once"},
		{"a service of two lines", auth.Config{Mailer: mailer, Account: auth.AccountOptions{Reset: true, Service: "Shop\r\nBcc: b@example.com"}}, "Account.Service: it is in the subject of each mail"},
		{"a long service", auth.Config{Mailer: mailer, Realm: strings.Repeat("x", 200), Account: auth.AccountOptions{Reset: true}}, "Account.Service: it is in the subject of each mail"},
		{"a path", auth.Config{Mailer: mailer, Account: auth.AccountOptions{Verify: true, VerifyURL: "/verify#{token}"}}, "Account.VerifyURL: it is not the URL of a web page"},
		{
			"no TLS", auth.Config{Mailer: mailer, RequireTLS: true, Account: auth.AccountOptions{Reset: true, ResetURL: "http://a.example/#{token}"}},
			"Account.ResetURL: with RequireTLS it must begin with https",
		},
	} {
		if _, err := auth.New(c.config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %s", c.name, err, c.want)
		}
	}
	_, err := auth.New(auth.Config{Account: auth.AccountOptions{Reset: true, Verify: true, ResetURL: "x"}})
	if n := strings.Count(err.Error(), "auth.Config: Account."); n != 3 {
		t.Errorf("the mistakes are %v", err)
	}
}
