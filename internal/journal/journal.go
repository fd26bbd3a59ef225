// Package journal records what a program under test writes to its log.
package journal

import (
	"bytes"
	"encoding/json"
	"sync"
	"testing"
)

// A Journal is the writer of a log, in memory. The zero Journal is empty. It is safe for concurrent
// use, so a test can read it while the program writes.
type Journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write appends to the journal. It never fails.
func (j *Journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

// String returns what was written since the last call of [Journal.Take].
func (j *Journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

// Take removes the lines of a log in JSON from the journal and returns them. A line of another form
// ends the test.
func (j *Journal) Take(tb testing.TB) (lines []map[string]any) {
	tb.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	for text := range bytes.Lines(j.text.Bytes()) {
		line := map[string]any{}
		if err := json.Unmarshal(text, &line); err != nil {
			tb.Fatalf("the line %q of the log: %v", text, err)
		}
		lines = append(lines, line)
	}
	j.text.Reset()
	return lines
}
