package clinic_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"trestle.example/framework/frameworktest"
)

func TestAppointmentsOfAPatient(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		mine, other, doctor := s.patient("ada", "Asha"), s.patient("ada", "Other"), s.doctor("Dr Sen")
		at := "/api/patients/" + mine + "/appointments/"
		ada := s.as("ada")
		if body := ada.Get(at).Expect(200).Body(); body != "[]" {
			t.Errorf("a patient without appointments has %s; want []", body)
		}
		for i, startsAt := range []any{nil, "2026-03-01T09:00:00Z", "2026-01-01T09:00:00Z", "2026-02-01T09:00:00Z", nil} {
			s.appointment("ada", mine, doctor, fields{"starts_at": startsAt, "notes": strconv.Itoa(i)})
		}
		s.appointment("ada", other, doctor, fields{"notes": "other"})
		var rows []map[string]any
		r := ada.Get(at).Expect(200).Header("Content-Type", "application/json").JSON(&rows)
		same(t, "in the appointments' default order", valuesOf(rows, "notes"), []string{"2", "3", "1", "0", "4"})
		if len(rows[0]) != 9 {
			t.Errorf("an appointment has %d members here; want 9: %s", len(rows[0]), r.Body())
		}
		ada.Get(at+"?page=2&search=x").Expect(200).Header("Trestle-Ignored", "page, search").Contains(`"notes":"4"`)
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE"} {
			ada.Do(method, at, nil).Expect(405).Code("method_not_allowed").Header("Allow", "GET, HEAD, OPTIONS")
		}
		for i := range 25 {
			s.appointment("ada", mine, doctor, fields{"notes": strconv.Itoa(i)})
		}
		if ada.Get(at).Expect(200).JSON(&rows); len(rows) != 30 {
			t.Errorf("got %d appointments; want all 30, without pages", len(rows))
		}
	})
}

func TestRootIsOpenAndInOrder(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		at := s.URL() + "/api/"
		want := fmt.Sprintf(`"patients":"%[1]spatients/","appointments":"%[1]sappointments/","doctors":"%[1]sdoctors/","manage/doctors":"%[1]smanage/doctors/",`, at)
		for name, c := range map[string]*frameworktest.Client{
			"anonymous": s.Client, "ada": s.as("ada"), "a token that does not hold": s.As("trs_x"), "the inactive": s.as("ina"),
		} {
			for _, path := range []string{"/api/", "/api"} {
				if body := c.Get(path).Expect(200).Header("Content-Type", "application/json").Header("WWW-Authenticate", "").Body(); !strings.Contains(body, want) {
					t.Errorf("%s: GET %s is %s; want it to have %s", name, path, body, want)
				}
			}
		}
		var entries map[string]string
		s.Get("/api/").JSON(&entries)
		for _, name := range []string{"patients", "appointments", "doctors", "manage/doctors"} {
			s.as("ada").Get(entries[name]).Expect(200)
		}
		s.Post("/api/", fields{}).Expect(405).Code("method_not_allowed").Header("Allow", "GET, HEAD, OPTIONS")
	})
}

func TestEitherFormOfAPathIsServed(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		patient, doctor := s.patient("ada", "Asha"), s.doctor("Dr Sen")
		appointment := s.appointment("ada", patient, doctor, nil)
		ada := s.as("ada")
		for _, path := range []string{
			"/api/patients", "/api/appointments", "/api/doctors", "/api/manage/doctors", "/api/patients/" + patient, "/api/appointments/" + appointment,
			"/api/doctors/" + doctor, "/api/manage/doctors/" + doctor, "/api/patients/" + patient + "/appointments",
		} {
			if with, without := ada.Get(path+"/").Expect(200), ada.Get(path).Expect(200); with.Body() != without.Body() {
				t.Errorf("%s and %s/ differ:\n%s\n%s", path, path, without.Body(), with.Body())
			}
		}
		at := "/api/patients/" + id(ada.Post("/api/patients", fields{"name": "B", "phone": "123"}).Expect(201))
		ada.Put(at, fields{"name": "C", "phone": "123"}).Expect(200)
		ada.Patch(at, fields{"name": "D"}).Expect(200).Contains(`"name":"D"`)
		ada.Delete(at).Expect(204)
	})
}

