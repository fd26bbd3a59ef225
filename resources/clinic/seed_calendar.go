package clinic

import "time"

// The calendar of the demo data has a fixed current day, so that its rows are always the
// same. It covers half a year before that day and some months after it.
const (
	seedWeeks       = 43
	seedDaysPerWeek = 6  // Monday to Saturday
	seedSlotsPerDay = 16 // of half an hour
	seedSlots       = seedWeeks * seedDaysPerWeek * seedSlotsPerDay

	// seedStride visits every slot once, because it has no factor in common
	// with seedSlots, and spreads the first few over all months.
	seedStride = 1601
)

// seedOpening is the first slot of all: a Monday, nine o'clock in India.
func seedOpening() time.Time { return time.Date(2026, time.May, 25, 3, 30, 0, 0, time.UTC) }

// seedToday divides what is over from what is to come.
func seedToday() time.Time { return time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC) }

// seedSlot is the nth time at which a doctor sees a patient: no two are the
// same for n below seedSlots.
func seedSlot(doctor, n int) time.Time {
	slot := (n*seedStride + doctor*97) % seedSlots
	day, half := slot/seedSlotsPerDay, slot%seedSlotsPerDay
	days := day/seedDaysPerWeek*7 + day%seedDaysPerWeek
	return seedOpening().AddDate(0, 0, days).Add(time.Duration(half) * 30 * time.Minute)
}
