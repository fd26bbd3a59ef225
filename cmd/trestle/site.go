package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/sqldb"
	"trestle.example/resources"
)

// A site is what most commands work on: the settings, the database they name,
// and its accounts.
type site struct {
	config
	db       *sqldb.DB
	identity *auth.Service
	users    *auth.Users
	log      *slog.Logger
}

// settings reads the settings, and warns of variables that are none. Every
// wrong setting is reported, that of the database among them.
func (p *program) settings(flags *pflag.FlagSet) (config, *slog.Logger, error) {
	c, err := readConfig(flags, p.env)
	log := newLog(p.stderr, c)
	warnUnknown(log, p.env)
	if err != nil {
		err = &exitError{exitUsage, err}
	}
	return c, log, err
}

// open opens the database, which need not be up, and identity with it.
func (c config) open(identity auth.Config, log *slog.Logger) (*site, error) {
	db, err := sqldb.Open(c.databaseURL, sqldb.Options{
		MaxConns: c.dbConns, StatementTimeout: c.statementTimeout, QueueTimeout: c.queueTimeout,
		NoPrepare: !c.prepare, ReadOnly: c.readOnly, SetLocal: c.setLocal,
		Replica: c.replicaURL, ReplicaChanged: replicaLog(log),
	})
	if err != nil {
		return nil, &exitError{exitUsage, err}
	}
	service, err := resources.Identity(identity)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &site{config: c, db: db, identity: service, users: service.Users, log: log}, nil
}

// replicaLog writes a line whenever the use of the replica begins or ends.
func replicaLog(log *slog.Logger) func(error) {
	return func(err error) {
		if err != nil {
			log.Warn("reads do not go to the replica; the primary answers them", "error", err.Error())
			return
		}
		log.Info("reads go to the replica")
	}
}

func (s *site) close() { _ = s.db.Close() }

// with reads the settings, opens the site, connects to its database, hands it to do, and
// closes it.
func (p *program) with(ctx context.Context, flags *pflag.FlagSet, do func(*site) error) error {
	c, log, err := p.settings(flags)
	if err != nil {
		return err
	}
	c.setLocal = true
	s, err := c.open(c.identityConfig(log), log)
	if err != nil {
		return err
	}
	defer s.close()
	bar := p.progressBar("Connecting")
	err = s.db.PingContext(ctx)
	bar.end()
	if err != nil {
		return err
	}
	return do(s)
}

// withMigrated is with, for commands that need the tables.
func (p *program) withMigrated(ctx context.Context, flags *pflag.FlagSet, do func(*site) error) error {
	return p.with(ctx, flags, func(s *site) error {
		if err := s.requireMigrated(ctx); err != nil {
			return err
		}
		return do(s)
	})
}

// requireMigrated is an error that names what to do when migrations are
// pending.
func (s *site) requireMigrated(ctx context.Context) error {
	list, err := s.db.MigrationStatus(ctx, resources.Migrations()...)
	if err != nil {
		return err
	}
	names := pendingNames(list)
	switch len(names) {
	case 0:
		return nil
	case 1:
		return needsAction("the database lacks the migration %s; run: trestle migrate up", names[0])
	}
	return needsAction("the database lacks %d migrations (%s); run: trestle migrate up", len(names), strings.Join(names, ", "))
}

// pendingNames are the migrations that were not applied yet.
func pendingNames(list []sqldb.Migration) (names []string) {
	for _, m := range list {
		if m.AppliedAt.IsZero() {
			names = append(names, m.String())
		}
	}
	return names
}

// hsts is how long browsers remember that the server speaks TLS.
const hsts = 365 * 24 * time.Hour

// api declares every service, on db.
func (c config) api(db *sqldb.DB, identity *auth.Service, log *slog.Logger, observers ...framework.Observer) *framework.API {
	common := resources.Config(db, c.pageSize, identity)
	common.PublicURL = c.publicURL
	common.Hosts = c.hosts
	common.TrustedProxies = c.trustedProxies
	common.Timeout = c.requestTimeout
	common.CORS = c.corsOrigins
	if c.production {
		common.HSTS = hsts
	}
	common.Log = log
	common.Slow = c.slow
	common.Observers = observers
	api := framework.New(common)
	resources.Register(api, identity)
	return api
}

// declared is the checked API of the settings.
func (p *program) declared(flags *pflag.FlagSet) (*framework.API, error) {
	c, log, err := p.settings(flags)
	if err != nil {
		return nil, err
	}
	return c.declared(log)
}

// declared is the checked API without a database: the one it is given is never
// connected to.
func (c config) declared(log *slog.Logger) (*framework.API, error) {
	db, err := sqldb.Open("postgres://nobody@localhost/nothing", sqldb.Options{})
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	identity, err := resources.Identity(c.identityConfig(log))
	if err != nil {
		return nil, err
	}
	api := c.api(db, identity, log)
	return api, api.Check()
}

func newLog(w io.Writer, c config) *slog.Logger {
	o := &slog.HandlerOptions{Level: c.logLevel}
	if c.logJSON {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}

// sayf writes a line for the person at the terminal.
func (p *program) sayf(format string, args ...any) {
	fmt.Fprintf(p.stderr, format+"\n", args...)
}

// print writes one line of the result.
func (p *program) print(line string) error {
	_, err := fmt.Fprintln(p.stdout, line)
	return err
}
