package check

import (
	"time"

	"trestle.example/framework/internal/prove/exchange"
)

// Lasts reports whether the answer to a request stays the same for a second. One that has the time does not. Each
// endpoint is tried once.
func (c *Checker) Lasts(e *exchange.Endpoint, r exchange.Request, now *exchange.Answer) bool {
	if !e.Steady && !e.Timed {
		select {
		case <-c.Ctx.Done():
		case <-time.After(1100 * time.Millisecond):
		}
		e.Steady = c.Send(e, r).Plain() == now.Plain()
		e.Timed = !e.Steady
	}
	return e.Steady
}
