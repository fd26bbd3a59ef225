package throttle

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Rate is the maximum number of requests in any window of time: Rate{100, time.Minute}.
type Rate struct {
	Limit int           // 1 to a million
	Per   time.Duration // whole seconds, up to 366 days
}

const (
	mostLimit = 1_000_000
	mostPer   = 366 * day
	day       = 24 * time.Hour
)

// units are the windows with names. String writes the first name of each.
var units = []struct {
	names []string
	per   time.Duration
}{
	{[]string{"sec", "s", "second"}, time.Second},
	{[]string{"min", "m", "minute"}, time.Minute},
	{[]string{"hour", "h"}, time.Hour},
	{[]string{"day", "d"}, day},
}

// ParseRate reads a rate such as "100/min": a number and one of sec, min, hour and day,
// or s, second, m, minute, h, d, in any case. The number is 1 to 1,000,000; any other text
// is an error.
func ParseRate(text string) (Rate, error) {
	number, unit, found := strings.Cut(text, "/")
	if !found {
		return Rate{}, fmt.Errorf("rate %q has no /; write a number and a unit, as in 100/min", text)
	}
	limit, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil || limit < 1 || limit > mostLimit {
		return Rate{}, fmt.Errorf("rate %q begins with %q; write a whole number from 1 to %d, as in 100/min", text, number, mostLimit)
	}
	unit = strings.TrimSpace(unit)
	for _, u := range units {
		for _, name := range u.names {
			if strings.EqualFold(name, unit) {
				return Rate{limit, u.per}, nil
			}
		}
	}
	return Rate{}, fmt.Errorf("rate %q ends with %q; write sec, min, hour or day, as in 100/min", text, unit)
}

// String writes the rate as [ParseRate] reads it: "100/min". For a window without a name it
// writes a duration, as in "100/1m30s", which ParseRate does not read.
func (r Rate) String() string {
	for _, u := range units {
		if u.per == r.Per {
			return strconv.Itoa(r.Limit) + "/" + u.names[0]
		}
	}
	return strconv.Itoa(r.Limit) + "/" + r.Per.String()
}

// Check returns an error for an invalid rate. Stores call it.
func (r Rate) Check() error {
	switch {
	case r.Limit < 1 || r.Limit > mostLimit:
		return fmt.Errorf("throttle.Rate: the limit is %d; it must be from 1 to %d", r.Limit, mostLimit)
	case r.Per < time.Second || r.Per > mostPer || r.Per%time.Second != 0:
		return fmt.Errorf("throttle.Rate: the window is %s; it must be whole seconds, from 1s to %s", r.Per, mostPer)
	}
	return nil
}

// Grain is the resolution of the times of a window: that of the clock for limits up to
// 100, else one hundredth of the window. A request counts from when it passed until one
// window after the end of its grain.
func (r Rate) Grain() time.Duration {
	if r.Limit <= slots {
		return 1
	}
	return r.Per / slots
}

// slots is the number of parts of a window for a large limit. A key stores at most one
// time more than that.
const slots = 100
