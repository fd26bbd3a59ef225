package throttle

import (
	"container/list"
	"context"
	"crypto/sha256"
	"sync"
	"time"
)

// Memory counts in the process. The zero Memory is ready for use, by many
// requests at once; do not copy it, and do not change its fields once it is in
// use.
//
// It keeps a hash of each key and at most 101 times, some 300 bytes for a key of
// few requests and 2 KB at the most.
type Memory struct {
	// Keys bounds how many keys are kept. Beyond that, the one that was used
	// longest ago is forgotten. Defaults to 50,000.
	Keys int
	// Clock tells the time. Defaults to time.Now, whose readings are
	// monotonic: setting the system's clock changes nothing. A clock that goes
	// back stands still until it has caught up.
	Clock func() time.Time

	mu    sync.Mutex
	keys  map[[sha256.Size]byte]*list.Element
	order list.List // of *entry, the last used first
	began time.Time
	now   time.Duration // since began
}

// An entry is one key's log.
type entry struct {
	key [sha256.Size]byte
	log window
}

var _ Store = (*Memory)(nil)

// Take implements [Store]. It fails only for a rate that cannot be held.
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

// tick reads the clock, under the lock: two requests never see it run
// backwards.
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

// find returns a key's entry, a new one if there is none, and makes room.
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

// evict forgets keys from the one that was used longest ago: two that are idle,
// so that idle keys go faster than new ones come, and any while there are too
// many.
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
