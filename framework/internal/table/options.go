package table

import (
	"log/slog"
	"net/netip"
	"strings"
	"time"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/access"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/rule"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// Options are the settings of an API, field by field those of framework.Config.
type Options struct {
	DB              *sqldb.DB
	Prefix          string
	Title           string
	Doc             string
	Version         string
	Undocumented    bool
	Authentication  []call.Authenticator
	Permission      call.Permission
	Guards          []call.Guard
	Throttles       []call.Throttle
	Pagination      query.Pagination
	Strict          declare.Strictness
	Slash           declare.Slash
	ErrorShape      problem.ErrorShape
	Codes           []problem.CodeInfo
	Rules           []rule.Own
	ForeignTags     []string
	Statuses        map[string]int
	Case            naming.Case
	PublicURL       string
	Hosts           []string
	TrustedProxies  []netip.Prefix
	CORS            []string
	HSTS            time.Duration
	MaxRows         int
	IdempotencyKeys int
	Timeout         time.Duration
	Now             func() time.Time
	Log             *slog.Logger
	Slow            time.Duration
	Compress        bool
	Observers       []call.Observer
	FileKeys        [][]byte
	CursorKeys      [][]byte
	Console         declare.Console
}

// Complete returns the settings. A setting that is not set has its default.
func (c Options) Complete() Options {
	if c.Prefix == "" {
		c.Prefix = "/api"
	}
	c.Prefix = strings.TrimRight("/"+strings.Trim(c.Prefix, "/"), "/")
	if c.Title == "" {
		c.Title = "API"
	}
	if c.Version == "" {
		c.Version = "1.0"
	}
	if c.Permission == nil {
		c.Permission = access.Authenticated()
	}
	if c.ErrorShape == nil {
		c.ErrorShape = problem.ProblemJSON{}
	}
	if c.MaxRows == 0 {
		c.MaxRows = 1000
	}
	if c.IdempotencyKeys == 0 {
		c.IdempotencyKeys = 10_000
	}
	if c.Timeout == 0 {
		c.Timeout = 15 * time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	c.PublicURL = strings.TrimRight(c.PublicURL, "/")
	return c
}
