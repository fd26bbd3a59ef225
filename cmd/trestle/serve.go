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

Every setting is a flag, else an environment variable, else a default.`,
		Example: `  trestle serve --migrate --seed
  DATABASE_URL=postgres://app@localhost/clinic trestle serve --addr :8080`,
	}, p.serve)
	c.Flags().Bool("migrate", false, "apply pending migrations first")
	c.Flags().Bool("seed", false, "fill an empty database with demo data first, and print a token to try it with")
	addSettings(c.Flags(), true)
	return c
}

func (p *program) serve(cmd *cobra.Command, _ []string) error {
	migrate, _ := cmd.Flags().GetBool("migrate")
	seed, _ := cmd.Flags().GetBool("seed")
	return p.with(cmd.Flags(), func(s *site) error {
		handler, err := s.api(s.db, s.log).Handler()
		if err != nil {
			return err
		}
		if seed && s.production {
			return misused("TRESTLE_ENV is production, where demo data is never made; serve without --seed")
		}
		if err := p.prepare(cmd.Context(), s, migrate); err != nil {
			return err
		}
		listener, err := s.listen(cmd.Context())
		if err != nil {
			return err
		}
		if err := p.greet(cmd.Context(), s, listener.Addr(), seed); err != nil {
			return errors.Join(err, listener.Close())
		}
		return serveUntilStopped(cmd.Context(), newServer(handler, s.log), listener, s.log)
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
func (p *program) greet(ctx context.Context, s *site, addr net.Addr, seed bool) error {
	s.warnOfSettings()
	if seed {
		if err := p.sow(ctx, s, sowingAt(1)); err != nil {
			return err
		}
	}
	return p.welcome(ctx, s, addr, seed)
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
	go func() { served <- server.Serve(listener) }()
	log.Info("serving", "address", listener.Addr().String())
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
	log.Info("stopped")
	return nil
}
