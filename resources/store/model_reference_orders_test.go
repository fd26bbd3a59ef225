package store_test

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

type modelOrder struct {
	id      identity
	number  number
	buyer   *modelBuyer
	status  string
	history []modelChange
	lines   []*modelOrdered
	sums    modelSum
	slot    *modelSlot
	address fields
	notes   string
}

type modelChange struct {
	status string
	at     *moment
}

// A modelOrdered is one line of an order: the words are copies, the variant is
// only for its id and for its stock.
type modelOrdered struct {
	id       identity
	variant  *modelVariant
	quantity int64
	price    int64
	words    fields
}

// The actions of staff: from which status to which.
var (
	modelActions = []string{"confirm", "pack", "dispatch", "deliver"}
	modelWay     = []string{"placed", "confirmed", "packed", "out_for_delivery", "delivered"}
)

var pincode = regexp.MustCompile(`^[1-9][0-9]{5}$`)

// faultsOfOrder are those of a body that places an order.
func faultsOfOrder(in fields) (faults []string) {
	if address, given := in["deliveryAddress"].(fields); given {
		if !pincode.MatchString(address["pincode"].(string)) {
			faults = append(faults, "/deliveryAddress/pincode format")
		}
		if strings.TrimSpace(address["name"].(string)) == "" {
			faults = append(faults, "/deliveryAddress/name required")
		}
	}
	if expected, given := in["expectedTotalPaise"].(int64); given && expected < 0 {
		faults = append(faults, "/expectedTotalPaise min")
	}
	return faults
}

// place makes an order of the cart, all of it or nothing.
func (m *model) place(b *modelBuyer, in fields) verdict {
	address := b.address
	if given, ok := in["deliveryAddress"].(fields); ok {
		address = addressView(given)
	}
	switch {
	case address == nil:
		return invalid("no address", []string{"/deliveryAddress required"})
	case len(b.lines) == 0:
		return refuses(409, "cart_empty", "", nil)
	case !b.canOrder():
		return b.cannotOrder()
	}
	if expected, given := in["expectedTotalPaise"].(int64); given && expected != b.sum().subtotal {
		return b.changed()
	}
	slot, outcome := m.firstFree(), "the earliest slot"
	if id, given := in["deliverySlotId"]; given {
		slot, outcome = m.free(id), "a slot of choice"
		if slot == nil {
			return refuses(409, "slot_unavailable", m.whyNot(id), nil)
		}
	}
	if slot == nil {
		return refuses(409, "slot_unavailable", "none is left", nil)
	}
	if limit, per := b.tooMany(slot); limit > 0 {
		return refuses(409, "order_limit", per, fields{"limit": limit, "per": per})
	}
	o := m.take(b, slot, address, in)
	return succeeds(201, outcome, o.view())
}

// tooMany is the limit of orders that a buyer has come to, 0 if there is room
// for one in a slot.
func (b *modelBuyer) tooMany(slot *modelSlot) (limit int, per string) {
	live, here := 0, 0
	for _, o := range b.orders {
		if o.status == "delivered" || o.status == "cancelled" {
			continue
		}
		live++
		if o.slot == slot {
			here++
		}
	}
	switch {
	case live >= 20:
		return 20, "user"
	case here >= 3:
		return 3, "slot"
	}
	return 0, ""
}

// take moves the cart into an order.
func (m *model) take(b *modelBuyer, slot *modelSlot, address, in fields) *modelOrder {
	o := &modelOrder{buyer: b, status: "placed", history: []modelChange{{"placed", &moment{}}}, sums: b.sum(), slot: slot, address: address}
	o.notes, _ = in["notes"].(string)
	for _, l := range b.lines {
		v, p := l.variant, l.variant.product
		o.lines = append(o.lines, &modelOrdered{variant: v, quantity: l.quantity, price: v.price, words: fields{
			"slug": p.slug, "name": p.name, "brand": nothingOr(p.brand), "imageUrl": nothingOr(p.image),
			"sku": v.sku, "label": v.label, "unit": v.unit, "mrpPaise": nothingOr(v.mrp),
		}})
		m.moves(v, "order", -l.quantity, o, b.name, "")
	}
	slot.booked++
	slot.settled = true
	b.version++
	b.address = address
	b.lose(b.lines...)
	b.orders, m.orders = append(b.orders, o), append(m.orders, o)
	return o
}

// cannotOrder names every line that cannot be had.
func (b *modelBuyer) cannotOrder() verdict {
	code, lines := "insufficient_stock", []any{}
	for _, l := range b.lines {
		if l.status() == "ok" {
			continue
		}
		if l.status() == "unavailable" {
			code = "item_unavailable"
		}
		problem := l.problem()
		problem["itemId"] = &l.id
		lines = append(lines, problem)
	}
	return refuses(409, code, "", fields{"lines": lines})
}

