package clinic_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/frameworktest"
)

// The people of most list tests: name, phone, city.
var register = [][3]string{
	{"Asha Rao", "+91 50000 10001", "Pune"},
	{"Ashok Kumar", "+91 50000 10002", "Pune"},
	{"asha rao", "+91 50000 20003", "pune"},
	{"Zoya Khan", "+91 50000 20004", "Mumbai"},
	{"Élodie Fernandes", "+91 50000 30005", "Mumbai"},
	{"ÉLODIE D'Souza", "+91 50000 30006", ""},
	{"100% Kumar", "+91 50000_40007", "Delhi"},
	{"1000 Kumar", "+91 50000 40008", "Delhi"},
	{"Straße Meyer", "+91 50000 50009", "Delhi"},
	{"Ravi \"Bobby\" Shah", "+91 50000 50010", "New Delhi"},
	{"प्रिया शर्मा", "+91 50000 60011", "दिल्ली"},
}

func (s *site) enter(owner string, people [][3]string) {
	s.t.Helper()
	for _, p := range people {
		s.patientOf(owner, fields{"name": p[0], "phone": p[1], "city": p[2]})
	}
}

func TestPatientsAreSearchedFilteredAndOrdered(t *testing.T) {
	cases := []struct {
		name  string
		query string // pairs of name=value, not yet encoded
		want  []string
	}{
		{"no parameters: by name in the order of bytes, é after Z and after small letters", "",
			[]string{"100% Kumar", "1000 Kumar", "Asha Rao", "Ashok Kumar", "Ravi \"Bobby\" Shah", "Straße Meyer", "Zoya Khan", "asha rao", "ÉLODIE D'Souza", "Élodie Fernandes", "प्रिया शर्मा"}},
		{"descending by name", "ordering=-name",
			[]string{"प्रिया शर्मा", "Élodie Fernandes", "ÉLODIE D'Souza", "asha rao", "Zoya Khan", "Straße Meyer", "Ravi \"Bobby\" Shah", "Ashok Kumar", "Asha Rao", "1000 Kumar", "100% Kumar"}},
		{"by city, then name: blank first, capitals before small letters", "ordering=city,name",
			[]string{"ÉLODIE D'Souza", "100% Kumar", "1000 Kumar", "Straße Meyer", "Zoya Khan", "Élodie Fernandes", "Ravi \"Bobby\" Shah", "Asha Rao", "Ashok Kumar", "asha rao", "प्रिया शर्मा"}},
		{"by city descending, then name ascending", "ordering=-city,name&search=kumar",
			[]string{"Ashok Kumar", "100% Kumar", "1000 Kumar"}},
		{"search ignores case", "search=ASHA", []string{"Asha Rao", "asha rao"}},
		{"search ignores case beyond ASCII", "search=élodie", []string{"ÉLODIE D'Souza", "Élodie Fernandes"}},
		{"search finds accents however they are encoded", "search=e\u0301lodie", []string{"ÉLODIE D'Souza", "Élodie Fernandes"}},
		{"search folds ß and SS alike", "search=STRASSE", []string{"Straße Meyer"}},
		{"search finds a part of a word", "search=sho", []string{"Ashok Kumar"}},
		{"search finds one letter", "search=z", []string{"Zoya Khan", "ÉLODIE D'Souza"}},
		{"search finds two letters", "search=aṟ", nil},
		{"search in another script", "search=शर्मा", []string{"प्रिया शर्मा"}},
		{"search over phone", "search=40008", []string{"1000 Kumar"}},
		{"every term must match, in whichever field", "search=20003 rao", []string{"asha rao"}},
		{"terms in any order", "search=rao asha", []string{"Asha Rao", "asha rao"}},
		{"one term that matches nothing leaves nothing", "search=asha nobody", nil},
		{"city is not searched", "search=mumbai", nil},
		{"a term does not reach from name into phone", "search=\"Rao +91\"", nil},
		{"a quoted phrase stays whole", "search=\"asha rao\"", []string{"Asha Rao", "asha rao"}},
		{"a quoted phrase in the other order is not there", "search=\"rao asha\"", nil},
		{"a phrase and a term", "search=\"asha rao\" 10001", []string{"Asha Rao"}},
		{"a quote without a partner is an ordinary character", "search=\"bobby", []string{"Ravi \"Bobby\" Shah"}},
		{"percent is literal", "search=100%", []string{"100% Kumar"}},
		{"percent alone is literal", "search=%", []string{"100% Kumar"}},
		{"underscore is literal", "search=0_4", []string{"100% Kumar"}},
		{"underscore alone is literal", "search=_", []string{"100% Kumar"}},
		{"backslash is literal", "search=\\", nil},
		{"an apostrophe is literal", "search=d'souza", []string{"ÉLODIE D'Souza"}},
		{"white space alone is as absent", "search=  &city=Mumbai", []string{"Zoya Khan", "Élodie Fernandes"}},
		{"an empty phrase is as absent", "search=\"\"&city=Mumbai", []string{"Zoya Khan", "Élodie Fernandes"}},
		{"city is exact", "city=Delhi", []string{"100% Kumar", "1000 Kumar", "Straße Meyer"}},
		{"city keeps case apart", "city=pune", []string{"asha rao"}},
		{"city is no pattern", "city=%", nil},
		{"city in another script", "city=दिल्ली", []string{"प्रिया शर्मा"}},
		{"city with a space", "city=New Delhi", []string{"Ravi \"Bobby\" Shah"}},
		{"an empty city is as absent", "city=&search=souza", []string{"ÉLODIE D'Souza"}},
		{"city that nobody has", "city=Atlantis", nil},
		{"search, filter and ordering together", "search=a&city=Pune&ordering=-name", []string{"Ashok Kumar", "Asha Rao"}},
		{"search, filter, ordering and page together", "search=a&city=Pune&ordering=-name&page=1", []string{"Ashok Kumar", "Asha Rao"}},
	}
	both(t, func(t *testing.T, s *site) {
		s.enter("ada", register)
		s.patientOf("bob", fields{"name": "Asha Rao of Bob", "phone": "+91 50000 10001", "city": "Pune"})
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				l := page(s.on(t).as("ada").Get("/api/patients/?" + encodePairs(c.query)))
				same(t, "names", l.values("name"), c.want)
				if l.Count == nil || *l.Count != len(c.want) || l.Next != nil || l.Previous != nil {
					t.Errorf("the envelope is %+v; want a count of %d and no links", l, len(c.want))
				}
			})
		}
	})
}

