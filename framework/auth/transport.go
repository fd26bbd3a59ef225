package auth

import (
	"net/http"
	"slices"

	"trestle.example/framework"
)

// CodeTLSRequired is the code of the 403 for credentials that arrived without TLS.
const CodeTLSRequired = "tls_required"

// transport is the first scheme if credentials need TLS. It authenticates no caller and
// rejects credentials that arrived in cleartext before another scheme reads them.
type transport struct{ sessions *Sessions }

// Authenticate rejects a request without TLS that has a non-empty Authorization header or a
// cookie of a session: 403 tls_required. For any other request it returns nil and no error.
func (t transport) Authenticate(c *framework.Call, r *http.Request) (*framework.Caller, error) {
	_, cookies := t.sessions.key(r, sessionCookie)
	header := slices.ContainsFunc(r.Header.Values("Authorization"), func(value string) bool { return value != "" })
	if c.Secure || cookies == 0 && !header {
		return nil, nil
	}
	return nil, tlsRequired()
}

// Challenge returns no challenge.
func (transport) Challenge() string { return "" }

// checkTransport is the check for credentials in the body: if TLS is required, it rejects any
// request without TLS.
func (s *Service) checkTransport(c *framework.Call) error {
	if s.requireTLS && !c.Secure {
		return tlsRequired()
	}
	return nil
}

func tlsRequired() error {
	return framework.Refuse(http.StatusForbidden, CodeTLSRequired,
		"The request carries credentials and came without TLS; send it by https, and replace the credentials, which others may have read.")
}
