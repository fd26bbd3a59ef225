package store_test

import (
	"maps"
	"slices"
)

// faultsOfQuantity are those of a body that says how many.
func faultsOfQuantity(in fields) (faults []string) {
	switch quantity, given := in["quantity"].(int64); {
	case given && quantity < 1:
		return []string{"/quantity min"}
	case given && quantity > 50:
		return []string{"/quantity max"}
	}
	return nil
}

// addItem adds to the line of a variant or makes one. Nothing is changed unless
// all of it can be had.
func (m *model) addItem(b *modelBuyer, in fields) verdict {
	v := m.variant(in["variantId"])
	switch {
	case v == nil:
		return refuses(404, "variant_not_found", "unknown", nil)
	case v.archived:
		return refuses(404, "variant_not_found", "archived", nil)
	case !v.product.published:
		return refuses(404, "variant_not_found", "unpublished", nil)
	}
	quantity, outcome := int64(1), "more of a line"
	if given, ok := in["quantity"].(int64); ok {
		quantity = given
	}
	line := b.line(v)
	if line == nil {
		line, outcome = &modelLine{variant: v}, "a new line"
	}
	quantity += line.quantity
	switch {
	case quantity > 50:
		return refuses(409, "quantity_limit", "", fields{"limit": 50})
	case quantity > v.stock:
		return m.tooMany(b, line, quantity)
	}
	if line.quantity == 0 {
		b.lines = append(b.lines, line)
	}
	line.write(quantity)
	b.version++
	return succeeds(201, outcome, m.cartView(b))
}

// write sets the quantity of a line. The present name and price of a variant on sale are
// stored; of another variant nothing changes.
func (l *modelLine) write(quantity int64) {
	l.quantity = quantity
	if l.status() != "unavailable" {
		l.seen, l.mrp, l.words = l.variant.price, l.variant.mrp, l.variant.words()
	}
}

// words are a variant and its product as a cart shows them.
func (v *modelVariant) words() fields {
	p := v.product
	return fields{
		"product": fields{"id": &p.id, "slug": p.slug, "name": p.name, "brand": nothingOr(p.brand), "imageUrl": nothingOr(p.image)},
		"variant": v.summary(),
	}
}

func (b *modelBuyer) line(v *modelVariant) *modelLine {
	for _, l := range b.lines {
		if l.variant == v {
			return l
		}
	}
	return nil
}

// tooMany returns the error for a line whose stock is too small, or that is no longer
// sold.
func (m *model) tooMany(b *modelBuyer, l *modelLine, quantity int64) verdict {
	asked := &modelLine{variant: l.variant, quantity: quantity}
	problem := asked.problem()
	if slices.Contains(b.lines, l) {
		problem["itemId"] = &l.id
	}
	details := fields{"availableQuantity": asked.available(), "lines": []any{problem}}
	if asked.status() == "unavailable" {
		return refuses(409, "item_unavailable", "", details)
	}
	return refuses(409, "insufficient_stock", asked.status(), details)
}

// changeLine sets the quantity of a line. A smaller quantity is always possible.
func (m *model) changeLine(b *modelBuyer, l *modelLine, in fields) verdict {
	if why := m.noLine(b, l); why != "" {
		return notFound(why)
	}
	quantity, outcome := in["quantity"].(int64), "fewer"
	if quantity > l.quantity {
		if (&modelLine{variant: l.variant, quantity: quantity}).status() != "ok" {
			return m.tooMany(b, l, quantity)
		}
		outcome = "more"
	}
	l.write(quantity)
	b.version++
	return succeeds(200, outcome, m.cartView(b))
}

// noLine returns why a line is not there for a buyer; empty if it is.
func (m *model) noLine(b *modelBuyer, l *modelLine) string {
	if slices.Contains(b.lines, l) {
		return ""
	}
	for _, other := range m.buyers {
		switch {
		case slices.Contains(other.lines, l):
			return "another's"
		case slices.Contains(other.gone, l):
			return "gone"
		}
	}
	return "unknown"
}

