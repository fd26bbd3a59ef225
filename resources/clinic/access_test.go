package clinic_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
)

// every is each endpoint on one object of the clinic, with a body that would do.
func every(patient, appointment, doctor string) []frameworktest.Scenario {
	at, slot := "/api/patients/"+patient+"/", "/api/appointments/"+appointment+"/"
	whole := fields{"name": "Changed", "phone": "999"}
	meeting := fields{"patient": patient, "doctor": doctor, "notes": "changed"}
	return []frameworktest.Scenario{
		{Name: "GET patient", Method: "GET", Path: at},
		{Name: "HEAD patient", Method: "HEAD", Path: at},
		{Name: "PUT patient", Method: "PUT", Path: at, Body: whole},
		{Name: "PUT patient with an invalid body", Method: "PUT", Path: at, Body: fields{"name": ""}},
		{Name: "PUT patient with what is read-only", Method: "PUT", Path: at, Body: fields{"name": "A", "phone": "999", "id": patient}},
		{Name: "PATCH patient", Method: "PATCH", Path: at, Body: fields{"name": "Changed"}},
		{Name: "PATCH patient with no field", Method: "PATCH", Path: at, Body: fields{}},
		{Name: "PATCH patient with an invalid body", Method: "PATCH", Path: at, Body: fields{"phone": ""}},
		{Name: "DELETE patient", Method: "DELETE", Path: at},
		{Name: "GET appointments of patient", Method: "GET", Path: at + "appointments/"},
		{Name: "GET appointment", Method: "GET", Path: slot},
		{Name: "HEAD appointment", Method: "HEAD", Path: slot},
		{Name: "PUT appointment", Method: "PUT", Path: slot, Body: meeting},
		{Name: "PUT appointment with an invalid body", Method: "PUT", Path: slot, Body: fields{"fee": "x"}},
		{Name: "PATCH appointment", Method: "PATCH", Path: slot, Body: fields{"notes": "changed"}},
		{Name: "PATCH appointment with no field", Method: "PATCH", Path: slot, Body: fields{}},
		{Name: "PATCH appointment to a patient and a doctor", Method: "PATCH", Path: slot, Body: fields{"patient": patient, "doctor": doctor}},
		{Name: "PATCH appointment with an invalid body", Method: "PATCH", Path: slot, Body: fields{"status": "late"}},
		{Name: "DELETE appointment", Method: "DELETE", Path: slot},
	}
}

func TestAnotherOwnersRecordIsLikeNone(t *testing.T) {
	const nobodys = "00000000-0000-7000-8000-000000000000"
	both(t, func(t *testing.T, s *site) {
		doctor := s.doctor("Dr Sen")
		theirs := s.patient("bob", "Bob's")
		appointment := s.appointment("bob", theirs, doctor, fields{"notes": "Bob's"})
		patientBefore := s.as("bob").Get("/api/patients/" + theirs + "/").Expect(200).Body()
		appointmentBefore := s.as("bob").Get("/api/appointments/" + appointment + "/").Expect(200).Body()
		missing := every(nobodys, nobodys, doctor)
		for _, name := range []string{"ada", "stan", "matron"} {
			for i, c := range every(theirs, appointment, doctor) {
				t.Run(name+": "+c.Name, func(t *testing.T) {
					client := s.on(t).as(name)
					one := client.Do(c.Method, c.Path, c.Body).Expect(404)
					none := client.Do(missing[i].Method, missing[i].Path, missing[i].Body).Expect(404)
					if c.Method == http.MethodHead {
						return
					}
					one.Code("not_found").Lacks("Bob")
					alike(t, one, none)
				})
			}
			t.Run(name+": lists leave it out", func(t *testing.T) {
				client := s.on(t).as(name)
				for _, path := range []string{"/api/patients/", "/api/patients/?search=bob", "/api/appointments/", "/api/appointments/?doctor=" + doctor} {
					client.Get(path).Expect(200).Contains(`{"count":0,"next":null,"previous":null,"results":[]}`)
				}
			})
		}
		s.as("bob").Get("/api/patients/" + theirs + "/").Expect(200).Contains(patientBefore)
		s.as("bob").Get("/api/appointments/" + appointment + "/").Expect(200).Contains(appointmentBefore)
	})
}

