// Package serve has the commands serve and health.
package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/doctor"
	"trestle.example/framework/program/internal/schema"
	"trestle.example/framework/program/internal/site"
)

// A Demo is the demo data of a project, as the flag --seed of serve uses it.
type Demo struct {
	Visitor  string                                        // the e-mail address of the user whose token serve prints
	Requests func(base string, token auth.Secret) []string // the lines with requests to try
	Seed     func(context.Context, *site.Site) error       // fills an empty database
}

// NewServeCommand returns the command serve. demo is nil without demo data.
func NewServeCommand(run *command.Run, demo *Demo) *cobra.Command {
	use, example, never := "serve [--migrate] [flags]", "--migrate", ""
	if demo != nil {
		use, example, never = "serve [--migrate] [--seed] [flags]", "--migrate --seed", "\nWithout --seed, the server makes no demo data."
	}
	c := run.New(cobra.Command{
		Use:   use,
		Short: "Serve the API",
		Long:  serveNotes + never,
		Example: "  {program} serve " + example + `
  DATABASE_URL=postgres://app@localhost/{program} {program} serve --addr :8080`,
	}, func(cmd *cobra.Command, _ []string) error { return runServe(run, demo, cmd) })
	c.Flags().Bool("migrate", false, "apply pending migrations first")
	if demo != nil {
		c.Flags().Bool("seed", false, "fill an empty database with demo data first, and print a token to try it with")
	}
	run.AddSettings(c.Flags(), true)
	return c
}

// serveNotes is the help of serve.
const serveNotes = `Serve answers requests until it receives SIGINT or SIGTERM. /readyz then reports that
the server is stopping. The server accepts requests for the time of --drain-delay, and
completes accepted requests within 25 seconds. A second signal ends it at once. SIGHUP
reloads the TLS certificate at once. SIGHUP and SIGPIPE never end a server.

/livez answers 200 while the server runs. /readyz answers 200 while the server can
answer requests, else 503. The server waits for PostgreSQL to accept connections. If a
migration is pending, or a table or a column of a resource is missing, serve ends with
exit code 3.

Every setting is a flag, else an environment variable, else a default. The keys of JWTs
have no flag, because other users of the machine may see a flag: set {PROGRAM}_JWT_KEYS.
The first key signs; {program} jwt keygen makes a key. Without the variable the server
generates a key that is valid until the server stops.

Mails go to the server of {PROGRAM}_SMTP_URL, which has no flag either, because it
contains a password. Without the variable they go to the log in development. In
production a service that sends mails does not start without it.

With {PROGRAM}_OIDC_ISSUER people sign in by that identity provider, at /auth/oidc/sso/
below the prefix of the API. Its secret, {PROGRAM}_OIDC_CLIENT_SECRET, has no flag.

With {PROGRAM}_ENV=production the server accepts credentials by TLS only: its own
(--tls-cert and --tls-key) or that of a proxy (--trusted-proxies). It requires
{PROGRAM}_JWT_KEYS and a name of its own (--public-url or --hosts). For a year, browsers
that came by TLS use TLS only.`

func runServe(run *command.Run, demo *Demo, cmd *cobra.Command) error {
	ctx := cmd.Context()
	migrate, _ := cmd.Flags().GetBool("migrate")
	seed, _ := cmd.Flags().GetBool("seed")
	if !seed {
		demo = nil
	}
	outliveReaders(run)
	return withServer(run, cmd.Flags(), seed, func(s *server) error {
		defer s.reloadOnSIGHUP()()
		watch, err := s.watch(ctx)
		if err != nil {
			return err
		}
		defer watch.end()
		api := s.API(watch.observers...)
		web, err := s.web(api)
		if err != nil {
			return err
		}
		if err := watch.include(s, web); err != nil {
			return err
		}
		listener, err := listen(ctx, s.Site)
		if err != nil {
			return err
		}
		return s.serve(ctx, web, listener, phases{
			begin: func(ctx context.Context) error { return begin(ctx, run, s, migrate, demo) },
			greet: func(ctx context.Context) error { return welcome(ctx, run, s.Site, listener.Addr(), demo) },
		})
	})
}

// begin prepares the server until it is ready. The server listens before begin is called: an
// address that is in use is reported before begin prints demo passwords, which are shown once.
func begin(ctx context.Context, run *command.Run, s *server, migrate bool, demo *Demo) error {
	doctor.WarnOfSettings(s.Site)
	s.logGeneratedKey()
	if err := prepareInTime(ctx, run, s, migrate); err != nil {
		return err
	}
	doctor.WarnOfPooler(ctx, s.Site)
	if demo == nil {
		return nil
	}
	return demo.Seed(ctx, s.Site)
}

// prepare applies the pending migrations if migrate is true. It returns an error if the
// schema is then incomplete.
func prepare(ctx context.Context, run *command.Run, s *server, migrate bool) error {
	if migrate {
		if err := schema.MigrateUp(ctx, run, s.Site); err != nil {
			return err
		}
	}
	return s.RequireSchema(ctx, s.apis...)
}

// listen listens at the address. If the address is in use or not permitted, the error says
// how to choose another one.
func listen(ctx context.Context, s *site.Site) (net.Listener, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", s.Addr)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("the address %s is in use; try %s", s.Addr, describeAddress(s.Config, nextAddress(s.Addr)))
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("the address %s is not open to this user; try a port above 1023, as in %s", s.Addr, describeAddress(s.Config, "127.0.0.1:8080"))
	case err != nil:
		return nil, fmt.Errorf("listening on %s: %v", s.Addr, err) //nolint:errorlint // if it were wrapped, it would count as a fault of the database
	}
	return listener, nil
}

// describeAddress returns the setting that chooses another address: the flag if it was
// used, else the variable and the flag.
func describeAddress(c config.Config, addr string) string {
	if c.AddrByFlag {
		return "--addr " + addr
	}
	return c.Program.Text("{PROGRAM}_ADDR=") + addr + " (or --addr " + addr + ")"
}

// nextAddress returns the same address with the next port, or with 8080 if there is none.
func nextAddress(addr string) string {
	host, port, _ := net.SplitHostPort(addr)
	n, err := strconv.Atoi(port)
	if err != nil || n >= 65535 {
		n = 8079
	}
	return net.JoinHostPort(host, strconv.Itoa(n+1))
}
