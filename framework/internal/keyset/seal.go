package keyset

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"slices"
)

// LeastKey is the least length of a secret key in bytes.
const LeastKey = 32

// A Sealer encrypts cursors with its first key, and opens cursors of all its keys. It is safe for
// concurrent use. A nil Sealer opens none.
type Sealer struct{ keys []key }

// A key encrypts, and has a name that a cursor begins with.
type key struct {
	name   byte
	nonces []byte // the key of the HMAC that makes nonces
	aead   cipher.AEAD
}

// NewSealer derives the keys for cursors from secrets. Without secrets it returns nil.
func NewSealer(secrets [][]byte) *Sealer {
	s := &Sealer{}
	for _, secret := range secrets {
		if k, err := newKey(secret); err == nil { // in FIPS mode a short secret is an error, which package apicheck reports
			s.keys = append(s.keys, k)
		}
	}
	if len(s.keys) == 0 {
		return nil
	}
	return s
}

// newKey derives the key of AES-256-GCM, that of its nonces, and its name from a secret. A key encrypts
// at most 2^32 cursors (NIST SP 800-38D).
func newKey(secret []byte) (k key, err error) {
	const length = 32
	derived, err := hkdf.Key(sha256.New, secret, nil, "trestle cursor 1", 2*length+1)
	if err != nil {
		return k, err
	}
	block, err := aes.NewCipher(derived[:length])
	if err != nil {
		return k, err
	}
	aead, err := cipher.NewGCM(block)
	return key{derived[2*length], derived[length : 2*length], aead}, err
}

// nonce is made of all that is encrypted: equal pages have equal cursors, so that their ETags are
// equal, and different texts have different nonces.
func (k key) nonce(plain, query []byte) []byte {
	h := hmac.New(sha256.New, k.nonces)
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(query))))
	h.Write(query)
	h.Write(plain)
	return h.Sum(nil)[:k.aead.NonceSize()]
}

// block is the length to whose multiple a text is padded, so that the length of a cursor shows little of
// the values in it.
const block = 64

// Seal encrypts a text, so that Open opens it for the same query alone.
func (s *Sealer) Seal(plain, query []byte) string {
	k := s.keys[0]
	plain = append(slices.Clip(plain), 1)
	plain = append(plain, make([]byte, (block-len(plain)%block)%block)...)
	nonce := k.nonce(plain, query)
	sealed := k.aead.Seal(append([]byte{k.name}, nonce...), nonce, plain, query) // #nosec G407 -- it is made of the text and the query: two texts have two
	return base64.RawURLEncoding.EncodeToString(sealed)
}

// Open decrypts a cursor. It returns false for every text that Seal did not return for this query
// with one of the keys.
func (s *Sealer) Open(cursor string, query []byte) ([]byte, bool) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(sealed) == 0 || s == nil {
		return nil, false
	}
	for _, k := range s.keys {
		if k.name != sealed[0] || len(sealed) < 1+k.aead.NonceSize() {
			continue
		}
		nonce, text := sealed[1:1+k.aead.NonceSize()], sealed[1+k.aead.NonceSize():]
		if plain, err := k.aead.Open(nil, nonce, text, query); err == nil {
			return plain[:max(0, bytes.LastIndexByte(plain, 1))], true
		}
	}
	return nil, false
}
