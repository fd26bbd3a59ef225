package contract

import (
	"crypto/sha256"
	"sync"
	"testing"
)

// A Book holds the contracts for the tests of a package. Tests that serve the same API
// share one contract, because reading a document takes as long as hundreds of requests.
// It is safe for concurrent use.
type Book struct {
	// Beside are additional paths for [Contract.Beside]. Defaults to none.
	Beside []string
	// If Unsaid is not nil, the contracts are tight, see [Contract.Tight]. Defaults to
	// nil.
	Unsaid map[string][]string

	mu     sync.Mutex
	byName map[string]*Contract
	byText map[[sha256.Size]byte]*Contract
}

// A Documented API returns its own document, as a framework.API does.
type Documented interface {
	// Document returns the OpenAPI document in a format, "json".
	Document(format string) ([]byte, error)
}

// Of returns the contract of an API. All APIs with the same name must have the same
// document, which Of then requests once. For an empty name it always requests the document.
// Equal documents share a contract. If there is no valid document, the test fails at once.
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
