package sqldb

import (
	"context"
	"errors"
	"strings"
)

// operations are what [Event.Operation] tells apart.
var operations = [...]string{"select", "insert", "update", "delete", "begin", "commit", "rollback"}

// changes are the operations that a part of WITH may be, and that write.
var changes = [...]string{"insert", "update", "delete"}

// Operation names what the statement does: "select", "insert", "update",
// "delete", "begin", "commit", "rollback", or "other". One that begins with WITH is
// what its parts change, or else a select. There are no other names, so that it is
// fit for a label.
func (e Event) Operation() string {
	text := strings.TrimLeft(e.SQL, " \t\r\n(")
	end := strings.IndexFunc(text, func(r rune) bool { return r < 'A' || 'Z' < r && r < 'a' || 'z' < r })
	if end < 0 {
		end = len(text)
	}
	if strings.EqualFold(text[:end], "with") {
		return operationOfParts(text)
	}
	for _, known := range operations {
		if strings.EqualFold(text[:end], known) {
			return known
		}
	}
	return "other"
}

// operationOfParts looks for the first change among the parts of WITH. FOR UPDATE
// and FOR NO KEY UPDATE change nothing.
func operationOfParts(text string) string {
	before := ""
	for _, token := range sqlToken.FindAllString(text, -1) {
		if !isName(token) {
			continue
		}
		for _, known := range changes {
			if strings.EqualFold(token, known) && !strings.EqualFold(before, "for") && !strings.EqualFold(before, "key") {
				return known
			}
		}
		before = token
	}
	return "select"
}

// Failure names what the statement failed with: the [FaultKind] of its error in
// words, "canceled" where whoever asked no longer waits, "other" for the rest; ""
// if it did not fail. There are no other names, so that it is fit for a label.
func (e Event) Failure() string {
	if e.Err == nil {
		return ""
	}
	if fault, ok := Classify(e.Err); ok {
		return fault.Kind.String()
	}
	if errors.Is(e.Err, context.Canceled) {
		return "canceled"
	}
	return Other.String()
}