// encodePairs encodes "a=b&c=d", in which only = and & stand apart.
func encodePairs(text string) string {
	v := url.Values{}
	for pair := range strings.SplitSeq(text, "&") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			v.Add(name, value)
		}
	}
	return v.Encode()
}

func TestPatientListTellsWhatItIgnores(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		s.enter("ada", register[:4])
		sorted := []string{"Asha Rao", "Ashok Kumar", "Zoya Khan", "asha rao"}
		cases := []struct{ name, query, ignored string }{
			{"an ordering outside the whitelist", "ordering=phone", "ordering=phone"},
			{"an ordering by what a client does not see", "ordering=owner_id", "ordering=owner_id"},
			{"an ordering by the id", "ordering=id", "ordering=id"},
			{"a misspelt ordering", "ordering=nmae", "ordering=nmae; did you mean name?"},
			{"an ordering in capitals", "ordering=NAME", "ordering=NAME; did you mean name?"},
			{"a column of SQL", "ordering=name;DROP TABLE patients", "ordering=name%3BDROP%20TABLE%20patients"},
			{"two dashes", "ordering=--name", "ordering=--name; did you mean -name?"},
			{"two terms, one ignored", "ordering=phone,name", "ordering=phone"},
			{"commas alone", "ordering=,,", ""},
			{"an unknown parameter", "citty=Pune", "citty; did you mean city?"},
			{"a parameter in capitals", "CITY=Pune", "CITY; did you mean city?"},
			{"a parameter in brackets", "city[]=Pune", "city[]; did you mean city?"},
			{"page_size, which is not offered", "page_size=1", "page_size"},
			{"limit and offset, which are not offered", "limit=1&offset=2", "limit, offset"},
			{"two unknown ones, sorted", "b=1&a=2", "a, b"},
			{"an unknown one given twice", "zz=1&zz=2", "zz"},
		}
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				r := s.on(t).as("ada").Get("/api/patients/?" + encodePairs(c.query))
				r.Expect(200).Header("Trestle-Ignored", c.ignored)
				same(t, "names", page(r).values("name"), sorted)
			})
		}
	})
}

