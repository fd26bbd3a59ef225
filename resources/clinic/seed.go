package clinic

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/sqldb"
	"trestle.example/resources/internal/demo"
)

// SeedOptions sets how much demo data [Seed] makes. The zero values make a realistic amount
// for one clinic.
type SeedOptions struct {
	// Owners are the users that own the patients, in turn. Required.
	Owners []uuid.UUID
	// Doctors is how many doctors there are. Defaults to SeedDoctors; there are
	// more when the appointments would not fit into their days.
	Doctors int
	// Patients is how many patients there are. Defaults to SeedPatients.
	Patients int
	// Appointments is how many appointments there are. Defaults to
	// SeedAppointments.
	Appointments int
}

// The sizes of one believable clinic.
const (
	SeedDoctors      = 12
	SeedPatients     = 200
	SeedAppointments = 600
)

// seedRows is how many rows one statement inserts.
const seedRows = 500

// Seed inserts demo doctors, patients and appointments, and calls progress,
// which may be nil, as rows are done. The same options always make the same
// rows, with the same ids; rows that are there already are left as they are.
// Run it in a transaction for all or nothing.
func Seed(ctx context.Context, s *sqldb.Session, o SeedOptions, progress func(done, total int)) error {
	o, err := o.withDefaults()
	if err != nil {
		return err
	}
	if progress == nil {
		progress = func(int, int) {}
	}
	total, done := o.Doctors+o.Patients+o.Appointments, 0
	step := func(n int) { done += n; progress(done, total) }
	if err := insertSeeds(ctx, s, o.Doctors, seedDoctor, step); err != nil {
		return err
	}
	if err := insertSeeds(ctx, s, o.Patients, o.patient, step); err != nil {
		return err
	}
	return insertSeeds(ctx, s, o.Appointments, o.appointment, step)
}

func (o SeedOptions) withDefaults() (SeedOptions, error) {
	if len(o.Owners) == 0 {
		return o, errors.New("clinic.SeedOptions: Owners is empty; name at least one user that owns the patients")
	}
	if o.Doctors < 0 || o.Patients < 0 || o.Appointments < 0 {
		return o, fmt.Errorf("clinic.SeedOptions: a number is negative (%d doctors, %d patients, %d appointments); use 0 for the default",
			o.Doctors, o.Patients, o.Appointments)
	}
	for n, usual := range map[*int]int{&o.Doctors: SeedDoctors, &o.Patients: SeedPatients, &o.Appointments: SeedAppointments} {
		if *n == 0 {
			*n = usual
		}
	}
	o.Doctors = max(o.Doctors, (o.Appointments+seedSlots-1)/seedSlots)
	return o, nil
}

// insertSeeds inserts the rows 0 to n-1 that row makes.
func insertSeeds[M any](ctx context.Context, s *sqldb.Session, n int, row func(i int) M, step func(int)) error {
	for first := 0; first < n; first += seedRows {
		rows := make([]M, 0, seedRows)
		for i := first; i < min(first+seedRows, n); i++ {
			rows = append(rows, row(i))
		}
		if _, err := s.Exec(ctx, s.IDB().NewInsert().Model(&rows).On("CONFLICT DO NOTHING")); err != nil {
			return fmt.Errorf("inserting demo rows: %w", err)
		}
		step(len(rows))
	}
	return nil
}

// The kinds of rows, so that each has random numbers of its own.
const (
	doctorSeeds uint64 = iota + 1
	patientSeeds
	appointmentSeeds
)

// upTo is a time between none and limit.
func upTo(dice *rand.Rand, limit time.Duration) time.Duration {
	return time.Duration(dice.Int64N(int64(limit)))
}

func seedDoctor(i int) Doctor {
	dice := demo.Dice(doctorSeeds, i)
	return Doctor{
		ID:         demo.ID(dice, seedOpening()),
		Name:       "Dr " + demo.Pick(dice, seedGivenNames()) + " " + demo.Pick(dice, seedFamilyNames()),
		Speciality: seedSpecialities()[i%len(seedSpecialities())],
	}
}

func (o SeedOptions) patient(i int) Patient {
	dice := demo.Dice(patientSeeds, i)
	id, created := seedPatientID(dice)
	p := Patient{
		ID: id, OwnerID: o.Owners[i%len(o.Owners)],
		Name: seedName(dice), City: demo.Pick(dice, seedCities()), Phone: seedPhone(dice),
		CreatedAt: created, UpdatedAt: created,
	}
	p.Search = sqldb.Document(p.Name, p.Phone)
	return p
}

// seedPatientID throws the first dice of a patient.
func seedPatientID(dice *rand.Rand) (uuid.UUID, time.Time) {
	created := seedOpening().Add(upTo(dice, seedToday().Sub(seedOpening()))).Truncate(time.Second)
	return demo.ID(dice, created), created
}

// seedName is mostly in Latin letters; about one in six is as the patient
// would write it at home.
func seedName(dice *rand.Rand) string {
	if dice.IntN(6) == 0 {
		return demo.Pick(dice, seedNativeNames())
	}
	return demo.Pick(dice, seedGivenNames()) + " " + demo.Pick(dice, seedFamilyNames())
}

// seedPhone returns a number that looks like an Indian mobile number but cannot be one:
// those begin with 6 to 9.
func seedPhone(dice *rand.Rand) string {
	return fmt.Sprintf("+91 5%04d %05d", dice.IntN(10_000), dice.IntN(100_000))
}

func (o SeedOptions) appointment(i int) Appointment {
	dice := demo.Dice(appointmentSeeds, i)
	patient, _ := seedPatientID(demo.Dice(patientSeeds, dice.IntN(o.Patients)))
	a := Appointment{
		PatientID: patient,
		DoctorID:  seedDoctor(i % o.Doctors).ID,
		Fee:       Fee(25_000 + 5_000*dice.IntN(26)), // 250.00 to 1500.00
		Notes:     demo.Pick(dice, seedNotes()),
	}
	at := seedSlot(i%o.Doctors, i/o.Doctors)
	a.StartsAt, a.Status = &at, seedStatus(dice, at)
	if i%20 == 7 {
		a.StartsAt, a.Status, a.Notes = nil, Booked, demo.Pick(dice, seedReminders())
	}
	a.CreatedAt = seedBooking(dice, at)
	a.UpdatedAt = a.CreatedAt
	if a.Status != Booked {
		a.UpdatedAt = a.CreatedAt.Add(upTo(dice, seedToday().Sub(a.CreatedAt))).Truncate(time.Second)
	}
	a.ID = demo.ID(dice, a.CreatedAt)
	return a
}

// seedStatus is what became of an appointment by seedToday.
func seedStatus(dice *rand.Rand, at time.Time) Status {
	n := dice.IntN(100)
	switch past := at.Before(seedToday()); {
	case n < 12:
		return Cancelled
	case past && n < 22:
		return NoShow
	case past && n < 97:
		return Completed
	}
	return Booked
}

// seedBooking is when an appointment was made: up to three weeks before it,
// and before seedToday.
func seedBooking(dice *rand.Rand, at time.Time) time.Time {
	before := at
	if before.After(seedToday()) {
		before = seedToday()
	}
	return before.Add(-time.Hour - upTo(dice, 21*24*time.Hour)).Truncate(time.Second)
}
