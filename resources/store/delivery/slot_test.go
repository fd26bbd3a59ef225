package delivery_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"trestle.example/resources/store/delivery"
)

// The template of a day, in India: six slots of two hours, each open until an
// hour before it starts, for the next three days.
func TestWhichSlotsAreOpen(t *testing.T) {
	for _, c := range []struct {
		name, now, first, last string
		count                  int
	}{
		{"early in the morning", "2026-03-10T05:59:59+05:30", "2026-03-10T07:00", "2026-03-12T20:00", 18},
		{"at the first cut-off", "2026-03-10T06:00:00+05:30", "2026-03-10T09:00", "2026-03-12T20:00", 17},
		{"at the start of a slot, three days ahead", "2026-03-10T07:00:00+05:30", "2026-03-10T09:00", "2026-03-13T07:00", 18},
		{"a moment before", "2026-03-10T06:59:59+05:30", "2026-03-10T09:00", "2026-03-12T20:00", 17},
		{"at noon", "2026-03-10T12:00:00+05:30", "2026-03-10T16:00", "2026-03-13T11:00", 18},
		{"just before the last cut-off", "2026-03-10T18:59:59+05:30", "2026-03-10T20:00", "2026-03-13T18:00", 18},
		{"at the last cut-off", "2026-03-10T19:00:00+05:30", "2026-03-11T07:00", "2026-03-13T18:00", 17},
		{"at midnight", "2026-03-10T00:00:00+05:30", "2026-03-10T07:00", "2026-03-12T20:00", 18},
		{"when it is another day in London", "2026-03-09T23:00:00Z", "2026-03-10T07:00", "2026-03-12T20:00", 18},
		{"at the end of a year", "2026-12-31T19:00:00+05:30", "2027-01-01T07:00", "2027-01-03T18:00", 17},
		{"in a leap year", "2028-02-28T19:30:00+05:30", "2028-02-29T07:00", "2028-03-02T18:00", 17},
	} {
		t.Run(c.name, func(t *testing.T) {
			now, err := time.Parse(time.RFC3339, c.now)
			if err != nil {
				t.Fatal(err)
			}
			open := delivery.OpenSlots(now)
			first, last := open[0], open[len(open)-1]
			if start(first) != c.first || start(last) != c.last || len(open) != c.count {
				t.Errorf("%d slots from %s to %s; want %d from %s to %s", len(open), start(first), start(last), c.count, c.first, c.last)
			}
			for i, slot := range open {
				wellMade(t, slot)
				if i > 0 && !slot.StartsAt.After(open[i-1].StartsAt) {
					t.Errorf("%s comes after %s", start(slot), start(open[i-1]))
				}
			}
		})
	}
}

func start(slot delivery.DeliverySlot) string {
	return slot.StartsAt.In(time.FixedZone("IST", 19_800)).Format("2006-01-02T15:04")
}

func wellMade(t *testing.T, slot delivery.DeliverySlot) {
	t.Helper()
	seconds, nanoseconds := slot.ID.Time().UnixTime()
	switch {
	case !slot.EndsAt.Equal(slot.StartsAt.Add(2 * time.Hour)), !slot.CutoffAt.Equal(slot.StartsAt.Add(-time.Hour)), slot.Capacity != 40, slot.Booked != 0:
		t.Errorf("slot %+v", slot)
	case slot.ID.Version() != 7, slot.ID.Variant() != uuid.RFC4122, !time.Unix(seconds, nanoseconds).Equal(slot.StartsAt):
		t.Errorf("the id %s is not a UUIDv7 of %s", slot.ID, slot.StartsAt)
	}
}

// TestTheIdOfASlot: a slot's id does not change, and does not depend on the time zone.
func TestTheIdOfASlot(t *testing.T) {
	now := time.Date(2026, 3, 10, 5, 0, 0, 0, time.FixedZone("IST", 19_800))
	const want = "019cd55d-7dc0-7373-8585-e3180966f9b9"
	if got := delivery.OpenSlots(now)[0].ID.String(); got != want {
		t.Errorf("the id of the slot on 10 March 2026 at 7 is %s; was %s", got, want)
	}
	if delivery.OpenSlots(now)[0].ID != delivery.OpenSlots(now.UTC())[0].ID {
		t.Error("the id depends on the zone")
	}
}
