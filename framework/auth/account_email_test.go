package auth_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/auth"
	"trestle.example/framework/throttle"
)

const (
	emailPath        = "/api/auth/email"
	verifyPath       = "/api/auth/email/verify"
	verificationPath = "/api/auth/email/verification"
)

func emailChangeOf(email, password string) map[string]any {
	return map[string]any{"email": email, "currentPassword": password}
}

// TestChangeTheOwnEmailAtOnce: without verification the change takes effect with the request. The
// old address gets a mail.
func TestChangeTheOwnEmailAtOnce(t *testing.T) {
	inOffice(t, auth.AccountOptions{Change: true}, nil, func(o *office) {
		bearer := o.bearer(o.user("asha@example.com"))
		bearer.Post(emailPath, emailChangeOf(" Rao@Example.com ", goodPassword)).Expect(http.StatusOK).Contains(`"email":"rao@example.com"`)
		o.only("asha@example.com: api: your e-mail address was changed")
		o.knows(bearer, "rao@example.com")
		o.signsIn("rao@example.com", goodPassword)
		o.rejectsOldPassword()
	})
}

// TestChangeTheOwnEmailWithVerification: nothing changes before the token of the mail to the new
// address is used. The old address learns of the wish and of the change.
func TestChangeTheOwnEmailWithVerification(t *testing.T) {
	inOffice(t, auth.AccountOptions{Change: true, Verify: true, VerifyURL: "https://clinic.example.org/verify#{token}"}, nil, func(o *office) {
		bearer := o.bearer(o.user("asha@example.com"))
		bearer.Post(emailPath, emailChangeOf("rao@example.com", goodPassword)).Expect(http.StatusAccepted)
		got := o.mails()
		if len(got) != 2 || got[0].To != "rao@example.com" || got[1].To != "asha@example.com" || got[1].Subject != "api: your e-mail address will change" {
			o.Fatalf("the mails are %+v", got)
		}
		if !strings.Contains(got[0].Text, "https://clinic.example.org/verify#trl_") || strings.Contains(got[1].Text, "trl_") || strings.Contains(got[1].Text, "rao@") {
			o.Errorf("the texts are %q and %q", got[0].Text, got[1].Text)
		}
		o.knows(bearer, "asha@example.com")
		token := tokenOfMail.FindString(got[0].Text)
		o.Post(verifyPath, map[string]any{"token": token}).Expect(http.StatusNoContent)
		o.only("asha@example.com: api: your e-mail address was changed")
		bearer.Get(mePath).Expect(http.StatusOK).Contains(`"email":"rao@example.com"`, `"emailVerified":true`)
		o.signsIn("rao@example.com", goodPassword)
		o.Post(verifyPath, map[string]any{"token": token}).Expect(http.StatusBadRequest).Code(auth.CodeInvalidLink)
	})
}

func TestChangeTheOwnEmailRejects(t *testing.T) {
	for _, options := range []auth.AccountOptions{{Change: true}, {Change: true, Verify: true}} {
		inOffice(t, options, nil, func(o *office) {
			bearer := o.bearer(o.user("asha@example.com"))
			o.user("ben@example.com")
			for _, c := range []struct {
				name string
				body map[string]any
				at   string
				code string
			}{
				{"nothing", map[string]any{}, "/email", "required"},
				{"no e-mail address", emailChangeOf("rao", goodPassword), "/email", "email"},
				{"full-width letters", emailChangeOf("ｒao@example.com", goodPassword), "/email", "email"},
				{"a wrong password", emailChangeOf("rao@example.com", "another four words walk"), "/currentPassword", "wrong_password"},
				{"a wrong password and the address of another user", emailChangeOf("ben@example.com", "another four words walk"), "/currentPassword", "wrong_password"},
				{"the same address", emailChangeOf("ASHA@example.com", goodPassword), "/email", "unchanged"},
			} {
				o.Run(c.name, func(t *testing.T) {
					bearer.On(t).Post(emailPath, c.body).Expect(http.StatusBadRequest).Code("validation_failed").Fault(c.at, c.code)
				})
			}
			bearer.Post(emailPath, emailChangeOf("Ben@example.com", goodPassword)).Expect(http.StatusConflict).Code(auth.CodeEmailTaken)
			o.Post(emailPath, emailChangeOf("rao@example.com", goodPassword)).Expect(http.StatusUnauthorized)
			o.knows(bearer, "asha@example.com")
			o.only()
		})
	}
}

