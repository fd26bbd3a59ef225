package table

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"net/netip"
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework/call"
	"trestle.example/framework/internal/declare"
	"trestle.example/framework/internal/naming"
	"trestle.example/framework/internal/state"
)

// CallOptions configure a new call, field by field those of framework.CallOptions.
type CallOptions struct {
	Caller  *call.Caller
	Now     time.Time
	Route   call.Route
	Request *http.Request
	Sent    []string
	Header  http.Header
	Address netip.Addr
	Secure  bool
}

// NewCall makes a call on the database of the API. Without a Caller, the caller is anonymous.
// Without a Header, the response headers start empty. Without a Now, the time is that of
// Config.Now. The time is converted to UTC and cut to microseconds.
func (a *Registry) NewCall(ctx context.Context, o CallOptions) *call.Call {
	session := a.DB.Session()
	c := &call.Call{
		Context: ctx, DB: session.IDB(), Caller: cmp.Or(o.Caller, &call.Caller{}), Now: o.Now, ID: NewID(),
		Route: o.Route, Address: o.Address, Secure: o.Secure,
	}
	if c.Now.IsZero() {
		c.Now = a.Config.Now()
	}
	c.Now = c.Now.UTC().Truncate(time.Microsecond)
	progress := &state.Progress{}
	if sent := o.Sent; sent != nil {
		progress.Sent = func(name string) bool { return slices.Contains(sent, name) }
	}
	*state.Of(c) = state.State{Session: session, Origin: &a.Origin, Rows: a.Rows, Header: o.Header, Request: o.Request, Progress: progress, After: a.After}
	if o.Header == nil {
		state.Of(c).Header = http.Header{}
	}
	return c
}

// NewID returns a new UUIDv7, for a request or for the key of a row.
func NewID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// A Rows finds and stores rows of an API's viewsets, for functions of a declaration.
type Rows interface {
	// Find returns the rows of a viewset that are in scope when the caller lists it, as a slice
	// of out, in the order and of the page that selected names. It does not check the permission
	// to list. narrow may add conditions or be nil; a limit or an offset in it is an error. More
	// rows than Config.MaxRows are an error, as is a larger page.
	Find(c *call.Call, viewset string, out reflect.Type, narrow func(*bun.SelectQuery) *bun.SelectQuery, selected declare.Selection) (reflect.Value, error)
	// Each yields the rows that Find would return, as values of out, ordered by primary key and
	// without a limit of their number. It reads them in parts and holds no connection in between.
	Each(c *call.Call, viewset string, out reflect.Type, narrow func(*bun.SelectQuery) *bun.SelectQuery) iter.Seq2[reflect.Value, error]
	// FindOne returns the row with a primary key. If the row does not exist or is out of
	// scope, as for Find, the error is NotFound.
	FindOne(c *call.Call, viewset string, out reflect.Type, key any) (reflect.Value, error)
	// Save stores a row, given as a pointer to its model, and sets its time of change and its
	// search document. For the row that the function received, it writes the changed columns;
	// for any other row, it writes all columns except the key. It needs a transaction.
	Save(c *call.Call, model reflect.Value) error
	// Insert stores a new row, given as a pointer to its model. It sets the times, the search
	// document, a UUID key if it is zero, and the owner of an Own scope if it is zero. It needs
	// a transaction.
	Insert(c *call.Call, model reflect.Value) error
	// Remove deletes a row, given as a pointer to its model, or marks it as deleted. It needs a transaction.
	Remove(c *call.Call, model reflect.Value) error
}

// RowsOf returns the [Rows] of a call, for a function of package framework. A call that no
// API made has none, which is an error.
func RowsOf(c *call.Call, function string) (Rows, error) {
	rows, ok := state.Of(c).Rows.(Rows)
	if !ok {
		return nil, naming.Sentence("framework.%s: the call belongs to no API; make it with the NewCall of one", function)
	}
	return rows, nil
}
