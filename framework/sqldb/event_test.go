package sqldb

import (
	"context"
	"errors"
	"testing"
)

// TestAnObserverThatPanics fails no statement, hangs no transaction and costs no
// connection; the other observers are called.
func TestAnObserverThatPanics(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, "CREATE TABLE notes (body text)")
		told := 0
		db.Observe(func(context.Context, Event) { panic("an observer's own fault") })
		db.Observe(func(context.Context, Event) { told++ })
		for range 2 {
			if err := db.InTx(background(t), func(ctx context.Context, s *Session) error {
				run(t, s, "INSERT INTO notes VALUES ('a')")
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
		undone := errors.New("undone")
		if err := db.InTx(background(t), func(ctx context.Context, s *Session) error {
			run(t, s, "INSERT INTO notes VALUES ('b')")
			return undone
		}); !errors.Is(err, undone) {
			t.Error(err)
		}
		if n := one[int64](t, db.Session(), "SELECT count(*) FROM notes"); n != 2 {
			t.Errorf("%d rows; want 2", n)
		}
		if _, err := db.ExecContext(background(t), "DELETE FROM notes"); err != nil { // by bun itself
			t.Error(err)
		}
		if inUse := db.Stats().InUse; inUse != 0 || told == 0 {
			t.Errorf("%d connections are in use; the other observer was told %d times", inUse, told)
		}
	})
}
