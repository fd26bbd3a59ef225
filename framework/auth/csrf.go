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
	// CodeCSRFFailed is the code of requests that may have been forged.
	CodeCSRFFailed = "csrf_failed"

	csrfHeader  = "X-CSRFToken"
	csrfLength  = 86 // of a mask and a masked secret in base64url without padding
	secretBytes = sha256.Size
)

// SessionCodes explain the errors of [Sessions], for framework.Config.Codes.
func SessionCodes() []framework.CodeInfo {
	return []framework.CodeInfo{{
		Code: CodeCSRFFailed, Status: http.StatusForbidden, Title: "The request may have been forged",
		Text: "A browser's session may write only from the service's own pages, with a token of that session. " +
			"Get the session to read its csrfToken, and send it as the header X-CSRFToken; get it anew after signing in. " +
			"Programs that are no browsers are better off with a token in the header Authorization.",
	}}
}

// CSRFToken returns what the browser's scripts send as X-CSRFToken, and sets it
// as the cookie csrftoken. With a live session it is one of that session.
// Before login it is one of the cookie "presession", a random key that is kept
// nowhere else and is set if there is none: it allows to sign in, nothing else.
//
// Each call masks the token anew, so that compression does not tell it (BREACH);
// all of them hold as long as the cookie that they belong to.
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

// CheckCSRF refuses a request that another site may have made the browser
// send: 403 csrf_failed with a sentence that says which check failed. The
// scheme itself checks where it names the caller; this is for endpoints that
// run no scheme and yet change what the browser is, such as signing in.
func (s *Sessions) CheckCSRF(c *framework.Call) error {
	secret, err := s.secret(c)
	if err != nil {
		return err
	}
	return s.check(c, c.Request(), secret)
}

// secret is what tokens of the request's browser hold: that of its session,
// else of its presession; nil if it has neither.
func (s *Sessions) secret(c *framework.Call) ([]byte, error) {
	live, err := s.live(c, c.Request())
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

// check asks both: where the request comes from, and the token.
func (s *Sessions) check(c *framework.Call, r *http.Request, secret []byte) error {
	if err := s.checkSource(c, r); err != nil {
		return err
	}
	return checkCSRF(r.Header.Values(csrfHeader), secret)
}

// csrfSecret derives a secret from a cookie's key, so that it is bound to it,
// changes with it, and needs no place in the table. It does not lead back to
// the key, nor to the hash that the table holds.
func csrfSecret(cookie, key string) []byte {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte("csrf " + cookie))
	return mac.Sum(nil)
}

// maskCSRF makes a token: a random mask and the secret under it.
func maskCSRF(secret []byte) string {
	token := make([]byte, 2*secretBytes)
	mask, covered := token[:secretBytes], token[secretBytes:]
	_, _ = rand.Read(mask) // never fails: it ends the program instead
	subtle.XORBytes(covered, secret, mask)
	return base64.RawURLEncoding.EncodeToString(token)
}

// checkCSRF compares the token of a request with the secret of its cookie.
func checkCSRF(sent []string, secret []byte) error {
	switch {
	case len(sent) == 0 || len(sent) == 1 && sent[0] == "":
		return csrfFailed("The header X-CSRFToken is missing; send the csrfToken of the session in it.")
	case len(sent) > 1:
		return csrfFailed("The request has several X-CSRFToken headers; send one.")
	case secret == nil:
		return csrfFailed("The request has no cookie that its X-CSRFToken could belong to; get the session first, and send its cookies.")
	}
	token, err := base64.RawURLEncoding.Strict().DecodeString(sent[0])
	if err != nil || len(sent[0]) != csrfLength || len(token) != 2*secretBytes {
		return csrfFailed("The header X-CSRFToken is malformed; send the csrfToken of the session as it came.")
	}
	uncovered := make([]byte, secretBytes)
	subtle.XORBytes(uncovered, token[:secretBytes], token[secretBytes:])
	if subtle.ConstantTimeCompare(uncovered, secret) != 1 {
		return csrfFailed("The header X-CSRFToken belongs to another session, or to the time before signing in; get the session anew.")
	}
	return nil
}

func csrfFailed(detail string) error {
	return framework.Refuse(http.StatusForbidden, CodeCSRFFailed, detail)
}
