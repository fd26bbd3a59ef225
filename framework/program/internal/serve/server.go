package serve

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync/atomic"
	"time"

	"github.com/spf13/pflag"

	"trestle.example/framework"
	"trestle.example/framework/httpserver"
	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/program/internal/site"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle/redisthrottle"
)

// A server is a site, and what it needs to serve.
type server struct {
	*site.Site

	config.Secrets
	counters *redisthrottle.Store // nil if the process counts
	apis     []*framework.API     // all APIs that it serves, once web has collected them
	readOnly atomic.Bool          // the database took no writes at the last check that it answered
	probe    *sqldb.DB            // a separate connection, so that a busy pool does not count as an outage
}

// withServer opens a server, calls do, and closes the server. It reports every wrong
// setting. In production, seed is an error. A missing SQLite file is an error unless the flag
// --migrate is set.
func withServer(run *command.Run, flags *pflag.FlagSet, seed bool, do func(*server) error) error {
	c, log, err := run.Settings(flags)
	if seed && c.Production {
		err = errors.Join(err, exit.Misused("%s is production, where demo data is never made; serve without --seed", run.Text("{PROGRAM}_ENV")))
	}
	own, wrong := c.ReadSecrets(log)
	if err := errors.Join(err, wrong, c.RequireHosts()); err != nil {
		return err
	}
	if migrate, _ := flags.GetBool("migrate"); !migrate {
		if err := c.RequireFile(); err != nil {
			return err
		}
	}
	s, err := openServer(run, c, own, log)
	if err != nil {
		return err
	}
	defer s.close()
	return do(s)
}

// openServer opens the database, the connection of probes, and Redis. It does not connect.
func openServer(run *command.Run, c config.Config, own config.Secrets, log *slog.Logger) (*server, error) {
	identity := c.IdentityConfig(log)
	identity.JWT.Keys = own.Keys
	counters, err := openCounters(c, log)
	if err != nil {
		return nil, exit.Misused("%w", err)
	}
	if counters != nil {
		identity.Counters = counters
	}
	s := &server{Secrets: own, counters: counters}
	if s.Site, err = run.Open(c, identity, log); err != nil {
		return nil, errors.Join(err, s.closeCounters())
	}
	if err := c.RequireMail(s.Identity.SendsMail()); err != nil {
		s.Site.Close()
		return nil, errors.Join(err, s.closeCounters())
	}
	if s.probe, err = sqldb.Open(c.DatabaseURL, sqldb.Options{
		MaxConns: 1, NoPrepare: !c.Prepare, ConnMaxLifetime: probeAge,
	}); err != nil {
		s.Site.Close()
		return nil, errors.Join(err, s.closeCounters())
	}
	return s, nil
}

// openCounters opens the Redis of the settings. It returns nil if the process counts.
func openCounters(c config.Config, log *slog.Logger) (*redisthrottle.Store, error) {
	if c.RedisURL == "" {
		return nil, nil
	}
	return redisthrottle.Open(c.RedisURL, redisthrottle.Options{Prefix: c.Program.Text("{program}:throttle:"), Log: log})
}

func (s *server) closeCounters() error {
	if s.counters == nil {
		return nil
	}
	return s.counters.Close()
}

func (s *server) close() {
	_ = s.probe.Close()
	s.Site.Close()
	_ = s.closeCounters()
}

// drainTime is how long requests under way may take when the server stops.
const drainTime = 25 * time.Second

// limitServer returns the limits of the HTTP server: how many connections may be open, and how
// many open files are left for the database and other uses. The other limits have their
// defaults.
func limitServer(s *site.Site) httpserver.Limits {
	// A connection of SQLite opens three files.
	return httpserver.Limits{Conns: s.MaxConns, SpareFiles: 128 + 4*s.DB.Stats().MaxOpenConnections}
}

// phases are the work of a server beside answering: begin prepares it, and greet runs when
// it is ready.
type phases struct{ begin, greet func(context.Context) error }

// serve answers requests until ctx ends, and completes the last writes. If a phase fails, it
// stops and returns the error. It serves /livez and /readyz from the beginning.
func (s *server) serve(ctx context.Context, web *httpserver.Server, listener net.Listener, do phases) error {
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
		end = startHousekeeping(ctx, s.Site, s.apis...)
		web.Ready()
		err = do.greet(serving)
	}
	switch {
	case err == nil:
	case serving.Err() != nil:
		err = nil // the server was stopped, or could not serve: then Serve returns the error
	default:
		stop()
	}
	err = errors.Join(err, <-ended)
	end()
	if err == nil {
		s.Log.Info("stopped")
	}
	return err
}

// web returns the HTTP server of the settings.
func (s *server) web(api *framework.API) (*httpserver.Server, error) {
	handler, err := api.Handler()
	if err != nil {
		return nil, err
	}
	beside, err := s.CollectBeside(api)
	if err != nil {
		return nil, err
	}
	s.apis = append([]*framework.API{api}, beside.APIs...)
	if handler, err = join(handler, beside.Handlers); err != nil {
		return nil, err
	}
	starting, err := api.Refusing(framework.Unavailable())
	if err != nil {
		return nil, err
	}
	o := httpserver.Options{
		Limits: limitServer(s.Site), Checks: append(s.checks(), beside.Checks...), Starting: starting,
		DrainDelay: s.Delay(), Drain: drainTime, Log: s.Log,
	}
	if s.Certificate != nil {
		o.TLS = s.Certificate.TLS()
	}
	return httpserver.New(nameOrigins(s.Config, handler, s.Log), o), nil
}

// probeAge is the longest life of a connection of probes. A new connection shows changes
// of the database, such as default_transaction_read_only.
const probeAge = 10 * time.Second

// checks returns the checks of /readyz.
func (s *server) checks() []httpserver.Check {
	all := []httpserver.Check{{Name: "database", Run: s.checkWrites}}
	if s.counters != nil {
		all = append(all, httpserver.Check{Name: "redis", Degrades: true, Run: s.counters.Ping})
	}
	return all
}

// checkWrites checks that the database takes writes; on SQLite it only checks that the database
// answers. When the database takes writes again, checkWrites closes the idle connections,
// because older connections keep default_transaction_read_only. A busy older connection is
// closed after its next write, which is answered 503.
func (s *server) checkWrites(ctx context.Context) error {
	err := s.probe.Writable(ctx)
	switch {
	case sqldb.IsReadOnly(err):
		s.readOnly.Store(true)
	case err == nil && s.readOnly.Swap(false):
		s.DB.CloseIdle()
	}
	return err
}

// logGeneratedKey logs that JWTs end with the process, if the server generated their key.
func (s *server) logGeneratedKey() {
	if s.Keys == nil {
		s.Log.Info("a key for JWTs was generated, so they are valid in this process only and until it stops; " +
			s.Text("to keep them, set {PROGRAM}_JWT_KEYS to what {program} jwt keygen makes"))
	}
}
