package throwaway

import "strings"

// tail keeps the last part of what is written to it, for error messages.
type tail struct{ kept []byte }

// Write appends p and drops the oldest bytes beyond 4 KiB.
func (t *tail) Write(p []byte) (int, error) {
	const limit = 4 << 10
	t.kept = append(t.kept, p...)
	if extra := len(t.kept) - limit; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	return len(p), nil
}

// String returns the kept part without blanks around it.
func (t *tail) String() string { return strings.TrimSpace(string(t.kept)) }
