package framework

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework/sqldb"
)

// A Call is one request on its way: what plain functions of a declaration
// receive. It is a [context.Context], so it can be handed to bun as it is.
// It lives as long as the request and belongs to its goroutine.
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
	// or, where that is one of [Config.TrustedProxies], whom they name.
	Address netip.Addr
	// Secure says that the request came by TLS: this server's own, or that of
	// a trusted proxy, whose X-Forwarded-Proto tells it.
	Secure bool

	session *sqldb.Session
	api     *API
	notes   *notes
	header  http.Header
	request *http.Request
	given   *givenRow
	sent    func(name string) bool
	began   time.Time
	path    string // where it was routed, see Outcome.Path

	observation *observation // nil without observers
	written     int64        // bytes of the answer's body
	gone        bool         // the client hung up before its answer was sent
	refusing    bool         // it is answered by the handler of API.Refusing

	identified []Authenticator // that were asked already
}

// Has reports whether the body named a field of the input, whatever its value:
// what tells an absent field from an empty one in a function of Patch.
func (c *Call) Has(name string) bool { return c.sent != nil && c.sent(name) }

// InTx runs fn in a transaction, whole again if the database asks for it: for
// a function that was declared Untransacted. Within a transaction it just
// runs fn, and an error of fn must be returned: what fn wrote is part of the
// whole.
func (c *Call) InTx(fn func(c *Call) error) error {
	if c.session.InTx() {
		return fn(c)
	}
	return c.api.write(c, false, fn)
}

// A Route names what a request asks a viewset to do.
type Route struct {
	ViewSet string // "patients"; "" for the API root
	Name    string // a verb's name, "list", "retrieve", "create", "update", "patch", "delete", or an action's own
	Method  string // GET, also for HEAD
}

// Reads reports whether it only reads.
func (r Route) Reads() bool {
	return r.Method == http.MethodGet || r.Method == http.MethodOptions
}

// Right is the model permission that it needs: "view" to read, "add"
// to create, "delete" to delete, "change" for everything else.
func (r Route) Right() string {
	switch {
	case r.Reads():
		return "view"
	case r.Name == verbCreate:
		return "add"
	case r.Name == verbDelete:
		return "delete"
	}
	return "change"
}

// Header are the headers of the response, for cookies and the like. They are
// sent whatever comes of the request.
func (c *Call) Header() http.Header { return c.header }

// Request is the request as it arrived, for cookies and headers. Its body is
// the framework's to read, and is consumed when a function of a declaration
// runs.
func (c *Call) Request() *http.Request { return c.request }

// Session is where the framework's own statements run for this call: the
// transaction in a write, the pool in a read. What the framework itself lists,
// retrieves and relates may be answered by a replica, see
// [sqldb.Session.Replica]; nothing before that, such as who calls, ever is.
func (c *Call) Session() *sqldb.Session { return c.session }

// inside returns the call as it goes on inside a transaction.
func (c *Call) inside(ctx context.Context, s *sqldb.Session) *Call {
	in := *c
	in.Context, in.session, in.DB = ctx, s, s.IDB()
	return &in
}
