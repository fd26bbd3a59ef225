package schema

import (
	"testing"
	"testing/fstest"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/program/internal/command"
	"trestle.example/framework/program/internal/site"
	"trestle.example/framework/sqldb"
)

// TestCountPending counts all migrations of a new database, so that the first one is not shown as 100 %.
func TestCountPending(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		down := &fstest.MapFile{Data: []byte("DROP TABLE a")}
		run := &command.Run{Project: site.Project{Migrations: []sqldb.Migrations{{Namespace: "shop", FS: fstest.MapFS{
			"1_a.tx.up.sql": {Data: []byte("CREATE TABLE a (b int)")}, "1_a.tx.down.sql": down,
			"2_b.tx.up.sql": {Data: []byte("CREATE TABLE b (b int)")}, "2_b.tx.down.sql": down,
		}}}}}
		if n := countPending(t.Context(), run, &site.Site{DB: db}); n != 2 {
			t.Errorf("a new database lacks %d migrations, want 2", n)
		}
		if err := db.Migrate(t.Context(), nil, run.Migrations...); err != nil {
			t.Fatal(err)
		}
		if n := countPending(t.Context(), run, &site.Site{DB: db}); n != 0 {
			t.Errorf("a migrated database lacks %d migrations", n)
		}
	})
}
