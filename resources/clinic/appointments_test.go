package clinic_test

import (
	"fmt"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
	"trestle.example/resources/clinic"
)

// statuses are all of an appointment's.
var statuses = []string{"booked", "completed", "cancelled", "no_show"}

func TestAppointmentsAreFiltered(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		sen, das := s.doctor("Dr Sen"), s.doctor("Dr Das")
		asha, bobs := s.patient("ada", "Asha"), s.patient("bob", "Bob's")
		add := func(notes, doctor, status, fee string, startsAt any) {
			body := fmt.Sprintf(`{"patient":%q,"doctor":%q,"status":%q,"fee":%s,"notes":%q}`, asha, doctor, status, fee, notes)
			if startsAt != nil {
				body = strings.TrimSuffix(body, "}") + fmt.Sprintf(`,"starts_at":%q}`, startsAt)
			}
			s.as("ada").Post("/api/appointments/", body).Expect(201)
		}
		add("f", sen, "booked", "0", nil)
		add("d", sen, "no_show", "250.00", "2026-03-01T09:00:00Z")
		add("b", das, "booked", "249.99", "2026-01-02T00:30:00+05:30") // 19:00Z the day before
		add("a", sen, "completed", "0.01", "2026-01-01T10:00:00Z")
		add("c", das, "cancelled", "100000.5", "2026-02-01T09:00:00.000001Z")
		add("e", das, "booked", "250.01", "2026-03-01T09:00:00Z")
		s.appointment("bob", bobs, sen, fields{"notes": "bob's", "fee": 300})

		cases := []struct{ name, query, want string }{
			{"no parameters: by starts_at, then id, unscheduled last", "", "abcdef"},
			{"status booked", "status=booked", "bef"},
			{"status no_show", "status=no_show", "d"},
			{"an empty status is as absent", "status=", "abcdef"},
			{"min_fee includes the fee itself", "min_fee=250", "cde"},
			{"min_fee with places", "min_fee=249.99", "bcde"},
			{"min_fee just above", "min_fee=250.01", "ce"},
			{"min_fee with an exponent", "min_fee=2.5e2", "cde"},
			{"min_fee 0", "min_fee=0", "abcdef"},
			{"min_fee below every fee", "min_fee=-5", "abcdef"},
			{"min_fee above every fee", "min_fee=999999999.99", ""},
			{"min_fee with zeros at its end", "min_fee=250.0000", "cde"},
			{"an empty min_fee is as absent", "min_fee=", "abcdef"},
			{"doctor", "doctor=" + sen, "adf"},
			{"doctor in capitals", "doctor=" + strings.ToUpper(sen), "adf"},
			{"an unknown doctor", "doctor=00000000-0000-7000-8000-000000000000", ""},
			{"the id of something else", "doctor=" + asha, ""},
			{"an empty doctor is as absent", "doctor=", "abcdef"},
			{"status and min_fee", "status=booked&min_fee=249.99", "be"},
			{"status, min_fee, doctor and page", "status=booked&min_fee=0.00&doctor=" + das + "&page=1", "be"},
			{"ordering, which the document does not offer here", "ordering=-starts_at", "abcdef"},
			{"an order by patients: the same patient, so by id", "ordering=-patient.name", "ecabdf"},
			{"search, which the document does not offer here", "search=zzz", "abcdef"},
			{"an unknown parameter", "patients=" + bobs, "abcdef"},
			{"one's own patient", "patient=" + asha + "&page=1", "abcdef"},
			{"another's patient", "patient=" + bobs, ""},
		}
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				l := page(s.on(t).as("ada").Get("/api/appointments/?" + c.query))
				if got := strings.Join(l.values("notes"), ""); got != c.want || *l.Count != len(c.want) {
					t.Errorf("got %q, count %d; want %q", got, *l.Count, c.want)
				}
			})
		}
	})
}

