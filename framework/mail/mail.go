// Package mail has the messages that a program sends, and the interface of what sends them.
//
//   - [Mailer] sends one message. Package framework/mail/smtp has one for a mail server.
//   - [Log] writes messages to the log, for development.
//   - [Outbox] sends messages beside the requests that caused them.
package mail

import (
	"context"
	"errors"
	"fmt"
	netmail "net/mail"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Message is a mail of plain text to one person.
type Message struct {
	To      string // an e-mail address, without a name
	Subject string // one line
	Text    string // UTF-8, lines end with \n
}

// A Mailer sends messages. An implementation must be safe for concurrent use.
type Mailer interface {
	// Send returns nil after the mail server has accepted the message. It stops when ctx
	// ends. An error that wraps [ErrPermanent] states that a later attempt cannot succeed.
	Send(ctx context.Context, m Message) error
}

// ErrPermanent is wrapped by errors of a [Mailer] that a later attempt does not change, such as
// an unknown recipient.
var ErrPermanent = errors.New("the message cannot be sent")

const (
	maximumSubject = 200     // characters
	maximumText    = 1 << 16 // bytes
)

// Check returns an error that wraps [ErrPermanent] if the message is malformed: To is not one
// address, Subject is not one line of 1 to 200 characters, or Text is empty, has more than
// 64 KiB, or is not UTF-8. Each Mailer of the framework calls it, so that no value of a request
// can add a header or a recipient.
func (m Message) Check() error {
	address, err := netmail.ParseAddress(m.To)
	switch {
	case err != nil || address.Name != "" || address.Address != m.To:
		return permanent("To is not one e-mail address without a name")
	case m.Subject == "" || utf8.RuneCountInString(m.Subject) > maximumSubject || !isLine(m.Subject):
		return permanent(fmt.Sprintf("Subject must be one line of 1 to %d characters", maximumSubject))
	case m.Text == "" || len(m.Text) > maximumText || !utf8.ValidString(m.Text):
		return permanent(fmt.Sprintf("Text must be UTF-8 of 1 to %d bytes", maximumText))
	}
	return nil
}

func permanent(detail string) error { return fmt.Errorf("mail: %w: %s", ErrPermanent, detail) }

func isLine(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}
