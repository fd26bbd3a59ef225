package auth

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"unicode"
)

// Keys is a ring of keys for JWTs, each with an id (kid) and one algorithm. The first key
// signs, and all keys verify. To rotate, put a new key first. Remove the old key when the
// last refresh token that it signed has expired.
//
// Printed or logged, Keys shows ids and algorithms and no key. Encoded as JSON, it is
// empty. It is safe for concurrent use.
type Keys struct{ ring []*jwtKey }

// keyName is the form of a kid.
var keyName = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// ParseKeys reads a ring from the text of a setting: keys of the form
//
//	kid:algorithm:key
//
// separated by white space or commas. Each kid occurs once. A kid is 1 to 64 of A-Z, a-z, 0-9,
// dot, underscore and hyphen. The algorithm is HS256, EdDSA or RS256 (RFC 7518, RFC 8037). The
// key is base64, in either alphabet. For HS256 it is at least 32 random bytes. Otherwise
// it is a private key in PKCS#8 (RFC 5958), for RS256 of at least 2048 bits. Instead of
// the key, @path names a file with the key in base64 or PEM. [GenerateKey] makes the text of
// one key.
//
// A text without a key is an error. An error names the first invalid key by its position
// and does not repeat the text: a text in the wrong position may be the secret. The one
// exception is the path after @, which the error names if the file cannot be read.
func ParseKeys(text string) (*Keys, error) {
	entries := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	if len(entries) == 0 {
		return nil, errors.New("there is no JWT key; give at least one as kid:algorithm:key")
	}
	keys := &Keys{}
	for i, entry := range entries {
		key, err := parseJWTKey(entry)
		if err == nil && keys.find(key.id) != nil {
			err = errors.New("an earlier key has the same kid; give each key its own")
		}
		if err != nil {
			return nil, fmt.Errorf("JWT key %d of %d: %w", i+1, len(entries), err)
		}
		keys.ring = append(keys.ring, key)
	}
	return keys, nil
}

func parseJWTKey(entry string) (*jwtKey, error) {
	parts := strings.SplitN(entry, ":", 3)
	if len(parts) != 3 {
		return nil, errors.New("it is not of the form kid:algorithm:key")
	}
	if !keyName.MatchString(parts[0]) {
		return nil, errors.New("its kid is not 1 to 64 of A-Z, a-z, 0-9, dot, underscore and hyphen")
	}
	material, err := keyMaterial(parts[2])
	if err != nil {
		return nil, err
	}
	return newJWTKey(parts[0], parts[1], material)
}

// keyMaterial returns the bytes of a key from base64 or @path.
func keyMaterial(text string) ([]byte, error) {
	if path, named := strings.CutPrefix(text, "@"); named {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("its file cannot be read: %w", err)
		}
		if block, _ := pem.Decode(content); block != nil {
			return block.Bytes, nil
		}
		text = strings.TrimSpace(string(content))
	}
	text = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	material, err := base64.RawStdEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, errors.New("its key is not base64 (RFC 4648); a file contains base64 or PEM")
	}
	return material, nil
}

// GenerateKey makes a key from the random source of the system and returns it in the form
// that [ParseKeys] reads: 32 bytes for HS256, 3072 bits for RS256. If kid is empty, it is
// random. An invalid kid or algorithm is an error.
func GenerateKey(kid, algorithm string) (Secret, error) {
	if kid == "" {
		kid = strings.ToLower(rand.Text()[:8])
	}
	if !keyName.MatchString(kid) {
		return Secret{}, fmt.Errorf("%q cannot be a kid; use 1 to 64 of A-Z, a-z, 0-9, dot, underscore and hyphen", kid)
	}
	material, err := randomMaterial(algorithm)
	if err != nil {
		return Secret{}, err
	}
	return NewSecret(kid + ":" + algorithm + ":" + base64.RawURLEncoding.EncodeToString(material)), nil
}

// find returns the key with an id, compared byte by byte, or nil.
func (k *Keys) find(id string) *jwtKey {
	for _, key := range k.ring {
		if key.id == id {
			return key
		}
	}
	return nil
}

// signingKey returns the key that signs.
func (k *Keys) signingKey() *jwtKey { return k.ring[0] }

// String lists ids and algorithms, the signing key first: "2026-11 (EdDSA), 2026-08
// (HS256)".
func (k *Keys) String() string {
	names := make([]string, len(k.ring))
	for i, key := range k.ring {
		names[i] = key.id + " (" + key.algorithm + ")"
	}
	return strings.Join(names, ", ")
}

// GoString returns the same as String.
func (k *Keys) GoString() string { return k.String() }

// Format writes the same as String, for every verb.
func (k *Keys) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(k.String())) }

// LogValue returns the same as String.
func (k *Keys) LogValue() slog.Value { return slog.StringValue(k.String()) }
