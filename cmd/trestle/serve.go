package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"
)

// drainTime is how long requests under way may take when the server stops.
const drainTime = 20 * time.Second

func (p *program) serveCommand() *cobra.Command {
	c := p.command(cobra.Command{
		Use:   "serve [--migrate] [--seed] [flags]",
		Short: "Serve the API",
		Long: `Serve answers requests until it is told to stop by SIGINT or SIGTERM: it then
takes no new ones and gives those under way 20 seconds. A second signal ends it
at once.

Every setting is a flag, else an environment variable, else a default. One has
no flag, because other users of the machine may see a flag: TRESTLE_JWT_KEYS,
the keys of JWTs, of which the first signs; trestle jwt keygen makes one. Without
it, a key is made up that is good until the server stops.

With TRESTLE_ENV=production the server takes credentials by TLS alone, its own
(--tls-cert and --tls-key) or that of a proxy (--trusted-proxies); it does not
start without TRESTLE_JWT_KEYS, tells browsers to come by nothing but TLS for a
year, and never makes demo data.`,
		Example: `  trestle serve --migrate --seed
  DATABASE_URL=postgres://app@localhost/clinic trestle serve --addr :8080`,
	}, p.serve)
	c.Flags().Bool("migrate", false, "apply pending migrations first")
	c.Flags().Bool("seed", false, "fill an empty database with demo data first, and print a token to try it with")
	addSettings(c.Flags(), true)
	return c
}

func (p *program) serve(cmd *cobra.Command, _ []string) error {
	ctx := cmd.Context()
	migrate, _ := cmd.Flags().GetBool("migrate")
	seed, _ := cmd.Flags().GetBool("seed")
	return p.withServer(cmd.Flags(), seed, func(s *server) error {
		api := s.api(s.db, s.identity, s.log)
		handler, err := api.Handler()
		if err != nil {
			return err
		}
		if err := p.prepare(ctx, s.site, migrate); err != nil {
			return err
		}
		listener, err := s.listen(ctx)
		if err != nil {
			return err
		}
		if err := p.greet(ctx, s, listener.Addr(), seed); err != nil {
			return errors.Join(err, listener.Close())
		}
		return s.serve(ctx, api, handler, listener)
	})
}

// prepare brings the schema to where it can be served.
func (p *program) prepare(ctx context.Context, s *site, migrate bool) error {
	if migrate {
		return p.migrateUp(ctx, s)
	}
	return s.requireMigrated(ctx)
}

// greet seeds, if asked to, and says where the server is. The address is taken
// by then: passwords that are shown once are not followed by a failure.
func (p *program) greet(ctx context.Context, s *server, addr net.Addr, seed bool) error {
	s.warnOfSettings()
	s.tellOfKeys()
	if seed {
		if err := p.sow(ctx, s.site, sowingAt(1)); err != nil {
			return err
		}
	}
	return p.welcome(ctx, s.site, addr, seed)
}

// listen takes the address, or says why it cannot and how another is chosen.
func (s *site) listen(ctx context.Context) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("the address %s is in use; try %s", s.addr, s.choosing(next(s.addr)))
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("the address %s is not open to this user; try a port above 1023, as in %s", s.addr, s.choosing("127.0.0.1:8080"))
	case err != nil:
		return nil, fmt.Errorf("listening on %s: %v", s.addr, err) //nolint:errorlint // wrapped, it would pass for a fault of the database
	}
	return listener, nil
}

// choosing is how another address is said: by the flag, if that was used, else
// by the variable, which works below make too.
func (c config) choosing(addr string) string {
	if c.addrByFlag {
		return "--addr " + addr
	}
	return "TRESTLE_ADDR=" + addr + " (or --addr " + addr + ")"
}

// next is the same address with the next port.
func next(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	n, err := strconv.Atoi(port)
	if err != nil || n >= 65535 {
		n = 8079
	}
	return net.JoinHostPort(host, strconv.Itoa(n+1))
}

// newServer bounds what one client can hold, in time and in memory.
func newServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		WriteTimeout:      60 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// serveUntilStopped serves until ctx ends, and lets requests under way finish.
func serveUntilStopped(ctx context.Context, server *http.Server, listener net.Listener, log *slog.Logger) error {
	served := make(chan error, 1)
	speaksTLS := server.TLSConfig != nil // before it serves: net/http completes it
	go func() { served <- serveOn(server, listener, speaksTLS) }()
	log.Info("serving", "address", listener.Addr().String(), "tls", speaksTLS)
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	log.Info("stopping", "drain", drainTime.String())
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	if err := server.Shutdown(drain); err != nil {
		return fmt.Errorf("requests were still under way after %s and were cut off: %w", drainTime, errors.Join(err, server.Close()))
	}
	return nil
}

func serveOn(server *http.Server, listener net.Listener, speaksTLS bool) error {
	if speaksTLS {
		return server.ServeTLS(listener, "", "") // its TLSConfig has the certificate
	}
	return server.Serve(listener)
}
