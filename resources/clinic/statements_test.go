package clinic_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/clinic"
)

// store inserts rows past the API: a test that needs many does not wait.
func (s *site) store(rows any) {
	s.t.Helper()
	_, err := s.db.NewInsert().Model(rows).Exec(context.Background())
	s.must(err)
}

// patientRow is a patient as it is stored.
func patientRow(owner uuid.UUID, name, phone, city string) clinic.Patient {
	now := time.Now().UTC().Truncate(time.Microsecond)
	return clinic.Patient{
		ID: uuid.Must(uuid.NewV7()), OwnerID: owner, Name: name, Phone: phone, City: city,
		Search: sqldb.Document(name, phone), CreatedAt: now, UpdatedAt: now,
	}
}

// appointmentRow is an appointment as it is stored, without a time.
func appointmentRow(patient, doctor uuid.UUID) clinic.Appointment {
	now := time.Now().UTC().Truncate(time.Microsecond)
	return clinic.Appointment{
		ID: uuid.Must(uuid.NewV7()), PatientID: patient, DoctorID: doctor, Status: clinic.Booked, CreatedAt: now, UpdatedAt: now,
	}
}

// However many rows there are, the statements are as many; that which
// identifies the caller is one of them.
func TestStatementsAreCounted(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		counter := frameworktest.CountStatements(s.db)
		doctor := s.doctor("Dr Sen")
		for _, rows := range []int{1, 20, 21, 500} {
			owner := fmt.Sprintf("owner%d", rows)
			patients := make([]clinic.Patient, rows)
			for i := range patients {
				patients[i] = patientRow(s.person(owner).ID, fmt.Sprintf("Patient %d", i), "+91 50000 00000", "Pune")
			}
			s.store(&patients)
			appointments := make([]clinic.Appointment, rows)
			for i := range appointments {
				appointments[i] = appointmentRow(patients[0].ID, uuid.MustParse(doctor))
			}
			s.store(&appointments)

			patient, appointment := patients[0].ID.String(), appointments[0].ID.String()
			list := 2 // the caller and the page, whose length is the count if it is the only page
			if rows > pageSize {
				list = 3
			}
			week := 2 // as a list, with longer pages
			if rows > 100 {
				week = 3
			}
			const searched = 3 // the caller, what is found and its number, and its rows
			changed := 3       // the caller, the change, which returns the row before it, and the entry of the history
			if s.db.Kind() == sqldb.SQLite {
				changed = 4 // it reads the row first
			}
			body := fields{"name": "New", "phone": "123"}
			meeting := fields{"patient": patient, "doctor": doctor}
			for _, c := range []struct {
				method, path string
				body         any
				status, want int
			}{
				{"GET", "/api/patients/", nil, 200, list},
				{"GET", "/api/patients/?search=patient&ordering=-city&city=Pune", nil, 200, searched},
				{"GET", "/api/patients/?search=nobody", nil, 200, 2},
				{"GET", "/api/appointments/", nil, 200, list},
				{"GET", "/api/appointments/?status=booked&min_fee=0&doctor=" + doctor, nil, 200, list},
				{"GET", "/api/doctors/", nil, 200, 2},
				{"GET", "/api/appointments/calendar/?doctor=" + doctor, nil, 200, week},
				{"GET", "/api/patients/" + patient + "/appointments/", nil, 200, 2},
				{"GET", "/api/patients/" + patient + "/", nil, 200, 2},
				{"HEAD", "/api/patients/" + patient + "/", nil, 200, 2},
				{"GET", "/api/patients/00000000-0000-7000-8000-000000000000/", nil, 404, 2},
				{"GET", "/api/patients/x/", nil, 404, 1},
				{"GET", "/api/appointments/" + appointment + "/", nil, 200, 2},
				{"GET", "/api/patients/?page=900", nil, 404, 3},
				{"GET", "/api/appointments/?status=late", nil, 400, 1},
				{"OPTIONS", "/api/patients/", nil, 200, 1},
				{"GET", "/api/", nil, 200, 0},
				{"PUT", "/api/patients/" + patient + "/", body, 200, changed},
				{"PATCH", "/api/patients/" + patient + "/", fields{"city": "Delhi"}, 200, changed},
				{"PATCH", "/api/patients/" + patient + "/", fields{"name": "Renamed"}, 200, changed},
				{"PATCH", "/api/patients/" + patient + "/", fields{}, 200, 2},
				{"PUT", "/api/patients/" + patient + "/", fields{"name": "New", "phone": "123", "id": patient}, 200, 4},
				{"PUT", "/api/appointments/" + appointment + "/", meeting, 200, 5}, // it changes nothing, so the history has no entry
				{"PATCH", "/api/appointments/" + appointment + "/", fields{"status": "completed", "fee": 5}, 200, changed},
				{"PATCH", "/api/appointments/" + appointment + "/", fields{"doctor": doctor}, 200, 4},
				{"POST", "/api/patients/", body, 201, 3},
				{"POST", "/api/appointments/", meeting, 201, 5},
				{"POST", "/api/patients/", fields{}, 400, 1},
				{"POST", "/api/patients/", "{", 400, 1},
				{"PATCH", "/api/patients/" + patient + "/", fields{"phone": "1"}, 400, 2},
				{"DELETE", "/api/appointments/" + appointment + "/", nil, 204, 4},
				{"DELETE", "/api/appointments/" + appointment + "/", nil, 404, 2},
				{"DELETE", "/api/doctors/" + doctor + "/", nil, 405, 1},
			} {
				t.Run(fmt.Sprintf("%d rows: %s %s %v", rows, c.method, c.path, c.body), func(t *testing.T) {
					client := s.on(t).as(owner)
					_, err := s.db.ExecContext(context.Background(), "UPDATE doctors SET name = name || 'x'") // so that no count is remembered
					s.must(err)
					ran := counter.During(func() { client.Do(c.method, c.path, c.body).Expect(c.status) })
					if len(ran) != c.want {
						t.Errorf("%d statements; want %d:\n%s", len(ran), c.want, strings.Join(ran, "\n"))
					}
				})
			}
		}
		if ran := counter.During(func() { s.Get("/api/patients/").Expect(401); s.As("nonsense").Get("/api/patients/").Expect(401) }); len(ran) != 0 {
			t.Errorf("a caller without credentials, and one whose token cannot be one, reach the database: %q", ran)
		}
	})
}
