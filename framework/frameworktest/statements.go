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
	mu      sync.Mutex
	hearing int
	heard   []sqldb.Event
}

// CountStatements begins to observe a database, for as long as it is open. BEGIN, COMMIT
// and ROLLBACK are not counted.
func CountStatements(db *sqldb.DB) *Counter {
	c := &Counter{}
	db.Observe(func(_ context.Context, e sqldb.Event) { c.hear(e) })
	return c
}

func (c *Counter) hear(e sqldb.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.hearing > 0 && !e.Control {
		c.heard = append(c.heard, e)
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
	c.hearing++
	from := len(c.heard)
	c.mu.Unlock()
	fn()
	c.mu.Lock()
	defer c.mu.Unlock()
	heard := slices.Clone(c.heard[from:])
	if c.hearing--; c.hearing == 0 {
		c.heard = nil
	}
	return heard
}
