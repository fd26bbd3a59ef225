package clinic

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/auth"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
	"trestle.example/migrations"
)

// seeded is everything that a seed made.
type seeded struct {
	Doctors      []Doctor
	Patients     []Patient
	Appointments []Appointment
}

func TestSeedMakesABelievableClinic(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db *sqldb.DB) {
		owners := makeOwners(t, db)
		seed(t, db, SeedOptions{Owners: owners})
		got := read(t, db)
		if len(got.Doctors) != 12 || len(got.Patients) != 200 || len(got.Appointments) != 600 {
			t.Fatalf("%d doctors, %d patients, %d appointments", len(got.Doctors), len(got.Patients), len(got.Appointments))
		}
		counts := map[string]int{}
		for _, p := range got.Patients {
			counts["owner "+p.OwnerID.String()]++
			if p.Search != sqldb.Document(p.Name, p.Phone) {
				t.Errorf("the search document of %s is %q", p.Name, p.Search)
			}
		}
		for _, a := range got.Appointments {
			counts[string(a.Status)]++
			counts[dateKind(a)]++
			if a.Fee < 250_00 || a.Fee > 1500_00 || a.UpdatedAt.Before(a.CreatedAt) {
				t.Errorf("appointment %s: fee %s, made %s, changed %s", a.ID, a.Fee, a.CreatedAt, a.UpdatedAt)
			}
		}
		for what, least := range map[string]int{
			"owner " + owners[0].String(): 100, "owner " + owners[1].String(): 100,
			"booked": 50, "completed": 50, "cancelled": 20, "no_show": 10, "before November": 100, "after November": 100, "unscheduled, with notes": 20,
		} {
			if counts[what] < least {
				t.Errorf("%s: %d; want at least %d", what, counts[what], least)
			}
		}
	})
}

func dateKind(a Appointment) string {
	switch {
	case a.StartsAt == nil && a.Notes != "":
		return "unscheduled, with notes"
	case a.StartsAt == nil:
		return "unscheduled, without notes"
	case a.StartsAt.Before(time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)):
		return "before November"
	case a.StartsAt.After(time.Date(2026, time.December, 1, 0, 0, 0, 0, time.UTC)):
		return "after November"
	}
	return "November"
}

func TestSeedIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	var all []seeded
	for _, db := range databases(t) {
		owners := makeOwners(t, db)
		seed(t, db, SeedOptions{Owners: owners})
		rows := read(t, db)
		for i := range rows.Patients { // the users are not the seed's
			rows.Patients[i].OwnerID = uuid.UUID{byte(slices.Index(owners, rows.Patients[i].OwnerID))}
		}
		all = append(all, rows)
	}
	if one, two := fmt.Sprintf("%+v", plain(all[0])), fmt.Sprintf("%+v", plain(all[1])); one != two {
		t.Error("the two databases hold different rows")
	}
}

// plain is what can be printed and compared: without pointers.
func plain(s seeded) []string {
	lines := []string{fmt.Sprint(s.Doctors), fmt.Sprint(s.Patients)}
	for _, a := range s.Appointments {
		at := "unscheduled"
		if a.StartsAt != nil {
			at = a.StartsAt.UTC().String()
		}
		lines = append(lines, fmt.Sprint(a.ID, a.PatientID, a.DoctorID, a.Status, a.Fee, at, a.Notes, a.CreatedAt.UTC(), a.UpdatedAt.UTC()))
	}
	return lines
}

func TestSeedAddsWhatIsMissing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db *sqldb.DB) {
		owners := makeOwners(t, db)
		for range 2 {
			seed(t, db, SeedOptions{Owners: owners, Patients: 50, Appointments: 100})
		}
		seed(t, db, SeedOptions{Owners: owners, Patients: 60, Appointments: 120})
		if got := read(t, db); len(got.Patients) != 60 || len(got.Appointments) != 120 {
			t.Errorf("%d patients and %d appointments; want 60 and 120", len(got.Patients), len(got.Appointments))
		}
	})
}

