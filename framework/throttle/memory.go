package throttle

import (
	"container/list"
	"context"
	"crypto/sha256"
	"sync"
	"time"
)

// Memory counts in the process. The zero Memory is ready for use and safe for concurrent
// use. Do not copy it, and do not change its fields after the first use.
//
// It stores a hash of each key and at most 101 times: about 300 bytes for a key with few
// requests, and at most about 2.3 KB.
type Memory struct {
	// Keys is the maximum number of keys. Beyond it, Memory forgets the least recently
	// used key. A value below 1 means 50,000, the default.
	Keys int
	// Clock returns the time. Defaults to time.Now, whose readings are monotonic, so a
	// change of the system clock has no effect. If the clock goes back, Memory uses the
	// last time until the clock has caught up.
	Clock func() time.Time

	mu    sync.Mutex
	keys  map[[sha256.Size]byte]*list.Element
	order list.List // of *entry, the most recently used first
	began time.Time
	now   time.Duration // since began
}

// An entry is the log of one key.
type entry struct {
	key [sha256.Size]byte
	log window
}

var _ Store = (*Memory)(nil)

// Take implements [Store]. It returns an error only for an invalid rate.
func (m *Memory) Take(_ context.Context, key string, rate Rate) (Quota, error) {
	if err := rate.Check(); err != nil {
		return Quota{}, err
	}
	hash := sha256.Sum256([]byte(rate.String() + " " + key))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tick()
	e := m.find(hash)
	var q Quota
	e.log, q = e.log.take(m.now, rate)
	return q, nil
}

// tick reads the clock while the lock is held, so that the time never goes back between
// two requests.
func (m *Memory) tick() {
	clock := m.Clock
	if clock == nil {
		clock = time.Now
	}
	now := clock()
	if m.keys == nil {
		m.keys, m.began = map[[sha256.Size]byte]*list.Element{}, now
	}
	m.now = max(m.now, now.Sub(m.began))
}

// find returns the entry of a key. If there is none, it makes a new one and frees room
// for it.
func (m *Memory) find(hash [sha256.Size]byte) *entry {
	if at := m.keys[hash]; at != nil {
		m.order.MoveToFront(at)
		return at.Value.(*entry)
	}
	m.evict()
	e := &entry{key: hash}
	m.keys[hash] = m.order.PushFront(e)
	return e
}

// evict forgets the least recently used keys: up to two expired ones, so that expired
// keys disappear faster than new keys arrive, and any keys while there are too many.
func (m *Memory) evict() {
	most := m.Keys
	if most < 1 {
		most = 50_000
	}
	for idle := 0; m.order.Len() > 0; idle++ {
		oldest := m.order.Back()
		e := oldest.Value.(*entry)
		if m.order.Len() < most && (idle >= 2 || e.log.ends() > m.now) {
			return
		}
		m.order.Remove(oldest)
		delete(m.keys, e.key)
	}
}
