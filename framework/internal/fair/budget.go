package fair

import (
	"errors"
	"io"
	"sync"
)

// A Budget limits the memory that the requests of all clients hold. The requests of one address
// may hold at most as many bytes as are still free afterwards, so at most half of the budget. It
// is safe for concurrent use.
type Budget struct {
	// Bytes is the size of the budget.
	Bytes int

	mu   sync.Mutex
	used int
	held map[string]int
}

// A Share is the part of a budget that one request holds. One goroutine at a time may use it.
type Share struct {
	budget  *Budget
	address string
	bytes   int
}

// For returns a new share for a request of the client. It holds no bytes.
func (b *Budget) For(c Client) *Share { return &Share{budget: b, address: c.Address} }

// Take adds bytes to the share. If the address would then hold more bytes than are free, Take adds
// nothing and returns false.
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

// ErrBudget is the error of a read beyond the share of the client's address.
var ErrBudget = errors.New("the requests of this address hold too much of the memory for bodies")

// Reader returns a reader of from that adds to the share what it reads, without the first free
// bytes.
func (s *Share) Reader(from io.Reader, free int) *Reader {
	return &Reader{from: from, share: s, free: free}
}

// A Reader reads within a share. It keeps nothing; its user holds what it read.
type Reader struct {
	from  io.Reader
	share *Share
	free  int
	full  bool
}

// Read returns [ErrBudget] if the share is exceeded.
func (r *Reader) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	counted := max(0, n-r.free)
	r.free -= n - counted
	if counted > 0 && !r.share.Take(counted) {
		r.full = true
		return 0, ErrBudget
	}
	return n, err
}

// IsFull reports whether a read exceeded the share.
func (r *Reader) IsFull() bool { return r.full }

// End returns all bytes of the share to the budget. Without any bytes, it does nothing.
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
