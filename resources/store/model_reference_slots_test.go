package store_test

import (
	"slices"
	"time"
)

// A modelSlot is a window of time in which orders are brought: of two hours,
// open until an hour before it starts.
type modelSlot struct {
	id               identity
	start            time.Time
	capacity, booked int64
	settled          bool // its capacity is no longer drawn
}

func (s *modelSlot) end() time.Time    { return s.start.Add(2 * time.Hour) }
func (s *modelSlot) cutoff() time.Time { return s.start.Add(-time.Hour) }
func (s *modelSlot) full() bool        { return s.booked >= s.capacity }

// ahead is how far the slots reach that are shown.
const ahead = 72 * time.Hour

// timeOf is a time as answers have it.
func timeOf(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// openSlots are those that take orders now, the earliest first.
func (m *model) openSlots() (open []*modelSlot) {
	midnight := m.midnight()
	for day := range 5 {
		for _, hour := range []int{7, 9, 11, 16, 18, 20} {
			start := midnight.Add(time.Duration(24*day+hour) * time.Hour)
			if start.Add(-time.Hour).After(m.now) && !start.After(m.now.Add(ahead)) {
				open = append(open, m.slotAt(start))
			}
		}
	}
	return open
}

// midnight is when the day began in India, five and a half hours before it did
// in London.
func (m *model) midnight() time.Time {
	const east = 5*time.Hour + 30*time.Minute
	return m.now.UTC().Add(east).Truncate(24 * time.Hour).Add(-east)
}

func (m *model) slotAt(start time.Time) *modelSlot {
	for _, s := range m.slots {
		if s.start.Equal(start) {
			return s
		}
	}
	s := &modelSlot{start: start, capacity: 40}
	m.slots = append(m.slots, s)
	return s
}

func (m *model) slotViews() []any {
	views := []any{}
	for _, s := range m.openSlots() {
		views = append(views, fields{
			"id": &s.id, "startsAt": timeOf(s.start), "endsAt": timeOf(s.end()), "cutoffAt": timeOf(s.cutoff()), "available": !s.full(),
		})
	}
	return views
}

// firstFree is the earliest open slot with room, nil if there is none.
func (m *model) firstFree() *modelSlot {
	for _, s := range m.openSlots() {
		if !s.full() {
			return s
		}
	}
	return nil
}

// free is the open slot of an id, if it has room.
func (m *model) free(id any) *modelSlot {
	for _, s := range m.openSlots() {
		if s.id.text == id && !s.full() {
			return s
		}
	}
	return nil
}

// whyNot returns why a slot cannot be booked.
func (m *model) whyNot(id any) string {
	at := slices.IndexFunc(m.slots, func(s *modelSlot) bool { return s.id.text == id })
	switch {
	case at < 0:
		return "unknown"
	case !slices.Contains(m.openSlots(), m.slots[at]):
		return "closed"
	}
	return "full"
}

// nextTurn is when slots open or close next.
func (m *model) nextTurn() time.Time {
	turn := m.now.Add(24 * time.Hour)
	for day := range 5 {
		for _, hour := range []int{7, 9, 11, 16, 18, 20} {
			start := m.midnight().Add(time.Duration(24*day+hour) * time.Hour)
			for _, at := range []time.Time{start.Add(-time.Hour), start.Add(-ahead)} {
				if at.After(m.now) && at.Before(turn) {
					turn = at
				}
			}
		}
	}
	return turn
}
