package config

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"trestle.example/framework/mail"
	"trestle.example/framework/mail/smtp"
)

func TestSettingsOfMails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		env  []string
		want string // in the error, or ""
	}{
		{"neither", nil, ""},
		{"both", []string{"TRESTLE_SMTP_URL=smtp://shop:hidden@mail.example.org:587", "TRESTLE_MAIL_FROM=shop@example.org"}, ""},
		{"a sender alone", []string{"TRESTLE_MAIL_FROM=shop@example.org"}, ""},
		{"no sender", []string{"TRESTLE_SMTP_URL=smtp://shop:hidden@mail.example.org"}, "TRESTLE_MAIL_FROM is not; set the sender"},
		{"another scheme", []string{"TRESTLE_SMTP_URL=https://shop:hidden@mail.example.org"}, "must begin with smtp:// or smtps://"},
		{"no TLS to another machine", []string{"TRESTLE_SMTP_URL=smtp://shop:hidden@mail.example.org?tls=off"}, "only for a mail server on this machine"},
	} {
		_, err := configOf(t, nil, c.env...)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: the error has the password: %v", c.name, err)
		}
	}
}

// TestWhatSendsMails: the mail server of the settings, else the log in development, else nothing:
// then a service that sends mails does not start.
func TestWhatSendsMails(t *testing.T) {
	t.Parallel()
	log := slog.New(slog.DiscardHandler)
	development, err := configOf(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := development.mailer(log).(mail.Log); !ok || development.RequireMail(true) != nil {
		t.Errorf("in development: %T, %v", development.mailer(log), development.RequireMail(true))
	}
	production := development
	production.Production = true
	if err := production.mailer(log).Send(t.Context(), mail.Message{}); !errors.Is(err, mail.ErrPermanent) {
		t.Errorf("in production without a mail server: %v", err)
	}
	if production.RequireMail(false) != nil {
		t.Error("a service without mails needs no mail server")
	}
	if err := production.RequireMail(true); err == nil || !strings.Contains(err.Error(), "set TRESTLE_SMTP_URL") {
		t.Errorf("in production without a mail server: %v", err)
	}
	with, err := configOf(t, nil, "TRESTLE_SMTP_URL=smtp://127.0.0.1:1", "TRESTLE_MAIL_FROM=shop@example.org")
	if err != nil {
		t.Fatal(err)
	}
	with.Production = true
	if _, ok := with.mailer(log).(*smtp.Server); !ok || with.RequireMail(true) != nil {
		t.Errorf("with a mail server: %T, %v", with.mailer(log), with.RequireMail(true))
	}
	if err := with.CheckMailServer(t.Context()); err == nil {
		t.Error("a mail server that is away can be used")
	}
}
