package calendar

import (
	"database/sql/driver"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"time"

	"trestle.example/framework/problem"
)

// A Duration is a length of time in whole seconds, at least 0. A day has 24 hours.
type Duration int64 //nolint:recvcheck // only its readers change the value itself

// LongestDuration is the longest Duration that a body may have, about 292 years: as long as a
// [time.Duration] can be.
const LongestDuration = Duration(math.MaxInt64 / int64(time.Second))

const errDuration = problem.ValueError("must be a duration of weeks, or of days, hours, minutes and seconds, such as PT1H30M or P2D")

// durationText is the form of a duration: the numbers of weeks, days, hours, minutes and seconds.
var durationText = regexp.MustCompile(`^P(?:(\d+)W|(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?)$`)

// durationPattern is the pattern of durationText for clients. It also says that the text has a number
// behind the P and behind the T, which ParseDuration checks by itself.
const durationPattern = "^P([0-9]+W|[0-9]+D|([0-9]+D)?T([0-9]+H([0-9]+M)?([0-9]+S)?|[0-9]+M([0-9]+S)?|[0-9]+S))$"

// units are the seconds of the numbers in durationText, in their order.
var units = [...]int64{7 * secondsOfDay, secondsOfDay, 60 * 60, 60, 1}

// ParseDuration reads a duration of ISO 8601: PT1H30M, P2D or P1W. Years and months, whose lengths
// differ, fractions and a sign are errors. The error of a wrong form is a problem.ValueError, that of
// a duration above [LongestDuration] a problem.RangeError, with LongestDuration as the result.
func ParseDuration(text string) (Duration, error) {
	parts := durationText.FindStringSubmatch(text)
	if parts == nil || text[len(text)-1] == 'P' || text[len(text)-1] == 'T' {
		return 0, errDuration
	}
	total := int64(0)
	for i, number := range parts[1:] {
		if number == "" {
			continue
		}
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n > (int64(LongestDuration)-total)/units[i] {
			return LongestDuration, problem.RangeError("must be at most " + LongestDuration.String())
		}
		total += n * units[i]
	}
	return Duration(total), nil
}

// DurationOf returns a duration of Go in whole seconds. It cuts off what is less than a second.
func DurationOf(d time.Duration) Duration { return Duration(d / time.Second) }

// Std returns the duration of Go. A duration above [LongestDuration] overflows.
func (d Duration) Std() time.Duration { return time.Duration(d) * time.Second }

// String returns the duration in hours, minutes and seconds, from the first to the last that is not
// 0: "PT1H30M", "PT1H0M15S", "PT0S".
func (d Duration) String() string {
	hours, minutes, seconds := d/3600, d/60%60, d%60
	text := "PT"
	if hours > 0 {
		text += fmt.Sprintf("%dH", hours)
	}
	if minutes > 0 || hours > 0 && seconds > 0 { // RFC 3339 has no seconds directly after hours
		text += fmt.Sprintf("%dM", minutes)
	}
	if seconds > 0 || d == 0 {
		text += fmt.Sprintf("%dS", seconds)
	}
	return text
}

// MarshalText implements [encoding.TextMarshaler]. A duration below 0 is an error.
func (d Duration) MarshalText() ([]byte, error) {
	if d < 0 {
		return nil, fmt.Errorf("calendar: a duration of %d seconds is below 0", int64(d))
	}
	return []byte(d.String()), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]. Its errors are those of [ParseDuration]. After
// a problem.RangeError, d is [LongestDuration].
func (d *Duration) UnmarshalText(text []byte) error { return set(d, string(text), ParseDuration) }

// JSONSchemaBytes returns the JSON Schema of a duration, for the OpenAPI document.
func (Duration) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{"type":"string","format":"duration","pattern":"` + durationPattern + `","examples":["PT1H30M"]}`), nil
}

// RuleBound returns the bound of a rule, such as max=PT8H. The framework calls it when the program
// starts.
func (Duration) RuleBound(text string) (int64, error) { return bound(text, ParseDuration) }

// Value implements [driver.Valuer]: the seconds.
func (d Duration) Value() (driver.Value, error) { return int64(d), nil }

// Scan implements [database/sql.Scanner] for columns of seconds.
func (d *Duration) Scan(src any) error {
	if seconds, ok := src.(int64); ok {
		*d = Duration(seconds)
		return nil
	}
	return scan(d, src, func(text string) (Duration, error) {
		seconds, err := strconv.ParseInt(text, 10, 64)
		return Duration(seconds), err
	})
}
