package clinic

import "trestle.example/framework"

// Register adds the clinic's viewsets to an API.
func Register(api *framework.API) {
	api.Register(framework.Service{
		Name:      "Clinic",
		Doc:       "The records of a clinic: patients, their appointments, and doctors.",
		Resources: []framework.Resource{Patients, Appointments, Doctors, ManagedDoctors},
	})
}