func TestInvalidAppointmentFilters(t *testing.T) {
	type bad struct{ param, value, detail string }
	choices := "must be one of booked, completed, cancelled, no_show"
	number, most := "must be a number with at most two decimal places", "must be at most 999999999.99"
	least := "must be at least -999999999.99"
	cases := []bad{
		{"status", "late", choices}, {"status", "BOOKED", choices}, {"status", "booked,completed", choices}, {"status", "null", choices}, {"status", "booked' OR '1'='1", choices},
		{"min_fee", "x", number}, {"min_fee", "NaN", number}, {"min_fee", "Infinity", number}, {"min_fee", "-Inf", number},
		{"min_fee", "1e400", most}, {"min_fee", "1e", number}, {"min_fee", "1e-3", number}, {"min_fee", "1e2.0", number}, {"min_fee", "1,5", number}, {"min_fee", "1.005", number}, {"min_fee", ".5", number},
		{"min_fee", "5.", number}, {"min_fee", "+5", number}, {"min_fee", "--5", number}, {"min_fee", "0x10", number}, {"min_fee", "٣", number},
		{"min_fee", "1_000", number}, {"min_fee", "12 3", number}, {"min_fee", "-", number}, {"min_fee", "1; DROP TABLE appointments", number},
		{"min_fee", "1000000000", most}, {"min_fee", "999999999.999", number}, {"min_fee", strings.Repeat("9", 400), most},
		{"min_fee", "-1000000000", least}, {"min_fee", "-3042502635272.1", least}, {"min_fee", "-" + strings.Repeat("9", 400), least},
		{"doctor", "x", "must be an id"}, {"doctor", "1", "must be an id"}, {"doctor", "00000000000070008000000000000000", "must be an id"},
		{"doctor", "{00000000-0000-7000-8000-000000000000}", "must be an id"}, {"doctor", "00000000-0000-7000-8000-00000000000g", "must be an id"},
		{"doctor", "null", "must be an id"}, {"doctor", "' OR 1=1 --", "must be an id"},
	}
	both(t, func(t *testing.T, s *site) {
		ada := s.token("ada")
		var scenarios []frameworktest.Scenario
		for _, c := range cases {
			scenarios = append(scenarios, frameworktest.Scenario{
				Name: c.param + " " + c.value[:min(len(c.value), 40)], Path: query("/api/appointments/", c.param, c.value), As: ada,
				Status: 400, Code: "invalid_parameter", Faults: map[string]string{c.param: "invalid_parameter"}, Contains: []string{c.detail},
			})
		}
		for _, param := range []string{"status", "min_fee", "doctor", "page"} {
			scenarios = append(scenarios, frameworktest.Scenario{
				Name: param + " given twice", Path: query("/api/appointments/", param, "1", param, "1"), As: ada,
				Status: 400, Code: "invalid_parameter", Faults: map[string]string{param: "invalid_parameter"}, Contains: []string{"more than once"},
			})
		}
		frameworktest.Run(t, s.Client, scenarios)
	})
}

func TestFeeIsAnExactDecimal(t *testing.T) {
	cases := []struct {
		sent  string // JSON
		shown string // JSON; "" for rejected
		code  string
	}{
		{"0", "0.00", ""}, {"1", "1.00", ""}, {"0.1", "0.10", ""}, {"0.2", "0.20", ""}, {"0.3", "0.30", ""}, {"0.30", "0.30", ""},
		{"0.29", "0.29", ""}, {"1.15", "1.15", ""}, {"19.99", "19.99", ""}, {"4.35", "4.35", ""}, {"1.10000", "1.10", ""},
		{"99999999.99", "99999999.99", ""}, {"90071992.55", "90071992.55", ""}, {"999999999.99", "999999999.99", ""}, {"-0", "0.00", ""}, {"-0.00", "0.00", ""},
		{"1e2", "100.00", ""}, {"1E+3", "1000.00", ""}, {"1.5e1", "15.00", ""}, {"1999e-2", "19.99", ""}, {"0.00001e3", "0.01", ""}, {"99999999999e-2", "999999999.99", ""},
		{"1000e-5", "0.01", ""},
		{"1000000000", "", "range"}, {"999999999.991", "", "format"}, {"9223372036854775807", "", "range"}, {"92233720368547758.07", "", "range"},
		{"1" + strings.Repeat("0", 400), "", "range"}, {"1e9", "", "range"}, {"1e400", "", "range"},
		{"1.005", "", "format"}, {"0.001", "", "format"}, {"1e-3", "", "format"}, {"15e-3", "", "format"},
		{"-0.01", "", "min"}, {"-1", "", "min"}, {"-999999999.99", "", "min"}, {"-1000000000", "", "min"}, {"-1e400", "", "min"},
		{`"1"`, "", "type"}, {`"1.50"`, "", "type"}, {`""`, "", "type"}, {"true", "", "type"}, {"null", "", "null"}, {"[1]", "", "type"}, {"{}", "", "type"},
	}
	both(t, func(t *testing.T, s *site) {
		patient, doctor := s.patient("ada", "Asha"), s.doctor("Dr Sen")
		at := "/api/appointments/" + s.appointment("ada", patient, doctor, fields{"fee": 7}) + "/"
		for _, c := range cases {
			t.Run(c.sent[:min(len(c.sent), 40)], func(t *testing.T) {
				ada := s.on(t).as("ada")
				whole := fmt.Sprintf(`{"patient":%q,"doctor":%q,"fee":%s}`, patient, doctor, c.sent)
				if c.shown == "" {
					ada.Post("/api/appointments/", whole).Expect(400).Code("validation_failed").Fault("/fee", c.code)
					ada.Patch(at, `{"fee":`+c.sent+`}`).Expect(400).Fault("/fee", c.code)
					ada.Put(at, whole).Expect(400).Fault("/fee", c.code)
					return
				}
				shown := `"fee":` + c.shown + `,`
				made := "/api/appointments/" + id(ada.Post("/api/appointments/", whole).Expect(201).Contains(shown)) + "/"
				ada.Get(made).Expect(200).Contains(shown)
				ada.Patch(made, `{"fee":7}`).Expect(200).Contains(`"fee":7.00,`)
				ada.Patch(made, `{"fee":`+c.sent+`}`).Expect(200).Contains(shown)
				ada.Get(query("/api/appointments/", "min_fee", strings.TrimPrefix(c.sent, "-"))).Expect(200).Contains(shown)
				ada.Delete(made).Expect(204)
			})
		}
	})
}

