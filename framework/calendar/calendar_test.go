package calendar_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"trestle.example/framework/calendar"
	"trestle.example/framework/problem"
)

// said returns the text of a value, or the error that replaces it.
func said[T fmt.Stringer](value T, err error) string {
	if err != nil {
		return err.Error()
	}
	return value.String()
}

func TestParse(t *testing.T) {
	t.Parallel()
	const (
		date     = "must be a date such as 2026-01-31"
		clock    = "must be a time of day without a zone, such as 09:30 or 09:30:15"
		duration = "must be a duration of weeks, or of days, hours, minutes and seconds, such as PT1H30M or P2D"
		longest  = "must be at most PT2562047H47M16S"
	)
	for _, c := range []struct{ kind, text, want string }{
		{"date", "2026-01-31", "2026-01-31"},
		{"date", "2024-02-29", "2024-02-29"},
		{"date", "0001-01-01", "0001-01-01"},
		{"date", "9999-12-31", "9999-12-31"},
		{"date", "2026-02-29", date},
		{"date", "2026-13-01", date},
		{"date", "2026-00-10", date},
		{"date", "2026-1-31", date},
		{"date", "0000-01-01", date},
		{"date", "10000-01-01", date},
		{"date", "20260131", date},
		{"date", "2026-01-31T00:00:00Z", date},
		{"date", "31.01.2026", date},
		{"date", "", date},

		{"time", "09:30", "09:30:00"},
		{"time", "09:30:15", "09:30:15"},
		{"time", "09:30:15.25", "09:30:15.250000"},
		{"time", "09:30:15.000001", "09:30:15.000001"},
		{"time", "00:00", "00:00:00"},
		{"time", "23:59:59.999999", "23:59:59.999999"},
		{"time", "24:00", clock},
		{"time", "23:59:60", clock},
		{"time", "12:60", clock},
		{"time", "9:30", clock},
		{"time", "9:30:00", clock},
		{"time", "09:30:15.", clock},
		{"time", "09:30:15,5", clock},
		{"time", "09:30:15.1234567", clock},
		{"time", "09:30Z", clock},
		{"time", "09:30:00+02:00", clock},
		{"time", "9 o'clock", clock},
		{"time", "", clock},

		{"duration", "PT1H30M", "PT1H30M"},
		{"duration", "PT90M", "PT1H30M"},
		{"duration", "PT3615S", "PT1H0M15S"},
		{"duration", "P2DT1H", "PT49H"},
		{"duration", "P1W", "PT168H"},
		{"duration", "PT0S", "PT0S"},
		{"duration", "P0D", "PT0S"},
		{"duration", "PT2562047H47M16S", "PT2562047H47M16S"},
		{"duration", "PT2562047H47M17S", longest},
		{"duration", "P99999999999999999999W", longest},
		{"duration", "P", duration},
		{"duration", "PT", duration},
		{"duration", "P1DT", duration},
		{"duration", "P1Y", duration},
		{"duration", "P1M", duration},
		{"duration", "P1W2D", duration},
		{"duration", "PT1.5S", duration},
		{"duration", "-PT1S", duration},
		{"duration", "PT-1S", duration},
		{"duration", "pt1s", duration},
		{"duration", "1h30m", duration},
		{"duration", "90", duration},
		{"duration", "", duration},
	} {
		t.Run(c.kind+" "+c.text, func(t *testing.T) {
			t.Parallel()
			got := map[string]func() string{
				"date":     func() string { return said(calendar.ParseDate(c.text)) },
				"time":     func() string { return said(calendar.ParseTimeOfDay(c.text)) },
				"duration": func() string { return said(calendar.ParseDuration(c.text)) },
			}[c.kind]()
			if got != c.want {
				t.Errorf("got %q; want %q", got, c.want)
			}
		})
	}
}

// TestDatesAsPackageTime compares every day of the years 1 to 9999 with package time.
func TestDatesAsPackageTime(t *testing.T) {
	t.Parallel()
	day := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	for d := calendar.Date(0); day.Year() <= 9999; d, day = d.AddDays(1), day.AddDate(0, 0, 1) {
		year, month, of := d.Split()
		if y, m, dd := day.Date(); year != y || month != m || of != dd || calendar.NewDate(y, m, dd) != d || d.Weekday() != day.Weekday() {
			t.Fatalf("%s is day %d, %d-%d-%d", day, d, year, month, of)
		}
	}
}

