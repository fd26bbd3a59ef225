package mail

import (
	"context"
	"log/slog"
)

// Log is a [Mailer] that writes each message to a log with its address and its text. The text
// may contain a link that signs a person in, so use it only in development, never in production.
// It is safe for concurrent use.
type Log struct {
	// To receives one line, "mail", for each message, at level info. Defaults to slog.Default.
	To *slog.Logger
}

// Send implements [Mailer].
func (l Log) Send(ctx context.Context, m Message) error {
	if err := m.Check(); err != nil {
		return err
	}
	log := l.To
	if log == nil {
		log = slog.Default()
	}
	log.InfoContext(ctx, "mail", "to", m.To, "subject", m.Subject, "text", m.Text)
	return nil
}
