package hashers

import (
	"errors"
	"fmt"
	"strings"
)

// ErrHash is wrapped by every error of [Read].
var ErrHash = errors.New("a stored password hash has an unknown format or is out of bounds")

// A Hash is a stored hash that was read.
type Hash interface {
	// Matches reports whether the hash is that of a password, as typed. The comparison takes
	// the same time for every wrong password.
	Matches(password string) bool
}

// A Format is how new hashes are written.
type Format interface {
	// Check returns an error if the cost of the format is out of the bounds of [Read].
	Check() error
	// New returns the text of a new hash of a password, as typed. It fails for a password
	// that the format cannot hash.
	New(password string) (string, error)
	// IsCurrent reports whether a hash has this format and this cost.
	IsCurrent(read Hash) bool
	// Dummy returns a hash of this format and this cost that no password matches.
	Dummy() Hash
}

// Unusable is the hash of an account without a password. No password matches it.
type Unusable struct{}

// Matches returns false.
func (Unusable) Matches(string) bool { return false }

// unusablePrefix begins the text that Django stores for an account without a password.
const unusablePrefix = "!"

// ReadOptions are the options of [Read].
type ReadOptions struct {
	// Pepper is appended to a password before it is compared with a bcrypt hash of Rails or
	// Devise. It is the setting config.pepper of Devise. Defaults to none.
	Pepper string
}

// Read reads a stored hash. The error wraps [ErrHash] and names the format and the wrong part.
func Read(text string, o ReadOptions) (Hash, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("%w: it has %d bytes; the maximum is %d", ErrHash, len(text), maxText)
	}
	if strings.HasPrefix(text, unusablePrefix) {
		return Unusable{}, nil
	}
	name, rest, _ := strings.Cut(text, "$")
	switch name {
	case "":
		return readModular(text, o)
	case "pbkdf2_sha256", "pbkdf2_sha1":
		return readPBKDF2(name, rest)
	case "argon2":
		return readArgon2("argon2", "$"+rest)
	case "scrypt":
		return readScrypt(rest)
	case "bcrypt", "bcrypt_sha256":
		return readBcrypt(name, rest, "")
	}
	return nil, fmt.Errorf("%w: it is not Argon2id, a format of Django or bcrypt", ErrHash)
}

// readModular reads a hash that begins with "$": Argon2id of Trestle, or bcrypt of Rails and
// Devise.
func readModular(text string, o ReadOptions) (Hash, error) {
	if strings.HasPrefix(text, "$2") {
		return readBcrypt("", text, o.Pepper)
	}
	return readArgon2("", text)
}

// wrong returns an error about one part of a hash.
func wrong(format, detail string) error {
	return fmt.Errorf("%w: %s: %s", ErrHash, format, detail)
}
