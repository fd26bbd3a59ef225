package store

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/resources/internal/demo"
)

// seedStatuses are where the orders of each customer are.
var seedStatuses = []Status{
	Delivered, Delivered, Delivered, Delivered, Delivered, Cancelled, Cancelled, OutForDelivery, Packed, Confirmed, Confirmed, Placed, Placed,
}

// seedConfirmed is in how many of the open slots there are confirmed orders; the
// others have those that are placed. So no customer has more orders in a slot
// than a user may have.
const seedConfirmed = 4

// seedLines is how many items an order has at most.
const seedLines = 6

// A wish is what an order asks for of one variant.
type wish struct {
	variant  uuid.UUID
	quantity int64
}

// A draft is an order before it is known what there is in stock.
type draft struct {
	*Order

	slot   DeliverySlot
	wishes []wish
	reason string // of a cancelled one
}

// draft is the nth order of a customer.
func (s *seeding) draft(customer, n int) *draft {
	dice := demo.Dice(orderSeeds, customer*len(seedStatuses)+n)
	status := seedStatuses[n]
	placed, slot := seedMoment(dice, status)
	d := &draft{slot: slot, Order: &Order{
		ID: demo.ID(dice, placed), UserID: s.Customers[customer], Number: seedNumber(dice), Status: status, PlacedAt: placed,
		Address: seedBuyers[customer%len(seedBuyers)], Notes: demo.Pick(dice, seedNotes),
	}}
	d.advance(dice)
	if status == Cancelled {
		d.reason = demo.Pick(dice, seedReasons)
	}
	d.wishes = s.wishes(dice, placed, 1+dice.IntN(seedLines))
	return d
}

// seedMoment is when an order was placed, and for which slot, so that it can be
// in its status by seedToday. A slot was open when its orders were placed.
func seedMoment(dice *rand.Rand, status Status) (placed time.Time, slot DeliverySlot) {
	switch status {
	case Placed:
		return seedToday.Add(-5*time.Minute - upTo(dice, 50*time.Minute)), demo.Pick(dice, OpenSlots(seedToday)[seedConfirmed:])
	case Confirmed:
		return seedToday.Add(-2*time.Hour - upTo(dice, 6*time.Hour)), demo.Pick(dice, OpenSlots(seedToday)[:seedConfirmed])
	case Packed:
		slot = SlotAt(seedToday.Add(30 * time.Minute)) // today from six to eight
	case OutForDelivery:
		slot = SlotAt(seedToday.Add(-90 * time.Minute)) // today from four to six
	default:
		day := seedToday.In(India).AddDate(0, 0, -3-dice.IntN(110))
		slot = SlotAt(time.Date(day.Year(), day.Month(), day.Day(), demo.Pick(dice, SlotHours), 0, 0, 0, India))
	}
	return slot.CutoffAt.Add(-2*time.Hour - upTo(dice, 20*time.Hour)), slot
}

// advance gives the order the times of all it went through.
func (d *draft) advance(dice *rand.Rand) {
	start := d.slot.StartsAt
	times := map[Status]time.Time{
		Confirmed:      d.PlacedAt.Add(2*time.Minute + upTo(dice, 30*time.Minute)),
		Packed:         start.Add(-time.Hour + upTo(dice, 20*time.Minute)),
		OutForDelivery: start.Add(-30*time.Minute + upTo(dice, 15*time.Minute)),
		Delivered:      start.Add(10*time.Minute + upTo(dice, 100*time.Minute)),
		Cancelled:      d.PlacedAt.Add(35*time.Minute + upTo(dice, time.Hour)),
	}
	for _, status := range seedWay(dice, d.Status) {
		at := times[status]
		*d.ReachedAt(status) = &at
	}
}

// seedSteps are the statuses of an order after placed, save cancelled.
var seedSteps = []Status{Confirmed, Packed, OutForDelivery, Delivered}

// seedWay lists the statuses that an order came to, up to its last. Some orders are
// cancelled before they are confirmed.
func seedWay(dice *rand.Rand, last Status) []Status {
	switch early := dice.IntN(2) == 0; {
	case last == Cancelled && early:
		return []Status{Cancelled}
	case last == Cancelled:
		return []Status{Confirmed, Cancelled}
	}
	return seedSteps[:slices.Index(seedSteps, last)+1] // none for placed
}

// seedNumber is an order's number as newNumber has them.
func seedNumber(dice *rand.Rand) string {
	const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	number := make([]byte, 8)
	for i := range number {
		number[i] = crockford[dice.IntN(len(crockford))]
	}
	return string(number)
}

// wishes are up to n variants that stood on the shelf at a time, each once.
func (s *seeding) wishes(dice *rand.Rand, at time.Time, n int) (all []wish) {
	there := 0
	for there < min(s.Products, SeedProducts) && seedArrival(there).Before(at) {
		there++
	}
	chosen := map[uuid.UUID]bool{}
	for range n {
		p := seedProduct(dice.IntN(there))
		w := wish{demo.Pick(dice, p.Variants).ID, 1 + dice.Int64N(3)}
		if p.Published && !chosen[w.variant] {
			chosen[w.variant] = true
			all = append(all, w)
		}
	}
	return all
}

// fill gives the order the items that it can have, as POST /orders does, and
// reports whether there are any.
func (d *draft) fill(ctx context.Context, offers Offers) bool {
	var lines []*Line
	for _, w := range d.wishes {
		l := &Line{Quantity: w.quantity}
		if row := offers[w.variant]; row != nil {
			l.Offer = *row
		}
		if l.Status() == LineOK {
			lines = append(lines, l)
		}
	}
	if len(lines) == 0 {
		return false
	}
	call := &framework.Call{Context: ctx, Caller: &framework.Caller{ID: d.UserID}, Now: d.PlacedAt}
	made := New(call, lines)
	made.SetSlot(&d.slot)
	made.ID, made.Number, made.Status, made.Address, made.Notes = d.ID, d.Number, d.Status, d.Address, d.Notes
	for _, status := range slices.Concat(seedSteps, []Status{Cancelled}) {
		*made.ReachedAt(status) = *d.ReachedAt(status)
	}
	for i, item := range made.Items {
		item.ID, item.OrderID = seedKin(d.ID, 1+i), d.ID
	}
	d.Order = made
	return true
}
