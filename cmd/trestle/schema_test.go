package main

import (
	"strings"
	"testing"
)

// What the declarations need and the database lacks is an error of serve, check
// --database and doctor, which name it; check without a database does not look.
func TestAMissingTableOrColumn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change string
		says   []string
		fix    string
	}{
		"a column with another name": {
			"ALTER TABLE patients RENAME COLUMN city TO citty",
			[]string{`patients: the table "patients" has no column "city" (Patient.City); did you mean "citty"?`, "trestle migrate up"},
			`use "citty" in the model`,
		},
		"a column that is gone": {
			"ALTER TABLE patients RENAME COLUMN phone TO telephone_number",
			[]string{`patients: the table "patients" has no column "phone" (Patient.Phone); write a migration that adds it`},
			"trestle migrate new",
		},
		"a table that is gone": {
			"ALTER TABLE appointments RENAME TO old_visits",
			[]string{`appointments: the database has no table "appointments" (Appointment); write a migration that adds it`},
			"trestle migrate new",
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
