package config

import (
	"log/slog"
	"strings"

	"trestle.example/framework/auth"
)

// IdentityConfig returns the settings of the service of identity. A server adds its keys
// and its counters.
func (c Config) IdentityConfig(log *slog.Logger) auth.Config {
	return auth.Config{
		Passwords:  auth.PasswordPolicy{Minimum: c.PasswordMin},
		Session:    auth.SessionOptions{Secure: c.byHTTPS(), TrustedOrigins: c.trustedOrigins},
		TokenLife:  c.tokenLife,
		Rates:      c.rates,
		RequireTLS: c.Production,
		Mailer:     c.mailer(log),
		Log:        log,
	}
}

// byHTTPS reports whether browsers use https, so that cookies may require it.
func (c Config) byHTTPS() bool {
	return c.HasTLS() || c.Production || strings.HasPrefix(strings.ToLower(c.PublicURL), "https://")
}
