package doctor

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/frameworktest"
	"trestle.example/framework/sqldb"
)

func TestDoctorComparesTheClocks(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		off    time.Duration // of this machine
		result string
		says   string
	}{
		"right":                        {0, healthy, ""},
		"a little off":                 {-3 * time.Second, healthy, ""},
		"a minute behind the database": {-time.Minute, warning, "ahead of this machine's"},
		"a minute ahead of it":         {time.Minute, warning, "behind this machine's"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			frameworktest.Databases(t, func(t *testing.T, db *sqldb.DB) {
				e := &examination{}
				e.examineClock(t.Context(), db, func() time.Time { return time.Now().Add(test.off) })
				if len(e.Checks) != 1 || e.Checks[0].Name != "clock" {
					t.Fatalf("%+v; want one check of the clock", e.Checks)
				}
				if got := e.Checks[0]; got.Result != test.result || !strings.Contains(fmt.Sprint(got.Findings), test.says) {
					t.Errorf("%+v; want %s that says %q", got, test.result, test.says)
				}
			})
		})
	}
}

// A slow answer is not a wrong clock.
func TestClocksApart(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	after := func(seconds int) time.Time { return at.Add(time.Duration(seconds) * time.Second) }
	for name, test := range map[string]struct {
		asked, told, answered time.Time
		found                 int
	}{
		"told while it was asked":  {at, after(20), after(40), 0},
		"five seconds before that": {at, after(-5), after(40), 0},
		"six seconds before that":  {at, after(-6), after(40), 1},
		"five seconds after that":  {at, after(45), after(40), 0},
		"six seconds after that":   {at, after(46), after(40), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if found := compareClocks(test.asked, test.told, test.answered); len(found) != test.found {
				t.Errorf("%+v; want %d findings", found, test.found)
			}
		})
	}
}
