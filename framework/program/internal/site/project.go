// Package site opens a deployment of a project: its settings, its database, its users and
// its API.
package site

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/program/internal/exit"
	"trestle.example/framework/sqldb"
)

// A Project is the declaration of a program, as the commands use it.
type Project struct {
	config.Name

	OwnSettings []config.Setting // beside the built-in ones
	Migrations  []sqldb.Migrations
	NewIdentity func(auth.Config) (*auth.Service, error)
	Common      func(*Site) framework.Config // the configuration of the API
	Register    func(*framework.API, *Site)  // adds every service

	Beside func(*framework.API, *Site) (Beside, error) // what is served beside the API; may be nil
}

// Table returns all settings of the project.
func (p Project) Table() config.Table { return config.Table{Program: p.Name, Own: p.OwnSettings} }

// Open opens the database and the service of identity. It does not connect. An error of the
// database's settings has exit code 2. The caller must close the site.
func (p Project) Open(c config.Config, identity auth.Config, log *slog.Logger) (*Site, error) {
	db, err := sqldb.Open(c.DatabaseURL, sqldb.Options{
		MaxConns: c.DBConns, StatementTimeout: c.StatementTimeout, QueueTimeout: c.QueueTimeout,
		NoPrepare: !c.Prepare, ReadOnly: c.ReadOnly, SetLocal: c.SetLocal,
		Replica: c.ReplicaURL, ReplicaChanged: replicaLog(log),
	})
	if err != nil {
		return nil, exit.Misused("%w", err)
	}
	service, err := p.NewIdentity(identity)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &Site{Project: p, Config: c, DB: db, Identity: service, Users: service.Users, Log: log, counters: identity.Counters}, nil
}

// replicaLog returns a function that logs when reads begin or stop using the replica.
func replicaLog(log *slog.Logger) func(error) {
	return func(err error) {
		if err != nil {
			log.Warn("reads do not go to the replica; the primary answers them", "error", err.Error())
			return
		}
		log.Info("reads go to the replica")
	}
}

// RequireMail returns an error with exit code 2 if the service sends mails in production and the
// settings name no mail server.
func (p Project) RequireMail(c config.Config, log *slog.Logger) error {
	identity, err := p.NewIdentity(c.IdentityConfig(log))
	if err != nil {
		return err
	}
	return c.RequireMail(identity.SendsMail())
}

// Declare returns the API and the error of its check, or else of what is beside it. It replaces the database by one that it
// never connects to, and closes it.
func (p Project) Declare(c config.Config, log *slog.Logger) (*framework.API, error) {
	c.DatabaseURL, c.ReplicaURL = "postgres://nobody@localhost/nothing", ""
	s, err := p.Open(c, c.IdentityConfig(log), log)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	api := s.API()
	err = api.Check()
	if err == nil {
		_, err = s.CollectBeside(api)
	}
	return api, err
}

// Explain returns the text of an error. For some faults of the database it adds what a person
// at a terminal can do. For [context.Canceled] it returns "interrupted".
func (p Project) Explain(err error) string {
	if missing, ok := errors.AsType[*sqldb.MissingRecordError](err); ok {
		return missing.Error() + "; " + p.CureRecord(missing)
	}
	fault, ok := sqldb.Classify(err)
	switch {
	case errors.Is(err, context.Canceled):
		return "interrupted"
	case errors.Is(err, sqldb.ErrPooled):
		return fmt.Sprintf(p.Text("a pooler before the database gives a connection to each transaction; set {PROGRAM}_PREPARE=off (%v)"), err)
	case sqldb.IsReadOnly(err):
		return fmt.Sprintf("the database takes no writes; does DATABASE_URL name the primary, and is default_transaction_read_only off? (%v)", err)
	case sqldb.IsDenied(err):
		return fmt.Sprintf("the role of DATABASE_URL lacks a right in the database; grant it, or make the role the owner (%v)", err)
	case ok && fault.Kind == sqldb.Unavailable && sqldb.IsSQLite(err):
		return fmt.Sprintf("the SQLite file cannot be used; is it a database, and may this user read and write it and its folder? (%v)", err)
	case ok && fault.Kind == sqldb.Unavailable:
		return fmt.Sprintf("the database cannot be reached; is it running, and is DATABASE_URL right? (%v)", err)
	case ok && fault.Kind == sqldb.Full:
		return fmt.Sprintf("the disk of the database is full (%v)", err)
	}
	return err.Error()
}