func TestPatientPages(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		for i := range 45 {
			s.patient("ada", fmt.Sprintf("Patient %02d", i))
		}
		s.patient("bob", "Bob's only")
		ada := s.token("ada")
		var cases []frameworktest.Scenario
		for _, value := range []string{"0", "-1", "-0", "x", "1.0", "1e0", "+1", "0x1", "1 2", "٣", "１", "4", "1000000", "9223372036854775807", "9223372036854775808", "99999999999999999999999999", "last", "true", "1;2", "1,2", "'"} {
			cases = append(cases, frameworktest.Scenario{
				Name: fmt.Sprintf("page %s is 404", value), Path: query("/api/patients/", "page", value), As: ada, Status: 404, Code: "not_found",
			})
		}
		for _, value := range []string{"", " ", "1", " 1 ", "01"} {
			cases = append(cases, frameworktest.Scenario{
				Name: fmt.Sprintf("page %q is the first", value), Path: query("/api/patients/", "page", value), As: ada, Status: 200,
				Contains: []string{`"count":45`, `"previous":null`, "Patient 00", "Patient 19"}, Lacks: []string{"Patient 20", "Bob"},
			})
		}
		cases = append(cases,
			frameworktest.Scenario{Name: "page 2", Path: "/api/patients/?page=2", As: ada, Status: 200, Contains: []string{"Patient 20", "Patient 39"}, Lacks: []string{"Patient 19", "Patient 40"}},
			frameworktest.Scenario{Name: "page 3, the last", Path: "/api/patients/?page=3", As: ada, Status: 200, Contains: []string{"Patient 40", "Patient 44", `"next":null`, `"count":45`}},
			frameworktest.Scenario{Name: "page 2 of a filtered list that has one", Path: "/api/patients/?page=2&search=44", As: ada, Status: 404},
			frameworktest.Scenario{Name: "page 1 of an empty list", Path: "/api/patients/?city=Nowhere&page=1", As: ada, Status: 200, Contains: []string{`{"count":0,"next":null,"previous":null,"results":[]}`}},
			frameworktest.Scenario{Name: "page 2 of an empty list", Path: "/api/patients/?city=Nowhere&page=2", As: ada, Status: 404},
			frameworktest.Scenario{Name: "page given twice", Path: "/api/patients/?page=1&page=2", As: ada, Status: 400, Code: "invalid_parameter", Faults: map[string]string{"page": "invalid_parameter"}},
		)
		frameworktest.Run(t, s.Client, cases)
	})
}

