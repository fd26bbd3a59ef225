package main

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// visit is an appointment in the list of patients with their appointments.
type visit struct {
	ID       int64     `json:"id"`
	Status   string    `json:"status"`
	Fee      string    `json:"fee"`
	StartsAt time.Time `json:"starts_at"`
	Doctor   string    `json:"doctor"`
}

type visitedPatient struct {
	patient
	Appointments []visit `json:"appointments"`
}

func scanVisited(r pgx.Row) (v visitedPatient, err error) {
	v.Appointments = []visit{}
	v.patient, err = scanPatient(r)
	return v, err
}

// listVisited lists patients with their appointments: the page as in list, then the appointments of
// its patients.
func (s *server) listVisited(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	var c where
	if v := q.Get("doctor"); v != "" {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil {
			send(w, http.StatusBadRequest, map[string][]string{"doctor": {"Enter a number."}})
			return
		}
		c.and("id IN (SELECT patient_id FROM clinic_appointment WHERE doctor_id = ?)", n)
	}
	list(s, w, r, q, patientCols, "clinic_patient"+c.sql.String(), "name, id", c.args, scanVisited, s.visits)
}

// visits reads the appointments of a page of patients.
func (s *server) visits(ctx context.Context, page []visitedPatient) error {
	ids, at := make([]int64, len(page)), make(map[int64]int, len(page))
	for i, p := range page {
		ids[i], at[p.ID] = p.ID, i
	}
	rows, err := s.db.Query(ctx, `SELECT a.patient_id, a.id, a.status, a.fee::text, a.starts_at, d.name FROM clinic_appointment a
		JOIN clinic_doctor d ON d.id = a.doctor_id WHERE a.patient_id = ANY($1) ORDER BY a.id`, ids)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var patient int64
		var v visit
		if err := rows.Scan(&patient, &v.ID, &v.Status, &v.Fee, &v.StartsAt, &v.Doctor); err != nil {
			return err
		}
		v.StartsAt = v.StartsAt.UTC()
		p := &page[at[patient]]
		p.Appointments = append(p.Appointments, v)
	}
	return rows.Err()
}
