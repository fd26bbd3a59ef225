package redisthrottle

import (
	"sync"
	"time"
)

// pause is how long Redis is left alone after it did not answer.
const pause = time.Second

// A breaker remembers that Redis is away, so that only one request a pause
// waits for it: the probe. The zero breaker lets all pass.
type breaker struct {
	mu    sync.Mutex
	away  bool
	again time.Time // when the next probe may go
}

// pass reports whether a request may ask Redis, and whether it is a probe.
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

// fail notes that Redis did not answer, and reports whether that is news.
func (b *breaker) fail(probing bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away && !probing {
		return false // of the requests that were under way, the first told
	}
	news := !b.away
	b.away, b.again = true, time.Now().Add(pause)
	return news
}

// succeed notes that Redis answered, and reports whether that is news. Only a
// probe brings it back: others were sent before it went away.
func (b *breaker) succeed(probing bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	news := probing && b.away
	if news {
		b.away = false
	}
	return news
}
