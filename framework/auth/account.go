package auth

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"trestle.example/framework"
	"trestle.example/framework/mail"
)

// AccountOptions switch on the endpoints with which users look after their own account. All are
// off by default.
type AccountOptions struct {
	// Change adds PATCH /auth/me for the name, POST /auth/password and POST /auth/email. The
	// last two need the current password.
	Change bool
	// LogoutEverywhere adds POST /auth/logout/everywhere, which ends all sign-ins of the caller.
	LogoutEverywhere bool
	// Delete adds DELETE /auth/me, which needs the password.
	Delete bool
	// BeforeDelete runs in the transaction that deletes an account, before the row of the user
	// is deleted. It deletes or moves what belongs to the user. An error of it keeps the
	// account; a framework.Error is the answer. If rows of other tables then still refer to
	// the user, the answer is 409 still_referenced and the account stays. Defaults to a
	// function that does nothing. It needs Delete.
	BeforeDelete func(c *framework.Call, user User) error

	// Reset adds POST /auth/password/reset, which sends a mail with a token, and POST
	// /auth/password/reset/confirm, which sets a new password with the token. A token is valid
	// for one hour and once. It needs a Mailer.
	Reset bool
	// Verify sends a mail with a token after a registration, and adds POST /auth/email/verify
	// for the token and POST /auth/email/verification for another mail. With it, a new e-mail
	// address of POST /auth/email takes effect after it is verified. A token is valid for 24
	// hours and once. It needs a Mailer. Users who are not verified can sign in;
	// [User].EmailVerifiedAt is for permissions of your own.
	Verify bool
	// ResetURL and VerifyURL are pages of your web application, with "{token}" where the token
	// belongs: https://shop.example.org/reset#{token}. After "#" the token is in no log of a
	// server. The page sends the token to the API. Without them the mails contain the token
	// alone.
	ResetURL, VerifyURL string
	// PlainMe leaves GET /auth/me as it is without these options, for clients that accept no new
	// member: only the answers of PATCH /auth/me and POST /auth/email have emailVerified. With
	// Usernames or a Profile it is a mistake. Defaults to false.
	PlainMe bool
	// Service names the service in the mails, on one line. Defaults to Realm.
	Service string
	// Compose writes the mails, see [Notice.Message]. Defaults to that.
	Compose func(Notice) mail.Message
}

// any reports whether an endpoint is switched on.
func (o AccountOptions) any() bool { return o.Change || o.Delete || o.Reset || o.Verify }

// check returns every mistake of the options, which are those of c.
func (o AccountOptions) check(c *Config) error {
	var wrong []error
	mistake := func(field, detail string) {
		wrong = append(wrong, fmt.Errorf("auth.Config: Account.%s: %s", field, detail))
	}
	for _, needs := range []struct {
		field string
		set   bool
		on    bool
		what  string
	}{
		{"Reset", o.Reset, c.Mailer != nil, "it sends mails; set Mailer, such as smtp.Open, or mail.Log in development"},
		{"Verify", o.Verify, c.Mailer != nil, "it sends mails; set Mailer, such as smtp.Open, or mail.Log in development"},
		{"PlainMe", o.PlainMe, !c.Usernames && c.Profile == withoutProfile{}, "with Usernames or a Profile, GET /auth/me has further members"},
		{"BeforeDelete", o.BeforeDelete != nil, o.Delete, "without Delete it never runs"},
		{"ResetURL", o.ResetURL != "", o.Reset, "without Reset no mail has it"},
		{"VerifyURL", o.VerifyURL != "", o.Verify, "without Verify no mail has it"},
	} {
		if needs.set && !needs.on {
			mistake(needs.field, needs.what)
		}
	}
	if c.Mailer != nil && (Notice{Kind: NoticeEmailRequested, To: "user@example.org", Service: o.Service}).Message().Check() != nil {
		mistake("Service", "it is in the subject of each mail; it must be one line of at most 150 characters")
	}
	for _, link := range []struct{ field, text string }{{"ResetURL", o.ResetURL}, {"VerifyURL", o.VerifyURL}} {
		if detail := wrongLink(link.text, c.RequireTLS); link.text != "" && detail != "" {
			mistake(link.field, detail+"; write it as https://shop.example.org/page#"+tokenPlace)
		}
	}
	return errors.Join(wrong...)
}

// tokenPlace is replaced by the token in a URL.
const tokenPlace = "{token}"

// wrongLink returns what is wrong with a URL for mails, or "".
func wrongLink(text string, requireTLS bool) string {
	u, err := url.Parse(strings.ReplaceAll(text, tokenPlace, "token"))
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "it is not the URL of a web page"
	case strings.Count(text, tokenPlace) != 1:
		return "it must contain " + tokenPlace + " once"
	case requireTLS && u.Scheme != "https":
		return "with RequireTLS it must begin with https"
	}
	return ""
}
