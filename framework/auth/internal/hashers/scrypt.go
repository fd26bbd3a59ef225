package hashers

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/scrypt"
)

// Scrypt is the format scrypt of Django (RFC 7914):
//
//	scrypt$16384$<salt>$8$5$<key>
//
// The numbers are N, r and p. The salt is used as text. The key is in base64.
type Scrypt struct{ N, R, P int }

const (
	scryptName = "scrypt"
	scryptKey  = 64 // bytes
)

// scryptHash is a hash of scrypt that was read.
type scryptHash struct {
	cost Scrypt
	salt string
	key  []byte
}

// Matches implements [Hash].
func (h scryptHash) Matches(password string) bool {
	key, err := h.derive(password)
	return err == nil && subtle.ConstantTimeCompare(key, h.key) == 1
}

func (h scryptHash) derive(password string) ([]byte, error) {
	return scrypt.Key([]byte(password), []byte(h.salt), h.cost.N, h.cost.R, h.cost.P, scryptKey)
}

// String returns the text that is stored.
func (h scryptHash) String() string {
	return fmt.Sprintf("scrypt$%d$%s$%d$%d$%s", h.cost.N, h.salt, h.cost.R, h.cost.P, base64.StdEncoding.EncodeToString(h.key))
}

// Check implements [Format].
func (f Scrypt) Check() error {
	for _, part := range []struct {
		name           string
		n, least, most int
	}{
		{"N", f.N, 2, maxScryptN}, {"r", f.R, 1, 64}, {"p", f.P, 1, 64},
		{"128 times N times r", 128 * f.N * f.R, 1, maxScryptMemory}, {"N times r times p", f.N * f.R * f.P, 1, maxScryptWork},
	} {
		if err := checkNumber(scryptName, part.name, part.n, part.least, part.most); err != nil {
			return err
		}
	}
	if f.N&(f.N-1) != 0 {
		return wrong(scryptName, "N is not a power of two")
	}
	return nil
}

// New implements [Format].
func (f Scrypt) New(password string) (text string, err error) {
	h := scryptHash{cost: f, salt: rand.Text()}
	h.key, err = h.derive(password)
	return h.String(), err
}

// Dummy implements [Format].
func (f Scrypt) Dummy() Hash {
	return scryptHash{cost: f, salt: rand.Text(), key: make([]byte, scryptKey)}
}

// IsCurrent implements [Format].
func (f Scrypt) IsCurrent(read Hash) bool {
	h, ok := read.(scryptHash)
	return ok && h.cost == f && len(h.salt) >= djangoSalt
}

// readScrypt reads the text after "scrypt$".
func readScrypt(rest string) (Hash, error) {
	parts := strings.Split(rest, "$")
	if len(parts) != 5 {
		return nil, wrong(scryptName, "it must have the parts scrypt$N$salt$r$p$key")
	}
	h := scryptHash{salt: parts[1]}
	for i, to := range map[int]*int{0: &h.cost.N, 2: &h.cost.R, 3: &h.cost.P} {
		n, err := readNumber(scryptName, "the cost", parts[i], 1, maxScryptN)
		if err != nil {
			return nil, err
		}
		*to = n
	}
	if err := h.cost.Check(); err != nil {
		return nil, err
	}
	if err := checkSalt(scryptName, h.salt); err != nil {
		return nil, err
	}
	var err error
	h.key, err = readBytes(scryptName, "the key", parts[4], base64.StdEncoding, scryptKey, scryptKey)
	return h, err
}
