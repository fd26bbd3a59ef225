package accounts

import (
	"context"
	"log/slog"

	"github.com/google/uuid"

	"trestle.example/framework/program/internal/site"
)

// The events of the audit that a command makes.
const (
	eventUserCreated       = "user_created"
	eventUserDisabled      = "user_disabled"
	eventUserEnabled       = "user_enabled"
	eventPasswordChanged   = "password_changed"
	eventPermissionGranted = "permission_granted"
	eventPermissionRevoked = "permission_revoked"
	eventGroupCreated      = "group_created"
	eventGroupJoined       = "group_joined"
	eventGroupLeft         = "group_left"
	eventTokenIssued       = "token_issued"
	eventTokenRevoked      = "token_revoked"
)

// audit logs at the level info that an account or a credential changed. The attributes never
// contain a secret, an e-mail address, or the name of a user or a group.
func audit(ctx context.Context, s *site.Site, event string, whose slog.Attr, more ...slog.Attr) {
	line := append([]slog.Attr{slog.String("event", event), whose, slog.String("by", "command line")}, more...)
	s.Log.LogAttrs(ctx, slog.LevelInfo, "audit", line...)
}

// auditRevoked logs the permissions that were taken, if there are any.
func auditRevoked(ctx context.Context, s *site.Site, whose slog.Attr, taken []string) {
	if len(taken) > 0 {
		audit(ctx, s, eventPermissionRevoked, whose, slog.Any("permissions", taken))
	}
}

func ofUser(id uuid.UUID) slog.Attr { return slog.String("user", id.String()) }

func ofGroup(id uuid.UUID) slog.Attr { return slog.String("group", id.String()) }
