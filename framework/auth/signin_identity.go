package auth

import (
	"errors"
	"log/slog"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// SignInIdentity signs the browser that sent the request in, as the user of an identity, with a
// new session. The caller has verified that the identity provider made the statement for this
// browser: SignInIdentity checks neither that nor for CSRF. Package auth/oidc is such a caller.
//
// A first sign-in creates or links an account, as policy permits. Two first sign-ins of one
// identity at the same time give one account. The user gets the groups and permissions of the
// identity, and loses those of its last sign-in that it no longer has. Everything happens in one
// transaction, so after an error nothing is stored. A group that does not exist gives nothing and
// is logged.
//
// If an e-mail address is missing, malformed or already used, the error is an [InputError] for
// the field "email". Without an account and without policy.Register it is [ErrNotFound]; if the
// account is inactive, [ErrWrongCredentials]. If TLS is required and the request came without, it
// is 403 tls_required. The audit log has each result.
func (s *Service) SignInIdentity(c *framework.Call, id Identity, policy IdentityPolicy) (User, error) {
	if err := s.checkTransport(c); err != nil {
		return User{}, err
	}
	var a arrival
	signIn := func() error {
		return c.InTx(func(c *framework.Call) (err error) {
			if a, err = s.Users.admitIdentity(c, c.Session(), id, policy); err == nil {
				_, err = s.Sessions.begin(c, a.user)
			}
			return err
		})
	}
	err := signIn()
	if isFault(err, sqldb.Unique) || isTaken(err) { // another request may have stored this identity meanwhile
		err = signIn()
	}
	issuer := slog.String("issuer", id.Issuer)
	if err != nil {
		s.note(c, eventLoginFailed, a.user.ID, schemeAttr(sessionScheme), issuer, slog.String("reason", identityReason(err)))
		return User{}, err
	}
	for _, name := range a.unknown {
		s.log.LogAttrs(c, slog.LevelWarn, "a provider's groups give a group that does not exist; create it", issuer, slog.String("group", name))
	}
	if a.event != "" {
		s.note(c, a.event, a.user.ID, issuer)
	}
	s.note(c, eventLogin, a.user.ID, schemeAttr(sessionScheme), issuer)
	return a.user, nil
}

// isTaken reports whether an error states that a value is already used.
func isTaken(err error) bool {
	wrong, ok := errors.AsType[*InputError](err)
	return ok && wrong.Code == "unique"
}

// identityReason returns the reason of a failed sign-in for the audit log.
func identityReason(err error) string {
	if r, ok := errors.AsType[rejection](err); ok {
		return r.reason
	}
	if wrong, ok := errors.AsType[*InputError](err); ok {
		return wrong.Field + "_" + wrong.Code
	}
	switch {
	case errors.Is(err, ErrNotFound):
		return "unknown"
	case errors.Is(err, ErrWrongCredentials):
		return "changed"
	}
	return "error"
}