func TestLinksKeepParameters(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		for i := range 45 {
			s.patientOf("ada", fields{"name": fmt.Sprintf("Patient %02d", i), "phone": "123", "city": "New Delhi & more"})
		}
		first := query("/api/patients/", "zeta", "é", "city", "New Delhi & more", "ordering", "-name,phone", "search", "patient")
		sorted := "city=New+Delhi+%26+more&ordering=-name%2Cphone"
		rest := "&search=patient&zeta=%C3%A9"
		link := func(page string) string { return s.URL() + "/api/patients/?" + sorted + page + rest }
		ada := s.as("ada")
		cases := []struct{ name, path, next, previous string }{
			{"the first page", first, link("&page=2"), ""},
			{"the second, whose link back has no page", first + "&page=2", link("&page=3"), link("")},
			{"the last", first + "&page=3", "", link("&page=2")},
			{"asked for as page 1", first + "&page=1", link("&page=2"), ""},
			{"asked for without the last slash: links have it", strings.Replace(first, "patients/", "patients", 1), link("&page=2"), ""},
			{"no parameters", "/api/patients/", s.URL() + "/api/patients/?page=2", ""},
			{"no parameters, page 2", "/api/patients/?page=2", s.URL() + "/api/patients/?page=3", s.URL() + "/api/patients/"},
		}
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				l := page(ada.On(t).Get(c.path))
				if got := deref(l.Next); got != c.next {
					t.Errorf("next is %q; want %q", got, c.next)
				}
				if got := deref(l.Previous); got != c.previous {
					t.Errorf("previous is %q; want %q", got, c.previous)
				}
			})
		}
	})
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func TestPagesAreStableUnderTies(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		var made []string
		for range 200 {
			made = append(made, s.patientOf("ada", fields{"name": "Asha Rao", "phone": "+91 50000 00000", "city": "Pune"}))
		}
		slices.Sort(made)
		for _, ordering := range []string{"", "name", "-name", "city", "-city", "name,city", "-city,-name"} {
			t.Run("ordering="+ordering, func(t *testing.T) {
				rows := walk(s.on(t), s.on(t).as("ada"), query("/api/patients/", "ordering", ordering))
				want := slices.Clone(made)
				if strings.HasPrefix(ordering, "-") {
					slices.Reverse(want)
				}
				same(t, "ids, each once and in order", valuesOf(rows, "id"), want)
			})
		}
	})
}

func TestListsLetPagesBeReadBackwards(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		for range 65 {
			s.patient("ada", "Asha Rao")
		}
		ada := s.as("ada")
		forward := valuesOf(walk(s, ada, "/api/patients/"), "id")
		var backward []string
		for path := "/api/patients/?page=4"; path != ""; {
			l := page(ada.Get(path))
			backward = append(l.values("id"), backward...)
			path = deref(l.Previous)
		}
		same(t, "the pages from last to first", backward, forward)
	})
}

func TestPatientIsWrittenAndRead(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		ada := s.as("ada")
		made := ada.Post("/api/patients/", fields{"name": "  Asha Rao ", "phone": " +91 50000 00000", "city": "Pune"}).Expect(201)
		made.Header("Content-Type", "application/json").Contains(`"name":"Asha Rao"`, `"phone":"+91 50000 00000"`, `"city":"Pune"`)
		at := "/api/patients/" + id(made) + "/"
		ada.Get(at).Expect(200).Contains(made.Body())
		if got := len(object(made)); got != 6 {
			t.Errorf("a patient has %d members; want id, name, phone, city, created_at, updated_at: %s", got, made.Body())
		}
		ada.Delete(at).Expect(204).Header("Content-Type", "")
		ada.Get(at).Expect(404).Code("not_found")
		ada.Delete(at).Expect(404)
		ada.Patch(at, fields{"city": "Delhi"}).Expect(404)
		ada.Put(at, fields{"name": "A", "phone": "123"}).Expect(404)
		ada.Get(at + "appointments/").Expect(404)
	})
}

