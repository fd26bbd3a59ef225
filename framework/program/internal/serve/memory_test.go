package serve

import (
	"runtime"
	"testing"
	"time"
)

// TestHeapGrowth: the room for garbage is constant, but at least that of Go's default.
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

// TestAfterCollections: the function runs after each collection.
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
