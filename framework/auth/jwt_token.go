package auth

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"trestle.example/framework"
)

const (
	maximumJWT = 8 << 10 // bytes

	accessType  = "access"
	refreshType = "refresh"
)

// A jwtHeader has all members of a header. A header with another member is rejected: our
// tokens have no jku, jwk, x5u, crit or other instruction to a verifier.
type jwtHeader struct {
	Type      string `json:"typ"` // as RFC 8725 section 3.11 recommends: "access+jwt"
	Algorithm string `json:"alg"`
	KeyID     string `json:"kid"`
}

// jwtClaims are the claims of a token. All but nbf are required, and other claims are
// ignored. They contain nothing about a user except the id.
type jwtClaims struct {
	Issuer    string    `json:"iss"`
	Audience  string    `json:"aud"`
	Subject   uuid.UUID `json:"sub"` // the user
	Family    uuid.UUID `json:"sid"` // the login of the token
	ID        uuid.UUID `json:"jti"`
	Type      string    `json:"typ"`
	Issued    int64     `json:"iat"` // whole seconds since 1970
	Expires   int64     `json:"exp"`
	NotBefore int64     `json:"nbf,omitzero"` // never issued, but checked
}

// seal writes and signs a token.
func (k *Keys) seal(claims jwtClaims) (Secret, error) {
	key := k.signingKey()
	header, err := json.Marshal(jwtHeader{claims.Type + "+jwt", key.algorithm, key.id})
	if err != nil {
		return Secret{}, err
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return Secret{}, err
	}
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode(header) + "." + encode(payload)
	signature, err := key.sign(signed)
	if err != nil {
		return Secret{}, err
	}
	return NewSecret(signed + "." + encode(signature)), nil
}

// open returns the claims of a token that one of the keys signed. ok is false for any other
// token, and if the header does not fit the type of the claims; then claims must not be used.
// The caller must still check the claims. open is stricter than JWT libraries, and reads the
// claims only after it has verified the signature.
func (k *Keys) open(token string) (claims jwtClaims, ok bool) {
	parts := strings.SplitN(token, ".", 3)
	if len(token) > maximumJWT || len(parts) != 3 {
		return claims, false
	}
	var header jwtHeader
	if !readSegment(parts[0], &header, json.RejectUnknownMembers(true)) {
		return claims, false
	}
	key := k.find(header.KeyID)
	signature, ok := decodeSegment(parts[2])
	if !ok || key == nil || header.Algorithm != key.algorithm {
		return claims, false
	}
	if key.verify(parts[0]+"."+parts[1], signature) != nil || !readSegment(parts[1], &claims) {
		return jwtClaims{}, false
	}
	return claims, header.Type == claims.Type+"+jwt"
}

// readSegment decodes a part of a token. The JSON is strict: names are case-sensitive and
// occur once, numbers are whole, and nothing follows the end.
func readSegment(segment string, into any, options ...json.Options) bool {
	plain, ok := decodeSegment(segment)
	return ok && json.Unmarshal(plain, into, options...) == nil
}

// decodeSegment reads base64url in its only valid form (RFC 7515 section 2): without padding,
// stray bits or line breaks. The decoder of Go alone would ignore line breaks.
func decodeSegment(segment string) ([]byte, bool) {
	plain, err := base64.RawURLEncoding.Strict().DecodeString(segment)
	return plain, err == nil && !strings.ContainsAny(segment, "\r\n")
}

// read returns the claims of a token of one of the types if the token is valid at a time,
// else the error for the client. An expired token has an error text of its own. read does
// not check whether the login has ended.
func (j *JWT) read(token string, now int64, types ...string) (jwtClaims, error) {
	claims, ok := j.keys.open(token)
	if !ok || !j.isPlausible(&claims, now) || !slices.Contains(types, claims.Type) {
		return jwtClaims{}, invalidJWT()
	}
	// Without leeway: an access token ends at the stated time.
	if now >= claims.Expires {
		return jwtClaims{}, framework.InvalidCredentials("The token has expired.")
	}
	return claims, nil
}

// isPlausible reports whether this service could have issued a token with these claims by
// now, within the leeway.
func (j *JWT) isPlausible(c *jwtClaims, now int64) bool {
	switch {
	case c.Issuer != j.issuer, c.Audience != j.audience:
		return false
	case c.Subject == uuid.Nil, c.Family == uuid.Nil, c.ID == uuid.Nil:
		return false
	case c.Issued <= 0, c.Issued > now+j.leeway, c.NotBefore > now+j.leeway:
		return false
	}
	return c.Expires > c.Issued && c.Expires-c.Issued <= j.life(c.Type)
}

// invalidJWT returns the same error for every invalid token.
func invalidJWT() error {
	return framework.InvalidCredentials("The token is not valid, or its login has ended.")
}