// changed returns the present total of the cart.
func (b *modelBuyer) changed() verdict {
	lines := []any{}
	for _, l := range b.lines {
		lines = append(lines, fields{
			"itemId": &l.id, "variantId": &l.variant.id, "quantity": l.quantity,
			"unitPricePaise": l.variant.price, "lineTotalPaise": l.variant.price * l.quantity,
		})
	}
	return refuses(409, "cart_changed", "", fields{"totalPaise": b.sum().subtotal, "lines": lines})
}

// addressView is an address as it is shown: what may be left out is null, and
// a telephone number has its country.
func addressView(given fields) fields {
	view := fields{"line2": nil, "landmark": nil}
	maps.Copy(view, given)
	for name, value := range view {
		if text, ok := value.(string); ok {
			view[name] = strings.TrimSpace(text)
		}
		if view[name] == "" {
			view[name] = nil
		}
	}
	if phone := view["phone"].(string); len(phone) == 10 {
		view["phone"] = "+91" + phone
	}
	return view
}

// readOrder shows an order to its buyer only.
func (m *model) readOrder(b *modelBuyer, o *modelOrder) verdict {
	if why := noOrder(b, o); why != "" {
		return notFound(why)
	}
	return succeeds(200, "", o.view())
}

// noOrder returns why an order is not there for a buyer; empty if it is.
func noOrder(b *modelBuyer, o *modelOrder) string {
	switch {
	case o == nil:
		return "unknown"
	case o.buyer != b:
		return "another's"
	}
	return ""
}

// faultsOfCancel are those of a body that cancels.
func faultsOfCancel(in fields) []string {
	if reason, given := in["reason"].(string); given && len(reason) > 500 {
		return []string{"/reason max"}
	}
	return nil
}

// cancel gives an order's items back, once, and until it is packed.
func (m *model) cancel(b *modelBuyer, o *modelOrder, in fields) verdict {
	if why := noOrder(b, o); why != "" {
		return notFound(why)
	}
	from := []any{"placed", "confirmed"}
	if !slices.Contains(from, any(o.status)) {
		why := "packed or later"
		if o.status == "cancelled" {
			why = "twice"
		}
		return refuses(409, "order_not_cancellable", why, fields{"status": o.status, "cancellableFrom": from})
	}
	reason, _ := in["reason"].(string)
	for _, l := range o.lines {
		m.moves(l.variant, "cancel", l.quantity, o, b.name, reason)
	}
	o.slot.booked--
	outcome := o.status
	o.becomes("cancelled")
	return succeeds(200, outcome, o.view())
}

// step takes an order one action further.
func (m *model) step(o *modelOrder, action string) verdict {
	if o == nil {
		return notFound("")
	}
	allowed := []any{}
	if at := slices.Index(modelWay, o.status); at >= 0 && at < len(modelActions) {
		allowed = append(allowed, modelActions[at])
	}
	if !slices.Contains(allowed, any(action)) {
		return refuses(409, "illegal_transition", o.status, fields{"status": o.status, "allowed": allowed})
	}
	o.becomes(modelWay[slices.Index(modelActions, action)+1])
	return succeeds(200, o.status, o.staffView())
}

func (o *modelOrder) becomes(status string) {
	o.status = status
	o.history = append(o.history, modelChange{status, &moment{}})
}

func (o *modelOrder) view() fields {
	items, history := []any{}, []any{}
	for _, l := range o.lines {
		item := maps.Clone(l.words)
		maps.Copy(item, fields{
			"id": &l.id, "variantId": &l.variant.id, "quantity": l.quantity, "unitPricePaise": l.price, "lineTotalPaise": l.price * l.quantity,
		})
		items = append(items, item)
	}
	var cancelled any
	for _, change := range o.history {
		history = append(history, fields{"status": change.status, "at": change.at})
		if change.status == "cancelled" {
			cancelled = change.at
		}
	}
	return fields{
		"id": &o.id, "number": &o.number, "status": o.status, "canCancel": o.status == "placed" || o.status == "confirmed",
		"placedAt": o.history[0].at, "cancelledAt": cancelled, "items": items, "itemCount": o.sums.units,
		"subtotalPaise": o.sums.subtotal, "savingsPaise": o.sums.savings, "deliveryFeePaise": 0, "totalPaise": o.sums.subtotal,
		"deliverySlot":    fields{"id": &o.slot.id, "startsAt": timeOf(o.slot.start), "endsAt": timeOf(o.slot.end())},
		"deliveryAddress": o.address, "statusHistory": history,
	}
}

func (o *modelOrder) staffView() fields {
	view := o.view()
	view["notes"] = o.notes
	return view
}
