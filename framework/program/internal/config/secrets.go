package config

import (
	"errors"
	"fmt"
	"log/slog"

	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/certificate"
	"trestle.example/framework/program/internal/exit"
)

// Secrets are the keys and the certificate of a server. Other commands need not be able
// to read them.
type Secrets struct {
	Keys        *auth.Keys               // nil for a generated key
	Certificate *certificate.Certificate // nil without TLS of its own
}

// ReadSecrets reads the secrets. Its error joins the first fault of the keys and the first
// fault of the certificate, and has exit code 2.
func (c Config) ReadSecrets(log *slog.Logger) (Secrets, error) {
	keys, wrongKeys := c.ReadKeys()
	cert, wrongCert := c.ReadCertificate(log)
	if err := errors.Join(wrongKeys, wrongCert); err != nil {
		return Secrets{}, exit.Misused("%w", err)
	}
	return Secrets{keys, cert}, nil
}

// ReadKeys reads the keys of JWTs. Without keys it returns nil, and the server generates a
// key; in production that is an error. An error shows no part of a key.
func (c Config) ReadKeys() (*auth.Keys, error) {
	text := c.JWTKeys.Reveal()
	switch {
	case text != "":
		keys, err := auth.ParseKeys(text)
		if err != nil {
			return nil, fmt.Errorf(c.Program.Text("{PROGRAM}_JWT_KEYS: %w; make one with: {program} jwt keygen"), err)
		}
		return keys, nil
	case c.Production:
		return nil, errors.New(c.Program.Text("{PROGRAM}_JWT_KEYS is not set, and in production the server generates no key; make one with: {program} jwt keygen"))
	}
	return nil, nil
}

// ReadCertificate reads the certificate and its key from the files of the settings. It
// returns nil if neither is set. It is an error if only one of them is set.
func (c Config) ReadCertificate(log *slog.Logger) (*certificate.Certificate, error) {
	switch {
	case c.TLSCert == "" && c.TLSKey == "":
		return nil, nil
	case c.TLSKey == "":
		return nil, errors.New(c.Program.Text("{PROGRAM}_TLS_CERT (--tls-cert) names a certificate; name its key too, by {PROGRAM}_TLS_KEY (--tls-key)"))
	case c.TLSCert == "":
		return nil, errors.New(c.Program.Text("{PROGRAM}_TLS_KEY (--tls-key) names a key; name its certificate too, by {PROGRAM}_TLS_CERT (--tls-cert)"))
	}
	found, err := certificate.Open(c.TLSCert, c.TLSKey, log)
	if err != nil {
		return nil, fmt.Errorf(c.Program.Text("{PROGRAM}_TLS_CERT, {PROGRAM}_TLS_KEY: %w"), err)
	}
	return found, nil
}

// HasTLS reports whether the server has TLS of its own.
func (c Config) HasTLS() bool { return c.TLSCert != "" }

// RequireHosts returns an error with exit code 2 for a server in production that would accept
// any Host: the links in its answers would lead where the request says.
func (c Config) RequireHosts() error {
	if !c.Production || c.PublicURL != "" || len(c.Hosts) > 0 {
		return nil
	}
	return exit.Misused("%s", c.Program.Text("{PROGRAM}_ENV is production, and nothing says by which name clients reach the server; "+
		"set {PROGRAM}_PUBLIC_URL (--public-url) or {PROGRAM}_HOSTS (--hosts)"))
}
