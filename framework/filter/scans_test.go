package filter_test

import (
	"testing"

	"trestle.example/framework"
	"trestle.example/framework/filter"
	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

// A watched filter records how it was bound.
type watched struct {
	filter.Backend

	bound *framework.BoundFilter
}

func (w watched) Bind(f *framework.Facts) (bound framework.BoundFilter, err error) {
	*w.bound, err = w.Backend.Bind(f)
	return *w.bound, err
}

// TestWhichFiltersScan: trestle doctor requires no index for a filter that no index
// helps.
func TestWhichFiltersScan(t *testing.T) {
	for name, test := range map[string]struct {
		filter filter.Backend
		scans  bool
	}{
		"whole text":               {filter.Exact("status"), false},
		"one of several texts":     {filter.Choice("status", "booked"), false},
		"one of several numbers":   {filter.In("weeks", "weeks"), false},
		"a day":                    {filter.Date("on", "starts_at"), false},
		"a boolean, of two values": {filter.Exact("urgent"), true},
		"a flag":                   {filter.Flag("urgent_only", "urgent"), true},
		"text within text":         {filter.Contains("room"), true},
		"at least a number":        {filter.Min("fee", "fee"), true},
		"null":                     {filter.IsNull("anywhere", "room"), true},
	} {
		t.Run(name, func(t *testing.T) {
			frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
				var bound framework.BoundFilter
				if err := clinic(db, watched{test.filter, &bound}).Check(); err != nil {
					t.Fatal(err)
				}
				if len(bound.Params) != 1 || bound.Scans != test.scans {
					t.Errorf("of %d parameters, Scans is %t; want %t", len(bound.Params), bound.Scans, test.scans)
				}
			})
		})
	}
}
