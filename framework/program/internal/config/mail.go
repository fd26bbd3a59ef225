package config

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	netmail "net/mail"
	"strings"

	"trestle.example/framework/auth"
	"trestle.example/framework/mail"
	"trestle.example/framework/mail/smtp"
	"trestle.example/framework/program/internal/exit"
)

// mailSettings returns the settings of mails.
func mailSettings() []Setting {
	return []Setting{
		{
			Variable: "{PROGRAM}_SMTP_URL", serving: true, Shown: "mails go to the log; required in production if the service sends mails",
			Read: func(c *Config, v string) error { return readSMTPURL(&c.SMTPURL, v) },
		},
		{
			Flag: "mail-from", Variable: "{PROGRAM}_MAIL_FROM", Example: "Shop <shop@example.org>", serving: true, Shown: "none",
			Usage: "`sender` of mails, an e-mail address with or without a name",
			Read:  func(c *Config, v string) error { return readSender(&c.MailFrom, v) },
		},
	}
}

// anySender completes the options where the sender is not checked.
const anySender = "sender@example.org"

// readSMTPURL reads the URL of a mail server. Its error does not show the value.
func readSMTPURL(to *auth.Secret, v string) error {
	if v == "" {
		return nil
	}
	if _, err := smtp.Open(v, smtp.Options{From: anySender}); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "smtp: "))
	}
	*to = auth.NewSecret(v)
	return nil
}

func readSender(to *string, v string) error {
	if _, err := netmail.ParseAddress(v); v != "" && err != nil {
		return errors.New("it must be an e-mail address, with or without a name")
	}
	*to = v
	return nil
}

// mailTogether checks the settings of mails together.
func (c Config) mailTogether() error {
	if c.SMTPURL.Reveal() == "" || c.MailFrom != "" {
		return nil
	}
	return fmt.Errorf(c.Program.Text("{PROGRAM}_SMTP_URL is set, and {PROGRAM}_MAIL_FROM is not; set the sender of the mails, for example {PROGRAM}_MAIL_FROM=%q"), "Shop <shop@example.org>")
}

// server returns the mail server of the settings, or nil.
func (c Config) server() (*smtp.Server, error) {
	if c.SMTPURL.Reveal() == "" {
		return nil, nil
	}
	return smtp.Open(c.SMTPURL.Reveal(), smtp.Options{From: c.MailFrom})
}

// mailer returns the mail server of the settings. If they name none, it returns the log in
// development, and in production a mailer that rejects every mail, see [Config.RequireMail].
func (c Config) mailer(log *slog.Logger) mail.Mailer {
	server, err := c.server()
	switch {
	case server != nil && err == nil:
		return server
	case c.Production:
		return missingServer{c.Program.Text("{PROGRAM}_SMTP_URL is not set")}
	}
	return mail.Log{To: log}
}

// A missingServer rejects every message.
type missingServer struct{ reason string }

// Send returns an error that wraps [mail.ErrPermanent].
func (m missingServer) Send(context.Context, mail.Message) error {
	return fmt.Errorf("%w: %s", mail.ErrPermanent, m.reason)
}

// RequireMail returns an error with exit code 2 for a server in production that sends mails and
// has no mail server.
func (c Config) RequireMail(sendsMail bool) error {
	if !sendsMail || !c.Production || c.SMTPURL.Reveal() != "" {
		return nil
	}
	return exit.Misused("%s", c.Program.Text("{PROGRAM}_ENV is production, and the service sends mails without a mail server; "+
		"set {PROGRAM}_SMTP_URL, for example {PROGRAM}_SMTP_URL=smtp://user:password@mail.example.org:587, and {PROGRAM}_MAIL_FROM"))
}

// CheckMailServer connects to the mail server of the settings and signs in. It sends nothing. It
// returns nil if the settings name no mail server.
func (c Config) CheckMailServer(ctx context.Context) error {
	server, err := c.server()
	if err != nil || server == nil {
		return err
	}
	return server.Check(ctx)
}
