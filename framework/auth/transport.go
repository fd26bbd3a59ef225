package auth

import (
	"net/http"
	"slices"

	"trestle.example/framework"
)

// CodeTLSRequired is the code of the 403 for credentials that came without TLS.
const CodeTLSRequired = "tls_required"

// transport is the scheme before all others where credentials need TLS: it
// recognises nobody, and refuses those that came in the clear before they are
// looked at.
type transport struct{ sessions *Sessions }

// Authenticate refuses a request that carries credentials in the clear.
func (t transport) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	_, cookies := t.sessions.key(r, sessionCookie)
	header := slices.ContainsFunc(r.Header.Values("Authorization"), func(value string) bool { return value != "" })
	if c.Secure || cookies == 0 && !header {
		return nil, nil
	}
	return nil, needsTLS()
}

// Challenge offers nothing.
func (transport) Challenge() string { return "" }

// checkTransport is the same for credentials in the body.
func (s *Service) checkTransport(c *framework.Call) error {
	if s.requireTLS && !c.Secure {
		return needsTLS()
	}
	return nil
}

func needsTLS() error {
	return framework.Refuse(http.StatusForbidden, CodeTLSRequired,
		"The request carries credentials and came without TLS; send it by https, and replace the credentials, which others may have read.")
}