func TestPatientPutReplaces(t *testing.T) {
	cases := []struct {
		name   string
		body   any
		status int
		has    []string // on success
		fault  string   // "pointer code" otherwise
	}{
		{"everything", fields{"name": "B", "phone": "456", "city": "Delhi"}, 200, []string{`"name":"B"`, `"phone":"456"`, `"city":"Delhi"`}, ""},
		{"absent optional field returns to its default", fields{"name": "B", "phone": "456"}, 200, []string{`"city":""`}, ""},
		{"empty optional field", fields{"name": "B", "phone": "456", "city": ""}, 200, []string{`"city":""`}, ""},
		{"blank optional field is trimmed", fields{"name": "B", "phone": "456", "city": "  "}, 200, []string{`"city":""`}, ""},
		{"null optional field", fields{"name": "B", "phone": "456", "city": nil}, 400, nil, "/city null"},
		{"absent required field", fields{"phone": "456"}, 400, nil, "/name required"},
		{"empty required field", fields{"name": "", "phone": "456"}, 400, nil, "/name required"},
		{"blank required field", fields{"name": " \t ", "phone": "456"}, 400, nil, "/name required"},
		{"null required field", fields{"name": nil, "phone": "456"}, 400, nil, "/name null"},
		{"empty object", fields{}, 400, nil, "/phone required"},
		{"too long a name", fields{"name": strings.Repeat("é", 201), "phone": "456"}, 400, nil, "/name max"},
		{"the longest name, in characters and not bytes", fields{"name": strings.Repeat("é", 200), "phone": "456"}, 200, []string{strings.Repeat("é", 200)}, ""},
		{"too short a phone", fields{"name": "B", "phone": "12"}, 400, nil, "/phone min"},
		{"too long a phone", fields{"name": "B", "phone": strings.Repeat("1", 33)}, 400, nil, "/phone max"},
		{"too long a city", fields{"name": "B", "phone": "456", "city": strings.Repeat("x", 121)}, 400, nil, "/city max"},
	}
	both(t, func(t *testing.T, s *site) {
		at := "/api/patients/" + s.patientOf("ada", fields{"name": "A", "phone": "123", "city": "Pune"}) + "/"
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				ada := s.on(t).as("ada")
				before := ada.Put(at, fields{"name": "A", "phone": "123", "city": "Pune"}).Expect(200).Body()
				r := ada.Put(at, c.body).Expect(c.status).Contains(c.has...)
				if c.fault == "" {
					ada.Get(at).Expect(200).Contains(r.Body())
					return
				}
				where, code, _ := strings.Cut(c.fault, " ")
				r.Code("validation_failed").Fault(where, code)
				ada.Get(at).Expect(200).Contains(before)
			})
		}
	})
}

func TestPatientPatchChangesWhatIsPresent(t *testing.T) {
	cases := []struct {
		name   string
		body   any
		status int
		has    []string
		fault  string
	}{
		{"one field", fields{"city": "Delhi"}, 200, []string{`"name":"A"`, `"phone":"123"`, `"city":"Delhi"`}, ""},
		{"another", fields{"name": "B"}, 200, []string{`"name":"B"`, `"phone":"123"`, `"city":"Pune"`}, ""},
		{"all fields", fields{"name": "B", "phone": "456", "city": "Delhi"}, 200, []string{`"name":"B"`, `"phone":"456"`, `"city":"Delhi"`}, ""},
		{"no field", fields{}, 200, []string{`"name":"A"`, `"phone":"123"`, `"city":"Pune"`}, ""},
		{"optional field emptied", fields{"city": ""}, 200, []string{`"city":""`, `"name":"A"`}, ""},
		{"optional field null", fields{"city": nil}, 400, nil, "/city null"},
		{"required field emptied", fields{"name": ""}, 400, nil, "/name required"},
		{"required field blank", fields{"name": "\u00a0"}, 400, nil, "/name required"},
		{"required field null", fields{"phone": nil}, 400, nil, "/phone null"},
		{"one right and one wrong changes nothing", fields{"city": "Delhi", "phone": "1"}, 400, nil, "/phone min"},
	}
	both(t, func(t *testing.T, s *site) {
		at := "/api/patients/" + s.patientOf("ada", fields{"name": "A", "phone": "123", "city": "Pune"}) + "/"
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				ada := s.on(t).as("ada")
				before := ada.Put(at, fields{"name": "A", "phone": "123", "city": "Pune"}).Expect(200).Body()
				r := ada.Patch(at, c.body).Expect(c.status).Contains(c.has...)
				if c.fault == "" {
					ada.Get(at).Expect(200).Contains(r.Body())
					return
				}
				where, code, _ := strings.Cut(c.fault, " ")
				r.Code("validation_failed").Fault(where, code)
				ada.Get(at).Expect(200).Contains(before)
			})
		}
	})
}

