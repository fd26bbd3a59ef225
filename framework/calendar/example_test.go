package calendar_test

import (
	"fmt"
	"time"

	"trestle.example/framework/calendar"
)

// A date and a time of day become a moment in a zone.
func ExampleTimeOfDay_On() {
	day := calendar.NewDate(2026, time.January, 31)
	opens, _ := calendar.ParseTimeOfDay("09:30")
	length, _ := calendar.ParseDuration("PT90M")
	begins := opens.On(day.AddDays(1), time.UTC)
	fmt.Println(begins.Format(time.RFC3339), begins.Add(length.Std()).Format(time.RFC3339))
	// Output: 2026-02-01T09:30:00Z 2026-02-01T11:00:00Z
}
