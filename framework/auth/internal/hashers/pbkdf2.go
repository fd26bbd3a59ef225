package hashers

import (
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // Django's pbkdf2_sha1 has it
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
)

// PBKDF2 is the format pbkdf2_sha256 of Django: PBKDF2 (RFC 8018) with HMAC-SHA-256.
//
//	pbkdf2_sha256$1000000$<salt>$<key>
//
// The salt is used as text. The key is in base64.
type PBKDF2 struct{ Iterations int }

const pbkdf2SHA256 = "pbkdf2_sha256"

// pbkdf2Hash is a hash of pbkdf2_sha256 or pbkdf2_sha1 that was read.
type pbkdf2Hash struct {
	name       string
	iterations int
	salt       string
	key        []byte
}

// Matches implements [Hash].
func (h pbkdf2Hash) Matches(password string) bool {
	key, err := h.derive(password)
	return err == nil && subtle.ConstantTimeCompare(key, h.key) == 1
}

func (h pbkdf2Hash) derive(password string) ([]byte, error) {
	if h.name == pbkdf2SHA256 {
		return pbkdf2.Key(sha256.New, password, []byte(h.salt), h.iterations, sha256.Size)
	}
	return pbkdf2.Key(sha1.New, password, []byte(h.salt), h.iterations, sha1.Size)
}

// String returns the text that is stored.
func (h pbkdf2Hash) String() string {
	return fmt.Sprintf("%s$%d$%s$%s", h.name, h.iterations, h.salt, base64.StdEncoding.EncodeToString(h.key))
}

// Check implements [Format].
func (f PBKDF2) Check() error {
	return checkNumber(pbkdf2SHA256, "the number of iterations", f.Iterations, 1000, maxPBKDF2)
}

// New implements [Format].
func (f PBKDF2) New(password string) (text string, err error) {
	h := pbkdf2Hash{name: pbkdf2SHA256, iterations: f.Iterations, salt: rand.Text()}
	h.key, err = h.derive(password)
	return h.String(), err
}

// Dummy implements [Format].
func (f PBKDF2) Dummy() Hash {
	return pbkdf2Hash{name: pbkdf2SHA256, iterations: f.Iterations, salt: rand.Text(), key: make([]byte, sha256.Size)}
}

// IsCurrent implements [Format].
func (f PBKDF2) IsCurrent(read Hash) bool {
	h, ok := read.(pbkdf2Hash)
	return ok && h.name == pbkdf2SHA256 && h.iterations == f.Iterations && len(h.salt) >= djangoSalt
}

// readPBKDF2 reads the text after the name and "$".
func readPBKDF2(name, rest string) (Hash, error) {
	parts := strings.Split(rest, "$")
	if len(parts) != 3 {
		return nil, wrong(name, "it must have the parts "+name+"$iterations$salt$key")
	}
	size := sha256.Size
	if name != pbkdf2SHA256 {
		size = sha1.Size
	}
	h := pbkdf2Hash{name: name, salt: parts[1]}
	var err error
	if h.iterations, err = readNumber(name, "the number of iterations", parts[0], 1, maxPBKDF2); err != nil {
		return nil, err
	}
	if err = checkSalt(name, h.salt); err != nil {
		return nil, err
	}
	h.key, err = readBytes(name, "the key", parts[2], base64.StdEncoding, size, size)
	return h, err
}

// djangoSalt is how many characters a salt of Django has at least: Django hashes a password again
// if the salt is shorter. A new salt is rand.Text, which has more.
const djangoSalt = 22

func checkSalt(format, salt string) error {
	return checkNumber(format, "the length of the salt", len(salt), 1, maxPart)
}
