package program

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/sqldb"
)

// A site is what most commands work on: the settings, the database they name,
// and its accounts.
type site struct {
	Program
	config.Config

	db       *sqldb.DB
	identity *auth.Service
	users    *auth.Users
	log      *slog.Logger
}

// settings reads the settings, and warns of variables that are none. Every
// wrong setting is reported, that of the database among them.
func (p *program) settings(flags *pflag.FlagSet) (config.Config, *slog.Logger, error) {
	c, err := p.table().Read(flags, p.env)
	log := c.NewLog(p.Err)
	p.table().WarnUnknown(log, p.env)
	if err != nil {
		err = exit.Misused("%w", err)
	}
	return c, log, err
}

// open opens the database, which need not be up, and identity with it.
func (p Program) open(c config.Config, identity auth.Config, log *slog.Logger) (*site, error) {
	db, err := sqldb.Open(c.DatabaseURL, sqldb.Options{
		MaxConns: c.DBConns, StatementTimeout: c.StatementTimeout, QueueTimeout: c.QueueTimeout,
		NoPrepare: !c.Prepare, ReadOnly: c.ReadOnly, SetLocal: c.SetLocal,
		Replica: c.ReplicaURL, ReplicaChanged: replicaLog(log),
	})
	if err != nil {
		return nil, exit.Misused("%w", err)
	}
	service, err := p.Identity(identity)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &site{Program: p, Config: c, db: db, identity: service, users: service.Users, log: log}, nil
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

// forProject is what the functions of the project may use.
func (s *site) forProject() *Site {
	return &Site{DB: s.db, Identity: s.identity, PageSize: s.PageSize, Log: s.log, values: s.Own}
}

func (s *site) close() { _ = s.db.Close() }

// with is withNew, for commands that need a database that exists.
func (p *program) with(ctx context.Context, flags *pflag.FlagSet, do func(*site) error) error {
	return p.connect(ctx, flags, p.requireFile, do)
}

// withNew reads the settings, opens the site, connects to its database, hands it to do, and
// closes it. SQLite makes a file that does not exist.
func (p *program) withNew(ctx context.Context, flags *pflag.FlagSet, do func(*site) error) error {
	return p.connect(ctx, flags, func(config.Config) error { return nil }, do)
}

// requireFile is an error if the database is a SQLite file that does not exist.
func (p Program) requireFile(c config.Config) error {
	path := sqldb.File(c.DatabaseURL)
	if path == "" {
		return nil
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return exit.NeedsAction(p.text("the database file %s does not exist; run: {program} migrate up"), path)
	}
	return nil // any other error is the database's to report
}

func (p *program) connect(ctx context.Context, flags *pflag.FlagSet, require func(config.Config) error, do func(*site) error) error {
	c, log, err := p.settings(flags)
	if err == nil {
		err = require(c)
	}
	if err != nil {
		return err
	}
	c.SetLocal = true
	s, err := p.open(c, c.IdentityConfig(log), log)
	if err != nil {
		return err
	}
	defer s.close()
	bar := p.StartBar("Connecting")
	err = s.db.PingContext(ctx)
	bar.End()
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
	list, err := s.db.MigrationStatus(ctx, s.Migrations...)
	if err != nil {
		return err
	}
	names := pendingNames(list)
	switch len(names) {
	case 0:
		return nil
	case 1:
		return exit.NeedsAction(s.text("the database lacks the migration %s; run: {program} migrate up"), names[0])
	}
	return exit.NeedsAction(s.text("the database lacks %d migrations (%s); run: {program} migrate up"), len(names), strings.Join(names, ", "))
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

// api declares every service.
func (s *site) api(observers ...framework.Observer) *framework.API {
	common := s.Program.Config(s.forProject())
	common.PublicURL = s.PublicURL
	common.Hosts = s.Hosts
	common.TrustedProxies = s.TrustedProxies
	common.Timeout = s.RequestTimeout
	common.CORS = s.CORSOrigins
	if s.Production {
		common.HSTS = hsts
	}
	common.Log = s.log
	common.Slow = s.Slow
	common.Observers = observers
	api := framework.New(common)
	s.Register(api, s.forProject())
	return api
}

// declared is the checked API of the settings.
func (p *program) declared(flags *pflag.FlagSet) (*framework.API, error) {
	c, log, err := p.settings(flags)
	if err != nil {
		return nil, err
	}
	return p.declare(c, log)
}

// declare checks the API. It needs no database: the one that the API gets is never
// connected to.
func (p Program) declare(c config.Config, log *slog.Logger) (*framework.API, error) {
	c.DatabaseURL, c.ReplicaURL = "postgres://nobody@localhost/nothing", ""
	s, err := p.open(c, c.IdentityConfig(log), log)
	if err != nil {
		return nil, err
	}
	defer s.close()
	api := s.api()
	return api, api.Check()
}
