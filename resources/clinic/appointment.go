package clinic

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/page"
)

// An Appointment is a meeting of a patient with a doctor.
type Appointment struct {
	bun.BaseModel `bun:"table:appointments"`

	ID        uuid.UUID `bun:",pk"`
	PatientID uuid.UUID
	DoctorID  uuid.UUID
	Status    Status
	Fee       Fee
	StartsAt  *time.Time // nil means unscheduled
	Notes     string
	Version   int64 // counts the changes
	CreatedAt time.Time
	UpdatedAt time.Time

	Patient *Patient `bun:"rel:belongs-to,join:patient_id=id"`
	Doctor  *Doctor  `bun:"rel:belongs-to,join:doctor_id=id"`
}

// A Status is the state of an appointment. It may change to any other.
type Status string

// The statuses of an appointment.
const (
	Booked    Status = "booked"
	Completed Status = "completed"
	Cancelled Status = "cancelled"
	NoShow    Status = "no_show"
)

// Enum lists the statuses.
func (Status) Enum() []any { return []any{Booked, Completed, Cancelled, NoShow} }

// AppointmentInput is what a client may write of an appointment.
type AppointmentInput struct {
	PatientID uuid.UUID  `json:"patient"   validate:"required" ref:"patients" doc:"Who is seen."`
	DoctorID  uuid.UUID  `json:"doctor"    validate:"required" ref:"doctors"  doc:"Who sees them."`
	Status    Status     `json:"status"    default:"booked"                   doc:"What became of it."`
	Fee       Fee        `json:"fee"       validate:"min=0"                   doc:"What it costs."`
	StartsAt  *time.Time `json:"starts_at" doc:"When it begins; null while that is not known." example:"2026-12-01T09:30:00Z"`
	Notes     string     `json:"notes" validate:"max=4000" doc:"Notes of the staff." example:"Brings earlier reports."`
}

// AppointmentView is what a client sees of an appointment.
type AppointmentView struct {
	ID uuid.UUID `json:"id"`
	AppointmentInput
	CreatedAt time.Time `json:"created_at" doc:"When the record was made."`
	UpdatedAt time.Time `json:"updated_at" doc:"When the record was last changed."`
}

// A CalendarEntry is an appointment in a calendar.
type CalendarEntry struct {
	ID          uuid.UUID  `json:"id"`
	PatientID   uuid.UUID  `json:"patient"      doc:"Who is seen."`
	PatientName *string    `json:"patient_name" from:"patient.name" doc:"The name of who is seen; null if the caller may not see the patient." example:"Asha Rao"`
	DoctorID    uuid.UUID  `json:"doctor"       doc:"Who sees them."`
	Status      Status     `json:"status"       doc:"What became of it."`
	StartsAt    *time.Time `json:"starts_at"    doc:"When it begins; null while that is not known." example:"2026-12-01T09:30:00Z"`
}

// Appointments serves /appointments/.
var Appointments = framework.ViewSet[Appointment]{
	Name:      "appointments",
	Doc:       "Meetings of patients with doctors, each belonging to its patient's owner.",
	Verbs:     framework.CRUD[AppointmentInput, AppointmentView](),
	Scope:     framework.Via("patient", "patients").Unless(framework.HoldsModel("appointments")),
	Versions:  framework.Versions{Column: "version"},
	History:   framework.History{Permission: framework.Holds("appointments.audit"), Except: []string{"notes"}}, // the notes are about the patient's health
	Relations: framework.Relations{"patient": "patients", "doctor": "doctors"},
	Ordering:  framework.Ordering{Allowed: []string{"patient.name"}, Default: "starts_at"},
	Unindexed: []string{"patient.name"}, // a page of a clinic's appointments is sorted in milliseconds
	Filters: []framework.Filter{
		filter.Exact("status"),
		filter.Min("min_fee", "fee"),
		filter.Reference("doctor", "doctors"),
		filter.Reference("patient", "patients"),
	},
	Collection: []framework.CollectionAction{
		framework.Lists[CalendarEntry]("calendar").
			Filter(filter.Min("starts_from", "starts_at"), filter.Max("starts_until", "starts_at"), filter.Reference("doctor", "doctors")).
			Order(framework.Ordering{Default: "starts_at"}).Paginate(page.Number{Size: 100}).
			Doc("The appointments from one time until another, with the names of their patients."),
	},
	Uniques: []framework.Unique{{
		Fields: []string{"doctor", "starts_at"}, Code: "slot_taken",
		Detail: "The doctor already has a booked appointment at that time.",
	}},
}