func (m *model) removeLine(b *modelBuyer, l *modelLine) verdict {
	if why := m.noLine(b, l); why != "" {
		return notFound(why)
	}
	b.lose(l)
	b.version++
	return succeeds(200, "", m.cartView(b))
}

func (m *model) emptyCart(b *modelBuyer) verdict {
	outcome := "of nothing"
	if len(b.lines) > 0 {
		outcome = "of lines"
	}
	b.lose(b.lines...)
	b.version++
	return succeeds(200, outcome, m.cartView(b))
}

// lose takes lines out of the cart.
func (b *modelBuyer) lose(lines ...*modelLine) {
	b.gone = append(b.gone, lines...)
	b.gone = b.gone[max(0, len(b.gone)-10):]
	b.lines = slices.DeleteFunc(slices.Clone(b.lines), func(l *modelLine) bool { return slices.Contains(lines, l) })
}

func (m *model) readCart(b *modelBuyer) verdict {
	outcome := "empty"
	if len(b.lines) > 0 {
		outcome = "with lines"
	}
	return succeeds(200, outcome, m.cartView(b))
}

// status says whether a line can be ordered.
func (l *modelLine) status() string {
	switch {
	case l.variant.archived || !l.variant.product.published:
		return "unavailable"
	case l.variant.stock == 0:
		return "out_of_stock"
	case l.variant.stock < l.quantity:
		return "insufficient_stock"
	}
	return "ok"
}

// available returns how many of the requested items are available.
func (l *modelLine) available() int64 {
	if l.status() == "unavailable" {
		return 0
	}
	return min(l.variant.stock, l.quantity)
}

func (l *modelLine) problem() fields {
	return fields{"variantId": &l.variant.id, "status": l.status(), "availableQuantity": l.available()}
}

// A modelSum is what lines come to.
type modelSum struct{ units, subtotal, savings int64 }

func (b *modelBuyer) sum() (s modelSum) {
	for _, l := range b.lines {
		price, mrp := l.prices()
		s.units += l.quantity
		s.subtotal += l.quantity * price
		if mrp != nil {
			s.savings += l.quantity * (*mrp - price)
		}
	}
	return s
}

// prices are those that a line shows: of now, or of when it was written if it is
// no longer sold.
func (l *modelLine) prices() (price int64, mrp *int64) {
	if l.status() == "unavailable" {
		return l.seen, l.mrp
	}
	return l.variant.price, l.variant.mrp
}

// canOrder: there are lines, and all are ok.
func (b *modelBuyer) canOrder() bool {
	return len(b.lines) > 0 && !slices.ContainsFunc(b.lines, func(l *modelLine) bool { return l.status() != "ok" })
}

func (m *model) cartView(b *modelBuyer) fields {
	items := []any{}
	for _, l := range b.lines {
		items = append(items, l.view())
	}
	s := b.sum()
	var address any
	if b.address != nil {
		address = b.address
	}
	return fields{
		"version": b.version, "items": items, "totalQuantity": s.units, "subtotalPaise": s.subtotal, "savingsPaise": s.savings,
		"deliveryFeePaise": 0, "totalPaise": s.subtotal, "canOrder": b.canOrder(),
		"checkout": fields{"deliverySlots": m.slotViews(), "lastAddress": address},
	}
}

func (l *modelLine) view() fields {
	price, _ := l.prices()
	view := fields{
		"id": &l.id, "quantity": l.quantity, "status": l.status(),
		"unitPricePaise": price, "lineTotalPaise": price * l.quantity, "previousPricePaise": nil,
	}
	words := l.variant.words()
	if l.status() == "unavailable" {
		words = l.words
		words["variant"].(fields)["inStock"] = false
	}
	maps.Copy(view, words)
	if l.seen != price {
		view["previousPricePaise"] = l.seen
	}
	if l.status() != "ok" {
		view["availableQuantity"] = l.available()
	}
	return view
}
