package sqldb

import (
	"runtime"
	"testing"
)

// TestDefaultConnections: SQLite runs its statements on the processors of the process,
// so it uses few connections for each.
func TestDefaultConnections(t *testing.T) {
	for processors, want := range map[int]int{1: 4, 2: 4, 3: 6, 7: 14, 8: 16, 64: 16} {
		if got := defaultConns(SQLite, processors); got != want {
			t.Errorf("SQLite, %d processors: %d connections; want %d", processors, got, want)
		}
		if got := defaultConns(PostgreSQL, processors); got != 16 {
			t.Errorf("PostgreSQL, %d processors: %d connections; want 16", processors, got)
		}
	}
	eachDB(t, func(t *testing.T, db *DB) {
		if got, want := db.options.MaxConns, defaultConns(db.Kind(), runtime.GOMAXPROCS(0)); got != want {
			t.Errorf("%d connections are used at once; want %d", got, want)
		}
	})
}
