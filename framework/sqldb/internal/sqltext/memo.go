package sqltext

import "sync"

// kept is how many entries a Memo or a TextSet keeps at most.
const kept = 1024

// A Memo keeps a value for each of many keys. If it is full, Keep first removes all values. The
// zero Memo is empty. It is safe for concurrent use.
type Memo[K comparable, V any] struct {
	mu    sync.RWMutex
	known map[K]V
}

// Of returns the value of a key. If the Memo has none, it calls made and keeps the result.
// Concurrent calls may each call made.
func (m *Memo[K, V]) Of(key K, made func(K) V) V {
	m.mu.RLock()
	v, known := m.known[key]
	m.mu.RUnlock()
	if known {
		return v
	}
	v = made(key)
	m.Keep(key, v)
	return v
}

// Keep stores the value of a key.
func (m *Memo[K, V]) Keep(key K, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) >= kept {
		m.known = map[K]V{}
	}
	m.known[key] = v
}

// A TextSet is a set of statements. If it is full, Add first removes all of them; then each is
// tried and fails once more. The zero TextSet is empty. It is safe for concurrent use.
type TextSet struct {
	mu    sync.RWMutex
	texts map[string]struct{}
}

// Has reports whether a statement is in the set.
func (t *TextSet) Has(text string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	_, ok := t.texts[text]
	return ok
}

// Add puts a statement into the set.
func (t *TextSet) Add(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.texts == nil || len(t.texts) >= kept {
		t.texts = make(map[string]struct{})
	}
	t.texts[text] = struct{}{}
}
