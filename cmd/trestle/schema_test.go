package main

import (
	"strings"
	"testing"
)

// What the declarations need and the database lacks is an error of serve, check
// --database and doctor, which name it; check without a database does not look.
func TestAMissingTableOrColumn(t *testing.T) {
	t.Parallel()
	const lost = " again; if it is lost, restore the database from a backup"
	const cure = lost + "; if it never was there, write a migration that adds it (trestle migrate new NAME), or change the model"
	for name, test := range map[string]struct {
		change string
		says   []string
		fix    string
	}{
		"a column with another name": {
			"ALTER TABLE patients RENAME COLUMN city TO citty",
			[]string{`patients: the table "patients" has no column "city" (Patient.City); did you mean "citty"? If not: if it was renamed, name it patients.city` + cure},
			`use "citty" in the model; if not: if it was renamed`,
		},
		"a column that is gone": {
			"ALTER TABLE patients RENAME COLUMN phone TO telephone_number",
			[]string{`patients: the table "patients" has no column "phone" (Patient.Phone); if it was renamed, name it patients.phone` + cure},
			"name it patients.phone again",
		},
		"a table that is gone": {
			"ALTER TABLE appointments RENAME TO old_visits",
			[]string{`appointments: the database has no table "appointments" (Appointment); if it was renamed, name it appointments` + cure},
			"name it appointments again",
		},
		"a column of the framework with another name": {
			"ALTER TABLE auth_users RENAME COLUMN email TO mail",
			[]string{`the table "auth_users" has no column "email" (User.Email); if it was renamed, name it auth_users.email` + lost + "\n"},
			"name it auth_users.email again",
		},
		"a table of the framework that is gone": {
			"ALTER TABLE idempotency_keys RENAME TO old_keys",
			[]string{`the database has no table "idempotency_keys"; if it was renamed, name it idempotency_keys` + lost + "\n"},
			"name it idempotency_keys again",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, r *rig) {
				r.ok("migrate up")
				url := strings.TrimPrefix(r.env[0], "DATABASE_URL=")
				r.ok("check --database " + url)
				r.change(r.database(), test.change)

				r.run("serve --addr 127.0.0.1:0").is(t, exitNeedsAction, test.says...)
				r.run("check --database "+url).is(t, exitNeedsAction, test.says...)
				r.ok("check")
				got := r.examined()["tables and columns"]
				got.is(t, problem, strings.TrimSuffix(strings.Split(test.says[0], ";")[0], "?"), test.fix)
			})
		})
	}
}

// TestDoctorWithoutTheColumnOfSearches: doctor does not look into a column that is missing, and
// so does not advise to look there for longer.
func TestDoctorWithoutTheColumnOfSearches(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		r.change(r.database(), "ALTER TABLE patients RENAME COLUMN search TO documents")
		got := r.examined()
		got["tables and columns"].is(t, problem, "patients.search", "name it patients.search again")
		if got["search documents"] != nil {
			t.Errorf("%+v; want no check of the search documents", got["search documents"])
		}
	})
}

func TestCheckOfADatabaseThatIsNotMigrated(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		url := strings.TrimPrefix(r.env[0], "DATABASE_URL=")
		if strings.HasPrefix(url, "sqlite") {
			r.run("check --database "+url).is(t, exitNeedsAction, "there is no database yet")
			_ = r.database().Ping()
		}
		r.run("check --database "+url).is(t, exitNeedsAction, "migrations", "trestle migrate up")
		r.run("serve --addr 127.0.0.1:0").is(t, exitNeedsAction, "migrations", "trestle migrate up")
	})
}

// TestALostRowOfTheMigrationLock: no command needs the row, and a migration inserts it.
func TestALostRowOfTheMigrationLock(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, r *rig) {
		r.ok("migrate up")
		r.change(r.database(), "DELETE FROM trestle_migration_lock")
		for _, call := range []string{"check --database " + strings.TrimPrefix(r.env[0], "DATABASE_URL="), "doctor", "migrate down --yes", "migrate up"} {
			r.ok(call)
		}
	})
}

// TestAnIncompleteRecordOfMigrations: serve, check --database, doctor and every command that
// needs the tables name the table and the column, and what they say to do works.
func TestAnIncompleteRecordOfMigrations(t *testing.T) {
	t.Parallel()
	const (
		records, lock = "trestle_migrations", "trestle_migration_lock"
		rename        = "if it was renamed, name it "
	)
	for name, test := range map[string]struct {
		change, says, fix, cure string // cure is a statement, "" for none
		migrate                 bool   // the cure ends with migrate up
	}{
		"no records": {
			"ALTER TABLE trestle_migrations RENAME TO applied", `the database has no table "` + records + `"`, rename + records + " again",
			"ALTER TABLE applied RENAME TO trestle_migrations", false,
		},
		"a column of the records": {
			"ALTER TABLE trestle_migrations RENAME COLUMN checksum TO sum", `the table "` + records + `", which records the migrations, has no column "checksum"`,
			rename + records + ".checksum again", "ALTER TABLE trestle_migrations RENAME COLUMN sum TO checksum", false,
		},
		"no lock": {"DROP TABLE trestle_migration_lock", `the database has no table "` + lock + `"`, "trestle migrate up", "", true},
		"the id of the lock": {
			"ALTER TABLE trestle_migration_lock RENAME COLUMN id TO number", `the table "` + lock + `", which is the lock of the migrations, has no column "id"`,
			"DROP TABLE " + lock + "; then run: trestle migrate up", "DROP TABLE trestle_migration_lock", true,
		},
		"the count of the lock": {
			"ALTER TABLE trestle_migration_lock RENAME COLUMN held TO count", `the table "` + lock + `", which is the lock of the migrations, has no column "held"`,
			"DROP TABLE " + lock + "; then run: trestle migrate up", "DROP TABLE trestle_migration_lock", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			onBoth(t, func(t *testing.T, r *rig) {
				r.ok("migrate up")
				url := strings.TrimPrefix(r.env[0], "DATABASE_URL=")
				db := r.database()
				r.change(db, test.change)
				for _, call := range []string{"serve --addr 127.0.0.1:0", "check --database " + url, "migrate status", "migrate down --yes", "user list", "seed"} {
					r.run(call).is(t, exitNeedsAction, test.says, test.fix)
				}
				checks := r.examined()
				checks["migrations"].is(t, problem, test.says, test.fix)
				if n := len(checks["migrations"].Findings); n != 1 {
					t.Errorf("%d findings; want 1", n)
				}
				if test.cure != "" {
					r.change(db, test.cure)
				}
				if test.migrate {
					r.ok("migrate up")
				}
				r.ok("check --database " + url)
				r.ok("doctor")
			})
		})
	}
}
