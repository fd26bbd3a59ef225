package framework

import (
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/bind"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/describe"
	"trestle.example/framework/internal/table"
	"trestle.example/framework/internal/web"
	"trestle.example/framework/internal/wire"
	"trestle.example/framework/problem"
	"trestle.example/framework/query"
	"trestle.example/framework/sqldb"
)

// Config is the configuration of a whole API. DB is required, and Pagination if a list has
// none of its own. A viewset, a verb or an action may override what its own fields and
// methods offer.
type Config struct {
	// DB is the database. Required.
	DB *sqldb.DB
	// Prefix is the path of the API root, or "/" for no prefix. Defaults to "/api".
	Prefix string
	// Title names the API to people. Defaults to "API".
	Title string
	// Doc describes the API to its clients. Defaults to none.
	Doc string
	// Version is the version in the OpenAPI document. Defaults to "1.0".
	Version string
	// Undocumented hides the OpenAPI document and the documentation page, which every
	// client can read otherwise. Defaults to false.
	Undocumented bool
	// Authentication lists the schemes, which run in turn. Defaults to none: every caller
	// is anonymous.
	Authentication []call.Authenticator
	// Permission is the permission of every endpoint of a viewset, unless the viewset or the
	// endpoint declares another. Every caller may read the API root. Defaults to
	// [Authenticated].
	Permission call.Permission
	// Guards protect prefixes before routing. Defaults to none.
	Guards []call.Guard
	// Throttles run in turn. Defaults to none.
	Throttles []call.Throttle
	// Pagination is the pagination class of every list that declares no other. Each list
	// needs one.
	Pagination query.Pagination
	// Strict decides whether unknown names in a request are ignored and reported, or
	// rejected. Defaults to [Lenient].
	Strict Strictness
	// Slash decides how canonical paths end. Defaults to [WithSlash].
	Slash Slash
	// ErrorShape writes the bodies of errors. It receives the request too, and can write them in
	// the language of the caller: see [ShapeVarier]. Defaults to [ProblemJSON] (RFC 9457).
	ErrorShape problem.ErrorShape
	// Codes explain the program's own error codes at {prefix}/errors/{code}, and the codes
	// of faults that its functions and [Checker] types return.
	Codes []problem.CodeInfo
	// Rules are the program's own rules for the tag validate of inputs: see [RuleOf]. Defaults
	// to none.
	Rules []Rule
	// ForeignTags are keys of struct tags that the program's other packages read from models, inputs
	// and views, beside well-known ones such as xml, yaml, gorm and db. Any other key is a mistake,
	// because nothing would read it. Defaults to none.
	ForeignTags []string
	// Statuses gives error codes other statuses: {"validation_failed": 422}. The status that a
	// function of the program chose has no effect for these codes. A code with a status that
	// HTTP ties to headers, such as 401, 403, 405, 412, 416, 429 and 503, keeps it, and so does
	// every 5xx. Defaults to none.
	Statuses map[string]int
	// Case is the case of names that no tag json gives: of the members of inputs and views, and so
	// of pointers, of the parameters of a GET, and of the names in declarations. With [SnakeCase]
	// the field AuthorID is author_id, with [CamelCase] it is authorId. Names in tags stay as they
	// are, and so do those of types that write their own JSON. Defaults to the name in Go.
	Case Case
	// PublicURL is the URL at which clients reach the server, "https://api.example.org".
	// Absolute links begin with it. Defaults to the request's own host.
	PublicURL string
	// Hosts lists the allowed values of a request's header Host, without a port, if
	// PublicURL is empty. Defaults to any.
	Hosts []string
	// TrustedProxies are the networks of proxies in front of the server. The client's
	// address is read from their X-Forwarded-For, and its use of TLS from their
	// X-Forwarded-Proto. Defaults to none.
	TrustedProxies []netip.Prefix
	// CORS lists origins, "https://app.example.org", whose pages may send requests and read
	// the answers. The pages may send credentials such as a token; the browser sends no
	// cookies. Defaults to none.
	CORS []string
	// HSTS is the time, in whole seconds, for which browsers that came by TLS use TLS only
	// (RFC 6797). Defaults to none: the header is not sent.
	HSTS time.Duration
	// MaxRows is the greatest number of rows in an answer without pages, such as that of
	// [Find]. Defaults to 1,000.
	MaxRows int
	// IdempotencyKeys is the greatest number of keys whose answers are stored for a caller
	// within 24 hours, see [Verb.Idempotent]. A further key is answered 429. A negative number
	// stores none: no endpoint honours keys, and the API needs no table of [Migrations].
	// Defaults to 10,000.
	IdempotencyKeys int
	// Timeout is the time from a request's arrival to the deadline of its context. A statement
	// after the deadline is the error 503. Defaults to 15 seconds.
	Timeout time.Duration
	// Now is the clock. Defaults to [time.Now].
	Now func() time.Time
	// Log receives every internal error, and one line per request, except for the pages of
	// error codes. Defaults to [slog.Default].
	Log *slog.Logger
	// Slow is the duration from which the line of a request without an internal error is a
	// warning. Defaults to none.
	Slow time.Duration
	// Compress compresses answers of JSON, NDJSON and CSV from 1 KB on by zstd or gzip, for clients whose header
	// Accept-Encoding has one of them. It leaves out answers with secrets ([Verb.AnswersSecret],
	// [CollectionAction.SignsIn], those with Set-Cookie, and all of package auth), files and event streams. A compressed
	// answer has the ETag as a weak one, which If-Match and If-None-Match accept. Defaults to false, for a proxy in front
	// that compresses.
	Compress bool
	// Observers are called for every request, in turn. Defaults to none.
	Observers []call.Observer
	// FileKeys are the secret keys that sign the URLs of files, see [FileField].SignFor. The
	// first one signs; URLs of any of them are valid, so that keys can be replaced. Each has at
	// least 32 bytes. Defaults to none.
	FileKeys [][]byte
	// CursorKeys are the secret keys that encrypt the cursors of lists, see [page.Cursor]. The first
	// one encrypts; cursors of any of them are valid, so that keys can be replaced. Each has at least
	// 32 bytes, and all processes have the same. Required for such lists.
	CursorKeys [][]byte
	// Console declares pages for people, beside the API: Console{Path: "/admin/"}. Everyone who signs in sees and does
	// there what the API permits, and no more. Defaults to none.
	Console Console
}

