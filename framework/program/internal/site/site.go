package site

import (
	"log/slog"
	"slices"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/program/internal/config"
	"trestle.example/framework/sqldb"
	"trestle.example/framework/throttle"
)

// A Site is a deployment of a project: the settings, the database, and the accounts in it.
type Site struct {
	Project
	config.Config

	DB       *sqldb.DB
	Identity *auth.Service
	Users    *auth.Users
	Log      *slog.Logger

	consoleAt   string               // the path of the console, once there is an API; "" for none
	offersFirst bool                 // the console makes the first superuser
	counters    throttle.Store       // of rates; nil for the process itself
	observers   []framework.Observer // of each API of the program
}

// Close closes the database.
func (s *Site) Close() { _ = s.DB.Close() }

// hsts is how long browsers remember that the server speaks TLS.
const hsts = 365 * 24 * time.Hour

// API returns a new API with every service. It replaces parts of the project's configuration
// with the settings. It does not check the declarations. Further APIs get the observers too.
func (s *Site) API(observers ...framework.Observer) *framework.API {
	s.observers = observers
	common := s.Configure(s.Common(s))
	common.Codes = s.addProviderCodes(common.Codes)
	s.consoleAt = s.ConsolePath(common.Console.Path, s.hasUsers() && common.Prefix != "/")
	common.Console.Path = s.consoleAt
	common.Console.Redirect = common.Console.Redirect || !s.Production
	api := framework.New(common)
	s.Register(api, s)
	if s.hasUsers() {
		api.AddConsoleSignIn(s.Identity.ConsoleSignIn())
	}
	s.offersFirst = s.consoleAt != "" && s.hasUsers() && common.Console.Session == ""
	return api
}

// hasUsers reports whether the program has the tables of package auth.
func (s *Site) hasUsers() bool {
	return slices.ContainsFunc(s.Migrations, func(m sqldb.Migrations) bool { return m.Namespace == auth.Migrations().Namespace })
}

// Configure replaces parts of a configuration with the settings.
func (s *Site) Configure(common framework.Config) framework.Config {
	common.PublicURL = s.PublicURL
	common.Hosts = s.Hosts
	common.TrustedProxies = s.TrustedProxies
	common.Timeout = s.RequestTimeout
	common.CORS = s.CORSOrigins
	common.Compress = s.Compress
	if s.Production {
		common.HSTS = hsts
	}
	common.Log = s.Log
	common.Slow = s.Slow
	common.Observers = s.observers
	return common
}