func TestMoments(t *testing.T) {
	t.Parallel()
	kolkata := time.FixedZone("", 5*3600+1800)
	moment := time.Date(2026, 1, 31, 23, 30, 15, 250_000_999, time.UTC)
	date, clock := calendar.DateOf(moment.In(kolkata)), calendar.TimeOfDayOf(moment.In(kolkata))
	if date != calendar.NewDate(2026, time.February, 1) || clock.String() != "05:00:15.250000" {
		t.Errorf("the date and the time in the zone of the moment are %s and %s", date, clock)
	}
	if back := clock.On(date, kolkata); !back.Equal(moment.Truncate(time.Microsecond)) {
		t.Errorf("the moment is %s again; want %s", back, moment)
	}
	if got := calendar.DurationOf(90*time.Minute + time.Millisecond); got.Std() != 90*time.Minute {
		t.Errorf("a duration in whole seconds is %s", got)
	}
}

func TestColumns(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)
	for _, c := range []struct {
		name                 string
		src                  any
		date, time, duration string // "" for an error
	}{
		{"the text of a date", "2026-01-31", "2026-01-31", "", ""},
		{"the bytes of a date", []byte("2026-01-31"), "2026-01-31", "", ""},
		{"a moment", moment, "2026-01-31", "09:30:00", ""},
		{"the text of a time", "09:30:00.250000", "", "09:30:00.250000", ""},
		{"an integer", int64(5400), "", "", "PT1H30M"},
		{"the bytes of an integer, such as a sum of PostgreSQL", []byte("5400"), "", "", "PT1H30M"},
		{"an interval of PostgreSQL", "01:30:00", "", "01:30:00", ""},
		{"a fraction", 1.5, "", "", ""},
		{"NULL", nil, "", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var date calendar.Date
			var clock calendar.TimeOfDay
			var duration calendar.Duration
			for kind, got := range map[string]struct{ got, want string }{
				"date": {scanned(&date, c.src), c.date}, "time": {scanned(&clock, c.src), c.time}, "duration": {scanned(&duration, c.src), c.duration},
			} {
				if got.got != got.want {
					t.Errorf("%s: got %q; want %q", kind, got.got, got.want)
				}
			}
		})
	}
}

func scanned(into interface {
	Scan(src any) error
	fmt.Stringer
}, src any) string {
	if into.Scan(src) != nil {
		return ""
	}
	return into.String()
}

// TestUnwritable: values that no client and no database reads are errors.
func TestUnwritable(t *testing.T) {
	t.Parallel()
	for _, v := range []any{calendar.Date(-1), calendar.NewDate(9999, 12, 32), calendar.TimeOfDay(-1), calendar.NewTimeOfDay(24, 0, 0), calendar.Duration(-1)} {
		if text, err := json.Marshal(v); err == nil {
			t.Errorf("%#v is written as %s", v, text)
		}
	}
}

// FuzzTexts compares the parsers with package time and with the patterns of the schemas.
func FuzzTexts(f *testing.F) {
	for _, seed := range []string{"2026-01-31", "0000-01-01", "09:30", "09:30:15.25", "9:30:00", "PT1H30M", "P1W", "PT", "P1DT", "P0DT0H0M1S"} {
		f.Add(seed)
	}
	clockPattern, durationPattern := patternOf(f, calendar.TimeOfDay(0)), patternOf(f, calendar.Duration(0))
	f.Fuzz(func(t *testing.T, text string) {
		date, err := calendar.ParseDate(text)
		if day, timeErr := time.Parse(time.DateOnly, text); (err == nil) != (timeErr == nil && day.Year() > 0) || err == nil && (date.String() != text || !date.In(time.UTC).Equal(day)) {
			t.Errorf("%q is the date %s, %v", text, date, err)
		}
		clock, err := calendar.ParseTimeOfDay(text)
		if (err == nil) != clockPattern.MatchString(text) {
			t.Errorf("%q is the time %s, %v, and the schema does not agree", text, clock, err)
		}
		if again, againErr := calendar.ParseTimeOfDay(clock.String()); err == nil && (again != clock || againErr != nil || !strings.HasPrefix(clock.String(), text[:5])) {
			t.Errorf("%q is the time %s, which is read as %s", text, clock, again)
		}
		duration, err := calendar.ParseDuration(text)
		if _, isForm := errors.AsType[problem.ValueError](err); !isForm && !durationPattern.MatchString(text) {
			t.Errorf("%q is the duration %s, %v, and the schema does not agree", text, duration, err)
		}
		if again, againErr := calendar.ParseDuration(duration.String()); err == nil && (again != duration || againErr != nil) {
			t.Errorf("%q is the duration %s, which is read as %s", text, duration, again)
		}
	})
}

func patternOf(f *testing.F, v interface{ JSONSchemaBytes() ([]byte, error) }) *regexp.Regexp {
	f.Helper()
	var schema struct {
		Pattern string `json:"pattern"`
	}
	text, err := v.JSONSchemaBytes()
	if err != nil || json.Unmarshal(text, &schema) != nil {
		f.Fatal(err)
	}
	return regexp.MustCompile(schema.Pattern)
}
