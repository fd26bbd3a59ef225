package program

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"time"

	"github.com/spf13/pflag"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/httpserver"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle/redisthrottle"
)

// A server is a site with what it takes to serve it.
type server struct {
	*site

	secrets
	counters *redisthrottle.Store // nil where the process counts
	probe    *sqldb.DB            // a connection apart, so that a busy pool is no outage
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
		return secrets{}, exit.Misused("%w", err)
	}
	return secrets{keys, cert}, nil
}

// withServer is with, for the command that serves. Of settings it reports all
// that is wrong at once.
func (p *program) withServer(flags *pflag.FlagSet, seed bool, do func(*server) error) error {
	c, log, err := p.settings(flags)
	if seed && c.production {
		err = errors.Join(err, exit.Misused("%s is production, where demo data is never made; serve without --seed", p.text("{PROGRAM}_ENV")))
	}
	own, wrong := c.readSecrets(log)
	if err := errors.Join(err, wrong, c.nameless()); err != nil {
		return err
	}
	s, err := p.openServer(c, own, log)
	if err != nil {
		return err
	}
	defer s.close()
	return do(s)
}

// nameless refuses a server in production that would believe any Host: links in
// its answers would lead where the request says.
func (c config) nameless() error {
	if !c.production || c.publicURL != "" || len(c.hosts) > 0 {
		return nil
	}
	return exit.Misused("%s", c.text("{PROGRAM}_ENV is production, and nothing says by which name clients reach the server; "+
		"set {PROGRAM}_PUBLIC_URL (--public-url) or {PROGRAM}_HOSTS (--hosts)"))
}

// openServer connects to nothing yet.
func (p *program) openServer(c config, own secrets, log *slog.Logger) (*server, error) {
	identity := c.identityConfig(log)
	identity.JWT.Keys = own.keys
	counters, err := c.openCounters(log)
	if err != nil {
		return nil, exit.Misused("%w", err)
	}
	if counters != nil {
		identity.Counters = counters
	}
	s := &server{secrets: own, counters: counters}
	if s.site, err = p.open(c, identity, log); err != nil {
		return nil, errors.Join(err, s.closeCounters())
	}
	if s.probe, err = sqldb.Open(c.databaseURL, sqldb.Options{
		MaxConns: 1, NoPrepare: !c.prepare, ConnMaxLifetime: probeAge,
	}); err != nil {
		s.site.close()
		return nil, errors.Join(err, s.closeCounters())
	}
	return s, nil
}

// openCounters are in the Redis of the settings; nil for the process itself.
func (c config) openCounters(log *slog.Logger) (*redisthrottle.Store, error) {
	if c.redisURL == "" {
		return nil, nil
	}
	return redisthrottle.Open(c.redisURL, redisthrottle.Options{Prefix: c.text("{program}:throttle:"), Log: log})
}

func (s *server) closeCounters() error {
	if s.counters == nil {
		return nil
	}
	return s.counters.Close()
}

func (s *server) close() {
	_ = s.probe.Close()
	s.site.close()
	_ = s.closeCounters()
}

// phases are what a server does beside answering: begin brings it to where it is
// ready, greet follows when it is.
type phases struct{ begin, greet func(context.Context) error }

// serve answers requests until ctx ends, and writes down what is left to write.
// It listens from the first, so that its health can be asked for.
func (s *server) serve(ctx context.Context, api *framework.API, web *httpserver.Server, listener net.Listener, do phases) error {
	letHeapGrow()
	serving, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		ended <- web.Serve(serving, listener)
		stop()
	}()
	end := func() {}
	err := do.begin(serving)
	if err == nil {
		end = s.keepHouse(ctx, api)
		web.Ready()
		err = do.greet(serving)
	}
	switch {
	case err == nil:
	case serving.Err() != nil:
		err = nil // it was stopped meanwhile, or could not serve, which Serve tells
	default:
		stop()
	}
	err = errors.Join(err, <-ended)
	end()
	if err == nil {
		s.log.Info("stopped")
	}
	return err
}

// web serves the API as the settings say.
func (s *server) web(api *framework.API) (*httpserver.Server, error) {
	handler, err := api.Handler()
	if err != nil {
		return nil, err
	}
	starting, err := api.Refusing(framework.Unavailable())
	if err != nil {
		return nil, err
	}
	o := httpserver.Options{
		Limits: s.limits(), Checks: s.checks(), Starting: starting,
		DrainDelay: s.delay(), Drain: drainTime, Log: s.log,
	}
	if s.certificate != nil {
		o.TLS = s.certificate.config()
	}
	return httpserver.New(s.naming(handler, s.log), o), nil
}

// probeAge is the age of a connection of probes: a new one finds out what has become
// of the database, such as default_transaction_read_only.
const probeAge = 10 * time.Second

// checks are of what the server needs.
func (s *server) checks() []httpserver.Check {
	all := []httpserver.Check{{Name: "database", Run: s.probe.Writable}}
	if s.counters != nil {
		all = append(all, httpserver.Check{Name: "redis", Degrades: true, Run: s.counters.Ping})
	}
	return all
}

// tellOfKeys logs that JWTs end with the process, where they do.
func (s *server) tellOfKeys() {
	if s.keys == nil {
		s.log.Info("a key for JWTs was made up, so they are good in this process alone and until it stops; " +
			s.text("to keep them, set {PROGRAM}_JWT_KEYS to what {program} jwt keygen makes"))
	}
}
