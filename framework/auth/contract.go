package auth

import (
	"fmt"

	"trestle.example/framework"
)

// What the schemes tell the reference of themselves.
var (
	_ framework.Secured = (*Sessions)(nil)
	_ framework.Secured = Token{}
	_ framework.Secured = (*Tokens)(nil)
	_ framework.Secured = (*JWT)(nil)
)

// bearer is the header that tokens and JWTs share.
func bearer() []framework.SecurityScheme {
	return []framework.SecurityScheme{{
		Name: "bearer", Scheme: "bearer",
		Doc: "Paste the `token` that POST {prefix}/auth/register or {prefix}/auth/login answers (trs_…), or a JWT, the `access` of POST {prefix}/auth/jwt. This one is enough.",
	}}
}

// Security tells of the session's cookie and, to write, of the header that
// proves that no other site sent the request.
func (s *Sessions) Security(method string) [][]framework.SecurityScheme {
	cookie := framework.SecurityScheme{
		Name: "session", In: "cookie", Key: s.name(sessionCookie),
		Doc: "A browser's session, of POST {prefix}/auth/session. What writes needs the header X-CSRFToken besides. Programs are better off with bearer.",
	}
	if isSafe(method) {
		return [][]framework.SecurityScheme{{cookie}}
	}
	return [][]framework.SecurityScheme{{cookie, {
		Name: "csrf", In: "header", Key: csrfHeader, Doc: "Only with a session: the `csrfToken` of GET {prefix}/auth/session.",
	}}}
}

// Refuses names csrf_failed.
func (s *Sessions) Refuses() []string { return []string{CodeCSRFFailed} }

// Sends tells that a cookie which names no live session is cleared.
func (s *Sessions) Sends() []framework.Header {
	return []framework.Header{{Name: "Set-Cookie", Doc: "The cookies of a session that began or ended; one that is no longer live is cleared."}}
}

// Security tells of the header Authorization, with either keyword.
func (t Token) Security(string) [][]framework.SecurityScheme {
	token := framework.SecurityScheme{
		Name: "token", In: "header", Key: "Authorization",
		Doc: "The same as bearer, in other words: Token, a space, and the `token` of POST {prefix}/auth/token (Token trs_…).",
	}
	return [][]framework.SecurityScheme{{token}, bearer()}
}

// Security is that of [Token].
func (t *Tokens) Security(method string) [][]framework.SecurityScheme {
	return t.scheme.Security(method)
}

// Security tells of the header Authorization.
func (j *JWT) Security(string) [][]framework.SecurityScheme {
	return [][]framework.SecurityScheme{bearer()}
}

// Refuses names tls_required.
func (transport) Refuses() []string { return []string{CodeTLSRequired} }

// An address is an e-mail as it is registered.
type address string

// JSONSchemaBytes tells the reference. An address may have letters of any
// script, which format email does not know.
func (address) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{"type":"string","format":"idn-email","minLength":3,"maxLength":254,"examples":["asha@example.com"]}`), nil
}

// A newPassword is a password as it is set.
type newPassword string

// JSONSchemaBytes tells the reference the least that any policy asks for. The
// lengths are those of the password as typed.
func (newPassword) JSONSchemaBytes() ([]byte, error) {
	const told = `{"type":"string","format":"password","minLength":%d,"maxLength":%d,"examples":["four unrelated words"]}`
	return fmt.Appendf(nil, told, defaultMinimum, maximumLength), nil
}

// A givenName is what to call a user.
type givenName string

// JSONSchemaBytes tells the reference.
func (givenName) JSONSchemaBytes() ([]byte, error) {
	return fmt.Appendf(nil, `{"type":"string","maxLength":%d,"examples":["Asha Rao"]}`, maximumName), nil
}
