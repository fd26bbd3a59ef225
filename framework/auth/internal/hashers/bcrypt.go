package hashers

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/bcrypt"
)

// Bcrypt is the format bcrypt_sha256 of Django if Django is true:
//
//	bcrypt_sha256$$2b$12$<salt and key>
//
// There bcrypt hashes the SHA-256 of the password in hexadecimal. Otherwise it is plain bcrypt,
// as Rails and Devise store it: $2a$12$<salt and key>. Plain bcrypt uses 72 bytes of a password
// and its pepper.
type Bcrypt struct {
	Django bool
	Cost   int    // the logarithm of the rounds
	Pepper string // only without Django, see [ReadOptions.Pepper]
}

const (
	bcryptSHA256 = "bcrypt_sha256"
	bcryptLength = 60 // bytes of the text, without the prefix of Django
	bcryptMost   = 72 // bytes of a password
)

// ErrTooLong is the error for a password that plain bcrypt cannot hash as a whole.
var ErrTooLong = errors.New("bcrypt cannot hash a password with more than 72 bytes, its pepper included")

// bcryptHash is a hash of bcrypt that was read.
type bcryptHash struct {
	name   string // "bcrypt" or "bcrypt_sha256" of Django, or "" for Rails and Devise
	cost   int
	text   []byte // without the prefix of Django
	pepper string
}

// Matches implements [Hash].
func (h bcryptHash) Matches(password string) bool {
	return bcrypt.CompareHashAndPassword(h.text, h.input(password)) == nil
}

// input returns what bcrypt hashes.
func (h bcryptHash) input(password string) []byte {
	if h.name == bcryptSHA256 {
		sum := sha256.Sum256([]byte(password))
		return []byte(hex.EncodeToString(sum[:]))
	}
	return []byte(password + h.pepper)
}

// Check implements [Format].
func (f Bcrypt) Check() error {
	if len(f.Pepper) >= bcryptMost/2 {
		return wrong("bcrypt", fmt.Sprintf("the pepper has %d bytes; it must have less than %d to write hashes, because bcrypt uses 72 bytes of the password and the pepper", len(f.Pepper), bcryptMost/2))
	}
	return checkNumber("bcrypt", "the cost", f.Cost, bcrypt.MinCost, maxBcrypt)
}

// New implements [Format]. Plain bcrypt fails for more than 72 bytes: two passwords that
// differ after them would be equal.
func (f Bcrypt) New(password string) (string, error) {
	h := bcryptHash{name: f.name(), pepper: f.Pepper}
	input := h.input(password)
	if len(input) > bcryptMost {
		return "", ErrTooLong
	}
	text, err := bcrypt.GenerateFromPassword(input, f.Cost)
	if err != nil || !f.Django {
		return string(text), err
	}
	// Go writes $2a$; Django writes $2b$. Both mean the same for a valid implementation.
	return bcryptSHA256 + "$$2b" + strings.TrimPrefix(string(text), "$2a"), nil
}

// Dummy implements [Format].
func (f Bcrypt) Dummy() Hash {
	const letters = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	salt := make([]byte, 53)
	_, _ = rand.Read(salt) // never fails: it ends the program instead
	for i, b := range salt {
		salt[i] = letters[int(b)%len(letters)]
	}
	salt[21] = 'O' // the last letter of the salt has only two bits
	return bcryptHash{name: f.name(), cost: f.Cost, text: fmt.Appendf(nil, "$2a$%02d$%s", f.Cost, salt), pepper: f.Pepper}
}

// IsCurrent implements [Format].
func (f Bcrypt) IsCurrent(read Hash) bool {
	h, ok := read.(bcryptHash)
	return ok && h.name == f.name() && h.cost == f.Cost
}

func (f Bcrypt) name() string {
	if f.Django {
		return bcryptSHA256
	}
	return ""
}

// readBcrypt reads the text $2b$12$... . name is the prefix of Django, or "". The versions
// 2a, 2b and 2y are equal; 2x was made by a faulty implementation.
func readBcrypt(name, text, pepper string) (Hash, error) {
	format := name
	if format == "" {
		format = "bcrypt"
	}
	parts := strings.Split(text, "$")
	if len(text) != bcryptLength || len(parts) != 4 || parts[0] != "" || len(parts[2]) != 2 {
		return nil, wrong(format, "it must have the parts $2b$cost$ and 53 characters")
	}
	if v := parts[1]; v != "2a" && v != "2b" && v != "2y" {
		return nil, wrong(format, "the version must be 2a, 2b or 2y")
	}
	cost, err := readNumber(format, "the cost", strings.TrimPrefix(parts[2], "0"), bcrypt.MinCost, maxBcrypt)
	if err != nil {
		return nil, err
	}
	for _, r := range parts[3] {
		if !isBcryptLetter(r) {
			return nil, wrong(format, "the salt and the key must be letters, digits, dots and slashes")
		}
	}
	return bcryptHash{name: name, cost: cost, text: []byte(text), pepper: pepper}, nil
}

func isBcryptLetter(r rune) bool {
	return r == '.' || r == '/' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
}
