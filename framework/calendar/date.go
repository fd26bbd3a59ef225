package calendar

import (
	"database/sql/driver"
	"fmt"
	"time"

	"trestle.example/framework/problem"
)

// A Date is a day of the Gregorian calendar, in the years 1 to 9999. It is the number of days since
// its zero value, the 1st of January of the year 1.
type Date int32 //nolint:recvcheck // only its readers change the value itself

const (
	secondsOfDay = 24 * 60 * 60
	toUnixEpoch  = 719_162   // days from the zero Date to the 1st of January 1970
	lastDate     = 3_652_058 // the 31st of December 9999
)

const errDate = problem.ValueError("must be a date such as 2026-01-31")

// NewDate returns the date of a year, a month and a day. It normalizes values out of range as
// [time.Date] does: the 32nd of January is the 1st of February.
func NewDate(year int, month time.Month, day int) Date {
	return DateOf(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
}

// DateOf returns the date of a time, in the time's own zone.
func DateOf(t time.Time) Date {
	year, month, day := t.Date()
	seconds := time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix()
	return Date(seconds/secondsOfDay + toUnixEpoch) //nolint:gosec // the years of a Date are far from the bounds
}

// ParseDate reads a full-date of RFC 3339: 2026-01-31. The error of any other text, also of a day
// that does not exist, is a problem.ValueError.
func ParseDate(text string) (Date, error) {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil || t.Year() < 1 {
		return 0, errDate
	}
	return DateOf(t), nil
}

// In returns the first moment of the day in a zone. If the zone skips midnight on this day, it is
// the moment that [time.Date] chooses.
func (d Date) In(zone *time.Location) time.Time {
	year, month, day := d.Split()
	return time.Date(year, month, day, 0, 0, 0, 0, zone)
}

// Split returns the year, the month and the day.
func (d Date) Split() (year int, month time.Month, day int) {
	return time.Unix((int64(d)-toUnixEpoch)*secondsOfDay, 0).UTC().Date()
}

// AddDays returns the date that is days later, or earlier if days is negative.
func (d Date) AddDays(days int) Date { return d + Date(days) } //nolint:gosec // as DateOf

// Weekday returns the day of the week.
func (d Date) Weekday() time.Weekday { return d.In(time.UTC).Weekday() }

// String returns the date as RFC 3339 has it: "2026-01-31".
func (d Date) String() string { return d.In(time.UTC).Format(time.DateOnly) }

// MarshalText implements [encoding.TextMarshaler]. A date out of the years 1 to 9999 is an error.
func (d Date) MarshalText() ([]byte, error) {
	if d < 0 || d > lastDate {
		return nil, fmt.Errorf("calendar: the date %s is out of the years 1 to 9999", d)
	}
	return []byte(d.String()), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]. Its errors are those of [ParseDate].
func (d *Date) UnmarshalText(text []byte) error { return set(d, string(text), ParseDate) }

// JSONSchemaBytes returns the JSON Schema of a date, for the OpenAPI document.
func (Date) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{"type":"string","format":"date","examples":["2026-01-31"]}`), nil
}

// RuleBound returns the bound of a rule, such as min=2020-01-01. The framework calls it when the
// program starts.
func (Date) RuleBound(text string) (int64, error) { return bound(text, ParseDate) }

// Value implements [driver.Valuer]: the text of the date.
func (d Date) Value() (driver.Value, error) {
	text, err := d.MarshalText()
	return string(text), err
}

// Scan implements [database/sql.Scanner] for columns of dates. Of a moment, it takes the date in UTC.
func (d *Date) Scan(src any) error {
	if t, ok := src.(time.Time); ok {
		*d = DateOf(t.UTC())
		return nil
	}
	return scan(d, src, ParseDate)
}
