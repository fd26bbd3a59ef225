package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"

	"github.com/spf13/pflag"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/throttle/redisthrottle"
)

// A server is a site with what it takes to serve it.
type server struct {
	*site

	secrets
	counters *redisthrottle.Store // nil where the process counts
}

// secrets are what a server alone reads; the other commands need not even be
// able to.
type secrets struct {
	keys        *auth.Keys   // nil for one that is made up
	certificate *certificate // nil without TLS of its own
}

// readSecrets reports everything that is wrong with them.
func (c config) readSecrets(log *slog.Logger) (secrets, error) {
	keys, wrongKeys := c.readKeys()
	cert, wrongCert := c.readCertificate(log)
	if err := errors.Join(wrongKeys, wrongCert); err != nil {
		return secrets{}, &exitError{exitUsage, err}
	}
	return secrets{keys, cert}, nil
}

// withServer is with, for the command that serves. Of settings it reports all
// that is wrong at once.
func (p *program) withServer(flags *pflag.FlagSet, seed bool, do func(*server) error) error {
	c, log, err := p.settings(flags)
	if seed && c.production {
		err = errors.Join(err, misused("TRESTLE_ENV is production, where demo data is never made; serve without --seed"))
	}
	own, wrong := c.readSecrets(log)
	if err := errors.Join(err, wrong); err != nil {
		return err
	}
	s, err := c.openServer(own, log)
	if err != nil {
		return err
	}
	defer s.close()
	return do(s)
}

// openServer connects to nothing yet.
func (c config) openServer(own secrets, log *slog.Logger) (*server, error) {
	identity := c.identityConfig(log)
	identity.JWT.Keys = own.keys
	counters, err := c.openCounters(log)
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	if counters != nil {
		identity.Counters = counters
	}
	s := &server{secrets: own, counters: counters}
	if s.site, err = c.open(identity, log); err != nil {
		return nil, errors.Join(err, s.closeCounters())
	}
	return s, nil
}

// openCounters are in the Redis of the settings; nil for the process itself.
func (c config) openCounters(log *slog.Logger) (*redisthrottle.Store, error) {
	if c.redisURL == "" {
		return nil, nil
	}
	return redisthrottle.Open(c.redisURL, redisthrottle.Options{Log: log})
}

func (s *server) closeCounters() error {
	if s.counters == nil {
		return nil
	}
	return s.counters.Close()
}

func (s *server) close() {
	s.site.close()
	_ = s.closeCounters()
}

// serve answers requests until ctx ends, and writes down what is left to write.
func (s *server) serve(ctx context.Context, api *framework.API, handler http.Handler, listener net.Listener) error {
	letHeapGrow()
	end := s.keepHouse(ctx, api)
	err := serveUntilStopped(ctx, s.httpServer(handler), listener, s.log)
	end()
	if err == nil {
		s.log.Info("stopped")
	}
	return err
}

// httpServer serves the API as the settings say.
func (s *server) httpServer(api http.Handler) *http.Server {
	made := newServer(api, s.log)
	if s.certificate != nil {
		made.TLSConfig = s.certificate.config()
	}
	return made
}

// tellOfKeys logs that JWTs end with the process, where they do.
func (s *server) tellOfKeys() {
	if s.keys == nil {
		s.log.Info("a key for JWTs was made up, so they are good in this process alone and until it stops; " +
			"to keep them, set " + jwtKeysVariable + " to what trestle jwt keygen makes")
	}
}
