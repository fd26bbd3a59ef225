package main

import (
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
)

// A Doctor is a row of the model clinic.Doctor of Django.
type Doctor struct {
	bun.BaseModel `bun:"table:clinic_doctor"`

	ID   int64 `bun:",pk,autoincrement"`
	Name string
}

// DoctorView is what clients see of a doctor.
type DoctorView struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// Doctors serves /api/doctors/.
var Doctors = framework.ViewSet[Doctor]{
	Name:     "doctors",
	Verbs:    framework.ReadOnly[DoctorView](),
	Scope:    framework.Public(),
	Search:   framework.Search{Fields: []string{"name"}},
	Ordering: framework.Ordering{Allowed: []string{"name"}, Default: "name"},
}

// A Patient is a row of the model clinic.Patient of Django. A row without an owner is seen
// with the permission only.
type Patient struct {
	bun.BaseModel `bun:"table:clinic_patient"`

	ID        int64 `bun:",pk,autoincrement"`
	OwnerID   *int64
	Name      string
	Phone     string
	City      string
	CreatedAt time.Time
}

func (p *Patient) owner() **int64 { return &p.OwnerID }

// PatientInput is what clients write of a patient.
type PatientInput struct {
	Name  string `json:"name"  validate:"required,max=120"`
	Phone string `json:"phone" validate:"max=32"`
	City  string `json:"city"  validate:"required,max=80"`
}

// PatientView is what clients see of a patient.
type PatientView struct {
	ID int64 `json:"id"`
	PatientInput
	CreatedAt time.Time `json:"created_at"`
}

// Patients serves /api/patients/. A caller has the own rows, or all with the permissions
// clinic.view_patient, clinic.change_patient and clinic.delete_patient.
var Patients = framework.ViewSet[Patient]{
	Name:     "patients",
	Verbs:    patientVerbs(),
	Scope:    framework.Own((*Patient).owner).Unless(framework.HoldsModel("patients")),
	Search:   framework.Search{Fields: []string{"name"}},
	Ordering: framework.Ordering{Allowed: []string{"name", "city"}, Default: "name"},
	Filters:  []framework.Filter{filter.Exact("city")},
}

func patientVerbs() framework.Verbs {
	verbs := framework.CRUD[PatientInput, PatientView]()
	verbs.Delete = framework.Changes(deletePatient)
	return verbs
}

// deletePatient deletes a patient with the appointments, as the model of Django says by
// on_delete=CASCADE. Django does not write that into the schema, so the database does not
// do it.
func deletePatient(c *framework.Call, p *Patient, _ framework.None) (framework.None, error) {
	_, err := c.DB.NewDelete().Model((*Appointment)(nil)).Where("patient_id = ?", p.ID).Exec(c)
	if err == nil {
		_, err = c.DB.NewDelete().Model(p).WherePK().Exec(c)
	}
	return framework.None{}, err
}

// An Appointment is a row of the model clinic.Appointment of Django.
type Appointment struct {
	bun.BaseModel `bun:"table:clinic_appointment"`

	ID        int64 `bun:",pk,autoincrement"`
	PatientID int64
	DoctorID  int64
	Status    Status
	Fee       Fee
	StartsAt  *time.Time
}

// A Status is the state of an appointment.
type Status string

// Enum lists the choices of the model of Django.
func (Status) Enum() []any { return []any{"booked", "completed", "cancelled"} }

// AppointmentInput is what clients write of an appointment.
type AppointmentInput struct {
	PatientID int64      `json:"patient"   validate:"required" ref:"patients"`
	DoctorID  int64      `json:"doctor"    validate:"required" ref:"doctors"`
	Status    Status     `json:"status"    default:"booked"`
	Fee       Fee        `json:"fee"       validate:"required"`
	StartsAt  *time.Time `json:"starts_at"`
}

// AppointmentView is what clients see of an appointment.
type AppointmentView struct {
	ID int64 `json:"id"`
	AppointmentInput
}

// Appointments serves /api/appointments/. An appointment belongs to the owner of its patient.
var Appointments = framework.ViewSet[Appointment]{
	Name:     "appointments",
	Verbs:    framework.CRUD[AppointmentInput, AppointmentView](),
	Scope:    framework.Via("patient", "patients").Unless(framework.HoldsModel("patients")),
	Ordering: framework.Ordering{Allowed: []string{"starts_at", "fee"}, Default: "id"},
	Filters:  []framework.Filter{filter.Exact("status"), filter.Reference("doctor", "doctors")},
}
