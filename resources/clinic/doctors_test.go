package clinic_test

import (
	"testing"

	"trestle.example/framework/frameworktest"
)

func TestDoctorsAreReadOnly(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		sen := s.doctor("Dr Sen")
		s.doctor("Dr Das")
		at := "/api/doctors/" + sen + "/"
		ada, root := s.token("ada"), s.token("root")
		collection, item := "GET, HEAD, OPTIONS", "GET, HEAD, OPTIONS"
		body := fields{"name": "Dr X"}
		frameworktest.Run(t, s.Client, []frameworktest.Scenario{
			{Name: "anybody who is known lists", Path: "/api/doctors/", As: ada, Status: 200, Contains: []string{`"count":2`, "Dr Das", "Dr Sen"}},
			{Name: "anybody who is known reads", Path: at, As: ada, Status: 200, Contains: []string{`"name":"Dr Sen","speciality":"ENT"`}},
			{Name: "POST is 405", Method: "POST", Path: "/api/doctors/", As: ada, Body: body, Status: 405, Code: "method_not_allowed", Answers: map[string]string{"Allow": collection}},
			{Name: "POST is 405 whatever the body", Method: "POST", Path: "/api/doctors/", As: ada, Body: "{", Status: 405, Answers: map[string]string{"Allow": collection}},
			{Name: "PUT is 405", Method: "PUT", Path: at, As: ada, Body: body, Status: 405, Code: "method_not_allowed", Answers: map[string]string{"Allow": item}},
			{Name: "PATCH is 405", Method: "PATCH", Path: at, As: ada, Body: body, Status: 405, Answers: map[string]string{"Allow": item}},
			{Name: "DELETE is 405", Method: "DELETE", Path: at, As: ada, Status: 405, Answers: map[string]string{"Allow": item}},
			{Name: "DELETE of one that does not exist is 405 as well", Method: "DELETE", Path: "/api/doctors/x/", As: ada, Status: 405, Answers: map[string]string{"Allow": item}},
			{Name: "a superuser is refused no less", Method: "DELETE", Path: at, As: root, Status: 405, Code: "method_not_allowed"},
			{Name: "a method of WebDAV", Method: "PROPFIND", Path: at, As: ada, Status: 405, Answers: map[string]string{"Allow": item}},
			{Name: "a method that nobody knows", Method: "BREW", Path: at, As: ada, Status: 405, Answers: map[string]string{"Allow": item}},
			{Name: "writing without credentials is 401", Method: "POST", Path: "/api/doctors/", Body: body, Status: 401, Code: "authentication_required"},
			{Name: "searched by name and speciality", Path: "/api/doctors/?search=DR+ent", As: ada, Status: 200, Contains: []string{`"count":2`}},
			{Name: "searched in vain", Path: "/api/doctors/?search=nobody", As: ada, Status: 200, Contains: []string{`"count":0`}},
			{Name: "ordered", Path: "/api/doctors/?ordering=-name&search=sen", As: ada, Status: 200, Contains: []string{"Dr Sen"}, Lacks: []string{"Dr Das"}},
		})
	})
}

// Managing doctors goes by the model's permissions.
func TestDoctorsAreManaged(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		for _, who := range []struct {
			name                          string
			reads, adds, changes, deletes int
		}{
			{"ada", 200, 403, 403, 403},
			{"stan", 200, 403, 403, 403},
			{"editor", 200, 403, 403, 403},
			{"hirer", 200, 201, 403, 403},
			{"trainer", 200, 403, 200, 403},
			{"firer", 200, 403, 403, 204},
			{"matron", 200, 201, 200, 204},
			{"root", 200, 201, 200, 204},
		} {
			t.Run(who.name, func(t *testing.T) {
				s := s.on(t)
				at := "/api/manage/doctors/" + s.doctor("Dr Sen") + "/"
				client := s.as(who.name)
				client.Get("/api/manage/doctors/").Expect(who.reads)
				client.Get(at).Expect(who.reads)
				refused := func(r *frameworktest.Response, want int) {
					r.Expect(want)
					if want == 403 {
						r.Code("forbidden").Header("WWW-Authenticate", "")
					}
				}
				refused(client.Post("/api/manage/doctors/", fields{"name": "Dr New"}), who.adds)
				refused(client.Put(at, fields{"name": "Dr Put", "speciality": "x"}), who.changes)
				refused(client.Patch(at, fields{"name": "Dr Patched"}), who.changes)
				if who.changes == 403 {
					refused(client.Patch(at, "{"), 403)
					refused(client.Put("/api/manage/doctors/x/", fields{}), 403)
				}
				refused(client.Delete(at), who.deletes)
			})
		}
	})
}

func TestDoctorIsWritten(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		matron := s.as("matron")
		made := matron.Post("/api/manage/doctors/", fields{"name": "Dr Sen"}).Expect(201).Contains(`"name":"Dr Sen","speciality":""`)
		at := "/api/manage/doctors/" + id(made) + "/"
		matron.Patch(at, fields{"speciality": "ENT"}).Expect(200).Contains(`"name":"Dr Sen","speciality":"ENT"`)
		matron.Put(at, fields{"name": "Dr Das"}).Expect(200).Contains(`"name":"Dr Das","speciality":""`)
		matron.Put(at, fields{"speciality": "ENT"}).Expect(400).Fault("/name", "required")
		s.as("ada").Get("/api/doctors/" + id(made) + "/").Expect(200).Contains("Dr Das")
		matron.Delete(at).Expect(204)
		s.as("ada").Get("/api/doctors/" + id(made) + "/").Expect(404)
	})
}

func TestPatientsAndDoctorsWithAppointmentsStay(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		doctor, patient := s.doctor("Dr Sen"), s.patient("ada", "Asha")
		slot := "/api/appointments/" + s.appointment("ada", patient, doctor, fields{"status": "cancelled"}) + "/"
		ada, matron := s.as("ada"), s.as("matron")
		ada.Delete("/api/patients/" + patient + "/").Expect(409).Code("still_referenced").Lacks(slot)
		matron.Delete("/api/manage/doctors/" + doctor + "/").Expect(409).Code("still_referenced")
		ada.Get("/api/patients/" + patient + "/").Expect(200)
		ada.Get(slot).Expect(200)
		s.as("bob").Delete("/api/patients/" + patient + "/").Expect(404)
		ada.Delete(slot).Expect(204)
		ada.Delete("/api/patients/" + patient + "/").Expect(204)
		matron.Delete("/api/manage/doctors/" + doctor + "/").Expect(204)
	})
}