func TestMalformedIdsAreNotFound(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		mine := s.patient("ada", "Asha")
		var cases []frameworktest.Scenario
		for _, key := range []string{
			"x", "1", "0", "-1", "null", "undefined", "%27", "%25", "..%2f..", "%00", "%ff", "{" + mine + "}", "urn:uuid:" + mine,
			strings.ReplaceAll(mine, "-", ""), mine + "0", mine[:35], mine + "%20", "%20" + mine, "1;DROP%20TABLE%20patients", strings.Repeat("a", 5000),
		} {
			for _, path := range []string{"/api/patients/" + key + "/", "/api/patients/" + key + "/appointments/", "/api/appointments/" + key + "/"} {
				cases = append(cases, frameworktest.Scenario{Name: path[:min(len(path), 60)], Path: path, Status: 404, Code: "not_found"})
			}
		}
		cases = append(cases,
			frameworktest.Scenario{Name: "an id in capitals is the same", Path: "/api/patients/" + strings.ToUpper(mine) + "/", Status: 200, Contains: []string{mine}},
			frameworktest.Scenario{Name: "an unknown action", Path: "/api/patients/" + mine + "/visits/", Status: 404, Code: "not_found"},
			frameworktest.Scenario{Name: "below an action", Path: "/api/patients/" + mine + "/appointments/1/", Status: 404, Code: "not_found"},
			frameworktest.Scenario{Name: "an unknown resource", Path: "/api/nurses/", Status: 404, Code: "not_found"},
			frameworktest.Scenario{Name: "a resource in capitals", Path: "/api/Patients/", Status: 404, Code: "not_found"},
			frameworktest.Scenario{Name: "outside of the prefix", Path: "/patients/", Status: 404, Code: "not_found"},
			frameworktest.Scenario{Name: "two slashes", Path: "/api//patients/", Status: 404, Code: "not_found"},
			frameworktest.Scenario{Name: "manage without a resource", Path: "/api/manage/", Status: 404, Code: "not_found"},
		)
		frameworktest.Run(t, s.as("ada"), cases)
	})
}

// What holders of the models' permissions may do with rows that are not theirs.
func TestPermissionsOnOthersRecords(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		doctor := s.doctor("Dr Sen")
		for _, who := range []struct {
			name                           string
			lists, reads, changes, deletes int
		}{
			{"ada", 0, 404, 404, 404},
			{"stan", 0, 404, 404, 404},
			{"viewer", 1, 200, 404, 404},
			{"changer", 0, 404, 404, 404},
			{"editor", 1, 200, 200, 404},
			{"deleter", 0, 404, 404, 404},
			{"remover", 1, 200, 404, 204},
			{"root", 1, 200, 200, 204},
			{"bob", 1, 200, 200, 204},
		} {
			t.Run(who.name, func(t *testing.T) {
				s := s.on(t)
				patient := s.patient("bob", "Bob's")
				appointment := s.appointment("bob", patient, doctor, fields{"notes": "Bob's"})
				client := s.as(who.name)
				for _, path := range []string{"/api/patients/", "/api/appointments/"} {
					if l := page(client.Get(path)); *l.Count != who.lists || len(l.Results) != who.lists {
						t.Errorf("%s has %d rows; want %d", path, *l.Count, who.lists)
					}
				}
				at, slot := "/api/patients/"+patient+"/", "/api/appointments/"+appointment+"/"
				client.Get(at).Expect(who.reads)
				client.Get(at + "appointments/").Expect(who.reads)
				client.Get(slot).Expect(who.reads)
				client.Patch(at, fields{"city": "Pune"}).Expect(who.changes)
				client.Patch(at, fields{}).Expect(who.changes)
				client.Put(at, fields{"name": "Renamed", "phone": "999"}).Expect(who.changes)
				client.Put(at, fields{"name": "Renamed", "phone": "999", "id": patient}).Expect(who.changes)
				client.Patch(slot, fields{"notes": "seen"}).Expect(who.changes)
				client.Patch(slot, fields{"status": "completed", "fee": 5}).Expect(who.changes)
				s.as("bob").Get(at).Expect(200)
				s.as("bob").Get(slot).Expect(200)
				client.Delete(slot).Expect(who.deletes)
				if who.deletes != 204 {
					s.as("bob").Delete(slot).Expect(204)
				}
				client.Delete(at).Expect(who.deletes)
				if who.deletes != 204 {
					s.as("bob").Delete(at).Expect(204)
				}
			})
		}
	})
}