func TestEveryFaultIsListedAtOnce(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		ada := s.as("ada")
		ada.Post("/api/patients/", fields{"phone": 5, "city": strings.Repeat("x", 121)}).Expect(400).
			Fault("/name", "required").Fault("/phone", "type").Fault("/city", "max")
		ada.Post("/api/appointments/", fields{"patient": "x", "status": "late", "fee": -1, "starts_at": "soon", "notes": nil}).Expect(400).
			Fault("/patient", "format").Fault("/doctor", "required").Fault("/status", "oneof").
			Fault("/fee", "min").Fault("/starts_at", "format").Fault("/notes", "null")
		ada.Get("/api/appointments/?status=late&min_fee=x&doctor=y").Expect(400).Code("invalid_parameter").
			Fault("status", "invalid_parameter").Fault("min_fee", "invalid_parameter").Fault("doctor", "invalid_parameter")
	})
}

// A changed name or phone is searched by its new text, one that stayed by the old.
func TestSearchFollowsEveryWrite(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		ada := s.as("ada")
		at := "/api/patients/" + s.patientOf("ada", fields{"name": "Old Name", "phone": "111 222"}) + "/"
		finds := func(text string, want int) {
			t.Helper()
			if l := page(ada.Get(query("/api/patients/", "search", text))); *l.Count != want {
				t.Errorf("search %q finds %d; want %d", text, *l.Count, want)
			}
		}
		finds("old name", 1)
		ada.Patch(at, fields{"name": "ÇAĞLA"}).Expect(200)
		finds("old", 0)
		finds("çağ", 1)
		finds("222", 1)
		ada.Patch(at, fields{"phone": "999 888"}).Expect(200)
		finds("çağla 999", 1)
		finds("222", 0)
		ada.Patch(at, fields{"city": "Pune"}).Expect(200)
		finds("çağla 999", 1)
		ada.Put(at, fields{"name": "Third", "phone": "777"}).Expect(200)
		finds("third 777", 1)
		finds("çağla", 0)
		ada.Put(at, fields{"name": "Fourth", "phone": "777", "id": "other"}).Expect(200)
		finds("fourth", 1)
		finds("third", 0)
		ada.Delete(at).Expect(204)
		finds("fourth", 0)
	})
}

func TestWhatWasReadCanBeSentBack(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		ada := s.as("ada")
		patient := s.patientOf("ada", fields{"name": "A", "phone": "123", "city": "Pune"})
		appointment := s.appointment("ada", patient, s.doctor("Dr Sen"), fields{"fee": 99.5, "starts_at": "2026-01-31T09:00:00.123456+05:30", "notes": "x"})
		for _, at := range []string{"/api/patients/" + patient + "/", "/api/appointments/" + appointment + "/"} {
			t.Run(strings.Split(at, "/")[2], func(t *testing.T) {
				ada := ada.On(t)
				read := ada.Get(at).Expect(200)
				written := ada.Put(at, read.Body()).Expect(200).Header("Trestle-Ignored", "")
				before, after := object(read), object(written)
				for name := range before {
					if name != "updated_at" && fmt.Sprint(before[name]) != fmt.Sprint(after[name]) {
						t.Errorf("%s was %v and is %v", name, before[name], after[name])
					}
				}
				if !instant(t, before["updated_at"]).Before(instant(t, after["updated_at"])) {
					t.Errorf("updated_at was %v and is %v; want later", before["updated_at"], after["updated_at"])
				}
				ada.Put(at, read.Body()).Expect(200).Header("Trestle-Ignored", "/updated_at")
				ada.Patch(at, written.Body()).Expect(200).Header("Trestle-Ignored", "/updated_at")
				ada.Patch(at, fields{"id": before["id"], "created_at": before["created_at"]}).Expect(200).Header("Trestle-Ignored", "")
				ada.Patch(at, fields{"id": "00000000-0000-7000-8000-000000000000", "created_at": "2020-01-01T00:00:00Z", "updated_at": nil}).Expect(200).
					Header("Trestle-Ignored", "/created_at, /id, /updated_at").Contains(fmt.Sprint(before["created_at"]))
			})
		}
	})
}

func instant(t *testing.T, member any) time.Time {
	t.Helper()
	text, _ := member.(string)
	at, err := time.Parse(time.RFC3339, text)
	if err != nil || at.Location() != time.UTC {
		t.Errorf("%v is not a time in UTC", member)
	}
	return at
}