// TestFeesWithLargeExponents: an exponent costs nothing, however large it is.
func TestFeesWithLargeExponents(t *testing.T) {
	for sent, want := range map[string]string{
		"1e999999999999":    "must be at most 999999999.99",
		"-1e999999999999":   "must be at least -999999999.99",
		"1e-999999999999":   "must be a number with at most two decimal places, such as 250 or 99.50",
		"0e999999999999":    "",
		"-0.0e-99999999999": "",
	} {
		var fee clinic.Fee
		got := ""
		if err := fee.UnmarshalJSON([]byte(sent)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q; want %q", sent, got, want)
		}
	}
}

func TestAppointmentDefaults(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		patient, doctor := s.patient("ada", "Asha"), s.doctor("Dr Sen")
		ada := s.as("ada")
		made := ada.Post("/api/appointments/", fields{"patient": patient, "doctor": doctor}).Expect(201)
		made.Contains(`"status":"booked"`, `"fee":0.00`, `"starts_at":null`, `"notes":""`, patient, doctor)
		at := "/api/appointments/" + id(made) + "/"
		ada.Get(at).Expect(200).Contains(made.Body())
		if got := len(object(made)); got != 9 {
			t.Errorf("an appointment has %d members; want 9: %s", got, made.Body())
		}
		ada.Patch(at, fields{"status": "completed", "fee": 5, "starts_at": "2026-01-31T09:00:00+05:30", "notes": "x"}).Expect(200).
			Contains(`"status":"completed"`, `"fee":5.00`, `"starts_at":"2026-01-31T03:30:00Z"`, `"notes":"x"`)
		ada.Patch(at, fields{"starts_at": nil}).Expect(200).Contains(`"starts_at":null`, `"fee":5.00`)
		ada.Patch(at, fields{"status": ""}).Expect(400).Fault("/status", "oneof")
		ada.Patch(at, fields{"status": nil}).Expect(400).Fault("/status", "null")
		ada.Put(at, fields{"patient": patient, "doctor": doctor}).Expect(200).
			Contains(`"status":"booked"`, `"fee":0.00`, `"starts_at":null`, `"notes":""`)
		ada.Put(at, fields{"status": "booked"}).Expect(400).Fault("/patient", "required").Fault("/doctor", "required")
		ada.Delete(at).Expect(204)
		ada.Get(at).Expect(404)
	})
}

func TestStatusMovesFreely(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		patient, doctor := s.patient("ada", "Asha"), s.doctor("Dr Sen")
		at := "/api/appointments/" + s.appointment("ada", patient, doctor, fields{"starts_at": "2026-01-31T09:00:00Z"}) + "/"
		for _, from := range statuses {
			for _, to := range statuses {
				t.Run(from+" to "+to, func(t *testing.T) {
					ada := s.on(t).as("ada")
					ada.Patch(at, fields{"status": from}).Expect(200).Contains(`"status":"` + from + `"`)
					ada.Patch(at, fields{"status": to}).Expect(200).Contains(`"status":"` + to + `"`)
				})
			}
		}
	})
}

