package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

const (
	registrarsAtOnce = 8
	patientsAtOnce   = 7 // in a request
)

// A registrar creates and changes patients, several in one request and one by one.
type registrar struct {
	*client

	batches int
	kept    []string // the ids of the patients that it changes
	phone   string   // of each of them, as the last answer said
	alone   []string // the ids of the patients that it created and changes one by one
	phones  map[string]string
	changes map[string]int // how often each patient was changed
}

// step creates patients, or changes those that it keeps.
func (r *registrar) step() bool {
	r.batches++
	switch act := r.dice.IntN(6); {
	case act == 0:
		return r.createOne()
	case act < 4 && len(r.alone) > 0:
		return r.changeOne(r.alone[r.dice.IntN(len(r.alone))])
	case act == 4 && len(r.kept) > 0:
		return r.change()
	}
	var items []string
	for i := range patientsAtOnce {
		items = append(items, fmt.Sprintf(`{"name": "Patient %d", "phone": "none", "city": %q}`, i, r.batch(r.batches)))
	}
	got, on := r.insist(wish{what: "several patients", request: "POST /api/patients/bulk/", body: "[" + strings.Join(items, ",") + "]", key: r.key()})
	if !on || got.status == 0 {
		return on
	}
	var made []struct{ ID string }
	if got.status != http.StatusOK || json.Unmarshal([]byte(got.body), &made) != nil || len(made) != patientsAtOnce {
		return r.wrong("several patients are answered %d %s", got.status, got.body)
	}
	if r.kept == nil {
		r.phone = "none"
		for _, one := range made {
			r.kept = append(r.kept, one.ID)
		}
	}
	return true
}

// change gives all patients that it keeps one new phone, by one request.
func (r *registrar) change() bool {
	var items []string
	phone := fmt.Sprint("phone ", r.batches)
	for _, id := range r.kept {
		items = append(items, fmt.Sprintf(`{"id": %q, "phone": %q}`, id, phone))
	}
	got, on := r.insist(wish{what: "changes of several patients", request: "PATCH /api/patients/bulk/", body: "[" + strings.Join(items, ",") + "]"})
	if !on || got.status == 0 {
		return on
	}
	if got.status != http.StatusOK || strings.Count(got.body, phone) != len(r.kept) {
		return r.wrong("changes of several patients are answered %d %s", got.status, got.body)
	}
	r.phone = phone
	for _, id := range r.kept {
		r.changes[id]++
	}
	return true
}

// createOne creates a patient without a key, so it is not repeated: without an answer, there is one, or not.
func (r *registrar) createOne() bool {
	body := fmt.Sprintf(`{"name": "One %d", "phone": "none"}`, r.batches)
	got, on := r.insist(wish{what: "a patient", request: "POST /api/patients/", body: body, fickle: true})
	if !on || got.status == 0 {
		return on
	}
	var made struct{ ID string }
	if got.status != http.StatusCreated || json.Unmarshal([]byte(got.body), &made) != nil {
		return r.wrong("a patient is answered %d %s", got.status, got.body)
	}
	r.alone = append(r.alone, made.ID)
	return true
}

// changeOne gives a patient a new phone.
func (r *registrar) changeOne(id string) bool {
	phone := fmt.Sprint("phone ", r.batches)
	got, on := r.insist(wish{what: "a change of a patient", request: "PATCH /api/patients/" + id + "/", body: fmt.Sprintf(`{"phone": %q}`, phone)})
	if !on || got.status == 0 {
		return on
	}
	if got.status != http.StatusOK || !strings.Contains(got.body, phone) {
		return r.wrong("a change of a patient is answered %d %s", got.status, got.body)
	}
	r.phones[id] = phone
	r.changes[id]++
	return true
}

// batch is the city of the patients of one request.
func (r *registrar) batch(n int) string { return fmt.Sprint(r.user, " ", n) }

// audit checks that each request was done for all of its patients, and once: what was answered is there,
// and all patients that one request changes are alike.
func (r *registrar) audit() {
	r.t.Helper()
	var batches []struct {
		City string
		N    int
	}
	r.must(r.db.NewRaw("SELECT city, count(*) AS n FROM patients WHERE owner_id = ? AND city <> '' GROUP BY city", r.user).Scan(r.ctx, &batches))
	for _, one := range batches {
		if one.N != patientsAtOnce {
			r.t.Errorf("of the request %s there are %d patients; want %d", one.City, one.N, patientsAtOnce)
		}
	}
	if len(r.kept) == 0 {
		return
	}
	var phones []string
	r.must(r.db.NewRaw("SELECT DISTINCT phone FROM patients WHERE owner_id = ? AND city IN (SELECT city FROM patients WHERE id = ?)", r.user, r.kept[0]).Scan(r.ctx, &phones))
	if len(phones) != 1 || phones[0] != r.phone {
		r.t.Errorf("the patients of one request have the phones %q; want %q", phones, r.phone)
	}
}