// A patient stays its owner's, and an appointment its patient's owner's,
// after a write by any caller.
func TestOwnershipStays(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		doctor, patient := s.doctor("Dr Sen"), s.patient("bob", "Bob's")
		t.Run("changed by another", func(t *testing.T) {
			at := "/api/patients/" + patient + "/"
			s.on(t).as("editor").Put(at, fields{"name": "Renamed", "phone": "999"}).Expect(200)
			s.on(t).as("bob").Get(at).Expect(200).Contains("Renamed")
		})
		t.Run("an appointment made by one who may see the patient", func(t *testing.T) {
			s := s.on(t)
			slot := "/api/appointments/" + s.appointment("root", patient, doctor, fields{"notes": "by root"}) + "/"
			s.as("bob").Get(slot).Expect(200)
			s.as("bob").Patch(slot, fields{"notes": "by bob"}).Expect(200)
			s.as("ada").Get(slot).Expect(404)
		})
		t.Run("an appointment moved to another's patient goes to its owner", func(t *testing.T) {
			s := s.on(t)
			adas := s.patient("ada", "Ada's")
			slot := "/api/appointments/" + s.appointment("bob", patient, doctor, nil) + "/"
			s.as("bob").Patch(slot, fields{"patient": adas}).Expect(400).Fault("/patient", "invalid_reference")
			s.as("root").Patch(slot, fields{"patient": adas}).Expect(200)
			s.as("bob").Get(slot).Expect(404)
			s.as("ada").Get(slot).Expect(200)
		})
	})
}

// The caller whose permission shows a patient sees its appointments by the
// appointments' own scope.
func TestPatientsAppointmentsHaveTheirOwnScope(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		ctx := context.Background()
		patient := s.patient("bob", "Bob's")
		s.appointment("bob", patient, s.doctor("Dr Sen"), fields{"notes": "Bob's"})
		s.must(s.users.Grant(ctx, s.db.Session(), s.person("eve").ID, "patients.view"))
		s.as("eve").Get("/api/patients/" + patient + "/appointments/").Expect(200).Contains("[]").Lacks("Bob")
		s.as("viewer").Get("/api/patients/" + patient + "/appointments/").Expect(200).Contains("Bob")
	})
}

