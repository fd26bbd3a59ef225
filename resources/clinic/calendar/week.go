package calendar

import (
	"fmt"
	"time"
)

// weekName returns the name of a week in ISO 8601, "2026-W49".
func weekName(monday time.Time) string {
	year, week := monday.ISOWeek()
	return fmt.Sprintf("%d-W%02d", year, week)
}

// weekOf returns the Monday of a week by its name, at midnight in the clinic. Another name is the week of now.
func weekOf(name string, now time.Time) time.Time {
	var year, week int
	if _, err := fmt.Sscanf(name, "%4d-W%2d", &year, &week); err == nil && year >= 1900 && week >= 1 {
		fourth := time.Date(year, time.January, 4, 0, 0, 0, 0, zone()) // it is always in the first week
		if monday := mondayOf(fourth).AddDate(0, 0, daysOfWeek*(week-1)); weekName(monday) == name {
			return monday
		}
	}
	return mondayOf(now.In(zone()))
}

// mondayOf returns midnight of the Monday of a time's week.
func mondayOf(at time.Time) time.Time {
	since := (int(at.Weekday()) + daysOfWeek - 1) % daysOfWeek
	return time.Date(at.Year(), at.Month(), at.Day()-since, 0, 0, 0, 0, zone())
}
