package serve

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// heapRoom is how much garbage may accumulate before a collection, in bytes, within the two
// limits below. A server uses little memory, so Go's default would collect many times a second.
const heapRoom = 20 << 20

const (
	growthAtLeast = 100  // percent, Go's default: applies if much memory is in use
	growthAtMost  = 1000 // percent: applies if very little memory is in use
)

// letHeapGrow keeps collections rare: it sets how much the heap may grow, now and after each
// collection. If the variable GOGC is set, it does nothing, so that GOGC applies.
func letHeapGrow() {
	if _, set := os.LookupEnv("GOGC"); set {
		return
	}
	now := 0
	afterCollections(func() {
		if next := computeGrowth(inUse()); next != now {
			debug.SetGCPercent(next)
			now = next
		}
	})
}

// computeGrowth returns how much the heap may grow, in per cent of the memory in use, rounded
// down to a multiple of ten.
func computeGrowth(inUse uint64) int {
	percent := min(heapRoom*100/max(inUse, 1), growthAtMost)
	return max(int(percent/10*10), growthAtLeast) // #nosec G115 -- it is growthAtMost at most
}

// inUse returns the memory from which the growth is computed, in bytes: the live heap, the
// stacks and the global variables, as Go's collector counts them.
func inUse() (sum uint64) {
	parts := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/scan/stack:bytes"}, {Name: "/gc/scan/globals:bytes"}}
	metrics.Read(parts)
	for _, p := range parts {
		sum += p.Value.Uint64()
	}
	return sum
}

// afterCollections calls a function now and after each collection. It leaves a value
// behind whose collection calls the function again.
func afterCollections(do func()) {
	do()
	runtime.AddCleanup(new([16]byte), afterCollections, do)
}
