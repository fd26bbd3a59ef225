package store_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"trestle.example/resources/store/cart"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/delivery"
	"trestle.example/resources/store/internal/storetest"
	"trestle.example/resources/store/order"
)

// compareRows compares what is stored with the model: the catalogue, stocks and their
// movements, carts, orders and slots. The site's own audits come first.
func (x *trial) compareRows() {
	x.T.Helper()
	x.Audit()
	x.AuditCatalogue()
	want, got := x.model.rows(), x.stored()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if want[name] != got[name] {
			x.T.Errorf("%s is stored as\n%s; want\n%s", name, got[name], want[name])
		}
		delete(got, name)
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		x.T.Errorf("%s is stored: %s", name, got[name])
	}
	if x.T.Failed() {
		x.T.Fatal(x.story())
	}
}

// rows are what must be stored, each row a line under its name.
func (m *model) rows() map[string]string {
	lines, moved := map[string]string{}, map[string]int{}
	for _, p := range m.products {
		lines["product "+p.id.text] = fmt.Sprintf("%s %s %s, published %v, version %d, changes %d", p.slug, p.name, p.category.slug, p.published, p.version, p.version)
		for i, v := range p.variants {
			lines["variant "+v.id.text] = fmt.Sprintf("%s %s %s of %s at %d: %d, %v, stock %d, archived %v", v.sku, v.label, v.unit, p.id.text, i, v.price, nothingOr(v.mrp), v.stock, v.archived)
		}
	}
	for _, v := range m.movements {
		order := ""
		if v.order != nil {
			order = v.order.id.text
		}
		name := "movement of " + v.variant.id.text
		moved[name]++
		lines[fmt.Sprint(name, " ", moved[name])] = fmt.Sprintf("%s %+d to %d, order %q, by %s, %q", v.kind, v.delta, v.after, order, v.actor, v.reason)
	}
	for _, b := range m.buyers {
		if b.version > 0 {
			lines["cart "+b.name] = fmt.Sprint("version ", b.version)
		}
		for _, l := range b.lines {
			lines["line "+l.id.text] = fmt.Sprintf("%s: %d of %s, seen at %d", b.name, l.quantity, l.variant.id.text, l.seen)
		}
	}
	for _, o := range m.orders {
		lines["order "+o.id.text] = fmt.Sprintf("%s of %s: %s, %d for %d, slot %s, notes %q", o.number.text, o.buyer.name, o.status, o.sums.units, o.sums.subtotal, o.slot.id.text, o.notes)
		for _, l := range o.lines {
			lines["ordered "+l.id.text] = fmt.Sprintf("%d of %s at %d in %s", l.quantity, l.variant.id.text, l.price, o.id.text)
		}
	}
	for _, s := range m.slots {
		if s.booked > 0 {
			lines["slot "+s.id.text] = fmt.Sprintf("%s: %d of %d", timeOf(s.start), s.booked, s.capacity)
		}
	}
	return lines
}

// stored are the rows that there are, written as the model writes its own.
func (x *trial) stored() map[string]string {
	x.T.Helper()
	lines := map[string]string{}
	changes := map[uuid.UUID]int{}
	for _, c := range storetest.StoredRows[catalogue.ProductChange](x.Site, "id") {
		changes[c.ProductID]++
	}
	for _, p := range x.StoredProducts() {
		lines["product "+p.ID.String()] = fmt.Sprintf("%s %s %s, published %v, version %d, changes %d", p.Slug, p.Name, p.Category.Slug, p.Published, p.Version, changes[p.ID])
		for i, v := range p.Variants {
			lines["variant "+v.ID.String()] = fmt.Sprintf("%s %s %s of %s at %d: %d, %v, stock %d, archived %v", v.SKU, v.Label, v.Unit, p.ID, i, v.PricePaise, nothingOr(v.MRPPaise), v.Stock, v.Archived)
		}
	}
	for _, c := range storetest.StoredRows[cart.Cart](x.Site, "user_id") {
		lines["cart "+x.nameOf(c.UserID)] = fmt.Sprint("version ", c.Version)
	}
	for _, i := range storetest.StoredRows[cart.CartItem](x.Site, "id") {
		lines["line "+i.ID.String()] = fmt.Sprintf("%s: %d of %s, seen at %d", x.nameOf(i.UserID), i.Quantity, i.VariantID, i.SeenPricePaise)
	}
	for _, o := range storetest.StoredRows[order.Order](x.Site, "id") {
		lines["order "+o.ID.String()] = fmt.Sprintf("%s of %s: %s, %d for %d, slot %s, notes %q", o.Number, x.nameOf(o.UserID), o.Status, o.ItemCount, o.TotalPaise, o.SlotID, o.Notes)
	}
	for _, i := range storetest.StoredRows[order.OrderItem](x.Site, "id") {
		lines["ordered "+i.ID.String()] = fmt.Sprintf("%d of %s at %d in %s", i.Quantity, i.VariantID, i.UnitPricePaise, i.OrderID)
	}
	for _, s := range storetest.StoredRows[delivery.DeliverySlot](x.Site, "id") {
		if s.Booked > 0 {
			lines["slot "+s.ID.String()] = fmt.Sprintf("%s: %d of %d", timeOf(s.StartsAt), s.Booked, s.Capacity)
		}
	}
	x.storedMovements(lines)
	return lines
}

func (x *trial) storedMovements(lines map[string]string) {
	x.T.Helper()
	moved := map[string]int{}
	for _, v := range storetest.StoredRows[catalogue.StockMovement](x.Site, "id") {
		order := ""
		if v.OrderID != nil {
			order = v.OrderID.String()
		}
		name := "movement of " + v.VariantID.String()
		moved[name]++
		lines[fmt.Sprint(name, " ", moved[name])] = fmt.Sprintf("%s %+d to %d, order %q, by %s, %q", v.Kind, v.Delta, v.StockAfter, order, x.nameOf(v.Actor), v.Reason)
	}
}

// nameOf is the name of a user.
func (x *trial) nameOf(id uuid.UUID) string {
	for _, b := range x.model.buyers {
		if x.PersonOf(b.name).ID == id {
			return b.name
		}
	}
	return "nobody"
}
