package clinic_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/auth"
	"trestle.example/framework/mail"
	"trestle.example/framework/sqldb"
	"trestle.example/internal/testserver/postgres"
	"trestle.example/resources"
	"trestle.example/resources/clinic"
)

// benchRows is how many patients a benchmark's database has, each with three
// appointments.
const benchRows = 2000

// BenchmarkRequest sends one request after the other through the whole of the
// API, but for the network: what a request costs and allocates. Its callers
// hold the rights to see everything.
func BenchmarkRequest(b *testing.B) {
	for _, database := range []struct{ name, url string }{
		{"sqlite", "sqlite://" + filepath.ToSlash(filepath.Join(b.TempDir(), "bench.db"))},
		{"postgresql", postgres.Database(b)},
	} {
		s := benched(b, database.url)
		patients, doctor := s.filled()
		one := func(i int) string { return "/api/patients/" + patients[i%len(patients)].ID.String() + "/" }
		for _, request := range []struct {
			name, method string
			path         func(i int) string
			body         string
		}{
			{"retrieve", "GET", one, ""},
			{"list", "GET", func(i int) string { return fmt.Sprintf("/api/patients/?page=%d", i%50+1) }, ""},
			{"search", "GET", func(i int) string { return fmt.Sprintf("/api/patients/?search=patient+%d", i%500) }, ""},
			{"appointments", "GET", func(i int) string { return fmt.Sprintf("/api/appointments/?status=booked&min_fee=%d", i%500) }, ""},
			{"action", "GET", func(i int) string { return one(i) + "appointments/" }, ""},
			{"create", "POST", func(int) string { return "/api/patients/" }, `{"name":"New","phone":"+91 50000 00000","city":"Pune"}`},
			{"patch", "PATCH", one, `{"phone":"+91 50000 00001"}`},
			{"refused", "POST", func(int) string { return "/api/appointments/" }, `{"patient":"no","doctor":"` + doctor + `"}`},
		} {
			b.Run(database.name+"/"+request.name, func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					s.answers(b, request.method, request.path(i), request.body)
					i++
				}
			})
		}
	}
}

// A bench is the whole service without a network.
type bench struct {
	*site

	handler     http.Handler
	credentials string
}

func benched(b *testing.B, url string) *bench {
	b.Helper()
	db, err := sqldb.Open(url, sqldb.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	s := &bench{site: open(b, db)}
	log := slog.New(slog.DiscardHandler)
	identity, err := resources.Identity(auth.Config{Mailer: mail.Log{To: slog.New(slog.DiscardHandler)}, Log: log})
	s.must(err)
	config := resources.Config(db, pageSize, identity)
	config.Log = log
	api := framework.New(config)
	resources.Register(api, identity)
	s.handler, err = api.Handler()
	s.must(err)
	s.credentials = "Token " + s.token("editor")
	return s
}

// filled stores the rows and returns the patients and a doctor.
func (s *bench) filled() ([]clinic.Patient, string) {
	s.t.Helper()
	doctor := s.doctor("Dr Sen")
	patients := make([]clinic.Patient, benchRows)
	var appointments []clinic.Appointment
	for i := range patients {
		patients[i] = patientRow(s.person("owner").ID, fmt.Sprintf("Patient %d", i), fmt.Sprintf("+91 5%d", i), "Pune")
		for fee := range 3 {
			one := appointmentRow(patients[i].ID, uuid.MustParse(doctor))
			one.Fee = clinic.Fee(i * fee)
			appointments = append(appointments, one)
		}
	}
	s.store(&patients)
	s.store(&appointments)
	_, err := s.db.ExecContext(context.Background(), "ANALYZE")
	s.must(err)
	return patients, doctor
}

// answers sends a request, which the server must not fail at.
func (s *bench) answers(b *testing.B, method, path, body string) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", s.credentials)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	if w.Code >= http.StatusInternalServerError || w.Body.Len() == 0 {
		b.Fatalf("%s %s answers %d: %s", method, path, w.Code, w.Body)
	}
}
