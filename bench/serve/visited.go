package main

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/resources/clinic"
)

// A patient is a row of the clinic, with the appointments that belong to it.
type patient struct {
	bun.BaseModel `bun:"table:patients"`

	ID        uuid.UUID `bun:",pk"`
	OwnerID   uuid.UUID
	Name      string
	Phone     string
	City      string
	CreatedAt time.Time

	Appointments []*appointment `bun:"rel:has-many,join:id=patient_id"`
}

func (p *patient) owner() *uuid.UUID { return &p.OwnerID }

// An appointment is a row of the clinic, with its doctor.
type appointment struct {
	bun.BaseModel `bun:"table:appointments"`

	ID        uuid.UUID `bun:",pk"`
	PatientID uuid.UUID
	DoctorID  uuid.UUID
	Status    clinic.Status
	Fee       clinic.Fee
	StartsAt  *time.Time

	Doctor *clinic.Doctor `bun:"rel:belongs-to,join:doctor_id=id"`
}

type patientView struct {
	ID           uuid.UUID         `json:"id"`
	Name         string            `json:"name"`
	Phone        string            `json:"phone"`
	City         string            `json:"city"`
	CreatedAt    time.Time         `json:"created_at"`
	Appointments []appointmentView `json:"appointments"`
}

type appointmentView struct {
	ID       uuid.UUID     `json:"id"`
	Status   clinic.Status `json:"status"`
	Fee      clinic.Fee    `json:"fee"`
	StartsAt *time.Time    `json:"starts_at"`
	Doctor   string        `json:"doctor" from:"doctor.name"`
}

// visited serves /visited/: patients with their appointments, and the patients of a doctor.
func visited() framework.ViewSet[patient] {
	return framework.ViewSet[patient]{
		Name:      "visited",
		Verbs:     framework.Verbs{List: framework.Shows[patientView]()},
		Scope:     framework.Own((*patient).owner).Unless(framework.HoldsModel("patients")),
		Relations: framework.Relations{"appointments": "visits"},
		Ordering:  framework.Ordering{Default: "name"},
		Filters:   []framework.Filter{filter.Exact("doctor", "appointments.doctor_id")},
	}
}

// visits has the scope of the appointments.
func visits() framework.ViewSet[appointment] {
	return framework.ViewSet[appointment]{
		Name:      "visits",
		Verbs:     framework.Verbs{List: framework.Shows[appointmentView]()},
		Scope:     framework.Via("patient_id", "visited").Unless(framework.HoldsModel("appointments")),
		Relations: framework.Relations{"doctor": "doctors"},
	}
}