func TestTwoBookedAppointmentsOfADoctorAtOneTime(t *testing.T) {
	const nine, ten = "2026-01-31T09:00:00Z", "2026-01-31T10:00:00Z"
	both(t, func(t *testing.T, s *site) {
		sen, das := s.doctor("Dr Sen"), s.doctor("Dr Das")
		mine, theirs := s.patient("ada", "Asha"), s.patient("bob", "Bob's")
		s.appointment("ada", mine, sen, fields{"starts_at": nine})
		free := "/api/appointments/" + s.appointment("ada", mine, sen, fields{"starts_at": ten}) + "/"
		body := func(doctor string, at any, status string) fields {
			return fields{"patient": mine, "doctor": doctor, "starts_at": at, "status": status}
		}
		taken := func(r *frameworktest.Response) {
			r.Expect(409).Code("slot_taken").Fault("/doctor", "not_unique").Fault("/starts_at", "not_unique").
				Contains("The doctor already has a booked appointment at that time.")
		}
		ada := s.as("ada")
		for _, c := range []struct {
			name   string
			body   fields
			refuse bool
		}{
			{"booked at the same time", body(sen, nine, "booked"), true},
			{"booked at the same time by default", fields{"patient": mine, "doctor": sen, "starts_at": nine}, true},
			{"booked at the same instant in another zone", body(sen, "2026-01-31T14:30:00+05:30", "booked"), true},
			{"booked a microsecond later", body(sen, "2026-01-31T09:00:00.000001Z", "booked"), false},
			{"booked less than a microsecond later, which is not kept", body(sen, "2026-01-31T09:00:00.0000009Z", "booked"), true},
			{"cancelled at the same time", body(sen, nine, "cancelled"), false},
			{"completed at the same time", body(sen, nine, "completed"), false},
			{"no_show at the same time", body(sen, nine, "no_show"), false},
			{"unscheduled", body(sen, nil, "booked"), false},
			{"unscheduled again", body(sen, nil, "booked"), false},
			{"another doctor at the same time", body(das, nine, "booked"), false},
		} {
			t.Run(c.name, func(t *testing.T) {
				ada := ada.On(t)
				if c.refuse {
					taken(ada.Post("/api/appointments/", c.body))
					taken(ada.Put(free, c.body))
					delete(c.body, "patient")
					taken(ada.Patch(free, c.body))
					ada.Get(free).Expect(200).Contains(ten, `"status":"booked"`)
					return
				}
				made := "/api/appointments/" + id(ada.Post("/api/appointments/", c.body).Expect(201)) + "/"
				if c.body["starts_at"] == nil {
					ada.Patch(made, fields{"notes": "still unscheduled"}).Expect(200)
					return
				}
				ada.Put(made, c.body).Expect(200)
				ada.Delete(made).Expect(204)
			})
		}
		t.Run("another owner's appointment holds the slot and is not told of", func(t *testing.T) {
			r := s.on(t).as("bob").Post("/api/appointments/", fields{"patient": theirs, "doctor": sen, "starts_at": nine})
			taken(r)
			r.Lacks(mine)
		})
		t.Run("PATCH of one field that moves into a taken slot", func(t *testing.T) {
			taken(ada.On(t).Patch(free, fields{"starts_at": nine}))
			other := "/api/appointments/" + s.on(t).appointment("ada", mine, das, fields{"starts_at": nine}) + "/"
			taken(ada.On(t).Patch(other, fields{"doctor": sen}))
		})
		t.Run("booking again what was cancelled", func(t *testing.T) {
			ada := ada.On(t)
			made := "/api/appointments/" + s.on(t).appointment("ada", mine, sen, fields{"starts_at": nine, "status": "cancelled"}) + "/"
			taken(ada.Patch(made, fields{"status": "booked"}))
			ada.Patch(made, fields{"status": "booked", "starts_at": nil}).Expect(200)
		})
		t.Run("writing an appointment over itself", func(t *testing.T) {
			ada := ada.On(t)
			ada.Patch(free, fields{"starts_at": ten}).Expect(200)
			ada.Put(free, body(sen, ten, "booked")).Expect(200)
		})
		t.Run("a slot is free once its appointment is cancelled, moved or deleted", func(t *testing.T) {
			ada := ada.On(t)
			for _, leave := range []func(at string){
				func(at string) { ada.Patch(at, fields{"status": "cancelled"}).Expect(200) },
				func(at string) {
					ada.Patch(at, fields{"starts_at": "2026-05-05T05:05:05Z"}).Expect(200)
					ada.Delete(at).Expect(204)
				},
				func(at string) { ada.Delete(at).Expect(204) },
			} {
				at := "/api/appointments/" + s.on(t).appointment("ada", mine, sen, fields{"starts_at": "2026-04-04T04:04:04Z"}) + "/"
				taken(ada.Post("/api/appointments/", body(sen, "2026-04-04T04:04:04Z", "booked")))
				leave(at)
			}
		})
	})
}

