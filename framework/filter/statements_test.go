package filter_test

import (
	"strings"
	"testing"

	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// TestValuesStayOutOfTheStatement: two requests that differ only in values have the same
// statement, and a reference is checked in it.
func TestValuesStayOutOfTheStatement(t *testing.T) {
	frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
		fill(t, db)
		handler, err := clinic(db,
			filter.Exact("urgent"), filter.Exact("status"), filter.Contains("room"), filter.Range("fee"), filter.In("weeks", "weeks"), filter.Date("on", "starts_at"), filter.Reference("doctor", "doctors"),
		).Handler()
		if err != nil {
			t.Fatal(err)
		}
		c, counter := frameworktest.New(t, handler), frameworktest.CountStatements(db)
		for name, queries := range map[string][2]string{
			"booleans":                   {"urgent=true", "urgent=0"},
			"text":                       {"status=booked", "status=it's ?0 $1"},
			"text within text":           {"room=a", "room=it's ?0 $1 %25"},
			"numbers":                    {"fee_min=1&fee_max=2", "fee_min=-10&fee_max=1234.56"},
			"days":                       {"on=2026-01-31", "on=1999-12-31"},
			"references":                 {"doctor=" + seen.String(), "doctor=" + hidden.String()},
			"lists of three and of four": {"weeks=1,2,3", "weeks=4,5,6,7"},
		} {
			t.Run(name, func(t *testing.T) {
				var texts []string
				for _, query := range queries {
					texts = append(texts, counter.During(func() { c.On(t).Get("/api/appointments/?" + url(query)).Expect(200) })...)
				}
				if len(texts) != 2 || texts[0] != texts[1] {
					t.Errorf("the statements are %q; want one for each request, and both alike", texts)
				}
			})
		}
	})
}

func url(query string) string {
	return strings.NewReplacer(" ", "+", "?", "%3F", "$", "%24").Replace(query)
}
