package serve

import (
	"runtime"
	"testing"
	"time"
)

// TestHeapGrowth gives garbage the same room, whatever is in use, but never less
// than Go does.
func TestHeapGrowth(t *testing.T) {
	for name, test := range map[string]struct {
		inUse uint64
		want  int
	}{
		"nothing":                {0, growthAtMost},
		"next to nothing":        {1 << 20, growthAtMost},
		"as usual":               {4 << 20, 500},
		"a quarter of the room":  {heapRoom / 4, 400},
		"as much as the room is": {heapRoom, 100},
		"more":                   {1 << 30, growthAtLeast},
	} {
		if got := computeGrowth(test.inUse); got != test.want {
			t.Errorf("%s: %d percent; want %d", name, got, test.want)
		}
	}
}

// TestAfterCollections calls again after each of them.
func TestAfterCollections(t *testing.T) {
	called := make(chan struct{}, 1)
	afterCollections(func() {
		select {
		case called <- struct{}{}:
		default:
		}
	})
	for n := 0; n < 4; {
		runtime.GC()
		select {
		case <-called:
			n++
		case <-time.After(time.Millisecond):
		}
	}
}
