package auth

import (
	"encoding/json"
	"fmt"

	"trestle.example/framework"
)

// The schemes describe themselves in the OpenAPI document.
var (
	_ framework.Secured = (*Sessions)(nil)
	_ framework.Secured = Token{}
	_ framework.Secured = (*Tokens)(nil)
	_ framework.Secured = (*JWT)(nil)
)

// bearer is the security scheme that tokens and JWTs share.
func bearer() []framework.SecurityScheme {
	return []framework.SecurityScheme{{
		Name: "bearerAuth", Scheme: "bearer",
		Doc: "Paste the `token` that POST {prefix}/auth/register or {prefix}/auth/login answers (trs_…), or a JWT, the `access` of POST {prefix}/auth/jwt. This one is enough.",
	}}
}

// Security returns the cookie of the session. For methods that write it adds the header
// X-CSRFToken, which proves that no other site sent the request.
func (s *Sessions) Security(method string) [][]framework.SecurityScheme {
	cookie := framework.SecurityScheme{
		Name: "sessionAuth", In: "cookie", Key: s.name(sessionCookie),
		Doc: "A browser's session, of POST {prefix}/auth/session. What writes needs the header X-CSRFToken besides. Programs are better off with bearerAuth.",
	}
	if isSafe(method) {
		return [][]framework.SecurityScheme{{cookie}}
	}
	return [][]framework.SecurityScheme{{cookie, {
		Name: "csrfAuth", In: "header", Key: csrfHeader, Doc: "Only with a session: the `csrfToken` of GET {prefix}/auth/session.",
	}}}
}

// Refuses lists csrf_failed.
func (s *Sessions) Refuses() []string { return []string{CodeCSRFFailed} }

// Sends documents the header Set-Cookie, which also clears a cookie that names no live
// session.
func (s *Sessions) Sends() []framework.Header {
	return []framework.Header{{Name: "Set-Cookie", Doc: "The cookies of a session that began or ended; one that is no longer live is cleared."}}
}

// Security returns the header Authorization, with either keyword.
func (t Token) Security(string) [][]framework.SecurityScheme {
	token := framework.SecurityScheme{
		Name: "tokenAuth", In: "header", Key: "Authorization",
		Doc: "The same as bearerAuth, in other words: Token, a space, and the `token` of POST {prefix}/auth/token (Token trs_…).",
	}
	return [][]framework.SecurityScheme{{token}, bearer()}
}

// Security returns the same as [Token.Security].
func (t *Tokens) Security(method string) [][]framework.SecurityScheme {
	return t.scheme.Security(method)
}

// Security returns the header Authorization.
func (j *JWT) Security(string) [][]framework.SecurityScheme {
	return [][]framework.SecurityScheme{bearer()}
}

// Refuses lists tls_required.
func (transport) Refuses() []string { return []string{CodeTLSRequired} }

// An address is the e-mail address of a registration.
type address string

// JSONSchemaBytes returns the schema of an address. An address may contain letters of any
// script, which the format email does not allow. The pattern states the rule of
// [NormalizeEmail]: one "@" with something on both sides, and no invisible character.
func (address) JSONSchemaBytes() ([]byte, error) {
	seen := `[^@\s` + controls + "\u00a0\u00ad\u2000-\u200d\u2028\u2029\u202f\u205f-\u2065\u206a-\u206f\u3000\ufeff" + `]+`
	return json.Marshal(map[string]any{
		"type": "string", "format": "idn-email", "minLength": 3, "maxLength": maximumEmail, "pattern": `^` + seen + `@` + seen + `$`,
		"examples": []string{"asha@example.com"},
	})
}

// controls are the characters that no name may contain, for use inside a class of a
// pattern: control characters, line separators, and marks that change the direction of
// text.
const controls = `\x00-\x1f\x7f-\x9f` + "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"

// A newPassword is the password of a registration.
type newPassword string

// JSONSchemaBytes returns a schema with the minimum that every policy requires. The
// lengths count the password as typed.
func (newPassword) JSONSchemaBytes() ([]byte, error) {
	const schema = `{"type":"string","format":"password","minLength":%d,"maxLength":%d,"examples":["four unrelated words"]}`
	return fmt.Appendf(nil, schema, defaultMinimum, maximumLength), nil
}

// A newUsername is the user name of a registration or of a change of the own account.
type newUsername string

// JSONSchemaBytes returns the schema of a user name. The pattern states the rule of
// [NormalizeUsername] for the text as typed. Blank text sets no user name.
func (newUsername) JSONSchemaBytes() ([]byte, error) {
	const hidden = "\u00a0\u00ad\u034f\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160" +
		"\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200d\u202f\u205f-\u2065\u206a-\u206f" +
		"\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
	return json.Marshal(map[string]any{
		"type": "string", "maxLength": maximumUsername, "pattern": fmt.Sprintf(`^([^@\s%s%s]{%d,})?$`, controls, hidden, minimumUsername),
		"examples": []string{"asha"},
	})
}

// A givenName is the display name of a user.
type givenName string

// JSONSchemaBytes returns the schema of a name.
func (givenName) JSONSchemaBytes() ([]byte, error) {
	return json.Marshal(map[string]any{"type": "string", "maxLength": maximumName, "pattern": `^[^` + controls + `]*$`, "examples": []string{"Asha Rao"}})
}
