package main

import (
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/sqldb"
	"trestle.example/resources/clinic"
)

func doctor(c columns) clinic.Doctor {
	return clinic.Doctor{ID: c.id("id"), Name: c.text("name")}
}

func patient(c columns) clinic.Patient {
	at := c.time("created_at")
	p := clinic.Patient{
		ID: c.id("id"), OwnerID: c.id("owner"), Name: c.text("name"), Phone: c.text("phone"), City: c.text("city"),
		CreatedAt: at, UpdatedAt: at,
	}
	p.Search = sqldb.Document(p.Name, p.Phone)
	return p
}

// A diary holds the times at which each doctor is booked: the files may book
// one twice, which the schema does not let happen.
type diary map[booking]bool

type booking struct {
	doctor uuid.UUID
	at     time.Time
}

// appointment is at the time of the file, or booked at the next free minute.
func (d diary) appointment(c columns) clinic.Appointment {
	at := c.time("starts_at")
	a := clinic.Appointment{
		ID: c.id("id"), PatientID: c.id("patient"), DoctorID: c.id("doctor"),
		Status: clinic.Status(c.text("status")), Fee: c.fee("fee"), StartsAt: &at, CreatedAt: at, UpdatedAt: at,
	}
	if a.Status != clinic.Booked {
		return a
	}
	for d[booking{a.DoctorID, at}] {
		at = at.Add(time.Minute)
	}
	d[booking{a.DoctorID, at}] = true
	return a
}
