package redisthrottle

import (
	"sync"
	"time"
)

// pause is the time after a failure of Redis in which no new request is sent to it.
const pause = time.Second

// A breaker records that Redis fails: it does not answer, or returns an error. Then only one
// request per pause is sent to Redis: the probe. The zero breaker lets all requests pass.
type breaker struct {
	mu    sync.Mutex
	away  bool
	again time.Time // when the next probe may be sent
}

// pass reports whether a request may use Redis, and whether it is a probe.
func (b *breaker) pass() (ask, probing bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.away {
		return true, false
	}
	now := time.Now()
	if now.Before(b.again) {
		return false, false
	}
	b.again = now.Add(pause)
	return true, true
}

// fail records that Redis failed, and reports whether the state changed. After the first failure
// only that of a probe is recorded.
func (b *breaker) fail(probing bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away && !probing {
		return false // an earlier request has already reported it
	}
	news := !b.away
	b.away, b.again = true, time.Now().Add(pause)
	return news
}

// succeed records that Redis answered, and reports whether the state changed. Only an
// answer to a probe changes it: other requests were sent before Redis stopped answering.
func (b *breaker) succeed(probing bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	news := probing && b.away
	if news {
		b.away = false
	}
	return news
}
