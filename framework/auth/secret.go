package auth

import (
	"fmt"
	"log/slog"
)

const masked = "[secret]"

// A Secret is text that is shown once, such as a new token. Printed, logged or encoded as
// text, as in JSON, it is "[secret]"; only [Secret.Reveal] returns the text. The zero Secret
// reveals "".
//
// Secret holds a pointer for the case that it is an unexported field of another struct. There
// package fmt calls no methods of Secret, and so prints the address and not the text.
type Secret struct{ text *string }

// NewSecret returns a Secret that hides text from prints and logs.
func NewSecret(text string) Secret { return Secret{&text} }

// Reveal returns the text itself. Pass it only to the person or program that may read it.
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

// MarshalText returns "[secret]", so that JSON and other encodings contain no secret.
func (Secret) MarshalText() ([]byte, error) { return []byte(masked), nil }
