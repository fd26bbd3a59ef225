package console

import (
	"fmt"
	"time"

	"trestle.example/framework/internal/naming"
)

// OrDash returns the text, or a dash if the text is empty.
func OrDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// YesOrNo returns "yes" or "no".
func YesOrNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// Minute returns a time to the minute, in UTC, or "never" for nil.
func Minute(t *time.Time) string {
	if t == nil {
		return "never"
	}
	return t.UTC().Format("2006-01-02 15:04Z")
}

// Count returns a number with its noun.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Suggest returns the end of a sentence, which suggests the known name that is nearest to a
// mistyped one. It returns "" if no name is near.
func Suggest(prefix, name string, known []string) string {
	meant := naming.Nearest(name, known)
	if meant == "" {
		return ""
	}
	return "; did you mean " + prefix + meant + "?"
}