func TestCredentials(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		patient := s.patient("ada", "Asha")
		appointment := s.appointment("ada", patient, s.doctor("Dr Sen"), nil)
		const challenge = `Session realm="api", Token realm="api", Bearer realm="api"`
		paths := every(patient, appointment, "x")
		for _, path := range []string{"/api/patients/", "/api/appointments/", "/api/doctors/", "/api/manage/doctors/"} {
			paths = append(paths,
				frameworktest.Scenario{Name: "GET " + path, Method: "GET", Path: path},
				frameworktest.Scenario{Name: "POST " + path, Method: "POST", Path: path, Body: "{"},
				frameworktest.Scenario{Name: "OPTIONS " + path, Method: "OPTIONS", Path: path},
				frameworktest.Scenario{Name: "DELETE, which is not offered, " + path, Method: "DELETE", Path: path})
		}
		var cases []frameworktest.Scenario
		for _, p := range paths {
			p.Status, p.Answers = 401, map[string]string{"WWW-Authenticate": challenge}
			if p.Method != http.MethodHead {
				p.Code = "authentication_required"
			}
			cases = append(cases, p)
		}
		token := s.token("ada")
		for name, header := range map[string]string{
			"an unknown token": "Token trs_" + strings.Repeat("A", 43), "a changed token": "Token " + token[:len(token)-2] + "xx",
			"no token": "Token", "an empty scheme": " ", "a token without a scheme": token, "another scheme": "Basic YWRhOmFkYQ==", "Digest": "Digest x",
			"two tokens": "Token " + token + " " + token, "a token with a comma": "Token " + token + ",", "Bearer of another kind": "Bearer eyJhbGciOiJub25lIn0.e30.",
			"an inactive user's token": "Token " + s.token("ina"), "SQL": "Token trs_' OR '1'='1", "a very long one": "Token trs_" + strings.Repeat("A", 5000),
		} {
			want := frameworktest.Scenario{Name: name, Path: "/api/patients/", Headers: map[string]string{"Authorization": header}, Status: 401, Code: "invalid_token", Answers: map[string]string{"WWW-Authenticate": challenge}}
			if strings.HasPrefix(header, "Bearer ") { // RFC 6750, section 3.1
				want.Answers["WWW-Authenticate"] += `, error="invalid_token"`
			}
			if strings.TrimSpace(header) == "" {
				want.Code = "authentication_required"
			}
			cases = append(cases, want)
		}
		for name, header := range map[string]string{
			"a token": "Token " + token, "in small letters": "token " + token, "as Bearer": "Bearer " + token, "with spaces around": "  Token   " + token + "  ",
		} {
			cases = append(cases, frameworktest.Scenario{Name: name, Path: "/api/patients/", Headers: map[string]string{"Authorization": header}, Status: 200, Answers: map[string]string{"WWW-Authenticate": ""}})
		}
		for _, param := range []string{"token", "access_token", "Authorization", "api_key"} {
			cases = append(cases, frameworktest.Scenario{Name: "a token in the URL as " + param + " is not read", Path: query("/api/patients/", param, token), Status: 401, Code: "authentication_required"})
		}
		cases = append(cases,
			frameworktest.Scenario{Name: "an unknown path does not ask for credentials", Path: "/api/nurses/", Status: 404},
			frameworktest.Scenario{Name: "an inactive user is refused on the open root no less than nobody: it is open", Path: "/api/", As: s.token("ina"), Status: 200},
		)
		frameworktest.Run(t, s.Client, cases)
	})
}

func TestRevokedAtOnce(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		ctx, session := context.Background(), s.db.Session()
		s.patient("ada", "Asha")
		t.Run("a revoked token", func(t *testing.T) {
			s := s.on(t)
			second, _, err := s.users.IssueToken(ctx, session, s.person("ada").User, "second", 0)
			s.must(err)
			other := s.As(second.Reveal())
			other.Get("/api/patients/").Expect(200)
			s.must(s.users.RevokeToken(ctx, session, second.Reveal()))
			other.Get("/api/patients/").Expect(401).Code("invalid_token").Header("WWW-Authenticate", `Session realm="api", Token realm="api", Bearer realm="api"`).Lacks("Asha")
			other.Post("/api/patients/", fields{"name": "A", "phone": "123"}).Expect(401)
			s.as("ada").Get("/api/patients/").Expect(200)
		})
		t.Run("an inactive user", func(t *testing.T) {
			s := s.on(t)
			s.as("carl").Get("/api/patients/").Expect(200)
			s.must(s.users.SetActive(ctx, session, s.person("carl").ID, false))
			s.as("carl").Get("/api/patients/").Expect(401).Code("invalid_token")
			s.must(s.users.SetActive(ctx, session, s.person("carl").ID, true))
			s.as("carl").Get("/api/patients/").Expect(200)
		})
		t.Run("a permission", func(t *testing.T) {
			s := s.on(t)
			dan := s.person("dan").ID
			s.must(s.users.Grant(ctx, session, dan, "patients.view"))
			s.as("dan").Get("/api/patients/").Expect(200).Contains("Asha")
			_, err := s.users.Revoke(ctx, session, dan, "patients.view")
			s.must(err)
			s.as("dan").Get("/api/patients/").Expect(200).Lacks("Asha")
		})
		t.Run("a permission of a group", func(t *testing.T) {
			s := s.on(t)
			group, err := s.users.CreateGroup(ctx, session, "nurses", "patients.view")
			s.must(err)
			fay := s.person("fay").ID
			s.must(s.users.Join(ctx, session, fay, group.ID))
			s.as("fay").Get("/api/patients/").Expect(200).Contains("Asha")
			s.must(s.users.Leave(ctx, session, fay, group.ID))
			s.as("fay").Get("/api/patients/").Expect(200).Lacks("Asha")
		})
	})
}
