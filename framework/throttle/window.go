package throttle

import "time"

// A window is the log of one key: when requests passed, oldest first.
type window []mark

// A mark is requests that are forgotten at the same time.
type mark struct {
	until time.Duration // on the store's clock; at this very moment they are forgotten
	count int
}

// take counts one request if the rate lets it pass. The clock must not go
// back.
//
// Of any N+1 requests that passed, the last is at least one window after the
// first: when the last came, N others would have counted otherwise, because a
// request counts for one window at least.
func (w window) take(now time.Duration, rate Rate) (window, Quota) {
	w = w.forget(now)
	used := w.used()
	if used >= rate.Limit {
		wait := w[0].until - now
		return w, Quota{Limit: rate.Limit, Reset: wait, Wait: wait}
	}
	w = w.add(until(now, rate))
	return w, Quota{Limit: rate.Limit, Remaining: rate.Limit - used - 1, Reset: w[0].until - now}
}

// until is when a request that passes now is forgotten: one window after the
// end of its grain.
func until(now time.Duration, rate Rate) time.Duration {
	up := now + rate.Grain() - 1
	return up - up%rate.Grain() + rate.Per
}

// forget drops what no longer counts.
func (w window) forget(now time.Duration) window {
	gone := 0
	for gone < len(w) && w[gone].until <= now {
		gone++
	}
	return append(w[:0], w[gone:]...)
}

func (w window) used() int {
	used := 0
	for _, m := range w {
		used += m.count
	}
	return used
}

func (w window) add(until time.Duration) window {
	if last := len(w) - 1; last >= 0 && w[last].until == until {
		w[last].count++
		return w
	}
	return append(w, mark{until, 1})
}

// ends is when the last request is forgotten.
func (w window) ends() time.Duration { return w[len(w)-1].until }