// The unique index would leave an appointment out, silently.
func TestSeedKeepsTheSlotRuleHoweverMany(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db *sqldb.DB) {
		seed(t, db, SeedOptions{Owners: makeOwners(t, db), Doctors: 1, Patients: 10, Appointments: 4200})
		got := read(t, db)
		if len(got.Appointments) != 4200 || len(got.Doctors) != 2 {
			t.Errorf("%d appointments of %d doctors; want 4200 of 2: one has no time for so many", len(got.Appointments), len(got.Doctors))
		}
		taken := map[string]bool{}
		for _, a := range got.Appointments {
			if a.StartsAt == nil {
				continue
			}
			slot := a.DoctorID.String() + a.StartsAt.String()
			if taken[slot] {
				t.Errorf("the slot %s is taken twice", slot)
			}
			taken[slot] = true
		}
	})
}

func TestSeedReportsItsProgress(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, db *sqldb.DB) {
		var last, total int
		err := Seed(t.Context(), db.Session(), SeedOptions{Owners: makeOwners(t, db)}, func(done, of int) {
			if done <= last || done > of {
				t.Errorf("%d of %d rows after %d", done, of, last)
			}
			last, total = done, of
		})
		if err != nil || last != total || total != 812 {
			t.Errorf("the last report is of %d of %d rows, %v; want 812", last, total, err)
		}
	})
}

func TestSeedRefuses(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]SeedOptions{
		"patients that nobody owns": {},
		"fewer patients than none":  {Owners: []uuid.UUID{{1}}, Patients: -1},
		"fewer doctors than none":   {Owners: []uuid.UUID{{1}}, Doctors: -1},
		"less than no appointments": {Owners: []uuid.UUID{{1}}, Appointments: -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := Seed(t.Context(), nil, o, nil); err == nil {
				t.Error("it is taken")
			}
		})
	}
}

func seed(t *testing.T, db *sqldb.DB, o SeedOptions) {
	t.Helper()
	err := db.InTx(t.Context(), func(ctx context.Context, s *sqldb.Session) error { return Seed(ctx, s, o, nil) })
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, db *sqldb.DB) seeded {
	t.Helper()
	var all seeded
	for _, rows := range []any{&all.Doctors, &all.Patients, &all.Appointments} {
		if err := db.NewSelect().Model(rows).Order("id").Scan(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func makeOwners(t *testing.T, db *sqldb.DB) []uuid.UUID {
	t.Helper()
	users, err := auth.NewUsers(auth.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []uuid.UUID
	for _, email := range []string{"asha@example.com", "ravi@example.com"} {
		user, err := users.CreateUser(t.Context(), db.Session(), auth.NewUser{Email: email, Password: "correct horse battery"})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, user.ID)
	}
	return ids
}

func onBoth(t *testing.T, test func(*testing.T, *sqldb.DB)) {
	t.Helper()
	for name, open := range openers() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func databases(t *testing.T) []*sqldb.DB {
	t.Helper()
	var all []*sqldb.DB
	for _, open := range openers() {
		all = append(all, open(t))
	}
	return all
}

func openers() map[string]func(*testing.T) *sqldb.DB {
	return map[string]func(*testing.T) *sqldb.DB{
		"sqlite": func(t *testing.T) *sqldb.DB {
			t.Helper()
			return migrated(t, (&url.URL{Scheme: "sqlite", Path: filepath.Join(t.TempDir(), "test.db")}).String())
		},
		"postgresql": func(t *testing.T) *sqldb.DB {
			t.Helper()
			return migrated(t, postgres.Database(t))
		},
	}
}

func migrated(t *testing.T, address string) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(address, sqldb.Options{MaxConns: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if err := db.Migrate(t.Context(), nil, auth.Migrations(), migrations.Application()); err != nil {
		t.Fatal(err)
	}
	return db
}
