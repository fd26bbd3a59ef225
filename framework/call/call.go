package call

import (
	"context"
	"maps"
	"net/http"
	"net/netip"
	"reflect"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/schema"
	"trestle.example/framework/internal/fair"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/sqldb"
)

// A Call is one request while the framework handles it. Functions of a declaration receive
// it. It is a [context.Context] and can be passed to bun. It is valid until the request
// ends and belongs to the request's goroutine. API.NewCall of package framework makes one
// for a test.
type Call struct {
	context.Context
	// DB runs statements: in an action or a write inside the transaction that the framework
	// commits, in a read on the connection pool.
	DB bun.IDB
	// Caller is the sender of the request; never nil.
	Caller *Caller
	// Now is the time of the request in UTC, in whole microseconds: the precision of both
	// databases.
	Now time.Time
	// ID is the request's id in the response, the log and the error.
	ID uuid.UUID
	// Route is the endpoint of the request.
	Route Route
	// Address is the client's address: the peer of the connection, or, if that is a trusted
	// proxy, the client that the proxy reports.
	Address netip.Addr
	// Secure is true if the request came by TLS to this server, or to a trusted proxy that
	// sends X-Forwarded-Proto.
	Secure bool

	db         *sqldb.DB
	session    *sqldb.Session
	rows       Rows
	url        func(path string) string
	header     http.Header
	request    *http.Request
	progress   *Progress
	identified []Authenticator // the schemes that have identified the caller
}

// Options configure a new [Call].
type Options struct {
	// DB is the database that the call reads and writes. Required.
	DB *sqldb.DB
	// Caller is the sender of the request. Defaults to an anonymous caller.
	Caller *Caller
	// Now is the time of the request. Defaults to the current time.
	Now time.Time
	// Route is the endpoint of the request. Defaults to none.
	Route Route
	// Request is the request as it arrived. Defaults to none.
	Request *http.Request
	// Header receives the headers of the response. Defaults to an empty one.
	Header http.Header
	// Address is the client's address. Defaults to none.
	Address netip.Addr
	// Secure is true if the request came by TLS.
	Secure bool
	// URL returns the absolute URL of a path below the API's prefix. Defaults to a function
	// that returns the path itself.
	URL func(path string) string
	// Rows finds and stores rows for Find, Save and Insert. Defaults to none: these
	// functions then return an error.
	Rows Rows
}

// New makes a call, as the framework does for each request. A unit test uses it to run a
// function of a declaration without a server.
func New(ctx context.Context, o Options) *Call {
	s := o.DB.Session()
	c := &Call{
		Context: ctx, DB: s.IDB(), Caller: o.Caller, Now: o.Now, ID: NewID(), Route: o.Route, Address: o.Address, Secure: o.Secure,
		db: o.DB, session: s, rows: o.Rows, url: o.URL, header: o.Header, request: o.Request, progress: &Progress{},
	}
	if c.Now.IsZero() {
		c.Now = time.Now()
	}
	c.Now = c.Now.UTC().Truncate(time.Microsecond)
	if c.Caller == nil {
		c.Caller = &Caller{}
	}
	if c.header == nil {
		c.header = http.Header{}
	}
	return c
}

// NewID returns a new UUIDv7, for a request or for the key of a row.
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// A Rows finds and stores rows of an API's viewsets, for functions of a declaration.
type Rows interface {
	// Find returns the rows of a viewset that the caller may see, as a slice of out.
	Find(c *Call, viewset string, out reflect.Type, narrow func(*bun.SelectQuery) *bun.SelectQuery) (reflect.Value, error)
	// FindOne returns the row with a primary key, if the caller may see it.
	FindOne(c *Call, viewset string, out reflect.Type, key any) (reflect.Value, error)
	// Save stores the changes of a row, given as a pointer to its model.
	Save(c *Call, model reflect.Value) error
	// Insert stores a new row, given as a pointer to its model.
	Insert(c *Call, model reflect.Value) error
}

// RowsOf returns the [Rows] of a call, for a function of package framework. A call that no
// API made has none, which is an error.
func RowsOf(c *Call, function string) (Rows, error) {
	if c.rows == nil {
		return nil, naming.Sentence("framework.%s: the call belongs to no API; make it with the NewCall of one", function)
	}
	return c.rows, nil
}

