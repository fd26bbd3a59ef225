package main

// A request is sent to Django and to this program. Both must answer the same: the status, the
// body of a success, and the names of the fields of an error; and both must leave the same rows.
type request struct {
	name               string
	as                 string // the user whose token is sent; "" for none
	method, path, body string
	media              string // of the body; default: application/json
	status             int
	faults             []string // the names in the body of an error, in order; default: detail
	meant              string   // why the answers differ, if they do
	trestle            int      // the status of this program if meant is set
}

const (
	mine    = "/api/patients/1/"
	theirs  = "/api/patients/46/"
	orphan  = "/api/patients/51/"
	visit   = "/api/appointments/9/"
	foreign = "/api/appointments/46/" // of patient 47
)

// requests are in the order in which they are sent. Before each the rows are as the seed left them.
func requests() []request {
	var all []request
	for _, part := range [][]request{lists(), objects(), patientWrites(), appointmentWrites(), wrongBodies(), credentials(), meantDifferences()} {
		all = append(all, part...)
	}
	return all
}

func lists() []request {
	return []request{
		{name: "a list of the own patients", as: "ada", path: "/api/patients/", status: 200},
		{name: "the second page", as: "ada", path: "/api/patients/?page=2", status: 200},
		{name: "the last page", as: "ada", path: "/api/patients/?page=3", status: 200},
		{name: "a page past the end", as: "ada", path: "/api/patients/?page=4", status: 404},
		{name: "a page that is no number", as: "ada", path: "/api/patients/?page=two", status: 404},
		{name: "a list of another owner", as: "bob", path: "/api/patients/", status: 200},
		{name: "a list of a member of a group with the permission", as: "vera", path: "/api/patients/", status: 200},
		{name: "a list of a user with the permission", as: "ed", path: "/api/patients/?page=3", status: 200},
		{name: "a list of a superuser", as: "root", path: "/api/patients/?page=2", status: 200},
		{name: "a list of a user without rows", as: "root", path: "/api/patients/?city=Nowhere", status: 200},
		{name: "the filter city", as: "ada", path: "/api/patients/?city=Pune", status: 200},
		{name: "a city in other letters is another", as: "ada", path: "/api/patients/?city=pune", status: 200},
		{name: "an empty filter", as: "ada", path: "/api/patients/?city=", status: 200},
		{name: "a search", as: "ada", path: "/api/patients/?search=PATIENT+3", status: 200},
		{name: "a search with a sign of SQL", as: "ada", path: "/api/patients/?search=%25", status: 200},
		{name: "a search of two words", as: "vera", path: "/api/patients/?search=own+nobody", status: 200},
		{name: "an ordering", as: "ada", path: "/api/patients/?ordering=-name", status: 200},
		{name: "an ordering by two fields", as: "ada", path: "/api/patients/?ordering=city,-name&page=2", status: 200},
		{name: "an ordering that is not allowed has no effect", as: "ada", path: "/api/patients/?ordering=phone", status: 200},
		{name: "filter, search and ordering at once", as: "vera", path: "/api/patients/?city=Agra&search=patient&ordering=-name", status: 200},
		{name: "a parameter that is unknown has no effect", as: "ada", path: "/api/patients/?colour=red", status: 200},
		{name: "a list of doctors", as: "bob", path: "/api/doctors/", status: 200},
		{name: "a search for a doctor with an accent", as: "bob", path: "/api/doctors/?search=%C3%A5berg", status: 200},
		{name: "a list of the own appointments", as: "ada", path: "/api/appointments/", status: 200},
		{name: "a list of the appointments of another owner", as: "bob", path: "/api/appointments/", status: 200},
		{name: "a list of all appointments, with the permission", as: "vera", path: "/api/appointments/?page=4", status: 200},
		{name: "the filter status", as: "ada", path: "/api/appointments/?status=booked", status: 200},
		{name: "a status that is not a choice", as: "ada", path: "/api/appointments/?status=lost", status: 400, faults: []string{"status"}},
		{name: "the filters status and doctor", as: "ada", path: "/api/appointments/?status=completed&doctor=2", status: 200},
		{name: "a doctor that is no number", as: "ada", path: "/api/appointments/?doctor=sen", status: 400, faults: []string{"doctor"}},
		{name: "appointments by fee, the highest first", as: "ada", path: "/api/appointments/?ordering=-fee", status: 200},
	}
}

