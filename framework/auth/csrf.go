package auth

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"

	"trestle.example/framework"
)

const (
	// CodeCSRFFailed is the code of the 403 for a request that another site may have
	// forged.
	CodeCSRFFailed = "csrf_failed"

	csrfHeader  = "X-CSRFToken"
	csrfLength  = 86 // characters of a mask and a masked secret in base64url without padding
	secretBytes = sha256.Size
)

// SessionCodes explain the errors of [Sessions], for framework.Config.Codes.
func SessionCodes() []framework.CodeInfo {
	return []framework.CodeInfo{{
		Code: CodeCSRFFailed, Status: http.StatusForbidden, Title: "The request may have been forged",
		Text: "A browser's session may write only from the service's own pages, with a token of that session. " +
			"Get the session to read its csrfToken, and send it as the header X-CSRFToken. Get it again after signing in. " +
			"Programs other than browsers should use a token in the header Authorization.",
	}}
}

// CSRFToken returns the value for the header X-CSRFToken, and sets it as the cookie
// csrftoken. If the request has a live session, the token belongs to that session. Before
// login it belongs to the cookie "presession". That cookie is a random key that the server
// does not store, and CSRFToken sets it if it is absent. The only use of that cookie is to
// sign in. CSRFToken also clears a session cookie that names no live session, and sets
// Cache-Control: no-store.
//
// Each call masks the token again, so that compression does not reveal it (BREACH). All
// tokens of a cookie stay valid as long as the cookie.
func (s *Sessions) CSRFToken(c *framework.Call) (string, error) {
	secret, err := s.secret(c)
	if err != nil {
		return "", err
	}
	if secret == nil {
		key := newKey()
		s.setKey(c, presessionCookie, key)
		secret = csrfSecret(presessionCookie, key)
	}
	token := maskCSRF(secret)
	s.setCSRF(c, token)
	return token, nil
}

// CheckCSRF rejects a request that another site may have forged: 403 csrf_failed, with
// the check that failed. It checks requests of every method. The scheme runs the same
// check for a method that may write. CheckCSRF clears a session cookie that names no live
// session. Call it in an endpoint that runs no scheme and still changes the session of the
// browser, such as one for signing in.
func (s *Sessions) CheckCSRF(c *framework.Call) error {
	secret, err := s.secret(c)
	if err != nil {
		return err
	}
	return s.check(c, c.Request(), secret)
}

// checkAuthenticated is CheckCSRF for [Sessions.Begin]. If the scheme recognized the session of
// the request, the token must belong to that session, even if the function that calls Begin has
// ended the session meanwhile, as [Users.SetPassword] does.
func (s *Sessions) checkAuthenticated(c *framework.Call) error {
	if key, _ := s.key(c.Request(), sessionCookie); key != "" && c.Caller != nil && c.Caller.Scheme == sessionScheme {
		return s.check(c, c.Request(), csrfSecret(sessionCookie, key))
	}
	return s.CheckCSRF(c)
}

// secret returns the CSRF secret of the browser that sent the request: of its live session,
// else of its presession cookie. It returns nil if the request has neither. It clears a
// session cookie that names no live session.
func (s *Sessions) secret(c *framework.Call) ([]byte, error) {
	live, err := s.findLive(c, c.Request())
	if err != nil {
		return nil, err
	}
	if live != nil {
		return csrfSecret(sessionCookie, live.key), nil
	}
	if key, _ := s.key(c.Request(), presessionCookie); key != "" {
		return csrfSecret(presessionCookie, key), nil
	}
	return nil, nil
}

// check runs both checks: the origin of the request, and the token.
func (s *Sessions) check(c *framework.Call, r *http.Request, secret []byte) error {
	if err := s.checkSource(c, r); err != nil {
		return err
	}
	return checkCSRF(r.Header.Values(csrfHeader), secret)
}

// csrfSecret derives a secret from the key of a cookie. The secret changes with the key
// and needs no column in the table. Neither the key nor its stored hash can be computed
// from it.
func csrfSecret(cookie, key string) []byte {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte("csrf " + cookie))
	return mac.Sum(nil)
}

// maskCSRF makes a token from a random mask and the masked secret.
func maskCSRF(secret []byte) string {
	token := make([]byte, 2*secretBytes)
	mask, covered := token[:secretBytes], token[secretBytes:]
	_, _ = rand.Read(mask) // never fails: it ends the program instead
	subtle.XORBytes(covered, secret, mask)
	return base64.RawURLEncoding.EncodeToString(token)
}

// checkCSRF compares the token of a request with the secret of its cookie. No token, several
// tokens, a nil secret, and a malformed or different token are 403 csrf_failed.
func checkCSRF(sent []string, secret []byte) error {
	switch {
	case len(sent) == 0 || len(sent) == 1 && sent[0] == "":
		return csrfError("The header X-CSRFToken is missing; send the csrfToken of the session in it.")
	case len(sent) > 1:
		return csrfError("The request has several X-CSRFToken headers; send one.")
	case secret == nil:
		return csrfError("The request has no cookie that its X-CSRFToken could belong to; get the session first, and send its cookies.")
	}
	token, err := base64.RawURLEncoding.Strict().DecodeString(sent[0])
	if err != nil || len(sent[0]) != csrfLength || len(token) != 2*secretBytes {
		return csrfError("The header X-CSRFToken is malformed; send the csrfToken of the session as it came.")
	}
	uncovered := make([]byte, secretBytes)
	subtle.XORBytes(uncovered, token[:secretBytes], token[secretBytes:])
	if subtle.ConstantTimeCompare(uncovered, secret) != 1 {
		return csrfError("The header X-CSRFToken belongs to another session, or to the time before signing in; get the session again.")
	}
	return nil
}

func csrfError(detail string) error {
	return framework.Refuse(http.StatusForbidden, CodeCSRFFailed, detail)
}
