package serve

import (
	"context"
	"sync"
	"time"

	"trestle.example/framework"
	"trestle.example/framework/program/internal/site"
)

// lastWrites is the part of the drain time that is reserved for the last writes of
// identity and of the API.
const lastWrites = 5 * time.Second

// startHousekeeping starts the background writes and clean-ups of identity and of the APIs.
// The returned function ends them and waits for the last writes; it must be called after the
// last request. After ctx ends, they end by themselves lastWrites before the end of the drain
// time, even if requests are still under way.
func startHousekeeping(ctx context.Context, s *site.Site, apis ...*framework.API) (end func()) {
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	report := func(of string) func(error) {
		return func(err error) { s.Log.Error("looking after "+of+" failed and is tried again", "error", err) }
	}
	var all sync.WaitGroup
	all.Go(func() { s.Identity.Run(keeping, s.DB, report("sessions and tokens")) })
	for _, api := range apis {
		all.Go(func() { api.Run(keeping, report("idempotency keys and files")) })
	}
	unwatch := context.AfterFunc(ctx, func() { time.AfterFunc(s.Delay()+drainTime-lastWrites, stop) })
	return func() {
		unwatch()
		stop()
		all.Wait()
	}
}
