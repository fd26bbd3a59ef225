package sqldb

import (
	"errors"
	"slices"
	"testing"
)

// TestNamesOfTablesInTheCatalogue checks that the lists of a table are the same for all names by which statements find
// it: on SQLite in any case, and with the schema main.
func TestNamesOfTablesInTheCatalogue(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, `CREATE TABLE Animals ({{id}}, Name {{text}} NOT NULL CONSTRAINT animals_name CHECK (Name <> ''), Search {{text}} NOT NULL);
			--bun:split
			CREATE INDEX animals_by_name ON Animals (Name);
			--bun:split
			{{searchIndex "animals" "search"}}`)
		names := []string{"animals", "public.animals"}
		if db.Kind() == SQLite {
			names = []string{"Animals", "animals", "main.animals", "MAIN.ANIMALS"}
		}
		columns, err := db.Columns(background(t), names[0])
		if err != nil {
			t.Fatal(err)
		}
		indexes := indexesOf(t, db, names[0])
		if len(indexes) < 3 {
			t.Errorf("the indexes are %q; want the key, the index and the search index", indexes)
		}
		for _, name := range names {
			if got, err := db.Columns(background(t), name); err != nil || !slices.Equal(got, columns) {
				t.Errorf("%s has the columns %q, %v; want %q", name, got, err, columns)
			}
			same(t, name, indexesOf(t, db, name), indexes)
			if got, err := db.Checks(background(t), name); err != nil || !slices.Equal(got, []string{"animals_name"}) {
				t.Errorf("%s has the constraints %q, %v", name, got, err)
			}
		}
	})
}

// TestViewsInTheCatalogue have columns and no indexes. Only SQLite lets a view be without the table that it reads.
func TestViewsInTheCatalogue(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		script(t, db, `CREATE TABLE animals ({{id}}, name {{text}} NOT NULL);
			--bun:split
			CREATE VIEW named AS SELECT name FROM animals`)
		tables := map[string]bool{"animals": true, "named": false, "absent": false}
		if db.Kind() == PostgreSQL {
			script(t, db, "CREATE MATERIALIZED VIEW stored AS SELECT name FROM animals")
			tables["stored"], tables["public.stored"], tables["public.named"] = true, true, false
		}
		for table, want := range tables {
			if got, err := db.HasIndexes(background(t), table); got != want || err != nil {
				t.Errorf("%s can have indexes: %t, %v; want %t", table, got, err, want)
			}
		}
		if columns, err := db.Columns(background(t), "named"); err != nil || !slices.Equal(columns, []string{"name"}) {
			t.Errorf("the view has the columns %q, %v", columns, err)
		}
		if db.Kind() == PostgreSQL {
			return
		}
		if columns, err := db.Columns(background(t), "other.animals"); err != nil || columns != nil {
			t.Errorf("a table of a database that is not attached has the columns %q, %v", columns, err)
		}
		script(t, db, "CREATE VIRTUAL TABLE words USING fts5 (word); CREATE VIEW stale (id, name, more) AS SELECT id, name FROM animals")
		if indexed, err := db.HasIndexes(background(t), "words"); indexed || err != nil {
			t.Errorf("a virtual table can have indexes: %t, %v", indexed, err)
		}
		_, err := db.Columns(background(t), "stale")
		if broken, ok := errors.AsType[*BrokenViewError](err); !ok || broken.View != "stale" {
			t.Errorf("the error is %v; want that of a view with too few columns", err)
		}
		script(t, db, "DROP VIEW stale; ALTER TABLE animals RENAME TO beasts; DROP VIEW named; CREATE VIEW named AS SELECT name FROM animals")
		_, err = db.Columns(background(t), "named")
		if broken, ok := errors.AsType[*BrokenViewError](err); !ok || broken.View != "named" || errors.Unwrap(err) == nil {
			t.Errorf("the error is %v; want that of a broken view", err)
		}
	})
}