// A Progress is what the framework records about a call while it runs it.
type Progress struct {
	Ignored []string               // parts of the request that have no effect, for the header Trestle-Ignored
	Sent    func(name string) bool // reports whether the body has a field
	Given   *GivenRow              // the row that the function received
}

// ProgressOf returns the progress of a call. It is for the framework's own packages.
func ProgressOf(c *Call) *Progress { return c.progress }

// A GivenRow is the row that a function received, its values when it was read, and the
// columns that were saved since.
type GivenRow struct {
	Row    any
	Before reflect.Value
	Saved  []*schema.Field
}

// Has reports whether the body contains a field of the input, with whatever value. In a
// function of Patch it distinguishes an absent field from an empty one.
func (c *Call) Has(name string) bool { return c.progress.Sent != nil && c.progress.Sent(name) }

// InTx runs fn in a transaction, and again from the beginning if the database requires a
// retry. It is for functions that are declared Untransacted. If the call is in a
// transaction already, InTx only runs fn there; the caller must then return its error,
// because the transaction has to fail with it.
func (c *Call) InTx(fn func(c *Call) error) error {
	if c.session.InTx() {
		return fn(c)
	}
	return Transact(c, false, fn)
}

// Header returns the headers of the response, for cookies and the like. They are sent with
// an error too.
func (c *Call) Header() http.Header { return c.header }

// Request returns the request as it arrived, for cookies and headers. The framework has
// already read its body. It is nil in a call without a request.
func (c *Call) Request() *http.Request { return c.request }

// URL returns the absolute URL of a path below the API's prefix. It begins with the API's
// public URL, or else with the request's Host. A function that creates something at a path
// outside its own viewset sets the header Location:
//
//	c.Header().Set("Location", c.URL("/cart/items/"+id.String()))
//
// The declaration names this header with Sends. Location is not sent with an error.
func (c *Call) URL(path string) string {
	if c.url == nil {
		return path
	}
	return c.url(path)
}

// Session returns the session of the framework's own statements for this call: the
// transaction in a write, the pool in a read. A replica may answer the statements that
// list, retrieve and relate rows; see [sqldb.Session.Replica]. The access check never reads
// from a replica.
func (c *Call) Session() *sqldb.Session { return c.session }

// Transact runs fn in a transaction, and again from the beginning if the database requires
// a retry. If fn sends one statement only, there is no transaction around it.
func Transact(c *Call, oneStatement bool, fn func(*Call) error) error {
	reset, ran := Rewind(c), false
	again := func() {
		if ran {
			reset()
		}
		ran = true
	}
	if oneStatement {
		return c.db.Retry(c, func() error {
			again()
			return fn(c)
		})
	}
	return c.db.InTx(c, func(ctx context.Context, s *sqldb.Session) error {
		again()
		return fn(Inside(ctx, c, s))
	})
}

// Rewind records the state of the response. The function that it returns restores this
// state, for a transaction that is retried.
func Rewind(c *Call) (again func()) {
	p := c.progress
	ignored, header, given := len(p.Ignored), c.header.Clone(), p.Given
	saved := 0
	if given != nil {
		saved = len(given.Saved)
	}
	return func() {
		if p.Given = given; given != nil {
			given.Saved = given.Saved[:saved]
		}
		p.Ignored = p.Ignored[:ignored]
		clear(c.header)
		maps.Copy(c.header, header.Clone())
	}
}

// Inside returns a copy of the call whose statements run in the transaction of a session.
func Inside(ctx context.Context, c *Call, s *sqldb.Session) *Call {
	in := *c
	in.Context, in.session, in.DB = ctx, s, s.IDB()
	return &in
}

// OnReplica allows a replica to answer the reads of the call from now on.
func OnReplica(c *Call) { c.session = c.session.Replica() }

// ForList returns a copy of the call as a request to list a viewset.
func ForList(c *Call, viewset string) *Call {
	listing := *c
	listing.Route = Route{ViewSet: viewset, Name: VerbList, Method: http.MethodGet}
	return &listing
}

// OnBehalfOf counts the statements of a call for its caller and a viewset in the fair
// queue.
func OnBehalfOf(c *Call, viewset string) {
	client := fair.Client{Anonymous: c.Caller.Anonymous(), Address: fair.Network(c.Address), Resource: viewset}
	if !client.Anonymous {
		client.Caller = c.Caller.ID.String()
	}
	c.Context = fair.With(c.Context, client)
}
