package throttle

import (
	"context"
	"time"
)

// A Store counts requests by key. It must be safe for concurrent use.
type Store interface {
	// Take counts one request of a key if the rate allows it, in one atomic step: of
	// requests at the same time, in any process that shares the store, never more pass
	// than the limit. The store has its own clock, because all processes that share the
	// store must use the same one.
	//
	// Each rate of a key is counted separately. A key may contain data that must not be
	// stored, such as an e-mail address: a store outside of memory stores only a hash of
	// it.
	//
	// If [Rate.Check] rejects the rate, Take returns an error.
	Take(ctx context.Context, key string, rate Rate) (Quota, error)
}

// A Quota is the rest of a rate after a request was counted or rejected.
type Quota struct {
	Limit     int           // the limit of the rate
	Remaining int           // how many more requests would pass now
	Reset     time.Duration // until the oldest request no longer counts and another may pass
	Wait      time.Duration // 0 if this request passes, else equal to Reset
}
