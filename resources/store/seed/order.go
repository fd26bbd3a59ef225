package seed

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/resources/internal/demo"
	"trestle.example/resources/store/cart"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/delivery"
	"trestle.example/resources/store/order"
)

// orderStatuses are the statuses of the orders of each customer.
var orderStatuses = []order.Status{
	order.Delivered, order.Delivered, order.Delivered, order.Delivered, order.Delivered, order.Cancelled, order.Cancelled,
	order.OutForDelivery, order.Packed, order.Confirmed, order.Confirmed, order.Placed, order.Placed,
}

// confirmedSlots is the number of open slots with confirmed orders; the later ones have
// placed orders. So the limit of a user's orders in a slot holds.
const confirmedSlots = 4

// maxItems is the largest number of items of an order.
const maxItems = 6

// A wish is a quantity of a variant for an order or a cart.
type wish struct {
	variant  uuid.UUID
	quantity int64
}

// A draft is an order before its wishes are compared with the stock.
type draft struct {
	*order.Order

	slot   delivery.DeliverySlot
	wishes []wish
	reason string // of a cancelled one
}

// draft is the nth order of a customer.
func (s *seeding) draft(customer, n int) *draft {
	dice := demo.Dice(orderSeeds, customer*len(orderStatuses)+n)
	status := orderStatuses[n]
	placed, slot := placementOf(dice, status)
	d := &draft{slot: slot, Order: &order.Order{
		ID: demo.ID(dice, placed), UserID: s.Customers[customer], Number: orderNumber(dice), Status: status, PlacedAt: placed,
		Address: buyerAddresses[customer%len(buyerAddresses)], Notes: demo.Pick(dice, orderNotes),
	}}
	d.advance(dice)
	if status == order.Cancelled {
		d.reason = demo.Pick(dice, cancelReasons)
	}
	d.wishes = s.wishes(dice, placed, 1+dice.IntN(maxItems))
	return d
}

// placementOf is when an order was placed, and for which slot, so that it can have its
// status by today. The slot was open when the order was placed.
func placementOf(dice *rand.Rand, status order.Status) (placed time.Time, slot delivery.DeliverySlot) {
	switch status {
	case order.Placed:
		return today.Add(-5*time.Minute - upTo(dice, 50*time.Minute)), demo.Pick(dice, delivery.OpenSlots(today)[confirmedSlots:])
	case order.Confirmed:
		return today.Add(-2*time.Hour - upTo(dice, 6*time.Hour)), demo.Pick(dice, delivery.OpenSlots(today)[:confirmedSlots])
	case order.Packed:
		slot = delivery.SlotAt(today.Add(30 * time.Minute)) // today from six to eight
	case order.OutForDelivery:
		slot = delivery.SlotAt(today.Add(-90 * time.Minute)) // today from four to six
	default:
		day := today.In(delivery.India).AddDate(0, 0, -3-dice.IntN(110))
		slot = delivery.SlotAt(time.Date(day.Year(), day.Month(), day.Day(), demo.Pick(dice, delivery.SlotHours), 0, 0, 0, delivery.India))
	}
	return slot.CutoffAt.Add(-2*time.Hour - upTo(dice, 20*time.Hour)), slot
}

// advance sets the times of the statuses that the order came to.
func (d *draft) advance(dice *rand.Rand) {
	start := d.slot.StartsAt
	times := map[order.Status]time.Time{
		order.Confirmed:      d.PlacedAt.Add(2*time.Minute + upTo(dice, 30*time.Minute)),
		order.Packed:         start.Add(-time.Hour + upTo(dice, 20*time.Minute)),
		order.OutForDelivery: start.Add(-30*time.Minute + upTo(dice, 15*time.Minute)),
		order.Delivered:      start.Add(10*time.Minute + upTo(dice, 100*time.Minute)),
		order.Cancelled:      d.PlacedAt.Add(35*time.Minute + upTo(dice, time.Hour)),
	}
	for _, status := range statusesUpTo(dice, d.Status) {
		at := times[status]
		*d.ReachedAt(status) = &at
	}
}

// reachable are the statuses of an order after placed but cancelled, in their order.
var reachable = []order.Status{order.Confirmed, order.Packed, order.OutForDelivery, order.Delivered}

// statusesUpTo lists the statuses that an order came to, up to its last. Some orders are
// cancelled before they are confirmed.
func statusesUpTo(dice *rand.Rand, last order.Status) []order.Status {
	switch early := dice.IntN(2) == 0; {
	case last == order.Cancelled && early:
		return []order.Status{order.Cancelled}
	case last == order.Cancelled:
		return []order.Status{order.Confirmed, order.Cancelled}
	}
	return reachable[:slices.Index(reachable, last)+1] // none for placed
}

// orderNumber draws an order's number, in the form that POST /orders gives it.
func orderNumber(dice *rand.Rand) string {
	const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	number := make([]byte, 8)
	for i := range number {
		number[i] = crockford[dice.IntN(len(crockford))]
	}
	return string(number)
}

// wishes draws up to n variants that were on sale at a time, each once.
func (s *seeding) wishes(dice *rand.Rand, at time.Time, n int) (all []wish) {
	there := 0
	for there < min(s.Products, DefaultProducts) && arrivalOf(there).Before(at) {
		there++
	}
	chosen := map[uuid.UUID]bool{}
	for range n {
		p := newProduct(dice.IntN(there))
		w := wish{demo.Pick(dice, p.Variants).ID, 1 + dice.Int64N(3)}
		if p.Published && !chosen[w.variant] {
			chosen[w.variant] = true
			all = append(all, w)
		}
	}
	return all
}

// fill gives the order the items that are in stock, as POST /orders does, and reports
// whether there are any.
func (d *draft) fill(ctx context.Context, offers catalogue.Offers) bool {
	var lines []*cart.Line
	for _, w := range d.wishes {
		l := &cart.Line{Quantity: w.quantity}
		if row := offers[w.variant]; row != nil {
			l.Offer = *row
		}
		if l.Status() == cart.LineOK {
			lines = append(lines, l)
		}
	}
	if len(lines) == 0 {
		return false
	}
	call := &framework.Call{Context: ctx, Caller: &framework.Caller{ID: d.UserID}, Now: d.PlacedAt}
	made := order.New(call, lines)
	made.SetSlot(&d.slot)
	made.ID, made.Number, made.Status, made.Address, made.Notes = d.ID, d.Number, d.Status, d.Address, d.Notes
	for _, status := range slices.Concat(reachable, []order.Status{order.Cancelled}) {
		*made.ReachedAt(status) = *d.ReachedAt(status)
	}
	for i, item := range made.Items {
		item.ID, item.OrderID = relatedID(d.ID, 1+i), d.ID
	}
	d.Order = made
	return true
}
