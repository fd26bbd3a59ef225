package serve

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// heapRoom is how much garbage a server lets come before it is collected. What is
// in use are a few MiB, so that Go's usual rule, as much again as there is in use,
// would mean many collections a second.
const heapRoom = 20 << 20

const (
	growthAtLeast = 100  // percent, where much is in use: Go's usual rule
	growthAtMost  = 1000 // percent, where next to nothing is
)

// letHeapGrow keeps collections rare. It leaves the environment's GOGC, if there
// is one, as it is.
func letHeapGrow() {
	if _, set := os.LookupEnv("GOGC"); set {
		return
	}
	now := 0
	afterCollections(func() {
		if next := growth(inUse()); next != now {
			debug.SetGCPercent(next)
			now = next
		}
	})
}

// growth is how much memory may grow, in percent of what is in use, in steps
// of ten.
func growth(inUse uint64) int {
	percent := min(heapRoom*100/max(inUse, 1), growthAtMost)
	return max(int(percent/10*10), growthAtLeast) // #nosec G115 -- it is growthAtMost at most
}

// inUse is what the growth is reckoned from, in bytes.
func inUse() (sum uint64) {
	parts := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(parts)
	for _, p := range parts {
		sum += p.Value.Uint64()
	}
	return sum
}

// afterCollections calls a function now, and after each collection of garbage: it
// leaves something there to be collected.
func afterCollections(do func()) {
	do()
	runtime.AddCleanup(new([16]byte), afterCollections, do)
}
