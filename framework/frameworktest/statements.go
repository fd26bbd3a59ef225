package frameworktest

import (
	"context"
	"slices"
	"sync"

	"trestle.example/framework/sqldb"
)

// A Counter records the statements that reach a database. It is safe for concurrent use,
// but [Counter.During] also records statements from other goroutines.
type Counter struct {
	mu        sync.Mutex
	recording int
	recorded  []sqldb.Event
}

// CountStatements begins to observe a database, for as long as it is open. BEGIN, COMMIT
// and ROLLBACK are not counted.
func CountStatements(db *sqldb.DB) *Counter {
	c := &Counter{}
	db.Observe(func(_ context.Context, e sqldb.Event) { c.record(e) })
	return c
}

func (c *Counter) record(e sqldb.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.recording > 0 && !e.Control {
		c.recorded = append(c.recorded, e)
	}
}

// During returns the texts of the statements that ran while fn ran, in their order. The
// statements of a session have placeholders for values.
func (c *Counter) During(fn func()) []string {
	events := c.events(fn)
	texts := make([]string, len(events))
	for i, e := range events {
		texts[i] = e.SQL
	}
	return texts
}

func (c *Counter) events(fn func()) []sqldb.Event {
	c.mu.Lock()
	c.recording++
	from := len(c.recorded)
	c.mu.Unlock()
	fn()
	c.mu.Lock()
	defer c.mu.Unlock()
	heard := slices.Clone(c.recorded[from:])
	if c.recording--; c.recording == 0 {
		c.recorded = nil
	}
	return heard
}
