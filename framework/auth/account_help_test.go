package auth_test

import (
	"net/http"
	"regexp"
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/mail/smtp"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/mailserver"
)

// An office is a desk whose service sends mails to a mail server in this process.
type office struct {
	*desk

	server *mailserver.Server
}

// inOffice runs a test on both databases with the endpoints that options switch on.
func inOffice(t *testing.T, options auth.AccountOptions, set setting, test func(*office)) {
	t.Helper()
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		must(t, db.Migrate(t.Context(), nil, auth.Migrations()))
		server := mailserver.Start(t, mailserver.STARTTLS)
		mailer, err := smtp.Open("smtp://"+server.Address, smtp.Options{From: "Clinic <clinic@example.org>", TLS: server.Trust})
		must(t, err)
		test(&office{openDesk(t, db, func(own *auth.Config, common *framework.Config) {
			own.Account, own.Mailer = options, mailer
			if set == nil {
				set = unlimited
			}
			set(own, common)
		}), server})
	})
}

// on returns the office for a subtest.
func (o *office) on(t *testing.T) *office { return &office{o.desk.on(t), o.server} }

// mails waits for the outbox and returns what arrived.
func (o *office) mails() []mailserver.Mail {
	o.Helper()
	must(o.T, auth.WaitForMail(o.Context(), o.service))
	return o.server.Take()
}

var tokenOfMail = regexp.MustCompile(`trl_[\w-]{43}`)

// tokenTo returns the token of the only mail that arrived, which is to an address.
func (o *office) tokenTo(address string) string {
	o.Helper()
	got := o.mails()
	if len(got) != 1 || got[0].To != address {
		o.Fatalf("the mails are %+v; want one to %s", got, address)
	}
	token := tokenOfMail.FindString(got[0].Text)
	if token == "" {
		o.Fatalf("the mail has no token: %s", got[0].Text)
	}
	return token
}

// only checks that one mail of a subject arrived at each address, in order.
func (o *office) only(want ...string) {
	o.Helper()
	var got []string
	for _, m := range o.mails() {
		got = append(got, m.To+": "+m.Subject)
	}
	if len(got) != len(want) {
		o.Fatalf("the mails are %q; want %q", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			o.Errorf("the mail is %q; want %q", got[i], want[i])
		}
	}
}

// bearer returns the client with a token of a user.
func (o *office) bearer(user auth.User) *frameworktest.Client { return o.as("Bearer " + o.token(user)) }

// signsIn checks that an account has a password.
func (o *office) signsIn(email, password string) {
	o.Helper()
	o.Post(login, credentialsOf(email, password)).Expect(http.StatusOK)
}

// rejectsOldPassword checks that asha@example.com does not have goodPassword.
func (o *office) rejectsOldPassword() {
	o.Helper()
	o.Post(login, right).Expect(http.StatusUnauthorized)
}

// newPassword replaces goodPassword in these tests.
const newPassword = "seven other words of mine"
