package redisthrottle

import (
	"sync"
	"time"
)

// pause is how long Redis gets no request after it did not answer.
const pause = time.Second

// A breaker records that Redis does not answer. Then only one request per pause waits for
// Redis: the probe. The zero breaker lets all requests pass.
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

// fail records that Redis did not answer, and reports whether the state changed.
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
