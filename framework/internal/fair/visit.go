package fair

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// A visit is one request: for whom it is, how long it has waited, and what it holds.
type visit struct {
	clients []Client
	*progress
}

// A progress belongs to all contexts of one request.
type progress struct {
	mu     sync.Mutex
	waited time.Duration
	held   []*Turn
}

type visitKey struct{}

// Network names the client of an address: an IPv4 address, or the /56 network of an
// IPv6 address, which is often one subscriber's.
func Network(at netip.Addr) string {
	const subscriber = 56
	if at = at.Unmap(); at.Is6() {
		return netip.PrefixFrom(at, subscriber).Masked().String()
	}
	return at.String()
}

// With names the client for whom the statements of a context run. The contexts of
// one request share the time that it may wait.
func With(ctx context.Context, c Client) context.Context {
	v := &visit{clients: []Client{c}}
	if before := of(ctx); before != nil {
		v.progress = before.progress
	} else {
		v.progress = &progress{}
	}
	return context.WithValue(ctx, visitKey{}, v)
}

// Apart is the context of work that outlives a request, which waits as long as it
// has to.
func Apart(ctx context.Context) context.Context {
	return context.WithValue(context.WithoutCancel(ctx), visitKey{}, &visit{progress: &progress{waited: -1}})
}

// Together is the context of work that clients share: a request of its own, which has
// its turn when any of them has.
func Together(ctx context.Context, clients []Client) context.Context {
	return context.WithValue(ctx, visitKey{}, &visit{clients: clients, progress: &progress{}})
}

func of(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	return v
}

// ClientOf is the client of a context; the program itself if it names none.
func ClientOf(ctx context.Context) Client {
	return clientsOf(ctx)[0]
}

func clientsOf(ctx context.Context) []Client {
	if v := of(ctx); v != nil && len(v.clients) > 0 {
		return v.clients
	}
	return []Client{{}}
}

// Left is how long the request of a context may still wait; false for a context
// without such a limit.
func (q *Queue) Left(ctx context.Context) (time.Duration, bool) {
	v := of(ctx)
	if v == nil {
		return 0, false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return max(0, q.options.Timeout-v.waited), v.waited >= 0
}

// Waited counts time that the request of a context has waited.
func Waited(ctx context.Context, d time.Duration) {
	if v := of(ctx); v != nil {
		v.mu.Lock()
		defer v.mu.Unlock()
		if v.waited >= 0 {
			v.waited += d
		}
	}
}

// Holds reports whether the request of a context holds a slot of the queue.
func (q *Queue) Holds(ctx context.Context) bool {
	v := of(ctx)
	if v == nil {
		return false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return slices.ContainsFunc(v.held, func(t *Turn) bool { return t.queue == q })
}

// Acquire waits for a slot. It is [ErrOverloaded] when the request of the context has
// waited for [Options.Timeout] in all, and the context's error if that ends first.
// [Turn.End] gives the slot back.
func (q *Queue) Acquire(ctx context.Context) (*Turn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t := q.Enter(clientsOf(ctx)...)
	if err := t.Wait(ctx); err != nil {
		return nil, err
	}
	return t, nil
}

// Wait waits for a turn on behalf of the request of a context, which holds the slot
// from then on. With an error the turn is over.
func (t *Turn) Wait(ctx context.Context) error {
	if t.ready != nil {
		if err := t.await(ctx); err != nil {
			t.End()
			return err
		}
	}
	if t.shed {
		return ErrOverloaded
	}
	if v := of(ctx); v != nil {
		t.visit = v
		v.mu.Lock()
		v.held = append(v.held, t)
		v.mu.Unlock()
	}
	return nil
}

func (t *Turn) await(ctx context.Context) error {
	var late <-chan time.Time
	if left, limited := t.queue.Left(ctx); limited {
		timer := time.NewTimer(left)
		defer timer.Stop()
		late = timer.C
	}
	began := time.Now()
	defer func() { Waited(ctx, time.Since(began)) }()
	select {
	case <-t.ready:
		return nil
	case <-late:
		return t.queue.GiveUp()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Waits reports whether a turn did not come at once.
func (t *Turn) Waits() bool { return t.ready != nil }

// GiveUp counts a turn that is not waited for any longer, and is [ErrOverloaded].
func (q *Queue) GiveUp() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.shed++
	return ErrOverloaded
}

// returned takes a turn from what the request holds.
func (v *visit) returned(t *Turn) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if at := slices.Index(v.held, t); at >= 0 {
		v.held = slices.Delete(v.held, at, at+1)
	}
}
