package call

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework/internal/after"
	"trestle.example/framework/internal/state"
	"trestle.example/framework/sqldb"
)

// A Call is one request while the framework handles it. Functions of a declaration receive
// it. It is a [context.Context] and can be passed to bun. It is valid until the request
// ends and belongs to the request's goroutine. API.NewCall of package framework makes one
// for a test.
type Call struct {
	context.Context
	// DB runs statements: inside the transaction that the framework commits or, if the call
	// has none, on the connection pool. A GET and an Untransacted function have none.
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

	state state.Sealed
}

// State returns what the framework records about the call. It is for the framework's own
// packages: a program can do nothing with it.
func (c *Call) State() *state.Sealed { return &c.state }

// Has reports whether the request contains a top-level field of the input, by its JSON name
// and with whatever value, null included: in the body, or for GET in the query string. In a
// function of Patch it distinguishes an absent field from an empty one.
func (c *Call) Has(name string) bool {
	p := state.Of(c).Progress
	return p != nil && p.Sent != nil && p.Sent(name)
}

// InTx runs fn in a transaction, and again from the beginning if the database requires a
// retry. It is for functions that are declared Untransacted. If the call is in a
// transaction already, InTx only runs fn there. The function that calls InTx must then return
// an error of fn, so that the framework rolls the transaction back.
func (c *Call) InTx(fn func(c *Call) error) error {
	s := state.Of(c)
	if s.Session.InTx() {
		return fn(c)
	}
	begin := s.Rerun()
	var pending []after.Function
	err := s.Session.DB().InTx(c, func(ctx context.Context, session *sqldb.Session) error {
		begin()
		pending = nil
		in := *c
		in.Context, in.DB = ctx, session.IDB()
		state.Of(&in).Session, state.Of(&in).Pending = session, &pending
		return fn(&in)
	})
	if err == nil {
		s.After.Start(c.Context, c.ID.String(), pending...)
	}
	return err
}

// AfterCommit runs fn after the commit of the call's transaction, in this process and beside the
// request: the answer does not wait for it. The functions of one transaction run in the order of
// their calls, one after another. If the transaction is rolled back, or the outcome of its commit
// is unknown, fn does not run. If the transaction is run again, only the functions of its last run
// count. A call that is in no transaction runs fn at once, beside the request: within
// [Call.InTx], use the call that it passes.
//
// fn receives a call of its own, on the connection pool, with the caller, the id and the time of
// the request. Its headers are not sent. Its context has no deadline and does not end with the
// request, but when the server stops: API.Run of package framework waits up to 5 s for functions
// that run. fn runs once. An error and a panic are logged, and change neither the answer nor the
// functions that follow. fn is not stored: if the process ends before, it is lost. For work that
// must not be lost, store a row in the transaction.
func (c *Call) AfterCommit(fn func(c *Call) error) {
	s := state.Of(c)
	sent := s.Progress.Sent // of this item, if the request has several
	later := func(ctx context.Context) error { return fn(c.afterwards(ctx, sent)) }
	if s.Pending == nil {
		s.After.Start(c.Context, c.ID.String(), later)
		return
	}
	*s.Pending = append(*s.Pending, later)
}

// afterwards returns the call of a function of [Call.AfterCommit], for an input with the fields that sent reports.
func (c *Call) afterwards(ctx context.Context, sent func(name string) bool) *Call {
	session := state.Of(c).Session.DB().Session()
	later := *c
	later.Context, later.DB = ctx, session.IDB()
	s := state.Of(&later)
	s.Session, s.Header, s.Writer, s.Pending = session, http.Header{}, nil, nil
	s.Progress = &state.Progress{Sent: sent}
	return &later
}

// Header returns the headers of the response, for cookies and the like. They are sent with
// an error too, except Location, and except those of Sends if the function received or found rows whose
// reads are recorded. A header of the error itself replaces one of the same name.
func (c *Call) Header() http.Header { return state.Of(c).Header }

// Request returns the request as it arrived, for cookies and headers. Do not read its body:
// the framework reads it after the access check, if the endpoint takes one. It is nil in a
// call without a request.
func (c *Call) Request() *http.Request { return state.Of(c).Request }

// Media returns the media type of the answer that the header Accept chose among those that As
// declares, without parameters: "text/csv". It is "" for an answer of one JSON value.
func (c *Call) Media() string { return state.Of(c).Media }

// LastEventID returns the id of the last event that a client of an event stream received before
// it reconnected, "" for none. The client sends it in the header Last-Event-ID, so it may be any
// text.
func (c *Call) LastEventID() string {
	if r := c.Request(); r != nil {
		return r.Header.Get("Last-Event-ID")
	}
	return ""
}

// URL returns the absolute URL of a path below the API's prefix. It begins with the API's
// public URL, or else with the request's Host. With neither, or if the API does not allow the
// Host, it returns a path without a host. A function that creates something at a path
// outside its own viewset sets the header Location:
//
//	c.Header().Set("Location", c.URL("/cart/items/"+id.String()))
//
// The declaration names this header with Sends. Location is not sent with an error.
func (c *Call) URL(path string) string {
	s := state.Of(c)
	if s.Origin == nil {
		return path
	}
	return s.Origin.URL(s.Request, path)
}

// Session returns the session of the framework's own statements for this call: the
// transaction or, if the call has none, the pool. A replica may answer the statements that
// list, retrieve and relate rows; see [sqldb.Session.Replica]. The access check never reads
// from a replica.
func (c *Call) Session() *sqldb.Session { return state.Of(c).Session }