func TestBodiesAreToldWhatTheyNameInVain(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		ada, bob := s.as("ada"), s.person("bob")
		with := func(name string, value any) fields {
			return fields{"name": "A", "phone": "123", name: value}
		}
		cases := []struct{ name, field, ignored string }{
			{"a misspelt field", "citty", "/citty; did you mean /city?"},
			{"a field in capitals", "CITY", "/CITY; did you mean /city?"},
			{"the owner, which nobody may set", "owner_id", "/owner_id"},
			{"the owner by its Go name", "OwnerID", "/OwnerID"},
			{"the search document", "search", "/search"},
			{"a read-only field", "id", "/id"},
			{"a name with a slash and a tilde", "a/b~c", "/a~1b~0c"},
			{"a name that a header could not carry", "x\r\nSet-Cookie: a=b", "/x%0D%0ASet-Cookie:%20a=b"},
			{"__proto__", "__proto__", "/__proto__"},
			{"an empty name", "", "/"},
		}
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				r := ada.On(t).Post("/api/patients/", with(c.field, bob.ID.String())).Expect(201).Header("Trestle-Ignored", c.ignored)
				ada.On(t).Get("/api/patients/" + id(r) + "/").Expect(200)
				s.on(t).as("bob").Get("/api/patients/" + id(r) + "/").Expect(404)
			})
		}
		ada.Do(http.MethodGet, "/api/patients/?search=bob", nil).Expect(200)
	})
}

// TestManyPatients checks that a clinic enters a list of patients by one request, and changes several: its own.
func TestManyPatients(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		ada := s.as("ada")
		entered := ada.Post("/api/patients/bulk/", []fields{
			{"name": "Asha Rao", "phone": "+91 50000 10001", "city": "Pune"}, {"name": "Zoya Khan", "phone": "+91 50000 20004"},
		}).Expect(http.StatusOK)
		var patients []struct{ ID string }
		entered.JSON(&patients)
		ada.Get("/api/patients/?search=zoya").Expect(http.StatusOK).Contains(`"count":1`, patients[1].ID)
		ada.Patch("/api/patients/bulk/", []fields{{"id": patients[1].ID, "city": "Mumbai"}, {"id": patients[0].ID, "name": "Asha Iyer"}}).Expect(http.StatusOK)
		ada.Get("/api/patients/?search=iyer&city=Pune").Expect(http.StatusOK).Contains(`"count":1`)
		ada.Post("/api/patients/bulk/", []fields{{"name": "A", "phone": "+91 1"}, {"name": "B"}}).Expect(http.StatusBadRequest).Contains(`"/1/phone"`)
		s.as("bob").Patch("/api/patients/bulk/", []fields{{"id": patients[0].ID, "city": "X"}}).Expect(http.StatusBadRequest).Contains(`"/0/id"`)
	})
}

// TestManyPatientsOneByOne checks that a clinic enters the good lines of a list, and gets the faults of the others.
func TestManyPatientsOneByOne(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		ada := s.as("ada")
		var results []struct {
			Status int
			Row    struct{ ID string }
		}
		ada.Post("/api/patients/bulk/each/", []fields{{"name": "Asha Rao", "phone": "+91 50000 10001"}, {"name": "Zoya Khan"}}).Expect(http.StatusOK).
			Contains(`"pointer":"/1/phone"`, "validation_failed").JSON(&results)
		if len(results) != 2 || results[0].Status != http.StatusCreated || results[1].Status != http.StatusBadRequest {
			t.Fatalf("the results are %+v; want 201 and 400", results)
		}
		ada.Get("/api/patients/" + results[0].Row.ID + "/").Expect(http.StatusOK).Contains("Asha Rao")
		s.as("bob").Patch("/api/patients/bulk/each/", []fields{{"id": results[0].Row.ID, "city": "X"}}).Expect(http.StatusOK).Contains(`"status":404`).Lacks("Asha")
		ada.Get("/api/patients/").Expect(http.StatusOK).Contains(`"count":1`).Lacks(`"city":"X"`)
	})
}
