package clinic_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A hostileBody is sent to POST, to PUT and to PATCH, with {P} and {D} for the
// ids of a patient and a doctor. Want is "ok", for 201 or 200, or the status,
// the code, and faults: "400 validation_failed /name max".
type hostileBody struct {
	name, body, want string
	headers          map[string]string
}

// wanting gives bodies one expectation.
func wanting(want string, bodies ...string) []hostileBody {
	var cases []hostileBody
	for _, body := range bodies {
		cases = append(cases, hostileBody{name: brief(body), body: body, want: want})
	}
	return cases
}

// aPatient is a whole body but for some members, which come first.
func aPatient(members string) string { return `{` + members + `,"name":"A","phone":"12345"}` }

func named(name string) string    { return `{"name":` + name + `,"phone":"12345"}` }
func reached(phone string) string { return `{"name":"A","phone":` + phone + `}` }
func living(city string) string   { return aPatient(`"city":` + city) }

// anAppointment is a whole body with some members more.
func anAppointment(members string) string { return `{"patient":"{P}","doctor":"{D}",` + members + `}` }

func each(build func(string) string, values ...string) []string {
	var bodies []string
	for _, v := range values {
		bodies = append(bodies, build(v))
	}
	return bodies
}

// nested is a body of so many levels.
func nested(levels int) string {
	return aPatient(`"x":` + strings.Repeat("[", levels-1) + strings.Repeat("]", levels-1))
}

// chars are so many of a character, in quotes.
func chars(n int, of string) string { return `"` + strings.Repeat(of, n) + `"` }

