package fair

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// A request is the clients of a context. It is empty for the program itself.
type request struct {
	clients []Client
	*progress
}

// A progress belongs to all contexts of one request.
type progress struct {
	mu      sync.Mutex
	waited  time.Duration
	lasting bool     // each wait has the whole limit
	held    []*Queue // one entry for each slot that the request holds
}

type requestKey struct{}

// Network names the client of an address: an IPv4 address, or the /56 network of an
// IPv6 address, which usually belongs to one subscriber.
func Network(at netip.Addr) string {
	if at = at.Unmap(); at.Is6() {
		return netip.PrefixFrom(at, 56).Masked().String()
	}
	return at.String()
}

// With returns a context with this client only. It belongs to the request of ctx, or else to
// a new one. The contexts of one request share the time that it may wait, and the slots that
// it holds.
func With(ctx context.Context, c Client) context.Context {
	return context.WithValue(ctx, requestKey{}, &request{[]Client{c}, requestOf(ctx).progress})
}

// Apart returns the context of a new request that clients share. Without clients, only the
// end of the context limits how long it waits.
func Apart(ctx context.Context, clients ...Client) context.Context {
	return context.WithValue(ctx, requestKey{}, &request{clients, &progress{}})
}

// Begun returns a context that records which slots it holds: the context itself if it is
// that of a request, or else a new one for the program.
func Begun(ctx context.Context) context.Context {
	if _, ok := ctx.Value(requestKey{}).(*request); ok {
		return ctx
	}
	return Apart(ctx)
}

func requestOf(ctx context.Context) *request {
	if r, ok := ctx.Value(requestKey{}).(*request); ok {
		return r
	}
	return &request{nil, &progress{}}
}

// ClientOf is the first client of a context; the program itself if it has none.
func ClientOf(ctx context.Context) Client {
	if clients := requestOf(ctx).clients; len(clients) > 0 {
		return clients[0]
	}
	return Client{}
}

// Left returns how long the request of a context may still wait. limited is false if the
// request has no limit because it has no client; then left has no meaning.
func (q *Queue) Left(ctx context.Context) (left time.Duration, limited bool) {
	r := requestOf(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	return max(0, q.options.Timeout-r.waited), len(r.clients) > 0
}

// Waited adds d to the time for which the request of a context has waited.
func Waited(ctx context.Context, d time.Duration) {
	r := requestOf(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.lasting {
		r.waited += d
	}
}

// Last gives each further wait of the request of a context the whole limit of time: the request,
// such as a stream, has no end of its own.
func Last(ctx context.Context) {
	r := requestOf(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waited, r.lasting = 0, true
}

// Holds reports whether the request of a context holds a slot of the queue.
func (q *Queue) Holds(ctx context.Context) bool {
	r := requestOf(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.held, q)
}

// released records that the request holds one slot less of a queue.
func (r *request) released(q *Queue) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := slices.Index(r.held, q)
	r.held = slices.Delete(r.held, at, at+1)
}

// Acquire waits for a slot. The error is [ErrOverloaded] if there is no slot before the
// request of the context has waited for [Options.Timeout] in all, or if the turn was shed. It is
// the context's error if the context ends first. The caller must call [Turn.End] if there is no
// error.
func (q *Queue) Acquire(ctx context.Context) (*Turn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	clients := requestOf(ctx).clients
	if len(clients) == 0 {
		clients = []Client{{}}
	}
	t := q.Enter(clients...)
	if err := t.Wait(ctx); err != nil {
		return nil, err
	}
	return t, nil
}

// Waits reports whether a turn has to wait, or had to. It returns false for a turn that came
// at once, or was shed at once.
func (t *Turn) Waits() bool { return t.ready != nil }

// Wait waits until a turn comes. Then the request of the context holds the slot. The error
// is [ErrOverloaded] if the turn was shed, or does not come before the request has waited for
// [Options.Timeout] in all. It is the context's error if the context ends first. After an
// error the turn is over. Call Wait once for each turn.
func (t *Turn) Wait(ctx context.Context) error {
	if err := t.await(ctx); err != nil {
		t.End()
		return err
	}
	if t.by == nil {
		return ErrOverloaded
	}
	r := requestOf(ctx)
	t.request = r
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held = append(r.held, t.queue)
	return nil
}

func (t *Turn) await(ctx context.Context) error {
	if t.ready == nil {
		return nil
	}
	began := time.Now()
	defer func() { Waited(ctx, time.Since(began)) }()
	var late <-chan time.Time
	if left, limited := t.queue.Left(ctx); limited {
		timer := time.NewTimer(left)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-t.ready:
		return nil
	case <-late:
		select {
		case <-t.ready: // at the same moment
			return nil
		default:
			return t.queue.GiveUp()
		}
	case <-ctx.Done():
		return ctx.Err()
	}
}

// GiveUp counts a turn that waited too long in [Stats], and returns [ErrOverloaded]. It does not
// end the turn.
func (q *Queue) GiveUp() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.shed++
	return ErrOverloaded
}
