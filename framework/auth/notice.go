package auth

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"trestle.example/framework"
	"trestle.example/framework/mail"
	"trestle.example/framework/sqldb"
)

// The kinds of notices.
const (
	// NoticeReset has a token that sets a new password.
	NoticeReset = "password_reset"
	// NoticePasswordChanged reports that the password was changed.
	NoticePasswordChanged = "password_changed"
	// NoticeVerify has a token that verifies the e-mail address.
	NoticeVerify = "verify_email"
	// NoticeEmailRequested reports to the old address that the user wants another one. It
	// takes effect when the new address is verified.
	NoticeEmailRequested = "email_change_requested"
	// NoticeEmailChanged reports to the old address that the user has another one.
	NoticeEmailChanged = "email_changed"
)

// A Notice is what a mail to a user reports.
type Notice struct {
	Kind    string // one of the constants above
	User    User   // as before the change
	To      string // the address that the mail goes to
	Service string // the name of the service
	Token   Secret // of NoticeReset and NoticeVerify
	Link    Secret // the URL of the page with the token, or empty without a page
}

// Message returns the mail of a notice in English. Another [AccountOptions].Compose may write
// it in another language; the framework sets To.
func (n Notice) Message() mail.Message {
	subject, lines := n.text()
	text := "Hello,\n\n" + strings.Join(lines, "\n\n") + "\n\n" + n.Service + "\n"
	return mail.Message{To: n.To, Subject: subject, Text: text}
}

// text returns the subject and the paragraphs.
func (n Notice) text() (subject string, paragraphs []string) {
	const ignore = "If you did not request this, ignore this mail: nothing changes."
	const alarm = "If this was not you, reset your password at once."
	switch n.Kind {
	case NoticeReset:
		return n.Service + ": reset your password", []string{
			"To set a new password, " + n.call() + " It is valid for one hour and works once.", n.key(), ignore,
		}
	case NoticeVerify:
		return n.Service + ": confirm your e-mail address", []string{
			"To confirm this e-mail address, " + n.call() + " It is valid for 24 hours and works once.", n.key(), ignore,
		}
	case NoticePasswordChanged:
		return n.Service + ": your password was changed", []string{"The password of your account was changed.", alarm}
	case NoticeEmailRequested:
		return n.Service + ": your e-mail address will change", []string{
			"Another e-mail address was given for your account. It replaces this one when it is confirmed.", alarm + " Then the change does not take effect.",
		}
	}
	return n.Service + ": your e-mail address was changed", []string{"Your account has another e-mail address now. This is the last mail to this one.", "If this was not you, write to the operator of the service."}
}

// call is what the reader has to do with the key.
func (n Notice) call() string {
	if n.Link.Reveal() != "" {
		return "open this link."
	}
	return "enter this code."
}

// key returns the link, or the token if there is no page.
func (n Notice) key() string {
	if link := n.Link.Reveal(); link != "" {
		return link
	}
	return n.Token.Reveal()
}

// send composes and sends the mail of a notice.
func (s *Service) send(ctx context.Context, n Notice) error {
	n.Service = s.account.Service
	page := map[string]string{NoticeReset: s.account.ResetURL, NoticeVerify: s.account.VerifyURL}[n.Kind]
	if page != "" {
		n.Link = NewSecret(strings.Replace(page, tokenPlace, n.Token.Reveal(), 1))
	}
	m := s.account.Compose(n)
	m.To = n.To
	return s.mailer.Send(ctx, m)
}

// notify sends a notice beside the request. It must be called after the commit. If no mail can
// be sent or the outbox is full, the log states it: the change has happened.
func (s *Service) notify(c *framework.Call, n Notice) {
	if s.mailer == nil {
		return
	}
	if !s.outbox.Put(func(ctx context.Context) error { return s.send(ctx, n) }) {
		s.log.Warn("a mail was not sent, because too many wait", "kind", n.Kind, "request", c.ID.String())
	}
}

// deliver runs a job beside the request. It must be called after the commit. If the outbox is full,
// the error is a 503, whatever the job would have done.
func (s *Service) deliver(c *framework.Call, job func(ctx context.Context, db *sqldb.Session) error) error {
	db := c.Session().DB()
	if s.outbox.Put(func(ctx context.Context) error { return job(ctx, db.Session()) }) {
		return nil
	}
	e := framework.Refuse(http.StatusServiceUnavailable, framework.CodeUnavailable, "Too many mails wait to be sent; try again in a minute.")
	e.Header = map[string]string{"Retry-After": "60"}
	return e
}

// newOutbox returns the outbox of a service, which logs mails that could not be sent. The
// errors contain no address.
func newOutbox(log *slog.Logger) *mail.Outbox {
	return mail.NewOutbox(mail.OutboxOptions{Report: func(err error) { log.Error("a mail could not be sent", "error", fmt.Sprint(err)) }})
}
