package auth

import (
	"fmt"
	"log/slog"
)

const masked = "[secret]"

// A Secret is text that is shown once, such as a new token. However it is
// printed, logged or encoded it reads "[secret]"; [Secret.Reveal] is the one
// way out. The zero Secret reveals "".
//
// It holds a pointer because package fmt prints the unexported fields of other
// structs without asking their methods: such a print shows an address.
type Secret struct{ text *string }

// NewSecret keeps text from prints and logs.
func NewSecret(text string) Secret { return Secret{&text} }

// Reveal returns the text itself, for the one who may read it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// String returns "[secret]".
func (Secret) String() string { return masked }

// GoString returns "[secret]".
func (Secret) GoString() string { return masked }

// Format writes "[secret]" for every verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(masked)) }

// LogValue returns "[secret]".
func (Secret) LogValue() slog.Value { return slog.StringValue(masked) }

// MarshalText returns "[secret]", so that JSON and the like hold no secret.
func (Secret) MarshalText() ([]byte, error) { return []byte(masked), nil }
