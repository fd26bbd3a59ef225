// Package moving has the context of a call. The framework replaces it while it handles the
// request: when it knows the caller, and when an answer begins that is sent in parts. Goroutines
// of database/sql may still read the context of an earlier statement then.
package moving

import (
	"context"
	"sync/atomic"
	"time"
)

// A Context is a context that [Replace] may replace while other goroutines read it. The zero
// value is not usable; [New] makes one.
type Context struct{ now atomic.Pointer[holder] }

// A holder holds contexts of any type.
type holder struct{ context.Context }

// New returns a Context that begins as ctx.
func New(ctx context.Context) *Context {
	var m Context
	m.now.Store(&holder{ctx})
	return &m
}

// Now returns what a context is now, which no later [Replace] changes. A context that is not a
// [Context] is returned as it is. Derive from it the context that [Replace] sets: a context must not contain itself.
func Now(ctx context.Context) context.Context {
	if m, ok := ctx.(*Context); ok {
		return m.now.Load().Context
	}
	return ctx
}

// Replace makes ctx the context at a place: in the [Context] that is there, or in its stead.
func Replace(at *context.Context, ctx context.Context) { //nolint:revive // the place comes first, as in an assignment
	if m, ok := (*at).(*Context); ok {
		m.now.Store(&holder{ctx})
		return
	}
	*at = ctx //nolint:fatcontext // it takes the place of the other
}

// Deadline implements [context.Context].
func (m *Context) Deadline() (time.Time, bool) { return m.now.Load().Deadline() }

// Done implements [context.Context].
func (m *Context) Done() <-chan struct{} { return m.now.Load().Done() }

// Err implements [context.Context].
func (m *Context) Err() error { return m.now.Load().Err() }

// Value implements [context.Context].
func (m *Context) Value(key any) any { return m.now.Load().Value(key) }
