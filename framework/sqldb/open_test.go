package sqldb

import (
	"runtime"
	"testing"
)

// TestDefaultConnections: SQLite runs in the process, so more connections than its
// processors can serve gain nothing.
func TestDefaultConnections(t *testing.T) {
	for url, want := range map[string]int{
		sqliteURL(t):                   min(max(4, 2*runtime.GOMAXPROCS(0)), 16) + 2, // and one for a second statement, and the writer
		"postgres://app@localhost/app": 16 + 1,
	} {
		db := open(t, url, Options{})
		if got := db.Stats().MaxOpenConnections; got != want {
			t.Errorf("%s: at most %d connections; want %d", db.Kind(), got, want)
		}
	}
}
