package hashers

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/text/unicode/norm"
)

// Argon2id is the format of Argon2id (RFC 9106), as a PHC string:
//
//	$argon2id$v=19$m=19456,t=2,p=1$<salt>$<key>
//
// For Django the text begins with "argon2". Trestle hashes the form NFKC of a password (NIST
// SP 800-63B section 5.1.1.2); Django hashes a password as typed.
type Argon2id struct {
	Django  bool
	Memory  int // KiB
	Passes  int
	Threads int
}

const (
	argonSalt = 16 // bytes of a salt of Trestle
	argonKey  = 32 // bytes
)

// argonHash is a PHC string of Argon2 that was read.
type argonHash struct {
	django  bool
	variant string // "argon2id", or "argon2i" of Django 3.1 and before
	cost    Argon2id
	salt    []byte
	key     []byte
}

// Matches implements [Hash].
func (h argonHash) Matches(password string) bool {
	return subtle.ConstantTimeCompare(h.derive(password), h.key) == 1
}

func (h argonHash) derive(password string) []byte {
	if !h.django {
		password = norm.NFKC.String(password)
	}
	derive := argon2.IDKey
	if h.variant == "argon2i" {
		derive = argon2.Key
	}
	passes, memory, threads := uint32(h.cost.Passes), uint32(h.cost.Memory), uint8(h.cost.Threads) //nolint:gosec // the bounds are checked
	return derive([]byte(password), h.salt, passes, memory, threads, uint32(len(h.key)))           //nolint:gosec // as above
}

// String returns the text that is stored.
func (h argonHash) String() string {
	encode, prefix := base64.RawStdEncoding.EncodeToString, ""
	if h.django {
		prefix = "argon2"
	}
	return fmt.Sprintf("%s$%s$v=%d$m=%d,t=%d,p=%d$%s$%s",
		prefix, h.variant, argon2.Version, h.cost.Memory, h.cost.Passes, h.cost.Threads, encode(h.salt), encode(h.key))
}

// Check implements [Format].
func (f Argon2id) Check() error {
	const name = "argon2"
	for _, part := range []struct {
		name           string
		n, least, most int
	}{
		{"p", f.Threads, 1, maxArgonThreads}, {"t", f.Passes, 1, maxArgonPasses}, {"m", f.Memory, 8 * f.Threads, maxArgonMemory},
		{"m times t", f.Memory * f.Passes, 1, maxArgonWork},
	} {
		if err := checkNumber(name, part.name, part.n, part.least, part.most); err != nil {
			return err
		}
	}
	return nil
}

// New implements [Format].
func (f Argon2id) New(password string) (string, error) {
	h := f.hash(newSalt(f.Django))
	h.key = h.derive(password)
	return h.String(), nil
}

// Dummy implements [Format].
func (f Argon2id) Dummy() Hash { return f.hash(newSalt(f.Django)) }

func (f Argon2id) hash(salt []byte) argonHash {
	return argonHash{django: f.Django, variant: "argon2id", cost: f, salt: salt, key: make([]byte, argonKey)}
}

// IsCurrent implements [Format].
func (f Argon2id) IsCurrent(read Hash) bool {
	h, ok := read.(argonHash)
	least := argonSalt
	if f.Django {
		least = djangoSalt
	}
	return ok && h.variant == "argon2id" && h.cost == f && len(h.salt) >= least && len(h.key) == argonKey
}

// newSalt returns a salt of Trestle, or one of Django.
func newSalt(django bool) []byte {
	if django {
		return []byte(rand.Text())
	}
	salt := make([]byte, argonSalt)
	_, _ = rand.Read(salt) // never fails: it ends the program instead
	return salt
}

// readArgon2 reads a PHC string. name is "argon2" for a hash of Django, else "".
func readArgon2(name, text string) (Hash, error) {
	const format = "argon2"
	parts := strings.Split(text, "$")
	if len(parts) != 6 {
		return nil, wrong(format, "it must have the parts $argon2id$v=19$m=..,t=..,p=..$salt$key")
	}
	h := argonHash{django: name != "", variant: parts[1]}
	if h.variant != "argon2id" && (h.variant != "argon2i" || !h.django) {
		return nil, wrong(format, "the variant must be argon2id, or argon2i in a hash of Django")
	}
	if parts[2] != "v="+strconv.Itoa(argon2.Version) {
		return nil, wrong(format, "the version must be 19")
	}
	var err error
	if h.cost, err = readArgonCost(parts[3], h.django); err != nil {
		return nil, err
	}
	if h.salt, err = readBytes(format, "the salt", parts[4], base64.RawStdEncoding, minArgonSalt, maxPart); err != nil {
		return nil, err
	}
	h.key, err = readBytes(format, "the key", parts[5], base64.RawStdEncoding, minKey, maxPart)
	return h, err
}

// readArgonCost reads "m=19456,t=2,p=1".
func readArgonCost(text string, django bool) (Argon2id, error) {
	const format = "argon2"
	f := Argon2id{Django: django}
	fields := strings.Split(text, ",")
	to := []struct {
		name string
		n    *int
	}{{"m", &f.Memory}, {"t", &f.Passes}, {"p", &f.Threads}}
	if len(fields) != len(to) {
		return f, wrong(format, "the cost must have the form m=..,t=..,p=..")
	}
	for i, part := range to {
		digits, found := strings.CutPrefix(fields[i], part.name+"=")
		n, err := readNumber(format, part.name, digits, 1, 1<<30)
		if !found || err != nil {
			return f, wrong(format, "the cost must have the form m=..,t=..,p=..")
		}
		*part.n = n
	}
	return f, f.Check()
}
