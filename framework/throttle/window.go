package throttle

import "time"

// A window is the log of one key: the times of the requests that passed, the oldest
// first.
type window []mark

// A mark is the requests that stop counting at the same time.
type mark struct {
	until time.Duration // on the clock of the store; at this moment they no longer count
	count int
}

// take counts one request if the rate allows it, and returns the new log and the quota. It
// changes w, which must not be used after it. The clock must not go back.
//
// Proof: of any N+1 requests that passed, the last is at least one window after the first.
// A request counts for at least one window. If the last arrived earlier, all N others
// would still count, and it would be rejected.
func (w window) take(now time.Duration, rate Rate) (window, Quota) {
	w = w.forget(now)
	used := w.total()
	if used >= rate.Limit {
		wait := w[0].until - now
		return w, Quota{Limit: rate.Limit, Reset: wait, Wait: wait}
	}
	w = w.add(until(now, rate))
	return w, Quota{Limit: rate.Limit, Remaining: rate.Limit - used - 1, Reset: w[0].until - now}
}

// until returns when a request that passes now stops counting: one window after the end
// of its grain.
func until(now time.Duration, rate Rate) time.Duration {
	up := now + rate.Grain() - 1
	return up - up%rate.Grain() + rate.Per
}

// forget removes the requests that no longer count.
func (w window) forget(now time.Duration) window {
	gone := 0
	for gone < len(w) && w[gone].until <= now {
		gone++
	}
	return append(w[:0], w[gone:]...)
}

func (w window) total() int {
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

// ends returns when the last request stops counting. The window must not be empty.
func (w window) ends() time.Duration { return w[len(w)-1].until }
