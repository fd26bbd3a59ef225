package clinic_test

import (
	"net/http"
	"testing"
)

// entries are a page of a history.
type entries struct {
	Results []struct {
		Type, Caller, Action string
		Changes              map[string]struct{ From, To any }
	}
}

// TestHistories checks that an auditor reads who changed which field of patients and appointments, with the values of all
// fields but the notes. Owners, and those who may only see or change rows, do not read it.
func TestHistories(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		ada, auditor := s.as("ada"), s.as("auditor")
		patient := s.patient("ada", "Asha")
		ada.Patch("/api/patients/"+patient+"/", fields{"city": "Pune"}).Expect(http.StatusOK)
		ada.Patch("/api/patients/bulk/", []fields{{"id": patient, "phone": "+91 50000 20002"}}).Expect(http.StatusOK)
		s.as("editor").Patch("/api/patients/"+patient+"/", fields{"city": "Delhi"}).Expect(http.StatusOK)
		appointment := s.appointment("ada", patient, s.doctor("Dr Sen"), fields{"notes": "Has a rash."})
		slot := "/api/appointments/" + appointment + "/"
		ada.Patch(slot, fields{"status": "completed", "notes": "The rash is gone."}).Expect(http.StatusOK)
		ada.Patch(slot, fields{"notes": "It is back."}).Expect(http.StatusOK)

		var got entries
		auditor.Get("/api/patients/"+patient+"/history/").Expect(http.StatusOK).Lacks("search", "owner", "version").JSON(&got)
		type change struct{ kind, who, action, field, from, to string }
		for i, want := range []change{
			{"patients.updated", "editor", "patients.patch", "city", "Pune", "Delhi"},
			{"patients.updated", "ada", "patients.patch", "phone", "+91 50000 00000", "+91 50000 20002"},
			{"patients.updated", "ada", "patients.patch", "city", "", "Pune"},
			{"patients.created", "ada", "patients.create", "name", "", "Asha"},
		} {
			e := got.Results[i]
			values := e.Changes[want.field]
			from, _ := values.From.(string)
			if g := (change{e.Type, e.Caller, e.Action, want.field, from, values.To.(string)}); g != (change{want.kind, s.person(want.who).ID.String(), want.action, want.field, want.from, want.to}) {
				t.Errorf("entry %d is %+v; want %+v", i, g, want)
			}
		}
		auditor.Get(slot+"history/").Expect(http.StatusOK).Contains(`"status":{"from":"booked","to":"completed"}`).Lacks("rash", "notes").JSON(&got)
		if len(got.Results) != 3 {
			t.Errorf("the appointment has %d entries; want 3, and one of them without values", len(got.Results))
		}
		for name, status := range map[string]int{"ada": 403, "editor": 403, "bob": 403, "stan": 403, "root": 200} {
			s.as(name).Get("/api/patients/" + patient + "/history/").Expect(status)
			s.as(name).Get(slot + "history/").Expect(status)
		}
		s.as("root").Delete(slot).Expect(http.StatusNoContent)
		auditor.Get(slot + "history/").Expect(http.StatusNotFound)
	})
}
