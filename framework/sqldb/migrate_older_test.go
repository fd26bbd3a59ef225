package sqldb

import (
	"strings"
	"testing"
)

const (
	tableA = "1_a: CREATE TABLE a (n {{bigint}}) | DROP TABLE a"
	tableB = "2_b: CREATE TABLE b (n {{bigint}}) | DROP TABLE b"
	dropsA = "3_c: --trestle:breaking\nALTER TABLE a RENAME TO old_a | ALTER TABLE old_a RENAME TO a"
)

// An older program has fewer files than migrations were applied.
func TestAnOlderProgramOnANewerSchema(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		older, newer, newest := files("app", tableA), files("app", tableA, tableB), files("app", tableA, tableB, dropsA)
		migrateAll(t, db, newer)

		if ran := migrateAll(t, db, older); len(ran) > 0 {
			t.Errorf("the older program applied %q", ran)
		}
		list, err := db.MigrationStatus(background(t), older)
		if err != nil || len(list) != 2 || list[1].String() != "app/2_b" || !list[1].Unknown || list[1].Breaking {
			t.Errorf("its status is %+v, %v; want app/2_b as one that it does not know", list, err)
		}
		_, down := db.MigrateDown(background(t), nil, older)
		if _, newest := db.NewestMigration(background(t), older); down == nil || newest == nil {
			t.Errorf("it may undo a migration: %v, %v", down, newest)
		}

		migrateAll(t, db, newest)
		_, err = db.MigrationStatus(background(t), newer)
		for name, err := range map[string]error{"status": err, "up": db.Migrate(background(t), nil, older)} {
			if err == nil || !strings.HasPrefix(err.Error(), "sqldb: app/3_c was applied to this database by a newer version of the program") {
				t.Errorf("after a breaking migration %s is %v; want an error that names app/3_c alone", name, err)
			}
		}
		if list, err := db.MigrationStatus(background(t), newest); err != nil || !list[2].Breaking || list[1].Breaking {
			t.Errorf("the status of the newest program is %+v, %v", list, err)
		}

		if _, err := db.MigrateDown(background(t), nil, newest); err != nil {
			t.Fatal(err)
		}
		migrateAll(t, db, older)
	})
}

// A program that lacks one migration and has another is not merely older.
func TestAProgramOfAnotherBranch(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		migrateAll(t, db, files("app", tableA, tableB))
		other := files("app", tableA, "4_d: CREATE TABLE d (n {{bigint}}) | DROP TABLE d")
		if err := db.Migrate(background(t), nil, other); err == nil || !strings.Contains(err.Error(), "app/2_b was applied to this database, but its files are missing") {
			t.Errorf("it migrates: %v", err)
		}
	})
}

// Two versions may have given one number to different migrations. A file that is only renamed, or only changed, is the same migration.
func TestOneNumberForTwoMigrations(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		migrateAll(t, db, files("app", tableA, tableB))
		other := files("app", tableA, "2_d: CREATE TABLE d (n {{bigint}}) | DROP TABLE d")
		list, status := db.MigrationStatus(background(t), other)
		_, down := db.MigrateDown(background(t), nil, other)
		for name, err := range map[string]error{"status": status, "up": db.Migrate(background(t), nil, other), "down": down} {
			if err == nil || !strings.HasPrefix(err.Error(), "sqldb: app/2_b was applied to this database, but its files are missing") || !strings.HasSuffix(err.Error(), "; give another number to app/2_d") {
				t.Errorf("%s is %v; want an error that names both", name, err)
			}
		}
		if len(list) != 3 || !list[1].AppliedAt.IsZero() || list[2].String() != "app/2_b" || !list[2].Unknown {
			t.Errorf("the status is %+v; want app/2_d pending, and app/2_b unknown", list)
		}
		for name, same := range map[string]string{"renamed": strings.Replace(tableB, "2_b", "2_bees", 1), "changed": strings.Replace(tableB, "n {{bigint}}", "n {{bigint}}, m {{bigint}}", 1)} {
			list, err := db.MigrationStatus(background(t), files("app", tableA, same))
			if err != nil || len(list) != 2 || list[1].AppliedAt.IsZero() || list[1].Changed != (name == "changed") {
				t.Errorf("the status of a file that is %s is %+v, %v", name, list, err)
			}
		}
		migrateAll(t, db, files("app", tableA, strings.Replace(tableB, "2_b", "2_bees", 1)))
		list, err := db.MigrationStatus(background(t), files("app", tableA, strings.NewReplacer("2_b", "2_bees", "n {{bigint}}", "n {{bigint}}, m {{bigint}}").Replace(tableB)))
		if err != nil || len(list) != 2 || !list[1].Changed {
			t.Errorf("the status of a file that is renamed, and changed by a later version, is %+v, %v", list, err)
		}
	})
}

// Several migrations are named in the plural.
func TestSeveralMigrationsOfAnotherVersion(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		migrateAll(t, db, files("app", tableA, tableB, "3_c: CREATE TABLE c (n {{bigint}}) | DROP TABLE c"))
		_, err := db.MigrateDown(background(t), nil, files("app", tableA))
		if want := "app/2_b, app/3_c were applied to this database, but their files are missing"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it undoes a migration: %v; want %q", err, want)
		}
	})
}

// Records that an older version made lack the column, until something migrates.
func TestRecordsOfAnOlderVersion(t *testing.T) {
	eachDB(t, func(t *testing.T, db *DB) {
		migrateAll(t, db, files("app", tableA))
		if _, err := db.ExecContext(background(t), "ALTER TABLE trestle_migrations DROP COLUMN breaking"); err != nil {
			t.Fatal(err)
		}
		if got := status(t, db, files("app", tableA, dropsA)); len(got) != 2 || got[0] != "app/1_a applied=true changed=false" {
			t.Errorf("the status is %q", got)
		}
		migrateAll(t, db, files("app", tableA, dropsA))
		if err := db.Migrate(background(t), nil, files("app", tableA)); err == nil {
			t.Error("that a migration is breaking was not recorded")
		}
	})
}
