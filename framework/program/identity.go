package program

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
)

// jwtKeysVariable holds the keys of JWTs.
const jwtKeysVariable = "{PROGRAM}_JWT_KEYS"

// lastWrites is the part of the drain time that is left for what identity has
// still to write when the server stops. Its last flush takes no longer.
const lastWrites = 5 * time.Second

// identityConfig is who callers are under the settings. A server adds its keys
// and where it counts.
func (c config) identityConfig(log *slog.Logger) auth.Config {
	return auth.Config{
		Passwords:  auth.PasswordPolicy{Minimum: c.passwordMin},
		Session:    auth.SessionOptions{Secure: c.byHTTPS(), TrustedOrigins: c.trustedOrigins},
		TokenLife:  c.tokenLife,
		Rates:      c.rates,
		RequireTLS: c.production,
		Log:        log,
	}
}

// byHTTPS says that browsers come by https, so that cookies may insist on it.
func (c config) byHTTPS() bool {
	return c.hasTLS() || c.production || strings.HasPrefix(strings.ToLower(c.publicURL), "https://")
}

// readKeys reads those of JWTs, nil for one that is made up. An error shows
// nothing of them.
func (c config) readKeys() (*auth.Keys, error) {
	text := c.jwtKeys.Reveal()
	switch {
	case text != "":
		keys, err := auth.ParseKeys(text)
		if err != nil {
			return nil, fmt.Errorf(c.text("{PROGRAM}_JWT_KEYS: %w; make one with: {program} jwt keygen"), err)
		}
		return keys, nil
	case c.production:
		return nil, errors.New(c.text("{PROGRAM}_JWT_KEYS is not set, and in production no key is made up; make one with: {program} jwt keygen"))
	}
	return nil, nil
}

// keepHouse lets identity and the API write and tidy up beside the server. The
// function that it returns is called when the last request was answered: it
// ends that, and waits for what was still to be written. Should requests need
// all of the drain time, the last writes begin before its end.
func (s *site) keepHouse(ctx context.Context, api *framework.API) (end func()) {
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	report := func(of string) func(error) {
		return func(err error) { s.log.Error("looking after "+of+" failed and is tried again", "error", err) }
	}
	var both sync.WaitGroup
	both.Go(func() { s.identity.Run(keeping, s.db, report("sessions and tokens")) })
	both.Go(func() { api.Run(keeping, report("idempotency keys")) })
	unwatch := context.AfterFunc(ctx, func() { time.AfterFunc(s.delay()+drainTime-lastWrites, stop) })
	return func() {
		unwatch()
		stop()
		both.Wait()
	}
}
