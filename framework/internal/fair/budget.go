package fair

import "sync"

// A Budget is memory that clients share. The requests of an address may hold as much
// as is left free after that, so that one address takes half of it at most and leaves
// as much to others. It is safe for concurrent use.
type Budget struct {
	// Bytes is how much there is.
	Bytes int

	mu   sync.Mutex
	used int
	held map[string]int
}

// A Share is what one request holds of a budget.
type Share struct {
	budget  *Budget
	address string
	bytes   int
}

// For begins the share of a request, of nothing.
func (b *Budget) For(c Client) *Share { return &Share{budget: b, address: c.Address} }

// Take holds more bytes. It is false, and holds nothing more, if the address may not.
func (s *Share) Take(bytes int) bool {
	b := s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.held[s.address]+bytes > b.Bytes-b.used-bytes {
		return false
	}
	if b.held == nil {
		b.held = map[string]int{}
	}
	b.used += bytes
	b.held[s.address] += bytes
	s.bytes += bytes
	return true
}

// End gives everything back.
func (s *Share) End() {
	if s.bytes == 0 {
		return
	}
	b := s.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= s.bytes
	if b.held[s.address] -= s.bytes; b.held[s.address] == 0 {
		delete(b.held, s.address)
	}
	s.bytes = 0
}
