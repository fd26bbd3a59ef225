package clinic

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/filter"
)

// A Patient is one person in the clinic's records.
type Patient struct {
	bun.BaseModel `bun:"table:patients"`

	ID        uuid.UUID `bun:",pk"`
	OwnerID   uuid.UUID
	Name      string
	Phone     string
	City      string
	Search    string // folded name and phone, filled by the framework
	Version   int64  // counts the changes
	CreatedAt time.Time
	UpdatedAt time.Time
}

// PatientInput is what a client may write of a patient.
type PatientInput struct {
	Name  string `json:"name"  validate:"required,line,max=200"       doc:"The person's full name."              example:"Asha Rao"`
	Phone string `json:"phone" validate:"required,line,min=3,max=32" doc:"A telephone number, as it was given." example:"+91 98765 43210"`
	City  string `json:"city"  validate:"line,max=120"               doc:"Where the person lives."              example:"Pune"`
}

// PatientView is what a client sees of a patient.
type PatientView struct {
	ID uuid.UUID `json:"id"`
	PatientInput
	CreatedAt time.Time `json:"created_at" doc:"When the record was made."`
	UpdatedAt time.Time `json:"updated_at" doc:"When the record was last changed."`
}

// Patients serves /patients/.
var Patients = framework.ViewSet[Patient]{
	Name:     "patients",
	Doc:      "People in the clinic's records, each belonging to the user who created it.",
	Verbs:    framework.CRUD[PatientInput, PatientView](),
	Scope:    framework.Own((*Patient).owner).Unless(framework.HoldsModel("patients")),
	Versions: framework.Versions{Column: "version"},
	History:  framework.History{Permission: framework.Holds("patients.audit")},
	Bulk:     framework.Bulk{Create: true, Patch: true, Each: true},
	Search:   framework.Search{Fields: []string{"name", "phone"}, Stored: "search"},
	Ordering: framework.Ordering{Allowed: []string{"name", "city"}, Default: "name"},
	Filters:  []framework.Filter{filter.Exact("city")},
	Actions: []framework.Action[Patient]{
		framework.Related[Patient, AppointmentView]("appointments", "appointments", "patient").Doc("The patient's appointments, all of them."),
	},
}

func (p *Patient) owner() *uuid.UUID { return &p.OwnerID }