// An API is a set of registered resources. Register all resources, then call [API.Handler]
// or [API.Check] once. After that it is safe for concurrent use.
type API struct {
	registry *table.Registry
	declared []*declare.Declaration
	signIn   *ConsoleSignIn // nil without one
	bound    bool
	mistakes error
	document func() (wire.Members, error) // writes the OpenAPI document at the first call
	watched  sync.Once                    // so that one handler logs the database
}

// New returns an API without resources. It applies the defaults of [Config], and checks nothing.
func New(c Config) *API {
	registry := table.NewRegistry(table.Options(c).Complete())
	return &API{registry: registry, document: sync.OnceValues(describe.NewCatalog(registry).Document)}
}

// Prefix returns the path of the API root without a slash at its end, such as "/api", or "" for
// no prefix. The pattern of a handler below the prefix begins with it.
func (a *API) Prefix() string { return a.registry.Config.Prefix }

// Register adds resources. The API root lists them in this order. They may refer to each
// other by name in any order, because [API.Check] and [API.Handler] resolve the names.
// Register panics after either of them, and after [API.Document], [API.NewCall] and
// [API.Refusing], which also check: the API would not serve the resources.
func (a *API) Register(resources ...Resource) {
	if a.bound {
		panic("framework: Register after Check or Handler; register everything first")
	}
	for _, r := range resources {
		a.declared = append(a.declared, r.declare()...)
	}
}

// Check checks every declaration. The error reports each mistake in a sentence with the
// resource, the place and the nearest valid name. It does not use the database. Only the
// first call checks; later calls return the same error.
func (a *API) Check() error {
	if a.bound {
		return a.mistakes
	}
	a.bound = true
	a.mistakes = bind.BindAll(a.registry, a.declared)
	return a.mistakes
}

// Handler checks every declaration as [API.Check] does, and returns the server of the API:
// its endpoints below the prefix, the first page at / if there is a prefix, and the pages of
// its error codes. Unless the API is Undocumented, the server also has the OpenAPI document
// and its page, and an error of [API.Document] is an error of Handler. From then on the log
// also reports when a PostgreSQL server stops answering and when it answers again.
func (a *API) Handler() (http.Handler, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	a.watched.Do(func() { web.LogDatabase(a.registry) })
	handler, err := web.NewServer(a.registry, a.document)
	if err != nil {
		return nil, err
	}
	return a.withConsole(handler)
}