func TestHeadIsGetWithoutItsBody(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		patient := s.patient("ada", "Asha")
		ada := s.as("ada")
		for path, status := range map[string]int{
			"/api/": 200, "/api/patients/": 200, "/api/patients/?ordering=phone": 200, "/api/patients/" + patient + "/": 200,
			"/api/patients/" + patient + "/appointments/": 200, "/api/patients/?page=9": 404, "/api/appointments/?status=late": 400, "/api/patients/x/": 404,
		} {
			get, head := ada.Get(path).Expect(status), ada.Do("HEAD", path, nil).Expect(status)
			if head.Body() != "" {
				t.Errorf("HEAD %s has a body: %s", path, head.Body())
			}
			for _, name := range []string{"Content-Type", "Content-Length", "Allow", "Trestle-Ignored", "Cache-Control"} {
				head.Header(name, strings.Join(get.Headers().Values(name), ", "))
			}
		}
		s.Do("HEAD", "/api/patients/", nil).Expect(401).Header("WWW-Authenticate", `Session realm="api", Token realm="api", Bearer realm="api"`)
	})
}

func TestMethodsThatAreNotOffered(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		patient := s.patient("ada", "Asha")
		at := "/api/patients/" + patient + "/"
		ada := s.as("ada")
		collection, item := "GET, HEAD, POST, OPTIONS", "GET, HEAD, PUT, PATCH, DELETE, OPTIONS"
		for _, c := range []struct{ method, path, allow string }{
			{"PUT", "/api/patients/", collection}, {"PATCH", "/api/patients/", collection}, {"DELETE", "/api/patients/", collection},
			{"POST", at, item}, {"TRACE", at, item}, {"LINK", at, item}, {"get", at, item}, {"POST", "/api/appointments/x/", item}, {"DELETE", "/api/appointments/", collection},
		} {
			t.Run(c.method+" "+c.path, func(t *testing.T) {
				ada.On(t).Do(c.method, c.path, nil).Expect(405).Code("method_not_allowed").Header("Allow", c.allow).
					Header("Content-Type", "application/problem+json").Lacks("LINK")
			})
		}
		ada.Get(at).Expect(200).Header("Allow", item)
		ada.Get("/api/patients/").Expect(200).Header("Allow", collection)
	})
}

func TestOptionsDescribe(t *testing.T) {
	type schema struct {
		Type       any
		Format     string
		MaxLength  int
		Minimum    *float64
		Required   []string
		Properties map[string]json.RawMessage
	}
	type said struct {
		Name    string
		Actions map[string]struct {
			Parameters []struct{ Name string }
			Body       *schema
		}
	}
	both(t, func(t *testing.T, s *site) {
		ask := func(who, path string) (d said) {
			s.as(who).Do("OPTIONS", path, nil).Expect(200).Header("Content-Type", "application/json").JSON(&d)
			return d
		}
		field := func(of *schema, name string) (f schema) {
			if err := json.Unmarshal(of.Properties[name], &f); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return f
		}
		var params []string
		d := ask("ada", "/api/patients/")
		for _, p := range d.Actions["GET"].Parameters {
			params = append(params, p.Name)
		}
		if slices.Sort(params); !slices.Equal(params, []string{"If-None-Match", "city", "ordering", "page", "search"}) || d.Name != "patients" {
			t.Errorf("the parameters of %s are %v; want If-None-Match, city, ordering, page, search", d.Name, params)
		}
		post := d.Actions["POST"].Body
		if !slices.Contains(post.Required, "name") || slices.Contains(post.Required, "city") || field(post, "name").MaxLength != 200 || len(post.Properties) != 3 {
			t.Errorf("POST takes %+v", post)
		}
		booking := ask("ada", "/api/appointments/").Actions["POST"].Body
		if f := field(booking, "fee"); f.Type != "number" || f.Minimum == nil || *f.Minimum != 0 || slices.Contains(booking.Required, "fee") {
			t.Errorf("fee is %+v; want a number of at least 0 that is not required", f)
		}
		if f := field(booking, "starts_at"); f.Format != "date-time" || fmt.Sprint(f.Type) != "[string null]" {
			t.Errorf("starts_at is %+v; want a time that may be null", f)
		}
		item := ask("ada", "/api/patients/x/").Actions
		if len(item) != 4 || item["PATCH"].Body.Required != nil || !slices.Contains(item["PUT"].Body.Required, "name") || item["DELETE"].Body != nil {
			t.Errorf("an item takes %+v; want PUT with a required name and PATCH without", item)
		}
		if got := ask("ada", "/api/manage/doctors/").Actions; got["POST"].Body != nil {
			t.Errorf("one who may not add doctors is told of %v", got)
		}
		if got := ask("hirer", "/api/manage/doctors/").Actions; got["POST"].Body == nil {
			t.Errorf("one who may add doctors is told of %v", got)
		}
	})
}

