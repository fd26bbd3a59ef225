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
	at := strings.Index(query, "?!(")
	if at < 0 || inQuotes(query, at) {
		return nil
	}
	fault := query[at+len("?!("):]
	if end := strings.IndexByte(fault, ')'); end >= 0 {
		fault = fault[:end]
	}
	return fmt.Errorf("sqldb: %w and it was not sent: %s", ErrUnrendered, fault)
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
