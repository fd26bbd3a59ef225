package sqldb

import (
	"context"
	"testing"
)

// TestNothingShared: with sharing off, no other request can wait for the
// execution of a read, a look-up or a write.
func TestNothingShared(t *testing.T) {
	for _, switched := range []string{"on", "off"} {
		t.Run(switched, func(t *testing.T) {
			sharing = switched
			defer func() { sharing = "on" }()
			eachKind(t, func(t *testing.T, url string) { sharedStatements(t, open(t, url, Options{}), switched == "on") })
		})
	}
}

func sharedStatements(t *testing.T, db *DB, want bool) {
	t.Helper()
	l := lookups(t, db, "{{bigint}}", "id")
	run(t, db.Session(), "INSERT INTO t VALUES (1, 1, 'ada', 'old')")
	rename := db.NewUpdate().TableExpr("t").Set("name = ?", Param("new")).Where("id = ?", Param(1)).Returning("name")
	var reads, found, writes int // those that others could wait for, while a statement runs
	db.Observe(func(context.Context, Event) {
		reads, found, writes = max(reads, db.reads.Running()), max(found, db.lookups.Running()), max(writes, db.writes.Lines())
	})
	if got := writeOutcome(db.Session().Read(background(t), db.NewSelect().TableExpr("t").Column("name"))); got != "old" {
		t.Errorf("the read answers %s", got)
	}
	if fault := (lookedFor{key: 1, most: 1, owner: "ada", names: "old"}).ask(background(t), db.Session(), l); fault != "" {
		t.Error(fault)
	}
	if got := writeOutcome(db.Session().Write(background(t), rename, 1)); got != "new" {
		t.Errorf("the write answers %s", got)
	}
	for name, n := range map[string]int{"read": reads, "look-up": found, "write": writes} {
		if (n > 0) != want {
			t.Errorf("others can wait for %d executions of a %s", n, name)
		}
	}
}