// TestRefusalsAreProblems: every error has the form of RFC 9457 and a page that explains it.
func TestRefusalsAreProblems(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		patient, doctor := s.patient("ada", "Asha"), s.doctor("Dr Sen")
		s.appointment("ada", patient, doctor, fields{"starts_at": "2026-01-31T09:00:00Z"})
		ada := s.as("ada")
		for _, r := range []*frameworktest.Response{
			s.Get("/api/patients/").Expect(401),
			s.As("x").Get("/api/patients/").Expect(401),
			ada.Post("/api/manage/doctors/", fields{"name": "x"}).Expect(403),
			ada.Get("/api/patients/x/").Expect(404),
			ada.Get("/nowhere").Expect(404),
			ada.Delete("/api/patients/").Expect(405),
			ada.Post("/api/patients/", "{").Expect(400),
			ada.Post("/api/patients/", fields{}).Expect(400),
			ada.Get("/api/appointments/?status=x").Expect(400),
			ada.Get("/api/patients/?x=%zz").Expect(400),
			ada.Get("/api/patients/?x=" + strings.Repeat("a", 9000)).Expect(414),
			ada.Post("/api/appointments/", fields{"patient": patient, "doctor": doctor, "starts_at": "2026-01-31T09:00:00Z"}).Expect(409),
			ada.Delete("/api/patients/" + patient + "/").Expect(409),
			ada.With("Content-Type", "text/plain").Post("/api/patients/", "{}").Expect(415),
			ada.Post("/api/patients/", `{"name":"`+strings.Repeat("x", 1<<20)+`"}`).Expect(413),
		} {
			p := object(r)
			id := r.Headers().Get("X-Request-Id")
			r.Header("Content-Type", "application/problem+json").Header("X-Content-Type-Options", "nosniff").Header("Cache-Control", "no-store")
			if p["status"] != float64(r.Status()) || p["instance"] != "urn:uuid:"+id || p["title"] == "" || p["detail"] == "" || p["code"] == "" {
				t.Errorf("not a whole problem: %s", r.Body())
			}
			if _, isList := p["errors"].([]any); !isList {
				t.Errorf("errors is no list: %s", r.Body())
			}
			kind, _ := p["type"].(string)
			if kind != fmt.Sprintf("/api/errors/%s", p["code"]) {
				t.Errorf("type is %q; want the page of the code %v", kind, p["code"])
			}
			s.Get(kind).Expect(200).Header("Content-Type", "text/html; charset=utf-8").Contains(fmt.Sprint(p["code"]))
		}
		s.Get("/api/errors/never_heard_of").Expect(404).Code("not_found")
	})
}

// A request's own id is not taken over.
func TestRequestIdsAreTheServers(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		mine := "00000000-0000-7000-8000-000000000000"
		r := s.as("ada").With("X-Request-Id", mine).Get("/api/patients/").Expect(200)
		if got := r.Headers().Get("X-Request-Id"); got == mine || len(got) != 36 {
			t.Errorf("X-Request-Id is %q; want one of the server's own", got)
		}
		if !json.Valid([]byte(r.Body())) {
			t.Error("not JSON")
		}
	})
}
