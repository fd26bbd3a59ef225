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

// A jwtHeader is all that a header holds. A member beside these is refused:
// none of ours has jku, jwk, x5u, crit or anything else that tells a verifier
// what to do.
type jwtHeader struct {
	Type      string `json:"typ"` // as RFC 8725 section 3.11 advises: "access+jwt"
	Algorithm string `json:"alg"`
	KeyID     string `json:"kid"`
}

// jwtClaims are the claims of a token. All but nbf are required; claims beside
// these are ignored, and nothing of a user but the id is among them.
type jwtClaims struct {
	Issuer    string    `json:"iss"`
	Audience  string    `json:"aud"`
	Subject   uuid.UUID `json:"sub"` // the user
	Family    uuid.UUID `json:"sid"` // the login that the token goes back to
	ID        uuid.UUID `json:"jti"`
	Type      string    `json:"typ"`
	Issued    int64     `json:"iat"` // seconds since 1970, whole
	Expires   int64     `json:"exp"`
	NotBefore int64     `json:"nbf,omitzero"` // never issued, but honoured
}

// seal writes and signs a token.
func (k *Keys) seal(claims jwtClaims) (Secret, error) {
	key := k.signing()
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

// open returns the claims of a token that one of the keys signed; what they
// say is still to be checked. It is stricter than JWT libraries are, and reads
// the claims only once the signature holds.
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

// readSegment decodes a part of a token. The JSON is strict: names by case and
// each once, numbers that are whole, nothing after the end.
func readSegment(segment string, into any, options ...json.Options) bool {
	plain, ok := decodeSegment(segment)
	return ok && json.Unmarshal(plain, into, options...) == nil
}

// decodeSegment reads base64url in its one spelling (RFC 7515 section 2):
// without padding, stray bits and the line breaks that Go's decoder passes over.
func decodeSegment(segment string) ([]byte, bool) {
	plain, err := base64.RawURLEncoding.Strict().DecodeString(segment)
	return plain, err == nil && !strings.ContainsAny(segment, "\r\n")
}

// read returns the claims of a token of one of the types that may be used at a
// time, or the refusal.
func (j *JWT) read(token string, now int64, types ...string) (jwtClaims, error) {
	claims, ok := j.keys.open(token)
	if !ok || !j.plausible(&claims, now) || !slices.Contains(types, claims.Type) {
		return jwtClaims{}, refusedJWT()
	}
	// Never with leeway: an access token ends when it says it ends.
	if now >= claims.Expires {
		return jwtClaims{}, framework.InvalidCredentials("The token has expired.")
	}
	return claims, nil
}

// plausible reports whether we could have issued a token with such claims by
// now.
func (j *JWT) plausible(c *jwtClaims, now int64) bool {
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

// refusedJWT is the one answer for a token that opens nothing.
func refusedJWT() error {
	return framework.InvalidCredentials("The token is not valid, or its login has ended.")
}