// Two clients who book one slot at the same moment: one gets it.
func TestOneOfManyGetsTheSlot(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		patient, doctor := s.patient("ada", "Asha"), s.doctor("Dr Sen")
		ada := s.as("ada")
		const clients = 8
		results := make(chan *frameworktest.Response, clients)
		for range clients {
			go func() {
				results <- ada.Post("/api/appointments/", fields{"patient": patient, "doctor": doctor, "starts_at": "2026-01-31T09:00:00Z"})
			}()
		}
		made := 0
		for range clients {
			r := <-results
			if r.Status() == 201 {
				made++
				continue
			}
			r.Expect(409).Code("slot_taken")
		}
		if made != 1 {
			t.Errorf("%d of %d clients got the slot; want 1", made, clients)
		}
	})
}

func TestReferences(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		mine, theirs, doctor := s.patient("ada", "Asha"), s.patient("bob", "Bob's"), s.doctor("Dr Sen")
		at := "/api/appointments/" + s.appointment("ada", mine, doctor, nil) + "/"
		gone := s.patient("ada", "Gone")
		ada := s.as("ada")
		ada.Delete("/api/patients/" + gone + "/").Expect(204)
		for _, c := range []struct {
			name, field string
			value       any
			code        string
		}{
			{"a patient of another owner", "patient", theirs, "invalid_reference"},
			{"a patient that does not exist", "patient", "00000000-0000-7000-8000-000000000000", "invalid_reference"},
			{"a patient that was deleted", "patient", gone, "invalid_reference"},
			{"a doctor in the place of a patient", "patient", doctor, "invalid_reference"},
			{"a patient that is no id", "patient", "x", "format"},
			{"a patient that is a number", "patient", 5, "type"},
			{"a patient that is an object", "patient", fields{"id": mine}, "type"},
			{"a patient that is a list", "patient", []string{mine}, "type"},
			{"a patient without dashes", "patient", strings.ReplaceAll(mine, "-", ""), "format"},
			{"a patient in braces", "patient", "{" + mine + "}", "format"},
			{"a null patient", "patient", nil, "null"},
			{"a blank patient", "patient", "", "required"},
			{"a doctor that does not exist", "doctor", "00000000-0000-7000-8000-000000000000", "invalid_reference"},
			{"a patient in the place of a doctor", "doctor", mine, "invalid_reference"},
			{"a doctor that is no id", "doctor", "' OR 1=1 --", "format"},
			{"a null doctor", "doctor", nil, "null"},
		} {
			t.Run(c.name, func(t *testing.T) {
				ada := ada.On(t)
				whole := fields{"patient": mine, "doctor": doctor}
				whole[c.field] = c.value
				ada.Post("/api/appointments/", whole).Expect(400).Code("validation_failed").Fault("/"+c.field, c.code)
				ada.Put(at, whole).Expect(400).Code("validation_failed").Fault("/"+c.field, c.code)
				ada.Patch(at, fields{c.field: c.value}).Expect(400).Code("validation_failed").Fault("/"+c.field, c.code)
			})
		}
		t.Run("out of scope and missing are answered alike", func(t *testing.T) {
			ada := ada.On(t)
			a := ada.Post("/api/appointments/", fields{"patient": theirs, "doctor": doctor})
			b := ada.Post("/api/appointments/", fields{"patient": gone, "doctor": doctor})
			alike(t, a, b)
		})
		t.Run("an id in capitals is the same id", func(t *testing.T) {
			ada.On(t).Patch(at, fields{"patient": strings.ToUpper(mine)}).Expect(200).Contains(mine)
		})
		t.Run("both references at fault are both told", func(t *testing.T) {
			ada.On(t).Post("/api/appointments/", fields{"patient": theirs, "doctor": theirs}).Expect(400).
				Fault("/patient", "invalid_reference").Fault("/doctor", "invalid_reference")
		})
	})
}

// alike fails the test unless two errors differ in their request's id alone.
func alike(tb testing.TB, a, b *frameworktest.Response) {
	tb.Helper()
	if one, other := withoutID(a), withoutID(b); one != other {
		tb.Errorf("the answers tell the two apart:\n%s\n%s", one, other)
	}
}

// withoutID returns a response without its request's id and time.
func withoutID(r *frameworktest.Response) string {
	body := object(r)
	delete(body, "instance")
	headers := r.Headers().Clone()
	headers.Del("X-Request-Id")
	headers.Del("Date")
	return fmt.Sprint(r.Status(), headers, body)
}