// notJSON are bodies that are not one JSON object, wherever they are sent.
var notJSON = wanting("400 invalid_json",
	"", " ", "\n", "\r\n\t", "null", "true", "false", "0", "-1", "1.5", `""`, `"{}"`, "[]", "[{}]", "{", "}", "{]", "[}", "{{}}", "{}{}", "{}[]", "{},", "{} x", "{}\x00", "\x00{}", "{}}", "{} {}",
	`{"name"}`, `{"name":}`, `{"name":"A",}`, `{,}`, `{,"name":"A"}`, `{name:"A","phone":"12345"}`, `{'name':'A'}`, `{"name":"A" "phone":"12345"}`, `{"name"="A"}`, `{"name":"A";"phone":"12345"}`, `{1:"A"}`, `{null:1}`, `{"name":"A"`, `{"name":"A`, `{"name":"A\"}`,
	"\xef\xbb\xbf{}", "\xef\xbb\xbf"+named(`"A"`), "\xff\xfe{\x00}\x00", "\x00{\x00}", "\u00a0{}", "\u2028{}", "\v{}", "\f{}", "// x\n{}", "/* x */{}", "# x\n{}", `{"name":"A" /* x */}`, ")]}',\n{}", "while(1);{}",
	named("\"\xff\""), named("\"\xc0\xaf\""), named("\"\xed\xa0\x80\""), named("\"\xf5\x80\x80\x80\""), named("\"A\xc3\""), aPatient("\"\xff\":1"), aPatient("\"x\":\"\xfe\""),
	named(`"\ud800"`), named(`"\udc00"`), named(`"\ud800\ud800"`), named(`"\ud83dx"`), named(`"\ude00\ud83d"`), named(`"\uD800\u0041"`), aPatient(`"\ud800":1`), aPatient(`"x":["\udfff"]`),
	named(`"\u00g0"`), named(`"\u12"`), named(`"\x41"`), named(`"\'"`), named(`"\a"`), named(`"\0"`), named("\"A\nB\""), named("\"A\tB\""), named("\"A\x00B\""), named("\"\x1f\""), named(`"\`),
	`{"name":"A","name":"B","phone":"12345"}`, `{"name":"A","n\u0061me":"B","phone":"12345"}`, aPatient(`"x":1,"x":2`), aPatient(`"x":{"a":1,"a":2}`), aPatient(`"x":[[{"":1,"":2}]]`), aPatient(`"id":1,"id":2`), aPatient(`"__proto__":1,"__proto__":2`),
	aPatient(`"x":01`), aPatient(`"x":+1`), aPatient(`"x":.5`), aPatient(`"x":5.`), aPatient(`"x":NaN`), aPatient(`"x":Infinity`), aPatient(`"x":-Infinity`), aPatient(`"x":0x10`), aPatient(`"x":1_000`), aPatient(`"x":1e`), aPatient(`"x":--1`), aPatient(`"x":-`),
	aPatient(`"x":tru`), aPatient(`"x":True`), aPatient(`"x":None`), aPatient(`"x":undefined`), aPatient(`"x":nul`), aPatient(`"x":new Date()`), aPatient(`"x":`+"`A`"),
	nested(33), nested(1000), strings.Repeat("[", 100_000), strings.Repeat(`{"x":`, 100_000), aPatient(`"x":`+strings.Repeat(`{"x":`, 32)+"1"+strings.Repeat("}", 32)),
	"name=A&phone=12345", "<patient><name>A</name></patient>", "name: A\nphone: 12345", "--x\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nA\r\n--x--", `{"name":"A"}`+"\n"+`{"name":"B"}`, "\x1f\x8b\x08\x00", "\x85\x00", "O:8:\"stdClass\":0:{}",
)

// hostilePatients are sent where patients are written.
var hostilePatients = join(
	wanting("400 validation_failed /name type", each(named, "1", "-0", "1e400", "true", "false", `["A"]`, "[]", "{}", `{"$ne":""}`, `{"toString":"A"}`)...),
	wanting("400 validation_failed /name null", named("null")),
	wanting("400 validation_failed /name required", each(named, `""`, `" "`, `"\t\r\n"`, `"\u00a0"`, `"\u3000"`, `"\u2028"`, `"\u0085"`, `"\u000b\u000c"`, chars(300, " "), `"\u200b"`, `"\ufeff"`, `"\ufe0f"`, `"\u0001"`, `"\u001f"`, `"\u007f"`)...),
	wanting("400 validation_failed /name line", each(named, `"\u202e"`, `" \u2066 "`, `"A\nB"`, `"A\tB"`, `"A\u0001B"`, `"A\u001b[2J"`, `"A\u007fB"`, `"A\u0085B"`, `"A\u2028B"`, `"\u202eBA"`, `"A\u2066B"`)...),
	wanting("400 validation_failed /name nul", each(named, `"\u0000"`, `"A\u0000B"`, `"\u0000A"`, `"A\u0000"`)...),
	wanting("400 validation_failed /name max", each(named, chars(201, "a"), chars(201, "é"), chars(201, "😀"), chars(201, `\ud83d\ude00`), chars(201, `\u0041`), chars(101, "e\u0301"), chars(100_000, "a"), chars(500_000, "é"))...),
	wanting("ok", each(named, chars(200, "a"), chars(200, "é"), chars(200, "😀"), chars(200, `\ud83d\ude00`), chars(100, "e\u0301"), `"  `+strings.Repeat("a", 200)+`  "`, `"\ufffd"`, `"\uffff"`, `"\udbff\udfff"`, `"\/"`, `"\\u0000"`)...),
	wanting("400 validation_failed /phone min", each(reached, `"1"`, `"12"`, `"😀😀"`, `" 12 "`, `"\u0031\u0032"`)...),
	wanting("400 validation_failed /phone max", each(reached, chars(33, "1"), chars(33, "😀"), chars(10_000, "1"))...),
	wanting("400 validation_failed /phone type", each(reached, "12345", "12345.0", "[12345]", "false")...),
	wanting("400 validation_failed /phone nul", reached(`"12345\u0000"`)),
	wanting("ok", each(reached, `"123"`, `"😀😀😀"`, chars(32, "1"), chars(32, "😀"), `"' OR '1'='1"`, `"1;DROP TABLE patients"`)...),
	wanting("400 validation_failed /city type", each(living, "1", "true", "[]", "{}", `[{"a":[]}]`)...),
	wanting("400 validation_failed /city null", living("null")),
	wanting("400 validation_failed /city max", each(living, chars(121, "a"), chars(121, "é"), chars(5000, "😀"))...),
	wanting("400 validation_failed /city line", each(living, `"\t"`, `"\r\n"`, `"\u0001\u007f"`, `"\u2028"`, `"Pune\n"`)...),
	wanting("ok", each(living, `""`, `"  "`, chars(120, "a"), chars(120, "😀"), `"null"`, `"'"`, `"\""`, `"%"`)...),
	// Several faults at once.
	wanting("400 validation_failed /name required /phone required", `{"city":"x","name":"","phone":" "}`),
	wanting("400 validation_failed /name type /phone type /city type", `{"name":{},"phone":[],"city":1}`),
	// Names that are not fields: they are reported and change nothing.
	wanting("ok", each(aPatient,
		`"__proto__":{"admin":true}`, `"constructor":{"prototype":{"x":1}}`, `"prototype":1`, `"toString":1`, `"hasOwnProperty":1`, `"":1`, `" name":1`, `"name ":1`, `"NAME":1`, `"n\u0430me":1`, `"name\u0000":1`, `"\u0000":1`, `"$where":"1"`, `"$ne":1`, `"name[]":1`, `"name.x":1`, `"-name":1`,
		`"owner_id":"00000000-0000-7000-8000-000000000000"`, `"owner":1`, `"OwnerID":1`, `"Search":"x"`, `"search":"x"`, `"is_superuser":true`, `"_method":"DELETE"`, `"csrfmiddlewaretoken":"x"`, `"'; DROP TABLE patients; --":1`, `"a/b":1,"a~b":2,"a~1b":3`, `"x\r\nSet-Cookie: a=b":1`, `"😀":1`,
		`"id":"00000000-0000-7000-8000-000000000000"`, `"id":null`, `"id":{}`, `"id":1e400`, `"created_at":"x"`, `"updated_at":null`, `"created_at":[[[]]]`,
		`"x":1e400`, `"x":-1e999999999`, `"x":`+strings.Repeat("9", 10_000), `"x":0.`+strings.Repeat("0", 10_000)+"1", `"x":"\u0000"`, `"x":`+chars(100_000, "a"), `"x":[`+strings.Repeat("1,", 10_000)+"1]")...),
	wanting("ok", nested(32), manyNames(1000), " \r\n\t"+named(`"A"`)+" \r\n\t"),
	hostileHeaders,
)

// hostileHeaders are good bodies that are sent in other ways.
var hostileHeaders = join(
	sentAs("415 unsupported_media_type", "Content-Type", named(`"A"`), "", "text/plain", "text/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml", "application/vnd.api+json", "application/problem+json",
		"application/json-patch+json", "application/merge-patch", "application/ld+json", "application/jsonp", "application/json; charset=utf-16", "application/json; charset=latin1", "application/json; charset=", "json", "*/*", "application/*", "application/json, text/plain", "application/json;;", "application/json; charset=utf-8; charset=utf-16", "; application/json"),
	sentAs("ok", "Content-Type", named(`"A"`), "application/json; charset=utf-8", "APPLICATION/JSON", `application/json;charset="UTF-8"`, "application/json;odd=1", "application/json;", " application/json "),
	sentAs("415 unsupported_media_type", "Content-Encoding", named(`"A"`), "deflate", "br", "zstd", "compress", "x-gzip", "gzip, gzip", "identity, gzip", "gzip;q=1", "chunked"),
	sentAs("ok", "Content-Encoding", named(`"A"`), "identity", "Identity"),
	sentAs("ok", "Content-Encoding", zipped(named(`"A"`)), "gzip", "GZIP", " gzip "),
	sentAs("ok", "Content-Encoding", zipped(`{"name":"A",`)+zipped(`"phone":"12345"}`), "gzip"),
	sentAs("400 invalid_json", "Content-Encoding", named(`"A"`), "gzip"),
	sentAs("400 invalid_json", "Content-Encoding", zipped(named(`"A"`))[:20], "gzip"),
	sentAs("400 invalid_json", "Content-Encoding", zipped(named(`"A"`))+"x", "gzip"),
	sentAs("400 invalid_json", "Content-Encoding", zipped(zipped(named(`"A"`))), "gzip"),
	sentAs("400 invalid_json", "Content-Encoding", zipped(""), "gzip"),
	sentAs("413 body_too_large", "Content-Encoding", zipped(named(chars(1<<20, "a"))), "gzip"),
	sentAs("413 body_too_large", "Content-Encoding", zipped(strings.Repeat(" ", 8<<20)), "gzip"),
	sentAs("ok", "Content-Type", padded(1<<20), "application/json"),
	sentAs("413 body_too_large", "Content-Type", padded(1<<20+1), "application/json"),
	sentAs("413 body_too_large", "Content-Type", padded(3<<20), "text/plain"),
	sentAs("ok", "X-HTTP-Method-Override", named(`"A"`), "DELETE"),
	sentAs("ok", "X-Original-URL", named(`"A"`), "/api/appointments/"),
	sentAs("ok", "Accept", named(`"A"`), "text/html", "application/xml", "image/*;q=0"),
	sentAs("ok", "Expect", named(`"A"`), "100-continue"),
)

// hostileAppointments are sent where appointments are written.
var hostileAppointments = join(
	wanting("400 validation_failed /patient invalid_reference", each(func(v string) string { return `{"doctor":"{D}","patient":` + v + `}` },
		`"00000000-0000-7000-8000-000000000000"`, `"{D}"`)...),
	wanting("400 validation_failed /patient format", each(func(v string) string { return `{"doctor":"{D}","patient":` + v + `}` },
		`"x"`, `"{{P}}"`, `"urn:uuid:{P}"`, `"{P}0"`, `"{P}' OR '1'='1"`, `" {P} "`, `"1 UNION SELECT id FROM patients"`, chars(36, "0"), chars(100_000, "a"), `"-"`)...),
	wanting("400 validation_failed /patient type", each(func(v string) string { return `{"doctor":"{D}","patient":` + v + `}` },
		"1", "0", "true", "[]", `["{P}"]`, `{"id":"{P}"}`, "1e400")...),
	wanting("400 validation_failed /patient nul", `{"doctor":"{D}","patient":"{P}\u0000"}`),
	wanting("400 validation_failed /doctor invalid_reference", each(func(v string) string { return `{"patient":"{P}","doctor":` + v + `}` },
		`"{P}"`, `"ffffffff-ffff-ffff-ffff-ffffffffffff"`)...),
	wanting("400 validation_failed /doctor format", each(func(v string) string { return `{"patient":"{P}","doctor":` + v + `}` }, `"x"`, `"null"`, `"*"`, `"{D},{D}"`)...),
	wanting("400 validation_failed /doctor type", each(func(v string) string { return `{"patient":"{P}","doctor":` + v + `}` }, "5", "{}", "[]")...),
	wanting("400 validation_failed /patient null /doctor null", `{"patient":null,"doctor":null}`),
	wanting("400 validation_failed /patient required /doctor required", `{"patient":"","doctor":" "}`),
	wanting("400 validation_failed /status oneof", each(anAppointment, `"status":"x"`, `"status":""`, `"status":" "`, `"status":"BOOKED"`, `"status":"booked,completed"`, `"status":"booked'--"`, `"status":"no show"`, `"status":"b\u00f6oked"`, `"status":`+chars(100_000, "a"), `"status":"booked\u200b"`)...),
	wanting("400 validation_failed /status type", each(anAppointment, `"status":1`, `"status":["booked"]`, `"status":{"$ne":"x"}`, `"status":true`)...),
	wanting("400 validation_failed /status nul", anAppointment(`"status":"booked\u0000"`)),
	wanting("ok", each(anAppointment, `"status":" booked "`, `"status":"\u0062ooked"`)...),
	wanting("400 validation_failed /fee format", each(anAppointment,
		`"fee":1e-3`, `"fee":1e-400`, `"fee":0.001`, `"fee":1.005`, `"fee":0.`+strings.Repeat("0", 10_000)+"1")...),
	wanting("400 validation_failed /fee range", each(anAppointment,
		`"fee":1e400`, `"fee":1000000000`, `"fee":9223372036854775807`, `"fee":9223372036854775808`, `"fee":18446744073709551616`, `"fee":92233720368547758.07`, `"fee":`+strings.Repeat("9", 10_000))...),
	wanting("400 validation_failed /fee type", each(anAppointment,
		`"fee":"1"`, `"fee":"1.00"`, `"fee":""`, `"fee":"x"`, `"fee":"NaN"`, `"fee":"\u0031"`, `"fee":true`, `"fee":[]`, `"fee":[1]`, `"fee":{}`, `"fee":{"amount":1}`, `"fee":"1; DROP TABLE appointments"`)...),
	wanting("400 validation_failed /fee min", each(anAppointment, `"fee":-1`, `"fee":-0.01`, `"fee":-999999999.99`, `"fee":-9223372036854775809`, `"fee":-1e400`)...),
	wanting("400 validation_failed /fee null", anAppointment(`"fee":null`)),
	wanting("400 validation_failed /fee nul", anAppointment(`"fee":"\u0000"`)),
	wanting("ok", each(anAppointment, `"fee":-0`, `"fee":1e3`, `"fee":1E-1`, `"fee":-0.00`, `"fee":0.0`, `"fee":999999999.99`, `"fee":1.10000000000000000000000`, `"fee":0.`+strings.Repeat("0", 10_000))...),
	wanting("400 validation_failed /starts_at format", each(func(v string) string { return anAppointment(`"starts_at":"` + v + `"`) },
		"", " ", "x", "now", "infinity", "-infinity", "2026-01-31", "2026-01-31T09:00:00", "2026-01-31T09:00Z", "2026-01-31 09:00:00Z", "2026-01-31T09:00:00.Z", "2026-01-31T09:00:00,5Z", "2026-1-31T9:00:00Z", "2026-02-30T09:00:00Z", "2026-13-01T09:00:00Z", "2026-00-01T09:00:00Z",
		"2026-01-31T24:00:00Z", "2026-01-31T23:60:00Z", "2026-01-31T23:59:60Z", "2026-01-31T09:00:00+24:00", "2026-01-31T09:00:00+05:60", "2026-01-31T09:00:00+0530", "2026-01-31T09:00:00 Z", "10000-01-01T00:00:00Z", "-2026-01-01T00:00:00Z", "+02026-01-01T00:00:00Z", "20260131T090000Z", "1769850000",
		"Sat, 31 Jan 2026 09:00:00 GMT", "२०२६-01-31T09:00:00Z", "2026-01-31T09:00:00Z'; DROP TABLE appointments; --", "epoch", "2026-W05-6")...),
	wanting("400 validation_failed /starts_at type", each(anAppointment, `"starts_at":1769850000`, `"starts_at":true`, `"starts_at":[]`, `"starts_at":{}`)...),
	wanting("400 validation_failed /starts_at range", each(anAppointment, `"starts_at":"0000-12-31T00:00:00Z"`, `"starts_at":"9999-12-31T23:59:59-23:59"`, `"starts_at":"0001-01-01T00:00:00+00:01"`)...),
	wanting("400 validation_failed /starts_at nul", anAppointment(`"starts_at":"2026-01-31T09:00:00Z\u0000"`)),
	wanting("ok", each(anAppointment, `"starts_at":null`, `"status":"cancelled","starts_at":"0001-01-01T00:00:00Z"`, `"status":"cancelled","starts_at":"0001-01-01T00:00:00.000001Z"`, `"status":"cancelled","starts_at":"9999-12-31T23:59:59.999999Z"`, `"status":"cancelled","starts_at":"9999-12-31T23:59:59.9999999999999999Z"`,
		`"status":"cancelled","starts_at":"2024-02-29T23:59:59.123456789+23:59"`, `"status":"cancelled","starts_at":"1582-10-10T00:00:00Z"`, `"status":"cancelled","starts_at":"1969-12-31T23:59:59.999999Z"`, `"status":"cancelled","starts_at":"1900-01-01T00:00:00+05:53"`, `"status":"cancelled","starts_at":"2026-01-31t09:00:00z"`)...),
	wanting("400 validation_failed /notes max", each(anAppointment, `"notes":`+chars(4001, "a"), `"notes":`+chars(4001, "😀"))...),
	wanting("400 validation_failed /notes type", each(anAppointment, `"notes":1`, `"notes":["a"]`, `"notes":{}`)...),
	wanting("400 validation_failed /notes null", anAppointment(`"notes":null`)),
	wanting("400 validation_failed /notes nul", anAppointment(`"notes":"a\u0000"`)),
	wanting("ok", each(anAppointment, `"notes":""`, `"notes":`+chars(4000, "a"), `"notes":`+chars(4000, "😀"), `"notes":"a\r\nb"`)...),
	wanting("ok", each(anAppointment, `"patient_id":"x"`, `"PatientID":"x"`, `"Patient":{"name":"x"}`, `"owner_id":"x"`, `"id":"x"`, `"created_at":"0001-01-01T00:00:00Z"`, `"__proto__":{}`, `"doctor.name":"x"`)...),
)

func sentAs(want, header, body string, values ...string) []hostileBody {
	var cases []hostileBody
	for _, v := range values {
		name := fmt.Sprintf("%s: %s %s", header, v, brief(body))
		cases = append(cases, hostileBody{name, body, want, map[string]string{header: v}})
	}
	return cases
}

func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"x%d":%d,`, i, i)
	}
	return aPatient(strings.TrimSuffix(b.String(), ","))
}

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.String()
}

// padded is a good body of so many bytes.
func padded(size int) string {
	body := named(`"A"`)
	return body + strings.Repeat(" ", size-len(body))
}

func TestHostileBodies(t *testing.T) {
	same := &sameEverywhere{}
	both(t, func(t *testing.T, s *site) {
		patient, doctor := s.patient("ada", "Asha"), s.doctor("Dr Sen")
		appointment := s.appointment("ada", patient, doctor, nil)
		fill := strings.NewReplacer("{P}", patient, "{D}", doctor)
		for _, c := range []struct {
			collection, item string
			bodies           []hostileBody
		}{
			{"/api/patients/", "/api/patients/" + patient + "/", join(notJSON, hostilePatients)},
			{"/api/appointments/", "/api/appointments/" + appointment + "/", join(notJSON, hostileAppointments)},
		} {
			if len(c.bodies) < 120 {
				t.Errorf("%d hostile bodies to %s; want at least 120", len(c.bodies), c.collection)
			}
			for _, b := range c.bodies {
				t.Run(b.name, func(t *testing.T) {
					s, body := s.on(t), fill.Replace(b.body)
					s.hostile(same, "POST", c.collection, b, body)
					if !testing.Short() {
						s.hostile(same, "PUT", c.item, b, body)
					}
					s.hostile(same, "PATCH", c.item, b, body)
				})
			}
		}
		s.as("ada").Get("/api/patients/" + patient + "/").Expect(200)
		s.as("ada").Get("/api/appointments/" + appointment + "/").Expect(200)
	})
}

func (s *site) hostile(same *sameEverywhere, method, path string, b hostileBody, body string) {
	s.t.Helper()
	client := s.as("ada")
	for name, value := range b.headers {
		if client = client.With(name, value); value == "" && name == "Content-Type" {
			client = client.With(name, " ")
		}
	}
	r := client.Do(method, path, body)
	same.check(s.t, method+strings.Split(path, "/")[2]+b.name, r.Body(), r.Headers().Get("Trestle-Ignored"))
	want := strings.Fields(b.want)
	switch {
	case want[0] != "ok":
		r.Expect(map[string]int{"400": 400, "413": 413, "415": 415}[want[0]]).Code(want[1])
	case method == "POST":
		r.Expect(201)
	default:
		r.Expect(200)
	}
	for i := 2; i+1 < len(want); i += 2 {
		r.Fault(want[i], want[i+1])
	}
}

// texts must be returned byte for byte.
var texts = []string{
	"'; DROP TABLE patients; --", "' OR '1'='1", `" OR ""="`, "1); DELETE FROM patients; --", "Robert'); DROP TABLE Students;--", "x' UNION SELECT key_hash FROM auth_tokens --", "\\'; --", "\\", "\\\\", "%", "_", "%_%", "''", `""`, "``", "$1", "$$x$$", "?", "??", "?0", "?1?2", "?TableAlias.name", "?PKs",
	":name", "@p1", "{{.}}", "${7*7}", "#{7*7}", "%s%d%n", "\\x00", "\\u0000", "\\0", "E'\\x41'", "U&'\\0041'", "/* x */", "-- x", "#", ";", "null", "NULL", "undefined", "NaN", "true", "0", "-1", "1e400", "[]", "{}", `{"$gt":""}`,
	"<script>alert(1)</script>", "<!--", "]]>", "&lt;", "../../etc/passwd", "C:\\nul", "file:///etc/passwd", "http://169.254.169.254/", "() { :;}; echo x", "$(id)", "`id`", "|id", "=1+1", "@SUM(1)", "+1", "a\u00a0b",
	"e\u0301", "é", "ﬁ", "ß", "İi̇ıI", "ΣΑΣ σας", "\u00c5 \u212b A\u030a", "한글", "\u6f22\u5b57", "हिन्दी", "עברית", "العربية", "a\u200bb", "a\u200db", "👩\u200d👩\u200d👧\u200d👦", "🇮🇳", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A", "\ufeffx", "\ufffd", "\uffff", "\U0010ffff", "\U0001f600",
	"name", "select", "Ahmed O'Brien-Sánchez", "Nguyễn Thị Minh Khai", "\u674e\u5c0f\u9f8d", "प्रिया शर्मा",
}

// TestNotesComeBackAsTheyWereSent: what is not of one line may have any character.
func TestNotesComeBackAsTheyWereSent(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		at := "/api/appointments/" + s.appointment("ada", s.patient("ada", "Asha"), s.doctor("Dr Sen"), nil) + "/"
		for _, text := range []string{"a\r\nb", "a\tb", "a\u0001b", "a\u001fb", "a\u007fb", "a\u0085b", "a\u2028b", "\u202eabc"} {
			s.as("ada").Patch(at, fields{"notes": text}).Expect(200)
			if got := object(s.as("ada").Get(at).Expect(200))["notes"]; got != text {
				t.Errorf("%q came back as %q", text, got)
			}
		}
	})
}

