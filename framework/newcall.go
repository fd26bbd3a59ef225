package framework

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"trestle.example/framework/internal/table"
)

// CallOptions configure the [Call] of a unit test.
type CallOptions struct {
	// Caller is the sender of the request. Defaults to an anonymous caller.
	Caller *Caller
	// Now is the time of the request. Defaults to the time of [Config.Now].
	Now time.Time
	// Route is the endpoint of the request. Defaults to none.
	Route Route
	// Request is the request as it arrived, for [Call.Request] and the host in [Call.URL].
	// Defaults to none.
	Request *http.Request
	// Sent lists the fields that the body had, for [Call.Has] in a function of Patch.
	// Defaults to none.
	Sent []string
	// Header receives the headers of the response. Defaults to an empty one.
	Header http.Header
	// Address is the client's address. Defaults to none.
	Address netip.Addr
	// Secure is true if the request came by TLS.
	Secure bool
}

// NewCall returns a call as the API makes one for each request, so that a unit test can run
// a function of a declaration without a server. [Find] and [FindOne] work in the call.
// [Save] and [Insert] need a transaction: run the function in [Call.InTx]. NewCall checks
// every declaration first, as [API.Check] does, and returns its error. The call is not safe
// for concurrent use.
func (a *API) NewCall(ctx context.Context, o CallOptions) (*Call, error) {
	if err := a.Check(); err != nil {
		return nil, err
	}
	return a.registry.NewCall(ctx, table.CallOptions(o)), nil
}
