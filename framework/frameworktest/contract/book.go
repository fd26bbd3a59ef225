package contract

import (
	"crypto/sha256"
	"sync"
	"testing"
)

// A Book keeps the contracts of a package's tests, so that those which serve
// the same API share one: reading a document takes as long as hundreds of
// requests. It is safe for concurrent use.
type Book struct {
	// Beside are more paths as [Contract.Beside] takes them. Defaults to none.
	Beside []string
	// Unsaid makes the contracts tight, if it is not nil, as [Contract.Tight] does.
	// Defaults to nil.
	Unsaid map[string][]string

	mu     sync.Mutex
	byName map[string]*Contract
	byText map[[sha256.Size]byte]*Contract
}

// A Documented API tells of itself, as a framework.API does.
type Documented interface {
	// Document returns the reference in a format, "json".
	Document(format string) ([]byte, error)
}

// Of is the contract of an API. The name stands for all APIs that have the same
// document, which is then asked for once; the empty name stands for none, and
// the document is asked for to see. A document that cannot be read fails the
// test at once.
func (b *Book) Of(tb testing.TB, name string, api Documented) *Contract {
	tb.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if known := b.byName[name]; known != nil && name != "" {
		return known
	}
	document, err := api.Document("json")
	if err != nil {
		tb.Fatal(err)
	}
	c, err := b.read(document)
	if err != nil {
		tb.Fatal(err)
	}
	b.byName[name] = c
	return c
}

func (b *Book) read(document []byte) (*Contract, error) {
	if b.byName == nil {
		b.byName, b.byText = map[string]*Contract{}, map[[sha256.Size]byte]*Contract{}
	}
	sum := sha256.Sum256(document)
	if known := b.byText[sum]; known != nil {
		return known, nil
	}
	c, err := New(document)
	if err == nil {
		b.byText[sum] = c.Beside(b.Beside...)
		if b.Unsaid != nil {
			c.Tight(b.Unsaid)
		}
	}
	return c, err
}