// TestVerifyANewAccount: a registration sends a token. Another one may be requested until the
// address is verified.
func TestVerifyANewAccount(t *testing.T) {
	inOffice(t, auth.AccountOptions{Verify: true}, nil, func(o *office) {
		body := object(o.Post(register, credentialsOf("asha@example.com", goodPassword)).Expect(http.StatusCreated))
		bearer := o.as("Bearer " + text(body["token"]))
		first := o.tokenTo("asha@example.com")
		bearer.Get(mePath).Expect(http.StatusOK).Contains(`"emailVerified":false`)
		bearer.Post(verificationPath, map[string]any{}).Expect(http.StatusAccepted)
		second := o.tokenTo("asha@example.com")
		o.Post(verifyPath, map[string]any{"token": first}).Expect(http.StatusBadRequest).Code(auth.CodeInvalidLink)
		o.Post(verifyPath, map[string]any{"token": second}).Expect(http.StatusNoContent)
		bearer.Get(mePath).Expect(http.StatusOK).Contains(`"emailVerified":true`)
		bearer.Post(verificationPath, map[string]any{}).Expect(http.StatusAccepted)
		o.only()
		o.Post(verificationPath, map[string]any{}).Expect(http.StatusUnauthorized)
	})
}

// TestATokenOfAnotherPurposeOrTime: a token verifies only for 24 hours, and a token that resets a
// password does not verify an address.
func TestATokenOfAnotherPurposeOrTime(t *testing.T) {
	inOffice(t, auth.AccountOptions{Verify: true, Reset: true}, nil, func(o *office) {
		o.Post(register, credentialsOf("asha@example.com", goodPassword)).Expect(http.StatusCreated)
		verify := o.tokenTo("asha@example.com")
		o.Post(resetPath, resetOf("asha@example.com")).Expect(http.StatusAccepted)
		reset := o.tokenTo("asha@example.com")
		o.Post(verifyPath, map[string]any{"token": reset}).Expect(http.StatusBadRequest).Code(auth.CodeInvalidLink)
		o.Post(confirmPath, confirmationOf(verify, newPassword)).Expect(http.StatusBadRequest).Code(auth.CodeInvalidLink)
		o.clock.turn(24 * time.Hour)
		o.Post(verifyPath, map[string]any{"token": verify}).Expect(http.StatusBadRequest).Code(auth.CodeInvalidLink)
	})
}

// TestAnAddressThatIsTakenMeanwhile: the token of the mail is not used up, and nothing changes.
func TestAnAddressThatIsTakenMeanwhile(t *testing.T) {
	inOffice(t, auth.AccountOptions{Change: true, Verify: true}, nil, func(o *office) {
		bearer := o.bearer(o.user("asha@example.com"))
		bearer.Post(emailPath, emailChangeOf("rao@example.com", goodPassword)).Expect(http.StatusAccepted)
		token := tokenOfMail.FindString(o.mails()[0].Text)
		o.user("rao@example.com")
		o.Post(verifyPath, map[string]any{"token": token}).Expect(http.StatusConflict).Code(auth.CodeEmailTaken)
		o.knows(bearer, "asha@example.com")
		if n := o.count("auth_mail_links"); n != 1 {
			o.Errorf("there are %d links", n)
		}
	})
}

// TestVerificationMailsAreLimited: a caller cannot flood an address with mails.
func TestVerificationMailsAreLimited(t *testing.T) {
	few := rates(map[string]throttle.Rate{auth.ScopeMail: {Limit: 1, Per: time.Hour}})
	inOffice(t, auth.AccountOptions{Change: true, Verify: true}, few, func(o *office) {
		bearer := o.bearer(o.user("asha@example.com"))
		bearer.Post(emailPath, emailChangeOf("victim@example.com", goodPassword)).Expect(http.StatusAccepted)
		bearer.Post(emailPath, emailChangeOf("victim@example.com", goodPassword)).Expect(http.StatusTooManyRequests)
		bearer.Post(verificationPath, map[string]any{}).Expect(http.StatusAccepted)
		bearer.Post(verificationPath, map[string]any{}).Expect(http.StatusTooManyRequests)
	})
}
