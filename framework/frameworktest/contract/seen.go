package contract

import (
	"hash/maphash"
	"sync"
	"time"
)

// validBodies stores the hashes of valid bodies, so that equal bodies are not checked again.
// Bodies are equal if they differ only in ids and times, because no schema distinguishes
// these.
type validBodies struct {
	once  sync.Once
	seed  maphash.Seed
	known sync.Map // hashes
}

func (s *validBodies) key(place string, body []byte) uint64 {
	s.once.Do(func() { s.seed = maphash.MakeSeed() })
	var h maphash.Hash
	h.SetSeed(s.seed)
	_, _ = h.WriteString(place)
	_ = h.WriteByte(0)
	for rest := body; len(rest) > 0; {
		word, width := leadingID(rest)
		if width == 0 {
			word, width = leadingTime(rest)
		}
		if width == 0 {
			width = 1
			for width < len(rest) && isWord(rest[width-1]) && isWord(rest[width]) {
				width++ // ids and times begin where words begin
			}
			word = rest[:width]
		}
		_, _ = h.Write(word)
		rest = rest[width:]
	}
	return h.Sum64()
}

func (s *validBodies) has(key uint64) bool { _, known := s.known.Load(key); return known }
func (s *validBodies) add(key uint64)      { s.known.Store(key, true) }

func isWord(b byte) bool { return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' }

const (
	idShape   = "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh"
	timeShape = "dddd-dd-ddTdd:dd:dd"
)

// leadingID returns a replacement for a UUID at the beginning of a text, and the length
// of the UUID; 0 if there is none.
func leadingID(text []byte) ([]byte, int) {
	if !hasShape(text, idShape) {
		return nil, 0
	}
	return []byte(idShape), len(idShape)
}

// leadingTime returns a replacement for a time in UTC at the beginning of a text, and the
// length of the time; 0 if there is none.
func leadingTime(text []byte) ([]byte, int) {
	if !hasShape(text, timeShape) {
		return nil, 0
	}
	at := len(timeShape)
	if at < len(text) && text[at] == '.' {
		for at++; at < len(text) && isDigit(text[at]); at++ {
		}
	}
	if at == len(text) || text[at] != 'Z' {
		return nil, 0
	}
	if _, err := time.Parse(time.RFC3339, string(text[:at+1])); err != nil {
		return nil, 0 // a schema would reject it
	}
	return []byte(timeShape), at + 1
}

func hasShape(text []byte, shape string) bool {
	if len(text) < len(shape) {
		return false
	}
	for i := range len(shape) {
		switch shape[i] {
		case 'h':
			if !isDigit(text[i]) && (text[i] < 'a' || text[i] > 'f') {
				return false
			}
		case 'd':
			if !isDigit(text[i]) {
				return false
			}
		default:
			if text[i] != shape[i] {
				return false
			}
		}
	}
	return true
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }
