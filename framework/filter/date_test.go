package filter_test

import (
	"encoding/json"
	"testing"
	"time"

	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// TestTheFirstAndTheLastDays: the first and the last days that four digits can write.
func TestTheFirstAndTheLastDays(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		fill(t, db)
		last := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
		insert(t, db, &[]appointment{{ID: 3, DoctorID: seen, Notes: json.RawMessage(`{}`), StartsAt: &last}})
		handler, err := clinic(db, filter.Date("on", "starts_at")).Handler()
		if err != nil {
			t.Fatal(err)
		}
		frameworktest.Run(t, frameworktest.New(t, handler), []frameworktest.Scenario{
			{Name: "the last day", Path: "/api/appointments/?on=9999-12-31", Status: 200, Contains: []string{`"id":3,`}, Lacks: []string{`"id":1,`, `"id":2,`}},
			{Name: "the one before", Path: "/api/appointments/?on=9999-12-30", Status: 200, Lacks: []string{`"id"`}},
			{Name: "the end of the year before", Path: "/api/appointments/?on=9998-12-31", Status: 200, Lacks: []string{`"id"`}},
			{Name: "the first day", Path: "/api/appointments/?on=0001-01-01", Status: 200, Lacks: []string{`"id"`}},
			{Name: "the one before it", Path: "/api/appointments/?on=0000-12-31", Status: 400},
		})
	})
}