func objects() []request {
	return []request{
		{name: "an own patient", as: "ada", path: mine, status: 200},
		{name: "a patient of another owner", as: "bob", path: mine, status: 404},
		{name: "a patient of another owner, with the permission", as: "vera", path: mine, status: 200},
		{name: "a patient without an owner, for a user", as: "ada", path: orphan, status: 404},
		{name: "a patient without an owner, with the permission", as: "ed", path: orphan, status: 200},
		{name: "a patient that does not exist", as: "ada", path: "/api/patients/9999/", status: 404},
		{name: "a key that is no number", as: "ada", path: "/api/patients/x/", status: 404},
		{name: "an own appointment", as: "ada", path: visit, status: 200},
		{name: "an appointment without a time", as: "ada", path: "/api/appointments/7/", status: 200},
		{name: "an appointment of another owner", as: "ada", path: foreign, status: 404},
		{name: "a doctor", as: "ada", path: "/api/doctors/1/", status: 200},
		{name: "a path that does not exist", as: "ada", path: "/api/nurses/", status: 404, trestle: 404, meant: "Django answers a page of HTML"},
	}
}

func patientWrites() []request {
	return []request{
		{name: "create a patient", as: "ada", method: "POST", path: "/api/patients/", body: `{"name": "Asha", "phone": "1", "city": "Pune"}`, status: 201},
		{name: "create a patient with spaces around the name", as: "bob", method: "POST", path: "/api/patients/", body: `{"name": "  Bela ", "city": "Agra"}`, status: 201},
		{name: "create with fields that cannot be written", as: "ada", method: "POST", path: "/api/patients/", body: `{"id": 7, "owner": 2, "created_at": "2001-01-01T00:00:00Z", "name": "Cira", "city": "Pune"}`, status: 201},
		{name: "change one field", as: "ada", method: "PATCH", path: mine, body: `{"city": "Goa"}`, status: 200},
		{name: "change nothing", as: "ada", method: "PATCH", path: mine, body: `{}`, status: 200},
		{name: "replace", as: "ada", method: "PUT", path: mine, body: `{"name": "Dev", "phone": "2", "city": "Goa"}`, status: 200},
		{name: "change a patient of another owner", as: "ada", method: "PATCH", path: theirs, body: `{"city": "Goa"}`, status: 404},
		{name: "change with the permission to change, without that to see", as: "bob", method: "PATCH", path: mine, body: `{"city": "Goa"}`, status: 404},
		{name: "change with the permission to see alone", as: "vera", method: "PATCH", path: mine, body: `{"city": "Goa"}`, status: 404},
		{name: "change with both permissions", as: "ed", method: "PATCH", path: orphan, body: `{"city": "Goa"}`, status: 200},
		{name: "delete a patient with appointments", as: "ada", method: "DELETE", path: mine, status: 204},
		{name: "delete a patient of another owner", as: "ada", method: "DELETE", path: theirs, status: 404},
		{name: "delete with the permission to change", as: "ed", method: "DELETE", path: mine, status: 404},
		{name: "delete with the permission to delete", as: "di", method: "DELETE", path: mine, status: 204},
		{name: "delete the list", as: "ada", method: "DELETE", path: "/api/patients/", status: 405},
		{name: "create a doctor", as: "root", method: "POST", path: "/api/doctors/", body: `{"name": "Dr Who"}`, status: 405},
	}
}