func TestTextComesBackAsItWasSent(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		ada := s.as("ada")
		at := "/api/patients/" + s.patient("ada", "Asha") + "/"
		for _, text := range texts {
			t.Run(brief(text), func(t *testing.T) {
				ada := ada.On(t)
				phone := string([]rune(text + "123")[:min(32, len([]rune(text))+3)])
				made := ada.Post("/api/patients/", fields{"name": text, "phone": phone, "city": text}).Expect(201)
				ada.Put(at, fields{"name": text, "phone": phone}).Expect(200)
				patched := ada.Patch(at, fields{"city": text}).Expect(200)
				for _, r := range []map[string]any{object(made), object(patched), object(ada.Get(at).Expect(200))} {
					if r["name"] != text || r["city"] != text || r["phone"] != strings.TrimSpace(phone) {
						t.Errorf("%q came back as %q", text, r)
					}
				}
				found := page(ada.Get(query("/api/patients/", "city", text))).values("id")
				if !slices.Contains(found, id(made)) || !slices.Contains(found, id(patched)) {
					t.Errorf("the city %q is not found", text)
				}
				phrase := query("/api/patients/", "search", `"`+text+`"`, "city", text)
				if l := page(ada.Get(phrase)); !strings.ContainsAny(text, "\"\x1f") && *l.Count != len(found) {
					t.Errorf("the phrase %q finds %d of %d", text, *l.Count, len(found))
				}
				ada.Delete("/api/patients/" + id(made) + "/").Expect(204)
			})
		}
	})
}

// Text at its bounds is counted in characters, whatever they weigh.
func TestBoundsAreCharacters(t *testing.T) {
	both(t, func(t *testing.T, s *site) {
		for _, letter := range []string{"a", "é", "न", "😀", "\U0010ffff"} {
			body := func(name, phone, city int) string {
				text, err := json.Marshal(fields{"name": strings.Repeat(letter, name), "phone": strings.Repeat(letter, phone), "city": strings.Repeat(letter, city)})
				s.must(err)
				return string(text)
			}
			ada := s.as("ada")
			ada.Post("/api/patients/", body(200, 32, 120)).Expect(201)
			ada.Post("/api/patients/", body(1, 3, 0)).Expect(201)
			ada.Post("/api/patients/", body(201, 33, 121)).Expect(400).Fault("/name", "max").Fault("/phone", "max").Fault("/city", "max")
			ada.Post("/api/patients/", body(0, 2, 0)).Expect(400).Fault("/name", "required").Fault("/phone", "min")
		}
	})
}
