package framework

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bind"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/web"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// Config is what a whole API has in common. Only DB is required, and Pagination
// where there are lists. A viewset, a
// verb or an action may differ where its own fields say so.
type Config struct {
	// DB is the database.
	DB *sqldb.DB
	// Prefix is the path of the API root, "/" for none. Defaults to "/api".
	Prefix string
	// Title names the API to people. Defaults to "API".
	Title string
	// Doc describes the API to its clients. Defaults to none.
	Doc string
	// Version is the label of the reference. Defaults to "1.0".
	Version string
	// Undocumented serves neither the reference nor its page, which everybody
	// can read otherwise. Defaults to false.
	Undocumented bool
	// Authentication lists the schemes tried in turn. Defaults to none: every
	// caller is anonymous.
	Authentication []call.Authenticator
	// Permission is asked where nothing nearer is declared. Defaults to
	// Authenticated.
	Permission call.Permission
	// Guards protect whole prefixes, before routing.
	Guards []call.Guard
	// Throttles are asked in turn. Defaults to none.
	Throttles []call.Throttle
	// Pagination cuts lists into pages. Required where a list does not name
	// its own: every list is paged.
	Pagination query.Pagination
	// Strict refuses what would be ignored and told. Defaults to Lenient.
	Strict declare.Strictness
	// Slash says how canonical paths end. Defaults to WithSlash.
	Slash declare.Slash
	// ErrorShape is the body of errors. Defaults to ProblemJSON, RFC 9457.
	ErrorShape problem.ErrorShape
	// Codes explain the program's own error codes at {prefix}/errors/{code}, and those of
	// faults that a Check or a function of its own finds.
	Codes []problem.CodeInfo
	// PublicURL is where clients reach the server, "https://api.example.org";
	// absolute links begin with it. Defaults to the request's own host.
	PublicURL string
	// Hosts are the names that a request's Host may have, without a port,
	// when PublicURL is not set. Defaults to any.
	Hosts []string
	// TrustedProxies are the networks of proxies in front of the server, whose
	// X-Forwarded-For tells the client's address and whose X-Forwarded-Proto
	// tells whether it spoke TLS. Defaults to none.
	TrustedProxies []netip.Prefix
	// CORS are the origins, "https://app.example.org", whose pages may send
	// requests and read the answers, with credentials that they send themselves,
	// such as a token: a browser's cookies stay out. Defaults to none.
	CORS []string
	// HSTS is for how long browsers that came by TLS are to come by nothing
	// else, in whole seconds (RFC 6797). Defaults to none: they are not told.
	HSTS time.Duration
	// MaxRows is how many rows an answer outside of pages may have, as of
	// [Find]. Defaults to 1,000.
	MaxRows int
	// IdempotencyKeys is how many keys a caller may have within 24 hours, since
	// the answers under them take room. Further ones are 429. Defaults to 10,000.
	IdempotencyKeys int
	// Timeout ends a request's work in the database. Defaults to 15 seconds.
	Timeout time.Duration
	// Now is the clock. Defaults to time.Now.
	Now func() time.Time
	// Log receives one line per request and every internal error. Defaults to
	// slog.Default.
	Log *slog.Logger
	// Slow is from when on a request's line in the log is a warning. Defaults to
	// none.
	Slow time.Duration
	// Observers are told of every request, in turn. Defaults to none.
	Observers []call.Observer
}

// An API is a set of registered resources. Register everything, then take its
// [API.Handler] once; after that it is safe for concurrent use.
type API struct {
	registry *table.Registry
	declared []*declare.Declaration
	bound    bool
	mistakes error
	watched  sync.Once // the database, for the log
}

// New makes an API without resources.
func New(c Config) *API {
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
		c.Permission = call.Authenticated()
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
	return &API{registry: table.NewRegistry(table.Options(c))}
}

// Register adds viewsets, in the order in which the API root lists them. They
// may refer to each other by name in any order: names are checked by [API.Handler]
// and [API.Check]. It panics after either, for what it added would not be served.
func (a *API) Register(resources ...Resource) {
	if a.bound {
		panic("framework: Register after Check or Handler; register everything first")
	}
	for _, r := range resources {
		a.declared = append(a.declared, r.declare()...)
	}
}

// Check binds every declaration and reports each mistake as a sentence that
// names the resource, the place and the nearest right name. It does not touch
// the database.
func (a *API) Check() error {
	if a.bound {
		return a.mistakes
	}
	a.bound = true
	a.mistakes = bind.BindAll(a.registry, a.declared)
	return a.mistakes
}

// Handler checks every declaration, as [API.Check] does, and returns the
// server: the API under its prefix, with its reference, the first page at /
// and the pages of its error codes. The reference is written first, unless the
// API is Undocumented, so that a type which describes itself wrongly is an error
// here, as in [API.Document].
func (a *API) Handler() (http.Handler, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	a.watched.Do(func() { web.LogDatabase(a.registry) })
	return web.NewServer(a.registry)
}

// NewCall makes a call as the API makes one for each request, so that a test can run a
// function of a declaration without a server: [Find], [Save] and [Insert] work in it. The
// database and what finds rows are those of the API, whatever o says. Call it after
// [API.Check] or [API.Handler]. It is safe for concurrent use; the call is not.
func (a *API) NewCall(ctx context.Context, o call.Options) *call.Call {
	return a.registry.NewCall(ctx, o)
}
