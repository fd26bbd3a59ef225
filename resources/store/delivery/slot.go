package delivery

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/internal/rows"
)

// A DeliverySlot is a window of time in which orders are delivered. Its row is made
// with its first order; until then the slot follows from the hours of a day.
type DeliverySlot struct {
	bun.BaseModel `bun:"table:delivery_slots"`

	ID       uuid.UUID `bun:",pk,type:uuid"`
	StartsAt time.Time // the id is derived from it
	EndsAt   time.Time
	CutoffAt time.Time // the end of ordering
	Capacity int64
	Booked   int64 // orders that are not cancelled
}

// A SlotView is a delivery slot as the checkout shows it.
type SlotView struct {
	ID        uuid.UUID `json:"id"`
	StartsAt  time.Time `json:"startsAt"  doc:"From when on orders are brought."`
	EndsAt    time.Time `json:"endsAt"    doc:"Until when orders are brought."`
	CutoffAt  time.Time `json:"cutoffAt"  doc:"Until when the slot takes orders."`
	Available bool      `json:"available" doc:"Whether there is room for an order."`
}

const (
	slotCapacity = 40 // orders
	slotLength   = 2 * time.Hour
	slotCutoff   = time.Hour // before the start
	slotHorizon  = 3 * 24 * time.Hour
)

// FeePaise is what delivery costs, in paise: nothing.
const FeePaise = 0

// SlotHours are the hours of a day at which slots begin, in [India].
var SlotHours = []int{7, 9, 11, 16, 18, 20}

// India is Indian Standard Time, which has no daylight saving time.
var India = time.FixedZone("IST", 5*60*60+30*60)

// OpenSlots lists the slots that take orders at a time, the earliest first: the
// cut-off is still to come, and the start is at most three days away. Whether they
// are full is not known.
func OpenSlots(now time.Time) (open []DeliverySlot) {
	year, month, day := now.In(India).Date()
	for d := day; ; d++ {
		for _, hour := range SlotHours {
			slot := SlotAt(time.Date(year, month, d, hour, 0, 0, 0, India))
			switch {
			case slot.StartsAt.After(now.Add(slotHorizon)):
				return open
			case slot.CutoffAt.After(now):
				open = append(open, slot)
			}
		}
	}
}

// SlotAt is the slot that begins at a time, without bookings.
func SlotAt(start time.Time) DeliverySlot {
	start = start.UTC()
	return DeliverySlot{
		ID: slotID(start), StartsAt: start, EndsAt: start.Add(slotLength), CutoffAt: start.Add(-slotCutoff), Capacity: slotCapacity,
	}
}

// slotID is the id of the slot that begins at a time, always the same one: a UUIDv7
// of that time, with a hash of the time in place of the random bits.
func slotID(start time.Time) uuid.UUID {
	var milliseconds [8]byte
	binary.BigEndian.PutUint64(milliseconds[:], uint64(start.UnixMilli())) // #nosec G115 -- the bits are what is wanted
	hash := sha256.Sum256(append([]byte("delivery slot "), milliseconds[:]...))
	id := uuid.UUID(hash[:16])
	copy(id[:6], milliseconds[2:])
	id[6] = id[6]&0x0f | 0x70 // version 7
	id[8] = id[8]&0x3f | 0x80 // variant of RFC 9562
	return id
}

// ShowSlots lists the open slots as the checkout shows them.
func ShowSlots(c *framework.Call) ([]SlotView, error) {
	open := OpenSlots(c.Now)
	ids := make([]uuid.UUID, len(open))
	for i, slot := range open {
		ids[i] = slot.ID
	}
	var booked []DeliverySlot
	q := c.DB.NewSelect().Model(&booked).Where("id IN (?)", sqldb.List(ids))
	if err := rows.Read(c, q, &booked); err != nil {
		return nil, err
	}
	full := map[uuid.UUID]bool{}
	for _, slot := range booked {
		full[slot.ID] = slot.Booked >= slot.Capacity
	}
	views := make([]SlotView, len(open))
	for i, slot := range open {
		views[i] = SlotView{ID: slot.ID, StartsAt: slot.StartsAt, EndsAt: slot.EndsAt, CutoffAt: slot.CutoffAt, Available: !full[slot.ID]}
	}
	return views, nil
}
