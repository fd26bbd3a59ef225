package sqltext

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnrendered is wrapped by the error of a statement that was not sent because bun could
// not render it.
var ErrUnrendered = errors.New("bun could not render the statement")

// CheckRendered returns an error if the first "?!(" of a statement is outside quotes: bun
// writes it instead of a value that has no SQL form.
func CheckRendered(query string) error {
	const mark = "?!("
	for from := 0; ; {
		at := strings.Index(query[from:], mark)
		if at < 0 {
			return nil
		}
		at += from
		from = at + len(mark)
		if inQuotes(query, at) {
			continue
		}
		fault, _, _ := strings.Cut(query[from:], ")")
		return fmt.Errorf("sqldb: %w and it was not sent: %s", ErrUnrendered, fault)
	}
}

// inQuotes reports whether a position is within a quoted text or name.
func inQuotes(query string, at int) bool {
	var quote byte
	for i := range at {
		switch c := query[i]; {
		case quote == 0 && (c == '\'' || c == '"'):
			quote = c
		case c == quote:
			quote = 0
		}
	}
	return quote != 0
}