func appointmentWrites() []request {
	return []request{
		{name: "create an appointment", as: "ada", method: "POST", path: "/api/appointments/", body: `{"patient": 1, "doctor": 2, "fee": "12.50", "starts_at": "2025-04-01T09:30:00+05:30"}`, status: 201},
		{name: "create with a fee that is a number", as: "ada", method: "POST", path: "/api/appointments/", body: `{"patient": 1, "doctor": 2, "fee": 7, "status": "completed"}`, status: 201},
		{name: "create for a patient of another owner", as: "ada", method: "POST", path: "/api/appointments/", body: `{"patient": 46, "doctor": 2, "fee": "1.00"}`, status: 400, faults: []string{"patient"}},
		{name: "change an appointment of another owner, with the permissions", as: "ed", method: "PATCH", path: foreign, body: `{"fee": "0.01"}`, status: 200},
		{name: "move to a patient without an owner, with the permissions", as: "ed", method: "PATCH", path: foreign, body: `{"patient": 51}`, status: 200},
		{name: "create for a doctor that does not exist", as: "ada", method: "POST", path: "/api/appointments/", body: `{"patient": 1, "doctor": 99, "fee": "1.00"}`, status: 400, faults: []string{"doctor"}},
		{name: "change the status and the fee", as: "ada", method: "PATCH", path: visit, body: `{"status": "cancelled", "fee": "0.00"}`, status: 200},
		{name: "move to a patient of another owner", as: "ada", method: "PATCH", path: visit, body: `{"patient": 46}`, status: 400, faults: []string{"patient"}},
		{name: "replace an appointment", as: "ada", method: "PUT", path: visit, body: `{"patient": 2, "doctor": 1, "status": "booked", "fee": "-5.5", "starts_at": null}`, status: 200},
		{name: "change an appointment of another owner", as: "ada", method: "PATCH", path: foreign, body: `{"fee": "0.00"}`, status: 404},
		{name: "delete an appointment", as: "ada", method: "DELETE", path: visit, status: 204},
		{name: "delete an appointment of another owner", as: "ada", method: "DELETE", path: foreign, status: 404},
	}
}

func wrongBodies() []request {
	return []request{
		{name: "no fields", as: "ada", method: "POST", path: "/api/patients/", body: `{}`, status: 400, faults: []string{"city", "name"}},
		{name: "a blank name", as: "ada", method: "POST", path: "/api/patients/", body: `{"name": " ", "city": "Pune"}`, status: 400, faults: []string{"name"}},
		{name: "a name that is null", as: "ada", method: "PATCH", path: mine, body: `{"name": null}`, status: 400, faults: []string{"name"}},
		{name: "a name that is a list", as: "ada", method: "PATCH", path: mine, body: `{"name": ["A"]}`, status: 400, faults: []string{"name"}},
		{name: "a name with a NUL", as: "ada", method: "PATCH", path: mine, body: `{"name": "A\u0000"}`, status: 400, faults: []string{"name"}},
		{name: "texts that are too long", as: "ada", method: "PATCH", path: mine, body: `{"phone": "` + long(33) + `", "city": "` + long(81) + `"}`, status: 400, faults: []string{"city", "phone"}},
		{name: "a replacement without a required field", as: "ada", method: "PUT", path: mine, body: `{"name": "Dev"}`, status: 400, faults: []string{"city"}},
		{name: "a status that is not a choice, to write", as: "ada", method: "PATCH", path: visit, body: `{"status": "lost"}`, status: 400, faults: []string{"status"}},
		{name: "a fee with three decimal places", as: "ada", method: "PATCH", path: visit, body: `{"fee": "1.234"}`, status: 400, faults: []string{"fee"}},
		{name: "a fee above the column", as: "ada", method: "PATCH", path: visit, body: `{"fee": "1000000.00"}`, status: 400, faults: []string{"fee"}},
		{name: "a fee that is a word", as: "ada", method: "PATCH", path: visit, body: `{"fee": "free"}`, status: 400, faults: []string{"fee"}},
		{name: "a time that does not exist", as: "ada", method: "PATCH", path: visit, body: `{"starts_at": "2025-02-30T09:00:00Z"}`, status: 400, faults: []string{"starts_at"}},
		{name: "several faults at once", as: "ada", method: "POST", path: "/api/appointments/", body: `{"patient": 46, "doctor": 1, "status": "lost", "fee": "x"}`, status: 400, faults: []string{"fee", "patient", "status"}},
		{name: "a body that is not JSON", as: "ada", method: "POST", path: "/api/patients/", body: `{"name": `, status: 400},
	}
}

