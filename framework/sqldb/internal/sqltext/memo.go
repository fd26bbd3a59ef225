package sqltext

import "sync"

// kept is how many entries a Memo or a TextSet keeps.
const kept = 1024

// A Memo remembers what was made of keys. It forgets everything when it is full. The zero Memo is
// empty. It is safe for concurrent use.
type Memo[K comparable, V any] struct {
	mu    sync.RWMutex
	known map[K]V
}

// Of returns what made makes of a key. It may be made more than once.
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

// Keep remembers a value.
func (m *Memo[K, V]) Keep(key K, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) >= kept {
		m.known = map[K]V{}
	}
	m.known[key] = v
}

// A TextSet is a set of statements. It forgets everything when it is full, which costs a
// failed attempt for each. The zero TextSet is empty. It is safe for concurrent use.
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
