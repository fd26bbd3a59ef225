package store_test

import (
	"maps"
	"slices"

	"trestle.example/resources/store/internal/rows"
	"trestle.example/resources/store/internal/storetest"
)

// anyBuyer draws who buys, now and then staff.
func (x *trial) anyBuyer() *modelBuyer {
	if x.chance(5) {
		return x.model.buyer("staff")
	}
	return one(x.dice, x.buyers()...)
}

// shopper draws a buyer, more often one with something in the cart.
func (x *trial) shopper() *modelBuyer {
	return often(x.dice, x.buyers(), func(b *modelBuyer) bool { return len(b.lines) > 0 })
}

// wanted are the variants in carts.
func (x *trial) wanted() (all []*modelVariant) {
	for _, b := range x.buyers() {
		for _, l := range b.lines {
			all = append(all, l.variant)
		}
	}
	return all
}

func (x *trial) readCart(b *modelBuyer) asking {
	return asking{who: b.name, method: "GET", path: "/api/cart", does: func() verdict { return x.model.readCart(b) }}
}

// addItem draws what to add and how many: what is in the cart already, what
// cannot be had, and more than there are among them.
func (x *trial) addItem() asking {
	b := x.anyBuyer()
	in := fields{"variantId": rows.NewID().String()}
	if all := x.model.variants(); len(all) > 0 && !x.chance(4) {
		v := often(x.dice, all, func(v *modelVariant) bool { return (&modelLine{variant: v, quantity: 1}).status() == "ok" })
		if len(b.lines) > 0 && x.chance(25) {
			v = one(x.dice, b.lines...).variant
		}
		in["variantId"] = v.id.text
		in["quantity"] = one(x.dice, 1, 1, 1, 2, 2, 3, 5, min(v.stock+1, 50), 50)
	}
	switch {
	case x.chance(20):
		delete(in, "quantity")
	case x.chance(4):
		in["quantity"] = one[int64](x.dice, 0, 51, -1)
	}
	return x.keyed(x.adding(b, in))
}

func (x *trial) adding(b *modelBuyer, in fields) asking {
	return asking{
		who: b.name, method: "POST", path: "/api/cart/items", route: "add", body: in,
		faults: func() []string { return faultsOfQuantity(in) }, does: func() verdict { return x.model.addItem(b, in) },
	}
}

// anyLine draws a line of the buyer, of another buyer, a deleted one, or none.
func (x *trial) anyLine(b *modelBuyer) *modelLine {
	other := x.shopper()
	switch n := x.IntN(100); {
	case n < 8 && len(b.gone) > 0:
		return one(x.dice, b.gone...)
	case n < 22 && len(other.lines) > 0:
		return one(x.dice, other.lines...)
	case n < 28 || len(b.lines) == 0:
		return nil
	case n < 45:
		return often(x.dice, b.lines, func(l *modelLine) bool { return l.status() != "ok" })
	}
	return one(x.dice, b.lines...)
}

func linePath(l *modelLine) string {
	if l == nil {
		return pathOf("api", "cart", "items", (*identity)(nil))
	}
	return pathOf("api", "cart", "items", &l.id)
}

func (x *trial) changeLine() asking {
	b := x.shopper()
	l := x.anyLine(b)
	in := fields{"quantity": one[int64](x.dice, 1, 1, 2, 3, 4, 50)}
	if l != nil && (x.chance(30) || l.status() != "ok") {
		in["quantity"] = one(x.dice, min(l.variant.stock+1, 50), min(l.quantity+1, 50), max(1, l.quantity-1))
	}
	if x.chance(5) {
		in["quantity"] = one[int64](x.dice, 0, 51)
	}
	return asking{
		who: b.name, method: "PATCH", path: linePath(l), body: in,
		faults: func() []string { return faultsOfQuantity(in) }, missing: func() string { return x.model.noLine(b, l) },
		does: func() verdict { return x.model.changeLine(b, l, in) },
	}
}

func (x *trial) removeLine() asking {
	b := x.shopper()
	l := x.anyLine(b)
	return asking{who: b.name, method: "DELETE", path: linePath(l), does: func() verdict { return x.model.removeLine(b, l) }}
}

func (x *trial) emptyCart() asking {
	b := x.anyBuyer()
	return asking{who: b.name, method: "DELETE", path: "/api/cart", does: func() verdict { return x.model.emptyCart(b) }}
}

