package clinic_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"trestle.example/framework"
)

// A hostileQuery is a query string, as it is sent, with the status that must
// come of it and, of a 200, the count.
type hostileQuery struct {
	query  string
	status int
	count  int
}

// refuses are query strings with one status; a 200 has that count.
func refuses(status, count int, queries ...string) []hostileQuery {
	var cases []hostileQuery
	for _, q := range queries {
		cases = append(cases, hostileQuery{q, status, count})
	}
	return cases
}

func join[T any](lists ...[]T) []T {
	var all []T
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// hostilePatientQueries are sent to a list of the eleven people of register.
var hostilePatientQueries = join(
	// What cannot be taken apart.
	refuses(400, 0,
		"%", "%z", "%zz", "%2", "city=%", "city=%G0", "city=Pune%", "city=%u0041", "search=100%", "%%=1", "a=1&b=%", "page=%x1",
		";", "a=1;b=2", "city=Pune;page=2", "ordering=name;", "search=a;b", ";;;;",
		"%00", "city=%00", "city=Pune%00", "%00=1", "search=a%00b", "ordering=name%00", "page=1%00",
		"%ff", "city=%ff", "city=%c3", "city=%c0%af", "city=%ed%a0%80", "city=%f5%80%80%80", "city=\xff", "\xc3\x28=1", "search=%fe%ff",
		strings.Repeat("a&", 101), strings.Repeat("a=1&", 150), strings.Repeat("city=&", 101),
	),
	// What is given twice, wherever, even empty.
	refuses(400, 0,
		"city=Pune&city=Delhi", "city=Pune&city=Pune", "city=&city=", "city=&city=Pune", "search=a&search=b", "ordering=name&ordering=-name", "page=1&page=1", "page=&page=2",
		"search=&search=&search=", "city=Pune&%63ity=Pune",
	),
	refuses(414, 0, "search="+strings.Repeat("a", 9000), strings.Repeat("x", 8193), "city="+strings.Repeat("%41", 3000), strings.Repeat("&", 9000)),
	// Searches that are longer than one may be.
	refuses(400, 0, "search="+strings.Repeat("a", 201), "search="+strings.Repeat("%C3%A9", 201), "search="+strings.Repeat("a+", 17), "search="+strings.Repeat("%22a+b%22", 17),
		"search="+strings.Repeat("q", 101), "search=%22"+strings.Repeat("q+", 51)+"%22"),
	refuses(200, 0, "search="+strings.Repeat("q", 100), "search="+strings.Repeat("%E0%A4%B6", 100), "search="+strings.Repeat("q", 100)+"+"+strings.Repeat("q", 99), "search="+strings.Repeat("q+", 16)),
	// Pages that there are not.
	refuses(404, 0,
		"page=0", "page=-1", "page=-0", "page=1.0", "page=1.", "page=.1", "page=1e0", "page=%2B1", "page=0x1", "page=0b1", "page=1_0", "page=1,0", "page=2", "page=999999999",
		"page=9223372036854775807", "page=9223372036854775808", "page=-9223372036854775808", "page=18446744073709551616", "page="+strings.Repeat("9", 1000),
		"page=461168601842738791", "page=NaN", "page=Infinity", "page=null", "page=None", "page=true", "page=last", "page=%D9%A1", "page=%D9%A3", "page=%EF%BC%91", "page=%C2%B2", "page=1+2", "page=1%2C2",
		"page='1'", "page=%221%22", "page=1'", "page=1+OR+1%3D1", "page=1%3BDROP+TABLE+patients", "page=(SELECT+1)", "page=1--", "page=%7B%7D", "page=$1", "page=?1", "page=%E2%80%8B1",
	),
	refuses(200, 11,
		"", "&", "&&&&", "=", "=&=", "=1", "page=", "page=+", "page=1", "page=+1+", "page=01", "page=0000000000000000000001", "page=%31", "page=%C2%A01", "page=1&",
		"city=", "city=+", "city=%09%0A", "search=", "search=%20", "search=%22%22", "search=%22+%22", "search=%22%22+%22%22", "search=%1f", "ordering=", "city&search&ordering&page", "city=&search=&ordering=&page=",
	),
	// Unknown parameters are reported and change nothing.
	refuses(200, 11,
		"city[]=Pune", "city%5B%5D=Pune", "city[0]=Pune", "city[$ne]=x", "city%5B%24ne%5D=Pune", "city.=Pune", "city__contains=Pune", "city__regex=.*", "city%20=Pune", "%20city=Pune", "+city=Pune", "CITY=Pune",
		"City=Pune", "page[]=9", "PAGE=9", "page%20=9", "page_size=1", "limit=1", "offset=5", "size=1", "format=xml", "callback=alert(1)", "_method=DELETE", "owner_id=x", "owner=x", "id=x", "name=Asha", "phone=1",
		"where=1%3D1", "q=x", "filter=x", "fields=owner_id", "include=owner", "expand=doctor", "select=*", "__proto__=1", "constructor.prototype=1", "%24where=1", "%2e%2e%2f=1", "%3Cscript%3E=1", "token=trs_x",
		"a%0D%0ASet-Cookie%3A+x%3D1=1", "\u00e9=1", "%E2%80%AE=1", strings.Repeat("a", 4000)+"=1", strings.Repeat("a&", 99)+"b",
	),
	refuses(200, 11,
		"ordering=,", "ordering=,,", "ordering=-", "ordering=--", "ordering=--name", "ordering=%2Bname", "ordering=name,-name", "ordering=-name,name", "ordering=name,name,name", "ordering=name,,city", "ordering=+name+,+city+",
		"ordering=id", "ordering=-id", "ordering=pk", "ordering=owner_id", "ordering=phone", "ordering=search", "ordering=created_at", "ordering=NAME", "ordering=name+desc", "ordering=name%20DESC", "ordering=name.desc", "ordering=1", "ordering=-1",
		"ordering=?", "ordering=random()", "ordering=RANDOM%28%29", "ordering=name)", "ordering=(SELECT+1)", "ordering=name--", "ordering=name/**/", "ordering=%22name%22", "ordering=%60name%60", "ordering=name'", "ordering=p.name",
		"ordering=name%3BDROP+TABLE+patients", "ordering=CASE+WHEN+1%3D1+THEN+name+ELSE+city+END", "ordering=name+COLLATE+NOCASE", "ordering=pg_sleep(10)", "ordering=name,(SELECT+pg_sleep(10))", "ordering=-%2Dname",
		"ordering="+strings.Repeat("name,", 400), "ordering="+strings.Repeat("x,", 400), "ordering="+strings.Repeat("-", 1000), "ordering=%F0%9F%98%80", "ordering=n%C3%A4me", "ordering=name%E2%80%8B", "ordering=%EF%BC%8Dname",
	),
	// What is looked for, and is only text.
	refuses(200, 0,
		"city='", "city=''", "city='--", "city='+OR+'1'%3D'1", "city=%22", "city=%22+OR+%22%22%3D%22", "city=%5C", "city=%5C'", "city=%25", "city=_une", "city=P%25", "city=pune'", "city=PUNE", "city=Pune,Delhi", "city=Pune%E2%80%8B",
		"city=null", "city=NULL", "city=undefined", "city=true", "city=0", "city=-1", "city=[]", "city=%7B%7D", "city=%7B%22%24ne%22%3A1%7D", "city=$1", "city=$$", "city=?", "city=?0", "city=??", "city=:name", "city=@x", "city=%01", "city=%7F",
		"city=%F0%9F%98%80", "city=%E2%80%AE", "city=%EF%BB%BF", "city=%C3%A9", "city=e%CC%81", "city=%ef%bc%b0une", "city="+strings.Repeat("a", 4000), "city=%27%3B+DROP+TABLE+patients%3B--", "city=%27+UNION+SELECT+*+FROM+auth_users--", "city=1+AND+pg_sleep(10)",
	),
	refuses(200, 0,
		"search='+OR+'1'%3D'1", "search=%27%3B+DROP+TABLE+patients%3B--", "search=%27+UNION+SELECT+*+FROM+auth_users--", "search=%5C", "search=%5C%25", "search=%5C_", "search=%25%25", "search=__", "search=__________", "search=*", "search=a*", "search=%5E", "search=NEAR(a+b)",
		"search=name%3Aasha", "search=a+AND+b+NOT+c", "search=%22asha+kumar%22", "search=%7Basha%7D", "search=(asha", "search=asha)", "search=asha-rao", "search=%01%02%03", "search=%22rao%1f%22", "search=%22rao%1f%2B91%22",
		"search=%F0%9F%98%80", "search=%E2%80%8B", "search=%EF%BB%BF", "search=%CC%81", "search=$1", "search=?0?1", "search=%3F%3F%3F", "search=:x", "search=%7B%7B.%7D%7D", "search=null+and+void", "search=.*", "search=[a-z]", "search=a|b",
		"search=%22"+strings.Repeat("a", 100)+"%22", "search=%22a%22%22b%22%22c%22%22zzz%22",
	),
	refuses(200, 1, "search=%25", "search=_", "search=0%25", "search=100%25", "search=%22Bobby%22", "search=%22+%22Bobby", "search=%22Rao%22+10001", "search=STRASSE", "search=stra%C3%9Fe", "search=D'Souza"),
	refuses(200, 2, "search=ASHA", "search=%22asha%22%22rao%22%22%22", "search=%22ASHA+rao%22", "search=%C3%89LODIE", "search=e%CC%81lodie", "city=Mumbai", "city=Pune", "city=+Pune+", "%63%69%74%79=Pune", "search=a&city=Pune", "city=Pune&page=1&page_size=1&ordering=x"),
)

// hostileAppointmentQueries are sent to a list of three appointments, two of
// them booked, with fees of 0, 100 and 250.50.
var hostileAppointmentQueries = join(
	refuses(400, 0,
		"status=x", "status=BOOKED", "status=booked,completed", "status=booked%E2%80%8B", "status=null", "status=0", "status='", "status=booked'--", "status=booked'+OR+'1'%3D'1", "status=%25", "status=*", "status=%5B%5D", "status="+strings.Repeat("a", 4000),
		"status=booked&status=booked", "status=no-show", "status=b%C3%B6oked",
		"min_fee=x", "min_fee=NaN", "min_fee=nan", "min_fee=Infinity", "min_fee=-Infinity", "min_fee=1e", "min_fee=1e-3", "min_fee=1e400", "min_fee=-1e400", "min_fee=1e-400", "min_fee=%2B1", "min_fee=1,5", "min_fee=1.2.3", "min_fee=.", "min_fee=-", "min_fee=--1",
		"min_fee=.5", "min_fee=5.", "min_fee=0.001", "min_fee=1.999", "min_fee=0x10", "min_fee=0b1", "min_fee=1_000", "min_fee=1+000", "min_fee=1'", "min_fee=1--", "min_fee=1+OR+1%3D1", "min_fee=1%3BDROP+TABLE+appointments", "min_fee=(SELECT+1)", "min_fee=%D9%A3", "min_fee=%EF%BC%91",
		"min_fee=$1", "min_fee=?", "min_fee=null", "min_fee=true", "min_fee=%5B1%5D", "min_fee=%221%22", "min_fee=1000000000", "min_fee=-1000000000", "min_fee=9223372036854775807", "min_fee=9223372036854775808", "min_fee=92233720368547758.08", "min_fee=18446744073709551616", "min_fee="+strings.Repeat("9", 4000),
		"min_fee=0."+strings.Repeat("0", 4000)+"1", "min_fee=1&min_fee=2", "min_fee=%E2%82%B9100", "min_fee=100INR", "min_fee=1%25",
		"doctor=x", "doctor=1", "doctor=0", "doctor=-1", "doctor=null", "doctor='", "doctor='+OR+'1'%3D'1", "doctor=00000000000070008000000000000000", "doctor=%7B00000000-0000-7000-8000-000000000000%7D", "doctor=urn:uuid:00000000-0000-7000-8000-000000000000",
		"doctor=00000000-0000-7000-8000-00000000000", "doctor=00000000-0000-7000-8000-0000000000000", "doctor=00000000-0000-7000-8000-00000000000g", "doctor=00000000-0000-7000-8000-000000000000'", "doctor=00000000_0000_7000_8000_000000000000",
		"doctor=%5B%5D", "doctor=Dr+Sen", "doctor="+strings.Repeat("0", 36), "doctor="+strings.Repeat("0", 4000), "doctor=00000000-0000-7000-8000-000000000000,00000000-0000-7000-8000-000000000000",
		"status=x&min_fee=x&doctor=x", "status=x&page=9", "min_fee=x&page=0", "%zz", "status=booked;", "min_fee=%00", "doctor=%ff", "page=1&page=2",
	),
	refuses(404, 0, "page=0", "page=2", "page=x", "page=-1", "page=1e9", "page=9223372036854775807", "status=no_show&page=2", "min_fee=100&page=2"),
	refuses(414, 0, "min_fee="+strings.Repeat("9", 9000)),
	refuses(200, 3, "", "status=", "min_fee=", "doctor=", "status=+", "min_fee=%20&doctor=%09", "min_fee=0", "min_fee=-0", "min_fee=0.00", "min_fee=-999999999.99", "min_fee=000000000000000000000000000000", "min_fee=0."+strings.Repeat("0", 4000),
		"Status=booked", "status[]=x", "min_fee__gte=x", "max_fee=0", "fee=0", "doctor_id=x", "doctor[]=x", "patients=x", "patient_id=x", "search=zzz", "ordering=-fee", "ordering=fee", "notes=x", "starts_at=x", "page_size=1", "doctor.name=x"),
	refuses(200, 2, "status=booked", "+status=x&status=booked", "min_fee=100", "min_fee=0.01", "min_fee=+100.000+", "min_fee=00100", "min_fee=99.99"),
	refuses(200, 1, "min_fee=250.50", "min_fee=250.5", "min_fee=100.01", "status=completed", "status=booked&min_fee=1"),
	refuses(200, 0, "min_fee=250.51", "min_fee=999999999.99", "min_fee=999999999.9900000", "doctor=00000000-0000-0000-0000-000000000000", "doctor=ffffffff-ffff-ffff-ffff-ffffffffffff", "doctor=FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "status=no_show", "status=booked&min_fee=1000"),
)

// codeOf is the only code of an error of a query string, by status.
var codeOf = map[int]string{400: framework.CodeInvalidParameter, 404: framework.CodeNotFound, 414: framework.CodeURITooLong}

func TestHostileQueries(t *testing.T) {
	same := &sameEverywhere{}
	both(t, func(t *testing.T, s *site) {
		s.prepareHostile()
		for path, queries := range map[string][]hostileQuery{"/api/patients/": hostilePatientQueries, "/api/appointments/": hostileAppointmentQueries} {
			if len(queries) < 120 {
				t.Errorf("%d hostile queries to %s; want at least 120", len(queries), path)
			}
			for _, q := range queries {
				asked := path + "?" + q.query
				t.Run(brief(asked), func(t *testing.T) {
					r := s.on(t).as("ada").Get(asked).Expect(q.status)
					same.check(t, asked, r.Body(), r.Headers().Get("Trestle-Ignored"))
					if q.status != 200 {
						r.Code(codeOf[q.status])
						return
					}
					if l := page(r); *l.Count != q.count || len(l.Results) != q.count {
						t.Errorf("count %d, %d rows; want %d", *l.Count, len(l.Results), q.count)
					}
				})
			}
		}
	})
}

// prepareHostile makes the rows that hostile requests are sent to.
func (s *site) prepareHostile() {
	s.t.Helper()
	s.enter("ada", register)
	patient, doctor := s.patientOf("bob", fields{"name": "Bob's", "phone": "123"}), s.doctor("Dr Sen")
	s.appointment("bob", patient, doctor, fields{"notes": "Bob's", "fee": 500})
	mine := page(s.as("ada").Get("/api/patients/?search=zoya")).values("id")[0]
	for i, more := range []fields{{}, {"fee": 100, "status": "completed"}, {"fee": 250.5}} {
		more["starts_at"] = fmt.Sprintf("2026-01-0%dT09:00:00Z", i+1)
		s.appointment("ada", mine, doctor, more)
	}
}

// brief keeps the name of a subtest readable.
func brief(text string) string {
	if len(text) > 80 {
		return fmt.Sprintf("%q... (%d bytes)", text[:80], len(text))
	}
	return fmt.Sprintf("%q", text)
}

// sameEverywhere holds what one database answered against what the other did.
type sameEverywhere struct{ said map[string]string }

var (
	anID   = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	aTime  = regexp.MustCompile(`"(created|updated)_at":"[^"]*"`)
	anHost = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
)

// check remembers an answer the first time and compares it the next, whole:
// ids are numbered in the order in which they appear, times are left out.
func (e *sameEverywhere) check(tb testing.TB, asked string, answer ...string) {
	tb.Helper()
	if e.said == nil {
		e.said = map[string]string{}
	}
	seen := map[string]string{}
	text := anID.ReplaceAllStringFunc(strings.Join(answer, "\n"), func(id string) string {
		if seen[id] == "" {
			seen[id] = fmt.Sprintf("id %d", len(seen)+1)
		}
		return seen[id]
	})
	text = anHost.ReplaceAllString(aTime.ReplaceAllString(text, `"${1}_at":"..."`), "http://host")
	before, known := e.said[asked]
	if e.said[asked] = text; known && before != text {
		tb.Errorf("the databases answer apart:\n%s\n%s", before, text)
	}
}
