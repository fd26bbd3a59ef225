package clinic

import (
	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
)

// A Doctor sees patients.
type Doctor struct {
	bun.BaseModel `bun:"table:doctors"`

	ID         uuid.UUID `bun:",pk"`
	Name       string
	Speciality string
}

// DoctorInput is what a client may write of a doctor.
type DoctorInput struct {
	Name       string `json:"name"       validate:"required,line,max=200" doc:"The doctor's name, as patients know it." example:"Dr Meera Iyer"`
	Speciality string `json:"speciality" validate:"line,max=120"          doc:"What the doctor treats."                 example:"Cardiology"`
}

// DoctorView is what a client sees of a doctor.
type DoctorView struct {
	ID uuid.UUID `json:"id"`
	DoctorInput
}

// Doctors serves /doctors/, which every caller may read.
var Doctors = framework.ViewSet[Doctor]{
	Name:     "doctors",
	Doc:      "The clinic's doctors, to read.",
	Verbs:    framework.ReadOnly[DoctorView](),
	Scope:    framework.Public(),
	Search:   framework.Search{Fields: []string{"name", "speciality"}},
	Ordering: framework.Ordering{Allowed: []string{"name", "speciality"}, Default: "name"},
}

// ManagedDoctors serves /manage/doctors/, for callers who hold doctors.add,
// doctors.change or doctors.delete.
var ManagedDoctors = framework.ViewSet[Doctor]{
	Name:       "doctors",
	Under:      "manage",
	Doc:        "The clinic's doctors, to manage.",
	Verbs:      framework.CRUD[DoctorInput, DoctorView](),
	Scope:      framework.Public(),
	Ordering:   framework.Ordering{Allowed: []string{"name", "speciality"}, Default: "name"},
	Permission: framework.PerModel("doctors"),
}
