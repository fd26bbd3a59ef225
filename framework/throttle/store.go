package throttle

import (
	"context"
	"time"
)

// A Store counts requests by key. It is used by many requests at once.
type Store interface {
	// Take counts one request of a key, if the rate lets it pass, in one
	// atomic step: of requests that come at once, in this process or another
	// that shares the store, never more pass than the limit. The store has a
	// clock of its own, because processes that share it must share that too.
	//
	// A key is counted apart for each rate. It may hold what must not be
	// kept, such as an e-mail address: a store that keeps keys elsewhere than
	// in memory keeps only their hash.
	//
	// A rate that [Rate.Check] refuses is an error.
	Take(ctx context.Context, key string, rate Rate) (Quota, error)
}

// A Quota is what is left of a rate after a request was counted or refused.
type Quota struct {
	Limit     int           // the rate's
	Remaining int           // how many more would pass at once
	Reset     time.Duration // until the oldest request is forgotten and another may pass
	Wait      time.Duration // 0 if this request passes, else the same as Reset
}
