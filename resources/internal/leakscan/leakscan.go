// Package leakscan looks through the answers of a test server for what no client
// may be shown: members that are internal, names of the storage, and words that
// a test hides.
package leakscan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"trestle.example/framework/frameworktest/overhear"
	"trestle.example/framework/sqldb"
)

// A Scan has the texts that answers must not contain. It is safe for concurrent use.
type Scan struct {
	// Failures sets whether answers of 500 and above are reported too.
	Failures bool

	storage storage
	mu      sync.RWMutex
	hidden  map[string]hidden
}

// hidden is what a word is, and below which paths it may be shown all the same.
type hidden struct {
	what  string
	below []string
}

// New returns a scan for the names of tables, columns and indexes of migrations.
func New(sets ...sqldb.Migrations) (*Scan, error) {
	known, err := storageOf(sets)
	return &Scan{storage: known, hidden: map[string]hidden{}}, err
}

// leastWord is how many characters a hidden word has at least: shorter ones are
// met by chance.
const leastWord = 6

// Hide hides the words of a text, but for short ones, save below some paths. The
// text is an id, a number, a hash; what names it in a report. A text that has no
// word to hide is an error of the test.
func (s *Scan) Hide(tb testing.TB, what, text string, below ...string) {
	tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	some := false
	for word := range strings.FieldsFuncSeq(text, between) {
		if len(word) >= leastWord {
			s.hidden[word], some = hidden{what, below}, true
		}
	}
	if !some {
		tb.Errorf("%s, %q, has no word of %d characters that could be hidden", what, text, leastWord)
	}
}

// between reports whether a rune separates words: an id and a name of a column are one word.
func between(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-'
}

// Wrap looks through every answer of a handler before it is sent, and reports
// what it finds to the test.
func (s *Scan) Wrap(tb testing.TB, handler http.Handler) http.Handler {
	tb.Helper()
	return overhear.Handler(handler, func(asked *http.Request, sent []byte, answer overhear.Answer) {
		for _, finding := range s.findings(asked, sent, answer) {
			tb.Errorf("%s %s is answered %d with %s:\n%.2000s", asked.Method, asked.URL.Path, answer.Status, finding, answer.Body)
		}
	})
}

// findings are what an answer shows that it must not.
func (s *Scan) findings(r *http.Request, sent []byte, answer overhear.Answer) (all []string) {
	if s.Failures && answer.Status >= http.StatusInternalServerError {
		all = append(all, "a failure")
	}
	var header bytes.Buffer
	_ = answer.Header.Write(&header) // a buffer takes everything
	own := wordsOf(r.Method+" "+r.URL.RequestURI(), string(sent))
	for word := range wordsOf(header.String(), string(answer.Body)) {
		if what := s.isHidden(word, r.URL.Path); what != "" {
			all = append(all, fmt.Sprintf("%s, %q", what, word))
		}
		if !own[word] && s.storage.names(word, r.URL.Path) { // a client may read what it wrote itself
			all = append(all, fmt.Sprintf("a name of the storage, %q", word))
		}
	}
	if !describes(r.Method, r.URL.Path) {
		all = append(all, badMembers(answer.Body, r.URL.Path)...)
	}
	slices.Sort(all)
	return all
}

func (s *Scan) isHidden(word, path string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if h, known := s.hidden[word]; known && !isBelow(path, h.below) {
		return h.what
	}
	return ""
}

// wordsOf are the words of texts that are long enough to be looked for.
func wordsOf(texts ...string) map[string]bool {
	words := map[string]bool{}
	for _, text := range texts {
		for word := range strings.FieldsFuncSeq(text, between) {
			if len(word) >= leastWord {
				words[word] = true
			}
		}
	}
	return words
}

// badMembers are those of a JSON body, at any depth, that answers at a path must
// not have. What is no JSON has none.
func badMembers(body []byte, path string) (found []string) {
	var value any
	if json.Unmarshal(body, &value) != nil {
		return nil
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			for name, one := range v {
				if why := badMember(name, path); why != "" {
					found = append(found, fmt.Sprintf("the %s member %q", why, name))
				}
				walk(one)
			}
		}
	}
	walk(value)
	slices.Sort(found)
	return slices.Compact(found)
}
