package calendar

import (
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"trestle.example/framework/problem"
)

// A TimeOfDay is a time on a clock, without a date and a zone. It is the number of microseconds since
// midnight, which is its zero value.
type TimeOfDay int64 //nolint:recvcheck // only its readers change the value itself

const (
	microsecond = 1
	second      = 1_000_000 * microsecond
	minute      = 60 * second
	hour        = 60 * minute
	day         = 24 * hour
)

const errTimeOfDay = problem.ValueError("must be a time of day without a zone, such as 09:30 or 09:30:15")

// NewTimeOfDay returns the time of an hour, a minute and a second. It does not check them.
func NewTimeOfDay(hours, minutes, seconds int) TimeOfDay {
	return TimeOfDay(hours)*hour + TimeOfDay(minutes)*minute + TimeOfDay(seconds)*second
}

// TimeOfDayOf returns the time that a clock shows at a moment, in the moment's own zone. It cuts off
// what is less than a microsecond.
func TimeOfDayOf(t time.Time) TimeOfDay {
	return NewTimeOfDay(t.Clock()) + TimeOfDay(t.Nanosecond()/int(time.Microsecond))
}

// ParseTimeOfDay reads a partial-time of RFC 3339, whose seconds may be absent: 09:30, 09:30:15 or
// 09:30:15.250000. A leap second, an hour 24 and a zone are errors. The error is a problem.ValueError.
func ParseTimeOfDay(text string) (TimeOfDay, error) {
	layout := "15:04:05.999999"
	if len(text) == len("15:04") {
		layout = "15:04"
	}
	t, err := time.Parse(layout, text)
	_, fraction, dotted := strings.Cut(text, ".")
	// time.Parse accepts an hour of one digit, a comma before the fraction and more digits of it.
	if err != nil || text[2] != ':' || strings.Contains(text, ",") || dotted && len(fraction) > len("999999") {
		return 0, errTimeOfDay
	}
	return TimeOfDayOf(t), nil
}

// On returns the moment of this time on a date in a zone. If the zone skips this time on that day,
// it is the moment that [time.Date] chooses.
func (t TimeOfDay) On(d Date, zone *time.Location) time.Time {
	year, month, day := d.Split()
	return time.Date(year, month, day, int(t/hour), int(t%hour/minute), int(t%minute/second), int(t%second)*int(time.Microsecond), zone)
}

// String returns the time with its seconds, and with six digits of a fraction if there is one:
// "09:30:00", "09:30:00.250000".
func (t TimeOfDay) String() string {
	text := fmt.Sprintf("%02d:%02d:%02d", t/hour, t%hour/minute, t%minute/second)
	if fraction := t % second; fraction != 0 {
		text += fmt.Sprintf(".%06d", fraction)
	}
	return text
}

// MarshalText implements [encoding.TextMarshaler]. A time below 0 or of 24 hours or more is an error.
func (t TimeOfDay) MarshalText() ([]byte, error) {
	if t < 0 || t >= day {
		return nil, fmt.Errorf("calendar: %d microseconds are no time of a day", t)
	}
	return []byte(t.String()), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]. Its errors are those of [ParseTimeOfDay].
func (t *TimeOfDay) UnmarshalText(text []byte) error { return set(t, string(text), ParseTimeOfDay) }

// JSONSchemaBytes returns the JSON Schema of a time of day, for the OpenAPI document. Its format is
// time-local, because the format time of JSON Schema requires a zone.
func (TimeOfDay) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{"type":"string","format":"time-local","pattern":"^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\\.[0-9]{1,6})?)?$","examples":["09:30:00"]}`), nil
}

// RuleBound returns the bound of a rule, such as min=09:00. The framework calls it when the program
// starts.
func (TimeOfDay) RuleBound(text string) (int64, error) { return bound(text, ParseTimeOfDay) }

// Value implements [driver.Valuer]: the text of the time.
func (t TimeOfDay) Value() (driver.Value, error) {
	text, err := t.MarshalText()
	return string(text), err
}

// Scan implements [database/sql.Scanner] for columns of times. Of a moment, it takes the time in UTC.
func (t *TimeOfDay) Scan(src any) error {
	if moment, ok := src.(time.Time); ok {
		*t = TimeOfDayOf(moment.UTC())
		return nil
	}
	return scan(t, src, ParseTimeOfDay)
}
