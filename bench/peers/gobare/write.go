package main

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"
)

type input struct {
	Name, Phone, City *string
}

// read decodes and checks a body; every field is required unless partial.
func read(w http.ResponseWriter, r *http.Request, partial bool) (in input, ok bool) {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&in); err != nil {
		detail(w, http.StatusBadRequest, "JSON parse error")
		return in, false
	}
	bad := map[string][]string{}
	for _, f := range []struct {
		name string
		v    *string
		max  int
	}{{"name", in.Name, 120}, {"phone", in.Phone, 32}, {"city", in.City, 80}} {
		switch {
		case f.v == nil && !partial:
			bad[f.name] = []string{"This field is required."}
		case f.v == nil:
		case strings.TrimSpace(*f.v) == "":
			bad[f.name] = []string{"This field may not be blank."}
		case utf8.RuneCountInString(*f.v) > f.max:
			bad[f.name] = []string{"Ensure this field has no more than " + strconv.Itoa(f.max) + " characters."}
		default:
			*f.v = strings.TrimSpace(*f.v)
		}
	}
	if len(bad) > 0 {
		send(w, http.StatusBadRequest, bad)
		return in, false
	}
	return in, true
}

func (s *server) createPatient(w http.ResponseWriter, r *http.Request) {
	in, ok := read(w, r, false)
	if !ok {
		return
	}
	p, err := scanPatient(s.db.QueryRow(r.Context(), `INSERT INTO clinic_patient (name, phone, city, created_at)
		VALUES ($1, $2, $3, now()) RETURNING `+patientCols, in.Name, in.Phone, in.City))
	if err != nil {
		fail(w, err)
		return
	}
	send(w, http.StatusCreated, &p)
}

func (s *server) patchPatient(w http.ResponseWriter, r *http.Request) {
	in, ok := read(w, r, true)
	if !ok {
		return
	}
	p, err := scanPatient(s.db.QueryRow(r.Context(), `UPDATE clinic_patient SET name = coalesce($2, name),
		phone = coalesce($3, phone), city = coalesce($4, city) WHERE id = $1 RETURNING `+patientCols,
		id(r), in.Name, in.Phone, in.City))
	if err != nil {
		fail(w, err)
		return
	}
	send(w, http.StatusOK, &p)
}
