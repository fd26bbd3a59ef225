// Package recall remembers numbers that hold until something is committed.
package recall

import (
	"database/sql/driver"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"trestle.example/framework/sqldb/internal/share"
)

const (
	countKept  = time.Second // a count is kept at least so long, and less than twice so long
	countsKept = 1024        // how many counts are kept
	textKept   = 4 << 10     // the length, in bytes, of the longest text that is kept
)

// ErrNoNumber is the error of a statement to count that has no value.
var ErrNoNumber = errors.New("sqldb: a statement to count has no row, or NULL as its value")

// Counts are numbers that hold until something is committed. They are all forgotten when
// countsKept of them are kept and another one comes. The zero Counts is empty. It is safe
// for concurrent use.
type Counts struct {
	mu    sync.RWMutex
	known map[share.Key]Count
}

// A Count is a number and the snapshot that it is of: the transactions that were over, or the
// version of the file.
type Count struct {
	Snapshot string
	Value    driver.Value // int64 or a text
	until    time.Time
}

// NewCount returns a number as it is kept, for a random time between one and two times
// countKept. So numbers that were made together do not all end together.
func NewCount(snapshot string, n driver.Value) Count {
	return Count{snapshot, n, time.Now().Add(countKept + rand.N(countKept))}
}

// Of returns what is known, the zero count if that is nothing or too old.
func (c *Counts) Of(key share.Key) Count {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if known := c.known[key]; time.Now().Before(known.until) {
		return known
	}
	return Count{}
}

func isLong(v driver.Value) bool {
	switch v := v.(type) {
	case string:
		return len(v) > textKept
	case []byte:
		return len(v) > textKept
	}
	return false
}

// Keep remembers a number, unless it is a long text.
func (c *Counts) Keep(key share.Key, n Count) {
	if isLong(n.Value) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= countsKept {
		c.known = make(map[share.Key]Count)
	}
	c.known[key] = n
}
