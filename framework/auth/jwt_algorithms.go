package auth

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"

	"github.com/golang-jwt/jwt/v5"
)

// The algorithms of [Keys].
const (
	HS256 = "HS256" // HMAC with SHA-256 (RFC 7518 section 3.2): the key that verifies also signs
	EdDSA = "EdDSA" // Ed25519 (RFC 8037)
	RS256 = "RS256" // RSA PKCS#1 v1.5 with SHA-256 (RFC 7518 section 3.3)
)

const (
	minimumSecret = 32   // bytes, required by RFC 7518 section 3.2
	minimumRSA    = 2048 // bits, required by RFC 7518 section 3.3
	generatedRSA  = 3072
)

// A jwtKey is one key with its algorithm. The header of a token does not choose the
// algorithm.
//
// Closures hold the key itself, because package fmt never prints the content of a closure. In
// a field, fmt could print the key: for a verb that does not fit, it prints what a pointer
// points to.
type jwtKey struct {
	id, algorithm string
	sign          func(text string) ([]byte, error)
	verify        func(text string, signature []byte) error
}

func bindKey(id string, method jwt.SigningMethod, private, public any) *jwtKey {
	return &jwtKey{
		id: id, algorithm: method.Alg(),
		sign:   func(text string) ([]byte, error) { return method.Sign(text, private) },
		verify: func(text string, signature []byte) error { return method.Verify(text, signature, public) },
	}
}

func newJWTKey(id, algorithm string, material []byte) (*jwtKey, error) {
	switch algorithm {
	case HS256:
		return hmacKey(id, material)
	case EdDSA, RS256:
		private, err := x509.ParsePKCS8PrivateKey(material)
		if err != nil {
			return nil, errors.New("its key is not a private key in PKCS#8, as openssl genpkey makes one")
		}
		return privateKey(id, algorithm, private)
	}
	return nil, errors.New("its algorithm is unknown; use HS256, EdDSA or RS256")
}

func hmacKey(id string, secret []byte) (*jwtKey, error) {
	if len(secret) < minimumSecret {
		return nil, fmt.Errorf("HS256 needs at least %d random bytes, and its key has %d", minimumSecret, len(secret))
	}
	if _, err := x509.ParsePKIXPublicKey(secret); err == nil {
		return nil, errors.New("its secret for HS256 is a public key, which is no secret")
	}
	return bindKey(id, jwt.SigningMethodHS256, secret, secret), nil
}

func privateKey(id, algorithm string, private any) (*jwtKey, error) {
	switch private := private.(type) {
	case ed25519.PrivateKey:
		if algorithm == EdDSA {
			return bindKey(id, jwt.SigningMethodEdDSA, private, private.Public()), nil
		}
	case *rsa.PrivateKey:
		if bits := private.N.BitLen(); algorithm == RS256 && bits < minimumRSA {
			return nil, fmt.Errorf("RS256 needs a key of at least %d bits, and this has %d", minimumRSA, bits)
		}
		if algorithm == RS256 {
			return bindKey(id, jwt.SigningMethodRS256, private, &private.PublicKey), nil
		}
	}
	return nil, fmt.Errorf("its key is not one for %s: EdDSA takes Ed25519, RS256 takes RSA", algorithm)
}

// randomMaterial returns the bytes of a new key.
func randomMaterial(algorithm string) ([]byte, error) {
	switch algorithm {
	case HS256:
		secret := make([]byte, minimumSecret)
		_, _ = rand.Read(secret) // never fails: it ends the program instead
		return secret, nil
	case EdDSA:
		_, private, err := ed25519.GenerateKey(rand.Reader)
		return pkcs8(private, err)
	case RS256:
		return pkcs8(rsa.GenerateKey(rand.Reader, generatedRSA))
	}
	return nil, fmt.Errorf("%q is not an algorithm for JWT keys; use HS256, EdDSA or RS256", algorithm)
}

func pkcs8[K any](private K, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return x509.MarshalPKCS8PrivateKey(private)
}
