package order

import (
	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/delivery"
	"trestle.example/resources/store/internal/rows"
)

// The limits of a user's orders that are on their way, in one slot and in all. A
// household needs few; without a limit one customer could book every slot with
// orders of one cheap item.
const (
	maxOrdersInSlot = 3
	maxOrdersLive   = 20
)

// OrderLimitDetails are the details of the code order_limit.
type OrderLimitDetails struct {
	Limit int64      `json:"limit" doc:"How many orders there may be." example:"3"`
	Per   OrderLimit `json:"per"   doc:"What they are counted by."`
}

// An OrderLimit names what a limit of orders counts.
type OrderLimit string

// The limits of a user's orders: those in one delivery slot, and all.
const (
	PerSlot OrderLimit = "slot"
	PerUser OrderLimit = "user"
)

// Enum lists the limits.
func (OrderLimit) Enum() []any { return []any{PerSlot, PerUser} }

func tooManyOrders(detail string, details OrderLimitDetails) error {
	return framework.Conflict(codeOrderLimit, detail).With(details)
}

// book books a place in the wanted slot or, if wanted is nil, in the earliest slot
// that has room.
func book(c *framework.Call, wanted *uuid.UUID) (*delivery.DeliverySlot, error) {
	open := delivery.OpenSlots(c.Now)
	if wanted != nil {
		open = slotWithID(open, *wanted)
	}
	// Another order may take the last place of a slot between the choice and the
	// booking. The next choice then skips the full slot.
	for range open {
		b, err := bookFirst(c, open)
		if err != nil {
			return nil, err
		}
		if b != nil {
			return &b.DeliverySlot, b.withinLimits()
		}
	}
	return nil, framework.Conflict(codeSlotUnavailable, "This delivery slot is full or takes no more orders; choose another.")
}

// slotWithID is a slice of the open slot with an id, empty if none has it.
func slotWithID(open []delivery.DeliverySlot, id uuid.UUID) []delivery.DeliverySlot {
	for i := range open {
		if open[i].ID == id {
			return open[i : i+1]
		}
	}
	return nil
}

// A booking is a place in a slot, with the number of the caller's other orders that
// are on their way.
type booking struct {
	delivery.DeliverySlot `bun:",extend"`

	InSlot int64 // orders in this slot
	Live   int64 // orders in all slots
}

// withinLimits is an error if the caller may not have one more order.
func (b *booking) withinLimits() error {
	switch {
	case b.Live >= maxOrdersLive:
		return tooManyOrders("You have as many orders on their way as a user may have.", OrderLimitDetails{maxOrdersLive, PerUser})
	case b.InSlot >= maxOrdersInSlot:
		return tooManyOrders("You have as many orders in this delivery slot as a user may have; choose another.", OrderLimitDetails{maxOrdersInSlot, PerSlot})
	}
	return nil
}

// bookFirst books a place in the first slot that has room, in one statement, which
// also counts the caller's orders: their cart is locked, so there will be no others.
// It returns nil if no slot has room, or another order took the last place.
func bookFirst(c *framework.Call, open []delivery.DeliverySlot) (*booking, error) {
	var booked []booking
	caller, over := sqldb.Param(c.Caller.ID), sqldb.List(settled)
	err := rows.Read(c, c.DB.NewRaw(`
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

// unbook releases a place in a slot.
func unbook(c *framework.Call, slot uuid.UUID) error {
	_, err := c.Session().Exec(c, c.DB.NewUpdate().Table("delivery_slots").
		Set("booked = booked - 1").Where("id = ?", sqldb.Param(slot)))
	return err
}
