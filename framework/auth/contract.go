package auth

import "trestle.example/framework"

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
		Doc: "Authorization: Bearer, with a token of POST /auth/login or the access token of POST /auth/jwt.",
	}}
}

// Security tells of the session's cookie and, to write, of the header that
// proves that no other site sent the request.
func (s *Sessions) Security(method string) [][]framework.SecurityScheme {
	cookie := framework.SecurityScheme{
		Name: "session", In: "cookie", Key: s.name(sessionCookie),
		Doc: "A browser's session, of POST /auth/session. What writes needs the header X-CSRFToken besides.",
	}
	if isSafe(method) {
		return [][]framework.SecurityScheme{{cookie}}
	}
	return [][]framework.SecurityScheme{{cookie, {
		Name: "csrf", In: "header", Key: csrfHeader, Doc: "The csrfToken of GET /auth/session.",
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
		Doc: "The word Token, a space and a token of POST /auth/token: Token trs_...",
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
