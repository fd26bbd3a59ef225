package table

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"reflect"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework/call"
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

// NewCall makes a call on the database of the API.
func (a *Registry) NewCall(ctx context.Context, o CallOptions) *call.Call {
	session := a.DB.Session()
	c := &call.Call{
		Context: ctx, DB: session.IDB(), Caller: cmp.Or(o.Caller, &call.Caller{}), Now: o.Now, ID: newID(),
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
	*state.Of(c) = state.State{Session: session, Origin: &a.Origin, Rows: a.Rows, Header: o.Header, Request: o.Request, Progress: progress}
	if o.Header == nil {
		state.Of(c).Header = http.Header{}
	}
	return c
}

// newID returns a new UUIDv7, for a request or for the key of a row.
func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

// A Rows finds and stores rows of an API's viewsets, for functions of a declaration.
type Rows interface {
	// Find returns the rows of a viewset that the caller may see, as a slice of out.
	Find(c *call.Call, viewset string, out reflect.Type, narrow func(*bun.SelectQuery) *bun.SelectQuery) (reflect.Value, error)
	// FindOne returns the row with a primary key, if the caller may see it.
	FindOne(c *call.Call, viewset string, out reflect.Type, key any) (reflect.Value, error)
	// Save stores the changes of a row, given as a pointer to its model.
	Save(c *call.Call, model reflect.Value) error
	// Insert stores a new row, given as a pointer to its model.
	Insert(c *call.Call, model reflect.Value) error
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
