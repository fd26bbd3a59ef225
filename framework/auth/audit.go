package auth

import (
	"errors"
	"log/slog"

	"github.com/google/uuid"

	"trestle.example/framework"
)

// The events of the audit. A line has the event, the request's id, the client's
// address and, as far as they are known, the user's id and how they signed in.
// An account that does not exist leaves no name: people type passwords into
// that field.
const (
	eventRegistered     = "registered"
	eventLogin          = "login"
	eventLoginFailed    = "login_failed"
	eventLoginThrottled = "login_throttled"
	eventLogout         = "logout"
	eventTokenIssued    = "token_issued"
	eventTokenRevoked   = "token_revoked"
	eventJWTRevoked     = "jwt_revoked"
	eventRefreshReused  = "refresh_reused"
)

// note writes a line of the audit.
func (s *Service) note(c *framework.Call, event string, user uuid.UUID, more ...slog.Attr) {
	level := slog.LevelInfo
	if event == eventRefreshReused {
		level = slog.LevelWarn // somebody has a token that is not theirs
	}
	attrs := []slog.Attr{
		slog.String("event", event), slog.String("request", c.ID.String()), slog.String("address", c.Address.String()),
	}
	if user != uuid.Nil {
		attrs = append(attrs, slog.String("user", user.String()))
	}
	s.log.LogAttrs(c, level, "audit", append(attrs, more...)...)
}

// via says by which of the ways a user signed in or out.
func via(scheme string) slog.Attr { return slog.String("scheme", scheme) }

// A rejection is [ErrWrongCredentials] with what the client does not learn.
type rejection struct {
	user   uuid.UUID // the account, uuid.Nil if there is none
	reason string    // "unknown", "inactive", "password", or "changed" since the password held
}

func (rejection) Error() string { return ErrWrongCredentials.Error() }

// Unwrap makes it the one answer.
func (rejection) Unwrap() error { return ErrWrongCredentials }

// noteFailure writes down why a sign-in was refused.
func (s *Service) noteFailure(c *framework.Call, scheme string, user uuid.UUID, err error) {
	r, told := errors.AsType[rejection](err)
	if !told {
		r = rejection{user, "changed"}
	}
	s.note(c, eventLoginFailed, r.user, via(scheme), slog.String("reason", r.reason))
}
