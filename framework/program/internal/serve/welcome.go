package serve

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/site"
)

// demoTokenLife is the life of the token that a demo server prints.
const demoTokenLife = 12 * time.Hour

// demoTokenName is the name of the tokens that demo servers print.
const demoTokenName = "demo server"

// welcome prints the addresses and, if demo and its Requests are set, requests to try.
func welcome(ctx context.Context, run *command.Run, s *site.Site, addr net.Addr, demo *Demo) error {
	base := baseURL(s, addr)
	lines := []string{
		strings.ToUpper(string(s.Name[:1])) + string(s.Name[1:]) + " serves", "", "  " + base + "/api/", "",
		"The reference, to read and to try:", "", "  " + base + "/api/docs", "",
	}
	if s.ConsoleAt() != "" {
		lines = append(lines, "The console, pages for people:", "", "  "+base+s.ConsoleAt(), "")
	}
	lines = append(lines, firstLines(ctx, run, s, base)...)
	if demo != nil && demo.Requests != nil {
		more, err := demoLines(ctx, s, demo, base)
		if err != nil {
			return err
		}
		lines = append(lines, more...)
	}
	return run.Print(strings.Join(lines, "\n"))
}

// firstLines returns the link that makes the first superuser. In production it is for a terminal alone, because a service manager
// keeps what a service prints.
func firstLines(ctx context.Context, run *command.Run, s *site.Site, base string) []string {
	if s.Production && !run.Console.ShowsAtTerminal() {
		return nil
	}
	path, err := s.OfferFirst(ctx)
	if err != nil && ctx.Err() == nil {
		s.Log.Warn("whether there is a superuser could not be read, so no link makes the first one", "error", err)
	}
	if err != nil || path == "" {
		return nil
	}
	return []string{"There is no superuser. This link makes one, within an hour:", "", "  " + base + path, ""}
}

// demoLines returns the requests to try. If the demo's user does not exist, it returns a line
// that says so.
func demoLines(ctx context.Context, s *site.Site, demo *Demo, base string) ([]string, error) {
	token, err := issueDemoToken(ctx, s, demo.Visitor)
	if errors.Is(err, auth.ErrNotFound) {
		return []string{"The demo's user " + demo.Visitor + s.Text(" does not exist; {program} seed --force creates it again."), ""}, nil
	}
	if err != nil {
		return nil, err
	}
	return demo.Requests(base, token), nil
}

// baseURL returns the public URL of the settings, or else the URL at which a client on this
// machine reaches the server.
func baseURL(s *site.Site, addr net.Addr) string {
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

// issueDemoToken issues a short-lived token, and deletes the expired tokens of earlier
// starts.
func issueDemoToken(ctx context.Context, s *site.Site, visitor string) (auth.Secret, error) {
	in := s.DB.Session()
	user, err := s.Users.FindUser(ctx, in, visitor)
	if err != nil {
		return auth.Secret{}, err
	}
	tokens, err := s.Users.ListTokens(ctx, in, user.ID)
	if err != nil {
		return auth.Secret{}, err
	}
	for _, t := range tokens {
		if t.Name != demoTokenName || t.ExpiresAt == nil || t.ExpiresAt.After(time.Now()) {
			continue
		}
		if err := s.Users.RevokeTokenByID(ctx, in, user.ID, t.ID); err != nil && !errors.Is(err, auth.ErrNotFound) {
			return auth.Secret{}, err
		}
	}
	token, _, err := s.Users.IssueToken(ctx, in, user, demoTokenName, demoTokenLife)
	return token, err
}
