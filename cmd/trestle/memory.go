package main

import (
	"os"
	"runtime/debug"
)

// heapGrowth is how much a server's memory may grow, in percent of what is in
// use, before the garbage is collected. What is in use are a few MiB, so that
// Go's usual 100 would mean many collections a second.
const heapGrowth = 400

// letHeapGrow leaves the environment's GOGC, if there is one, as it is.
func letHeapGrow() {
	if _, set := os.LookupEnv("GOGC"); !set {
		debug.SetGCPercent(heapGrowth)
	}
}
