package fair

import (
	"strconv"
	"sync"
	"testing"
)

func TestBudget(t *testing.T) {
	type take struct {
		address string
		bytes   int
		want    bool
	}
	for name, takes := range map[string][]take{
		"one address holds half at most":          {{"x", 50, true}, {"x", 1, false}},
		"in parts too":                            {{"x", 30, true}, {"x", 20, true}, {"x", 1, false}},
		"more than half is rejected as a whole":   {{"x", 51, false}, {"x", 50, true}},
		"the next address holds half of the rest": {{"x", 50, true}, {"y", 26, false}, {"y", 25, true}, {"y", 1, false}},
		"an address is limited by the others":     {{"x", 40, true}, {"y", 30, true}, {"x", 1, false}, {"z", 15, true}},
		"nothing is always accepted":              {{"x", 50, true}, {"x", 0, true}},
	} {
		t.Run(name, func(t *testing.T) {
			b := &Budget{Bytes: 100}
			var shares []*Share
			for i, c := range takes {
				s := b.For(Client{Address: c.address})
				shares = append(shares, s)
				if got := s.Take(c.bytes); got != c.want {
					t.Errorf("take %d: %v; want %v", i, got, c.want)
				}
			}
			for _, s := range shares {
				s.End()
				s.End()
			}
			if b.used != 0 || len(b.held) != 0 {
				t.Errorf("%d bytes of %v are still held", b.used, b.held)
			}
			if s := b.For(Client{Address: "x"}); !s.Take(50) {
				t.Error("what was given back is not there")
			}
		})
	}
}

// TestBudgetKeepsSomethingForOthers: many addresses that take what they can leave
// something to the next, and never hold more than there is.
func TestBudgetKeepsSomethingForOthers(t *testing.T) {
	const bytes = 1 << 20
	b := &Budget{Bytes: bytes}
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			s := b.For(Client{Address: strconv.Itoa(i % 8)})
			defer s.End()
			for s.Take(100) {
				b.mu.Lock()
				if b.used > bytes || b.held[s.address] > bytes/2 {
					t.Errorf("%d bytes are held, %d by one address", b.used, b.held[s.address])
				}
				b.mu.Unlock()
			}
			if s := b.For(Client{Address: "polite"}); i == 0 && !s.Take(1) {
				t.Error("nothing is left for an address that holds nothing")
			} else {
				s.End()
			}
		})
	}
	all.Wait()
	if b.used != 0 || len(b.held) != 0 {
		t.Errorf("%d bytes of %v are still held", b.used, b.held)
	}
}
