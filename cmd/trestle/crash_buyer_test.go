package main

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
)

// A buyer knows its cart and its orders from the answers, and no other client writes
// there.
type buyer struct {
	*client

	cart      map[string]int64 // quantities by variant
	orders    map[string]receipt
	bought    []string // the ids of the orders, as they came
	cancelled map[string]bool
}

func newBuyer(c *client) *buyer {
	return &buyer{client: c, cart: map[string]int64{}, orders: map[string]receipt{}, cancelled: map[string]bool{}}
}

// A receipt is what of an order never changes.
type receipt struct {
	number string
	total  int64
	items  string // variant, quantity and price of each
}

// An orderShown is an order as answers show it.
type orderShown struct {
	ID, Number, Status string
	TotalPaise         int64
	Items              []struct {
		VariantID                string
		Quantity, UnitPricePaise int64
	}
}

func (o orderShown) receipt() receipt {
	var items []string
	for _, i := range o.Items {
		items = append(items, fmt.Sprintf("%s %d %d", i.VariantID, i.Quantity, i.UnitPricePaise))
	}
	return receipt{o.Number, o.TotalPaise, strings.Join(items, ", ")}
}

// A cartShown is a cart as answers show it.
type cartShown struct {
	Items []struct {
		Variant  struct{ ID string }
		Quantity int64
	}
}

func (c cartShown) quantities() map[string]int64 {
	all := map[string]int64{}
	for _, i := range c.Items {
		all[i.Variant.ID] += i.Quantity
	}
	return all
}

func (b *buyer) step() bool {
	switch roll := b.dice.IntN(10); {
	case len(b.cart) == 0 || roll < 3:
		return b.put()
	case roll < 8 || len(b.orders) == 0:
		return b.place()
	}
	return b.cancel()
}

// put adds something to the cart.
func (b *buyer) put() bool {
	variant, quantity := b.shelf[b.dice.IntN(len(b.shelf))], 1+b.dice.Int64N(3)
	w := wish{
		what: "add", request: "POST /api/cart/items", key: b.key(),
		body: fmt.Sprintf(`{"variantId": %q, "quantity": %d}`, variant, quantity),
	}
	switch got, ok := b.insist(w); {
	case !ok:
		return false
	case got.status == http.StatusCreated:
		b.cart[variant] += quantity
		return b.holds(w, got)
	case got.says("insufficient_stock"):
		return true
	default:
		return b.unexpected(w, got)
	}
}

// holds checks that an answer shows the cart that the buyer has.
func (b *buyer) holds(w wish, got answer) bool {
	var cart cartShown
	if !b.read(w, got, &cart) {
		return false
	}
	if shown := cart.quantities(); !maps.Equal(shown, b.cart) {
		return b.wrong("%s %s: the cart holds %v; want %v", w.request, w.body, shown, b.cart)
	}
	return true
}

// place orders the cart. If an item is out of stock by then, or the slot is full, the cart
// stays as it was, and the buyer starts again. A buyer with as many orders as the limit
// cancels them.
func (b *buyer) place() bool {
	slot := ""
	if b.dice.IntN(4) == 0 {
		slot = fmt.Sprintf(`, "deliverySlotId": %q`, b.narrow)
	}
	w := wish{
		what: placing, request: "POST /api/orders", key: b.key(), fickle: b.dice.IntN(4) == 0,
		body: fmt.Sprintf(`{"deliveryAddress": {"name": "Asha Rao", "phone": "9876543210", "line1": "12 Lake Road",
			"city": "Bengaluru", "state": "Karnataka", "pincode": "560001"}, "expectedTotalPaise": %d%s}`, b.total(), slot),
	}
	switch got, ok := b.insist(w); {
	case !ok:
		return false
	case got.status == 0:
		return b.lookAgain()
	case got.status == http.StatusCreated:
		var o orderShown
		return b.read(w, got, &o) && b.keep(o) && b.look()
	case got.says("insufficient_stock"):
		return b.look() && b.empty()
	case got.says("slot_unavailable") && slot != "":
		return b.look()
	case got.says("order_limit"):
		return b.look() && b.makeRoom()
	default:
		return b.unexpected(w, got)
	}
}

func (b *buyer) total() (paise int64) {
	for variant, quantity := range b.cart {
		paise += b.prices[variant] * quantity
	}
	return paise
}

// keep stores an order that the buyer got in an answer: it is the whole cart.
func (b *buyer) keep(o orderShown) bool {
	items := map[string]int64{}
	for _, i := range o.Items {
		items[i.VariantID] += i.Quantity
		if i.UnitPricePaise != b.prices[i.VariantID] {
			return b.wrong("order %s charges %d; want %d", o.Number, i.UnitPricePaise, b.prices[i.VariantID])
		}
	}
	if _, known := b.orders[o.ID]; known || !maps.Equal(items, b.cart) || o.TotalPaise != b.total() {
		return b.wrong("order %s of %v for %d, seen before: %t; want %v for %d", o.Number, items, o.TotalPaise, known, b.cart, b.total())
	}
	b.orders[o.ID] = o.receipt()
	b.bought = append(b.bought, o.ID)
	clear(b.cart)
	return true
}

// look checks that the cart is what the buyer thinks.
func (b *buyer) look() bool {
	w := wish{what: "look", request: "GET /api/cart"}
	got, ok := b.insist(w)
	if ok && got.status != http.StatusOK {
		return b.unexpected(w, got)
	}
	return ok && b.holds(w, got)
}

// lookAgain finds out what became of an order that got no answer: it is there,
// and the cart empty, or neither.
func (b *buyer) lookAgain() bool {
	w := wish{what: "list", request: "GET /api/orders?limit=1"}
	got, ok := b.insist(w)
	var list struct{ Items []orderShown }
	switch {
	case !ok:
		return false
	case got.status != http.StatusOK:
		return b.unexpected(w, got)
	case !b.read(w, got, &list):
		return false
	}
	for _, newest := range list.Items {
		if _, known := b.orders[newest.ID]; !known {
			b.counts.add("given up, and done")
			return b.keep(newest) && b.look()
		}
	}
	b.counts.add("given up, and not done")
	return b.look()
}

// empty empties the cart.
func (b *buyer) empty() bool {
	w := wish{what: "empty", request: "DELETE /api/cart"}
	got, ok := b.insist(w)
	if ok && got.status != http.StatusOK {
		return b.unexpected(w, got)
	}
	clear(b.cart)
	return ok && b.holds(w, got)
}

// makeRoom cancels every order that is live.
func (b *buyer) makeRoom() bool {
	for _, id := range b.bought {
		if !b.cancelled[id] && !b.cancelOne(id) {
			return false
		}
	}
	return true
}

// cancel cancels one of the latest orders, at times once more.
func (b *buyer) cancel() bool {
	latest := b.bought[max(0, len(b.bought)-6):]
	return b.cancelOne(latest[b.dice.IntN(len(latest))])
}

func (b *buyer) cancelOne(id string) bool {
	w := wish{what: "cancel", request: "POST /api/orders/" + id + "/cancel", body: "{}", key: b.key()}
	got, ok := b.insist(w)
	switch before := b.cancelled[id]; {
	case !ok:
		return false
	case got.status == http.StatusOK && !before:
		var o orderShown
		if !b.read(w, got, &o) {
			return false
		}
		if o.Status != "cancelled" || o.receipt() != b.orders[id] {
			return b.unexpected(w, got)
		}
		b.cancelled[id] = true
		return true
	case got.says("order_not_cancellable") && before:
		return true
	}
	return b.unexpected(w, got)
}
