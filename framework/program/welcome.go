package program

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"trestle.example/framework/auth"
)

// demoTokenLife is how long the token is good that a demo server prints.
const demoTokenLife = 12 * time.Hour

// demoTokenName is what such tokens are called.
const demoTokenName = "demo server"

// welcome prints where to look and, in a demo, a request that works.
func (p *program) welcome(ctx context.Context, s *site, addr net.Addr, demo bool) error {
	base := s.baseURL(addr)
	lines := []string{
		strings.ToUpper(s.Name[:1]) + s.Name[1:] + " serves", "", "  " + base + "/api/", "",
		"The reference, to read and to try:", "", "  " + base + "/api/docs", "",
	}
	if demo {
		more, err := s.demoLines(ctx, base)
		if err != nil {
			return err
		}
		lines = append(lines, more...)
	}
	return p.Print(strings.Join(lines, "\n"))
}

// demoLines are the requests to try.
func (s *site) demoLines(ctx context.Context, base string) ([]string, error) {
	token, err := s.demoToken(ctx)
	if errors.Is(err, auth.ErrNotFound) {
		return []string{"The demo's user " + s.Demo.Visitor + s.text(" is gone; {program} seed --force brings it back."), ""}, nil
	}
	if err != nil {
		return nil, err
	}
	return s.Demo.Requests(base, token), nil
}

// baseURL is where a client on this machine finds the server.
func (s *site) baseURL(addr net.Addr) string {
	if s.PublicURL != "" {
		return s.PublicURL
	}
	scheme := "http://"
	if s.HasTLS() {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return scheme + addr.String()
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "localhost"
	}
	return scheme + net.JoinHostPort(host, port)
}

// demoToken makes a short-lived token, and tidies away those of earlier starts
// that have expired.
func (s *site) demoToken(ctx context.Context) (auth.Secret, error) {
	in := s.db.Session()
	user, err := s.users.FindUser(ctx, in, s.Demo.Visitor)
	if err != nil {
		return auth.Secret{}, err
	}
	tokens, err := s.users.ListTokens(ctx, in, user.ID)
	if err != nil {
		return auth.Secret{}, err
	}
	for _, t := range tokens {
		if t.Name != demoTokenName || t.ExpiresAt == nil || t.ExpiresAt.After(time.Now()) {
			continue
		}
		if err := s.users.RevokeTokenByID(ctx, in, user.ID, t.ID); err != nil && !errors.Is(err, auth.ErrNotFound) {
			return auth.Secret{}, err
		}
	}
	token, _, err := s.users.IssueToken(ctx, in, user, demoTokenName, demoTokenLife)
	return token, err
}
