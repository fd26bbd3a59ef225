package site

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"trestle.example/framework/console"
)

// ConsoleAt is the path of the console, "" for none. It is known once [Site.API] was called.
func (s *Site) ConsoleAt() string { return s.consoleAt }

// OfferFirst returns the path of a link that makes the first superuser, "" if the program makes none by a link or if there is one
// already. The link is a secret.
func (s *Site) OfferFirst(ctx context.Context) (string, error) {
	if !s.offersFirst {
		return "", nil
	}
	token, err := s.Identity.OfferFirstSuperuser(ctx, s.DB.Session())
	if err != nil || token.Reveal() == "" {
		return "", err
	}
	return console.FirstLink(s.consoleAt, token.Reveal()), nil
}

// checkConsole returns an error if a handler beside the API has addresses of the console.
func (s *Site) checkConsole(handlers map[string]http.Handler) error {
	for _, pattern := range slices.Sorted(maps.Keys(handlers)) {
		_, path, _ := strings.Cut(pattern, "/")
		if s.consoleAt != "" && strings.HasPrefix("/"+path+"/", s.consoleAt) {
			return fmt.Errorf(s.Text("program: Beside: the pattern %q is at the console, %s; choose another path, or set {PROGRAM}_CONSOLE to another one or to off"), pattern, s.consoleAt)
		}
	}
	return nil
}
