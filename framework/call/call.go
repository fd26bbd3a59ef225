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

// A Call is one request on its way: what plain functions of a declaration
// receive. It is a [context.Context], so it can be handed to bun as it is.
// It lives as long as the request and belongs to its goroutine. [NewCall] makes one
// for a test.
type Call struct {
	context.Context
	// DB runs statements: in an action or a write, inside the transaction
	// that the framework opened and commits; in a read, on the pool.
	DB bun.IDB
	// Caller is who sends the request; never nil.
	Caller *Caller
	// Now is the time of the request, UTC in whole microseconds, the
	// precision that both databases keep.
	Now time.Time
	// ID names the request in the response, the log and the error.
	ID uuid.UUID
	// Route is what is being asked for.
	Route Route
	// Address is where the request comes from: the connection's other end,
	// or, if that is a trusted proxy, the client that the proxy names.
	Address netip.Addr
	// Secure says that the request came by TLS: this server's own, or that of
	// a trusted proxy, whose X-Forwarded-Proto says so.
	Secure bool

	db         *sqldb.DB
	session    *sqldb.Session
	rows       Rows
	url        func(path string) string
	header     http.Header
	request    *http.Request
	progress   *Progress
	identified []Authenticator // the schemes that identified the caller already
}

// Options are what a [Call] is made of.
type Options struct {
	// DB is the database that the call reads and writes. Required.
	DB *sqldb.DB
	// Caller is who sends the request. Defaults to an anonymous caller.
	Caller *Caller
	// Now is the time of the request. Defaults to the current time.
	Now time.Time
	// Route is what the request asks a viewset to do.
	Route Route
	// Request is the request as it arrived. Defaults to none.
	Request *http.Request
	// Header receives the headers of the response. Defaults to an empty one.
	Header http.Header
	// Address is where the request comes from.
	Address netip.Addr
	// Secure says that the request came by TLS.
	Secure bool
	// URL makes the absolute URL of a path below the API's prefix. Defaults to the path
	// itself.
	URL func(path string) string
	// Rows finds and stores rows for Find, Save and Insert. Defaults to none: these
	// functions then return an error.
	Rows Rows
}

// New makes a call, as the framework does for each request. A unit test makes one to
// run a function of a declaration without a server.
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

// NewID makes the id of a request, or the key of a row: a UUIDv7.
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// A Rows finds and stores rows of an API's viewsets for functions of a declaration.
type Rows interface {
	// Find returns the rows of a viewset that the caller may see, as a slice of out.
	Find(c *Call, viewset string, out reflect.Type, narrow func(*bun.SelectQuery) *bun.SelectQuery) (reflect.Value, error)
	// FindOne returns the row with a primary key, if the caller may see it.
	FindOne(c *Call, viewset string, out reflect.Type, key any) (reflect.Value, error)
	// Save writes a row back, given as a pointer to its model.
	Save(c *Call, model reflect.Value) error
	// Insert stores a new row, given as a pointer to its model.
	Insert(c *Call, model reflect.Value) error
}

// RowsOf returns what finds and stores rows for a call. A call that no API made has none.
func RowsOf(c *Call, function string) (Rows, error) {
	if c.rows == nil {
		return nil, naming.Sentence("framework.%s: the call belongs to no API; make it with the NewCall of one", function)
	}
	return c.rows, nil
}

// A Progress is what the framework notes about a call while it runs it.
type Progress struct {
	Ignored []string               // parts of the request that have no effect, for the header Trestle-Ignored
	Sent    func(name string) bool // reports whether the body has a field
	Given   *GivenRow              // the row that a function was given
}

// ProgressOf returns the notes of a call. It is for the framework's own packages.
func ProgressOf(c *Call) *Progress { return c.progress }

// A GivenRow is the row that a function was given, its values when it was read, and the
// columns that were saved since.
type GivenRow struct {
	Row    any
	Before reflect.Value
	Saved  []*schema.Field
}

// Has reports whether the body named a field of the input, whatever its value:
// what tells an absent field from an empty one in a function of Patch.
func (c *Call) Has(name string) bool { return c.progress.Sent != nil && c.progress.Sent(name) }

// InTx runs fn in a transaction, whole again if the database asks for it: for
// a function that was declared Untransacted. Within a transaction it just
// runs fn, and an error of fn must be returned: what fn wrote is part of the
// whole.
func (c *Call) InTx(fn func(c *Call) error) error {
	if c.session.InTx() {
		return fn(c)
	}
	return Transact(c, false, fn)
}

// Header are the headers of the response, for cookies and the like. They are
// sent whatever comes of the request.
func (c *Call) Header() http.Header { return c.header }

// Request is the request as it arrived, for cookies and headers. Its body is
// the framework's to read, and is consumed when a function of a declaration
// runs. It is nil in a call without a request.
func (c *Call) Request() *http.Request { return c.request }

// URL is the absolute address of a path below the API's prefix, by the rule of all
// links: the API's public URL, or else the request's Host. A function that creates
// something at another path than its own viewset's sets the header Location to it:
//
//	c.Header().Set("Location", c.URL("/cart/items/"+id.String()))
//
// and names the header with Sends. Location is not sent with an error.
func (c *Call) URL(path string) string {
	if c.url == nil {
		return path
	}
	return c.url(path)
}

// Session is where the framework's own statements run for this call: the
// transaction in a write, the pool in a read. What the framework itself lists,
// retrieves and relates may be answered by a replica, see
// [sqldb.Session.Replica]; nothing before that, such as who calls, ever is.
func (c *Call) Session() *sqldb.Session { return c.session }

// Transact runs fn in a transaction, and again as a whole if the database asks for it.
// A write of one statement is its own transaction.
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

// Rewind remembers what the response would have so far. The function that it returns goes
// back to it, for a transaction that begins again.
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

// Inside returns the call as it goes on inside a transaction.
func Inside(ctx context.Context, c *Call, s *sqldb.Session) *Call {
	in := *c
	in.Context, in.session, in.DB = ctx, s, s.IDB()
	return &in
}

// OnReplica lets a replica answer what the call reads from now on.
func OnReplica(c *Call) { c.session = c.session.Replica() }

// Looking is the call as one that only lists a viewset.
func ForList(c *Call, viewset string) *Call {
	listing := *c
	listing.Route = Route{ViewSet: viewset, Name: VerbList, Method: http.MethodGet}
	return &listing
}

// OnBehalfOf runs the statements of a call for its caller and a viewset: the fair queue
// counts what each of them uses.
func OnBehalfOf(c *Call, viewset string) {
	client := fair.Client{Anonymous: c.Caller.Anonymous(), Address: fair.Network(c.Address), Resource: viewset}
	if !client.Anonymous {
		client.Caller = c.Caller.ID.String()
	}
	c.Context = fair.With(c.Context, client)
}
