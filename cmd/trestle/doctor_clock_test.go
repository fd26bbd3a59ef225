package main

import (
	"testing"
	"time"
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
			onBoth(t, func(t *testing.T, r *rig) {
				e := &examination{}
				e.examineClock(t.Context(), r.database(), func() time.Time { return time.Now().Add(test.off) })
				if len(e.Checks) != 1 || e.Checks[0].Name != "clock" {
					t.Fatalf("%+v; want one check of the clock", e.Checks)
				}
				e.Checks[0].is(t, test.result, test.says)
			})
		})
	}
}

// A slow answer is no wrong clock.
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
			if found := clocksApart(test.asked, test.told, test.answered); len(found) != test.found {
				t.Errorf("%+v; want %d findings", found, test.found)
			}
		})
	}
}