// place draws an order, of a cart that can be ordered or of one that cannot.
func (x *trial) place() asking {
	b := often(x.dice, slices.Concat(x.buyers(), []*modelBuyer{x.anyBuyer()}), (*modelBuyer).canOrder)
	switch n := x.IntN(100); {
	case n < 25:
		b = often(x.dice, x.buyers(), func(b *modelBuyer) bool { return len(b.lines) > 0 && !b.canOrder() })
	case n < 38:
		b = x.model.buyer("staff")
	}
	in := fields{}
	if b.address == nil && !x.chance(20) || x.chance(20) {
		in["deliveryAddress"] = x.anyAddress()
	}
	if x.chance(40) {
		in["expectedTotalPaise"] = b.sum().subtotal + one[int64](x.dice, 0, 0, 0, 0, 1, -1, 100)
	}
	if x.chance(30) {
		in["deliverySlotId"] = x.anySlot()
	}
	if x.chance(20) {
		in["notes"] = one(x.dice, "Ring twice.", "The dog is kind.")
	}
	return x.keyed(x.placing(b, in))
}

func (x *trial) placing(b *modelBuyer, in fields) asking {
	return asking{
		who: b.name, method: "POST", path: "/api/orders", route: "place", body: in,
		faults: func() []string { return faultsOfOrder(in) }, does: func() verdict { return x.model.place(b, in) },
	}
}

// anyAddress draws an address; some are wrong.
func (x *trial) anyAddress() fields {
	a := maps.Clone(storetest.AddressBody())
	maps.Copy(a, one(x.dice, fields{}, fields{"line2": " Flat 3 "}, fields{"line2": "", "landmark": nil}, fields{"phone": "+4915112345678"}, fields{"city": "बेंगलुरु"}))
	if x.chance(8) {
		maps.Copy(a, one(x.dice, fields{"pincode": "060001"}, fields{"name": " "}))
	}
	return a
}

// anySlot draws the id of a slot: an open one, one that is full or closed, or
// one that there is not.
func (x *trial) anySlot() string {
	open := x.model.openSlots()
	slot := one(x.dice, open...)
	switch n := x.IntN(100); {
	case n < 15:
		return rows.NewID().String()
	case n < 35:
		slot = often(x.dice, open, (*modelSlot).full)
	case n < 50:
		slot = often(x.dice, x.model.slots, func(s *modelSlot) bool { return !slices.Contains(open, s) })
	}
	if slot.id.text == "" { // it opened since a cart was read
		return rows.NewID().String()
	}
	return slot.id.text
}

// anyOrder draws an order of the buyer's, more often a late one; or another's,
// or none.
func (x *trial) anyOrder(b *modelBuyer) *modelOrder {
	mine := b.orders[max(0, len(b.orders)-6):]
	switch n := x.IntN(100); {
	case n < 10 && len(x.model.orders) > 0:
		return one(x.dice, x.model.orders...)
	case n < 18 || len(mine) == 0:
		return nil
	case n < 30:
		return one(x.dice, b.orders...)
	}
	return one(x.dice, mine...)
}

func orderPath(root string, o *modelOrder) string {
	if o == nil {
		return root + pathOf((*identity)(nil))
	}
	return root + pathOf(&o.id)
}

func (x *trial) readOrder() asking {
	b := x.anyBuyer()
	o := x.anyOrder(b)
	return asking{who: b.name, method: "GET", path: orderPath("/api/orders", o), does: func() verdict { return x.model.readOrder(b, o) }}
}

func (x *trial) listOrders() asking {
	b, q := x.anyBuyer(), x.anyPage()
	return asking{who: b.name, method: "GET", path: "/api/orders?" + q.query(), faults: q.faults, does: func() verdict { return x.model.listOrders(b, q) }}
}

func (x *trial) cancel() asking {
	b := x.anyBuyer()
	o := x.anyOrder(b)
	in := one(x.dice, fields{}, fields{}, fields{"reason": "Changed my mind."}, fields{"reason": longReason})
	if x.chance(60) {
		delete(in, "reason")
	}
	return x.keyed(asking{
		who: b.name, method: "POST", path: orderPath("/api/orders", o) + "/cancel", route: "cancel", body: in,
		faults: func() []string { return faultsOfCancel(in) }, missing: func() string { return noOrder(b, o) },
		does: func() verdict { return x.model.cancel(b, o, in) },
	})
}
