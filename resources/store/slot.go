package store

import (
	"crypto/sha256"
	"encoding/binary"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
)

// A DeliverySlot is a window of time in which orders are brought. Its row is
// made with its first order; before, it is what the template of a day says.
type DeliverySlot struct {
	bun.BaseModel `bun:"table:delivery_slots"`

	ID       uuid.UUID `bun:",pk,type:uuid"`
	StartsAt time.Time // the id is made of it
	EndsAt   time.Time
	CutoffAt time.Time // orders are taken until then
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
	slotCapacity = 40            // orders
	slotLength   = 2 * time.Hour //
	slotCutoff   = time.Hour     // before the start
	slotHorizon  = 3 * 24 * time.Hour
)

// How many orders one user may have that are on their way, in one slot and in
// all. A household needs few; without a limit one customer could book every slot
// with orders of one cheap item, and nobody else would be delivered to.
const (
	maxOrdersInSlot = 3
	maxOrdersLive   = 20
)

// slotHours are when the slots of a day begin, in India.
var slotHours = []int{7, 9, 11, 16, 18, 20}

// india is Indian Standard Time, which knows no summer time.
var india = time.FixedZone("IST", 5*60*60+30*60)

// openSlots are the slots that take orders at a time, the earliest first: the
// cut-off is still to come, and the start is at most three days away.
func openSlots(now time.Time) (open []DeliverySlot) {
	year, month, day := now.In(india).Date()
	for d := day; ; d++ {
		for _, hour := range slotHours {
			slot := slotAt(time.Date(year, month, d, hour, 0, 0, 0, india))
			switch {
			case slot.StartsAt.After(now.Add(slotHorizon)):
				return open
			case slot.CutoffAt.After(now):
				open = append(open, slot)
			}
		}
	}
}

func slotAt(start time.Time) DeliverySlot {
	start = start.UTC()
	return DeliverySlot{
		ID: slotID(start), StartsAt: start, EndsAt: start.Add(slotLength), CutoffAt: start.Add(-slotCutoff), Capacity: slotCapacity,
	}
}

// slotID is the id of the slot that begins at a time, the same wherever and
// whenever it is asked for: a UUIDv7 of that time, with a hash of it where
// others are random.
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

// slots are the open slots as the checkout shows them.
func slots(c *framework.Call) ([]SlotView, error) {
	open := openSlots(c.Now)
	ids := make([]uuid.UUID, len(open))
	for i, slot := range open {
		ids[i] = slot.ID
	}
	var booked []DeliverySlot
	q := c.DB.NewSelect().Model(&booked).Where("id IN (?)", sqldb.List(ids))
	if err := read(c, q, &booked); err != nil {
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

// book takes a place in the slot that was asked for or, without one, in the
// earliest that has room.
func book(c *framework.Call, asked *uuid.UUID) (*DeliverySlot, error) {
	open := openSlots(c.Now)
	if asked != nil {
		open = named(open, *asked)
	}
	// The last place of a slot may go to another between the choice and the
	// booking. Then the next choice knows of it.
	for range open {
		b, err := bookFirst(c, open)
		if err != nil {
			return nil, err
		}
		if b != nil {
			return &b.DeliverySlot, b.refused()
		}
	}
	return nil, framework.Conflict(codeSlotUnavailable, "This delivery slot is full or takes no more orders; choose another.")
}

func named(open []DeliverySlot, id uuid.UUID) []DeliverySlot {
	for i := range open {
		if open[i].ID == id {
			return open[i : i+1]
		}
	}
	return nil
}

// A booking is a place in a slot, and how many orders the caller has besides
// that are on their way: in the slot and in all.
type booking struct {
	DeliverySlot `bun:",extend"`

	InSlot int64
	Live   int64
}

// refused says why the caller may not have one order more.
func (b *booking) refused() error {
	switch {
	case b.Live >= maxOrdersLive:
		return tooManyOrders("You have as many orders on their way as a user may have.", OrderLimitDetails{maxOrdersLive, PerUser})
	case b.InSlot >= maxOrdersInSlot:
		return tooManyOrders("You have as many orders in this delivery slot as a user may have; choose another.", OrderLimitDetails{maxOrdersInSlot, PerSlot})
	}
	return nil
}

// bookFirst takes a place in the first slot that has room, in one statement;
// nil if there is none, or somebody else was faster. The caller's orders are
// counted with it: their cart is locked, so there will be no others.
func bookFirst(c *framework.Call, open []DeliverySlot) (*booking, error) {
	var booked []booking
	caller, over := sqldb.Param(c.Caller.ID), sqldb.List(settled)
	err := read(c, c.DB.NewRaw(`
		WITH open (id, starts_at, ends_at, cutoff_at, capacity, booked) AS (?)
		INSERT INTO delivery_slots (id, starts_at, ends_at, cutoff_at, capacity, booked)
		SELECT o.id, o.starts_at, o.ends_at, o.cutoff_at, o.capacity, 1
		FROM open AS o LEFT JOIN delivery_slots AS known ON known.id = o.id
		WHERE known.id IS NULL OR known.booked < known.capacity
		ORDER BY o.starts_at LIMIT 1
		ON CONFLICT (id) DO UPDATE SET booked = delivery_slots.booked + 1
			WHERE delivery_slots.booked < delivery_slots.capacity
		RETURNING id, starts_at, ends_at, cutoff_at, capacity, booked,
			(SELECT count(*) FROM orders WHERE user_id = ? AND status NOT IN (?) AND slot_id = delivery_slots.id) AS in_slot,
			(SELECT count(*) FROM orders WHERE user_id = ? AND status NOT IN (?)) AS live`,
		c.DB.NewValues(&open), caller, over, caller, over), &booked)
	if err != nil || len(booked) == 0 {
		return nil, err
	}
	return &booked[0], nil
}

// unbook gives a place back.
func unbook(c *framework.Call, slot uuid.UUID) error {
	_, err := c.Session().Exec(c, c.DB.NewUpdate().Table("delivery_slots").
		Set("booked = booked - 1").Where("id = ?", sqldb.Param(slot)))
	return err
}