func credentials() []request {
	return []request{
		{name: "a list without a token", path: "/api/patients/", status: 401},
		{name: "a write without a token", method: "POST", path: "/api/patients/", body: `{}`, status: 401},
		{name: "a wrong token", as: "wrong", path: "/api/patients/", status: 401},
		{name: "a token of an inactive user", as: "ina", path: "/api/patients/", status: 401},
		{name: "a token with a space", as: "two words", path: "/api/patients/", status: 401},
		{name: "a wrong password", method: "POST", path: "/auth/token/", body: `{"username": "ada", "password": "four related words"}`, status: 400, faults: []string{"non_field_errors"}},
		{name: "an unknown user", method: "POST", path: "/auth/token/", body: `{"username": "eve", "password": "four unrelated words"}`, status: 400, faults: []string{"non_field_errors"}},
		{name: "an inactive user", method: "POST", path: "/auth/token/", body: `{"username": "ina", "password": "four unrelated words"}`, status: 400, faults: []string{"non_field_errors"}},
		{name: "a user without a password", method: "POST", path: "/auth/token/", body: `{"username": "bob", "password": "!"}`, status: 400, faults: []string{"non_field_errors"}},
		{name: "a sign-in without fields", method: "POST", path: "/auth/token/", body: `{}`, status: 400, faults: []string{"password", "username"}},
		{name: "a sign-in", method: "POST", path: "/auth/token/", body: `{"username": "ada", "password": "four unrelated words"}`, status: 200},
	}
}

// meantDifferences are requests that the two answer differently, with the reason.
func meantDifferences() []request {
	return []request{
		{
			name: "a doctor that does not exist, in a filter", as: "ada", path: "/api/appointments/?doctor=99", status: 400, trestle: 200,
			meant: "an unknown key in a filter is an empty list, so that a filter does not disclose rows outside the scope",
		},
		{
			name: "create for a patient of another owner, with the permission to see", as: "vera", method: "POST", path: "/api/appointments/",
			body: `{"patient": 46, "doctor": 2, "fee": "1.00"}`, status: 201, trestle: 400,
			meant: "a reference that decides whose the new row is needs the permission of the operation: here patients.add",
		},
		{
			name: "a name that is a number", as: "ada", method: "PATCH", path: mine, body: `{"name": 5}`, status: 200, trestle: 400,
			meant: "a number is not converted to text",
		},
		{
			name: "a key that is a text", as: "ada", method: "PATCH", path: visit, body: `{"doctor": "2"}`, status: 200, trestle: 400,
			meant: "a text is not converted to a number",
		},
		{
			name: "a body that is a list", as: "ada", method: "POST", path: "/api/patients/", body: `[1]`, status: 400, trestle: 400,
			meant: "Django names non_field_errors, this program answers a detail",
		},
		{
			name: "a sign-in by a form", method: "POST", path: "/auth/token/", media: "application/x-www-form-urlencoded",
			body: "username=ada&password=four+unrelated+words", status: 200, trestle: 415,
			meant: "bodies are JSON",
		},
		{
			name: "a replacement without an optional field", as: "ada", method: "PUT", path: mine, body: `{"name": "Dev", "city": "Goa"}`, status: 200, trestle: 200,
			meant: "PUT sets an absent field to its default; Django keeps its value",
		},
	}
}
