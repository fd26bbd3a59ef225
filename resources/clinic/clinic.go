package clinic

import "trestle.example/framework"

// Register adds the clinic's viewsets to an API.
func Register(api *framework.API) {
	api.Register(Patients, Appointments, Doctors, ManagedDoctors)
}
