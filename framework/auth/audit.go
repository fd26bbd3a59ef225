package auth

import (
	"errors"
	"log/slog"

	"github.com/google/uuid"

	"trestle.example/framework"
)

// The events of the audit log. Each line has the event, the id of the request and the
// address of the client, and the id of the user if it is known. Lines about a sign-in or a
// sign-out also have the scheme, and login_failed has the reason. No line has an e-mail:
// people type passwords into that field.
const (
	eventRegistered     = "registered"
	eventFirstSuperuser = "user_created"
	eventLogin          = "login"
	eventLoginFailed    = "login_failed"
	eventLoginThrottled = "login_throttled"
	eventLogout         = "logout"
	eventTokenIssued    = "token_issued"
	eventTokenRevoked   = "token_revoked"
	eventJWTRevoked     = "jwt_revoked"
	eventRefreshReused  = "refresh_reused"
	eventAccountChanged = "account_changed"
	eventAccountDeleted = "account_deleted"
	eventSignInsEnded   = "sign_ins_ended"

	eventResetRequested  = "password_reset_requested"
	eventPasswordReset   = "password_reset"
	eventPasswordChanged = "password_changed"
	eventEmailRequested  = "email_change_requested"
	eventEmailChanged    = "email_changed"
	eventEmailVerified   = "email_verified"

	eventIdentityLinked = "identity_linked"
)

// note writes a line of the audit log: a warning for a reused refresh token, else at level
// info. If user is uuid.Nil, the line has no user.
func (s *Service) note(c *framework.Call, event string, user uuid.UUID, more ...slog.Attr) {
	level := slog.LevelInfo
	if event == eventRefreshReused {
		level = slog.LevelWarn // a stranger may have the token of a user
	}
	attrs := []slog.Attr{
		slog.String("event", event), slog.String("request", c.ID.String()), slog.String("address", c.Address.String()),
	}
	if user != uuid.Nil {
		attrs = append(attrs, slog.String("user", user.String()))
	}
	s.log.LogAttrs(c, level, "audit", append(attrs, more...)...)
}

// schemeAttr is the attribute for the scheme with which a user signed in or out.
func schemeAttr(scheme string) slog.Attr { return slog.String("scheme", scheme) }

// A rejection is [ErrWrongCredentials] with the reason. The client does not see the
// reason.
type rejection struct {
	user uuid.UUID // the account, or uuid.Nil if there is none or it was not read
	// reason is "unknown", "inactive", "password", "hash" if the stored hash cannot be read, or
	// "changed" if the account changed after the password was checked.
	reason string
}

func (rejection) Error() string { return ErrWrongCredentials.Error() }

// Unwrap returns ErrWrongCredentials, so that all reasons are the same error to a caller.
func (rejection) Unwrap() error { return ErrWrongCredentials }

// noteFailure logs why a sign-in failed. An error without a reason means that the account user
// changed after its password was checked.
func (s *Service) noteFailure(c *framework.Call, scheme string, user uuid.UUID, err error) {
	r, ok := errors.AsType[rejection](err)
	if !ok {
		r = rejection{user, "changed"}
	}
	s.note(c, eventLoginFailed, r.user, schemeAttr(scheme), slog.String("reason", r.reason))
}
