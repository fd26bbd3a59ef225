package store_test

import (
	"context"
	"regexp"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/resources/store"
)

// audit checks what must hold whatever was done: of stocks and their log, of
// slots and of sums. It reads the tables themselves.
func (s *site) audit() {
	s.t.Helper()
	s.auditRows()
	s.auditLog()
}

// auditLog: the movements of a variant, in the order of their ids, come to what
// each says.
func (s *site) auditLog() {
	s.t.Helper()
	stock := map[uuid.UUID]int64{}
	for _, m := range all[store.StockMovement](s, "id") {
		if stock[m.VariantID] += m.Delta; stock[m.VariantID] != m.StockAfter {
			s.t.Errorf("after a movement %q of %d there are %d; it says %d", m.Kind, m.Delta, stock[m.VariantID], m.StockAfter)
		}
	}
}

func (s *site) auditRows() {
	s.t.Helper()
	var variants []store.Variant
	var movements []store.StockMovement
	var orders []store.Order
	var items []store.OrderItem
	for _, rows := range []any{&variants, &movements, &orders, &items} {
		s.must(s.db.NewSelect().Model(rows).Scan(context.Background()))
	}
	byID := map[uuid.UUID]store.Order{}
	for _, o := range orders {
		byID[o.ID] = o
	}
	s.auditStocks(variants, movements, items, byID)
	s.auditSums(orders, items)
	s.auditSlots(orders)
	s.auditCards()
}

// auditStocks: a stock is the sum of its movements, and what was ever put there
// is there, or in an order that was not cancelled. A cancelled order gave back
// what it took, once.
func (s *site) auditStocks(variants []store.Variant, movements []store.StockMovement, items []store.OrderItem, orders map[uuid.UUID]store.Order) {
	s.t.Helper()
	moved, set, sold := map[uuid.UUID]int64{}, map[uuid.UUID]int64{}, map[uuid.UUID]int64{}
	type taking struct {
		order, variant uuid.UUID
		kind           store.MovementKind
	}
	taken := map[taking]int64{}
	for _, m := range movements {
		moved[m.VariantID] += m.Delta
		if m.Kind == store.StockSet {
			set[m.VariantID] += m.Delta
			continue
		}
		key := taking{*m.OrderID, m.VariantID, m.Kind}
		if taken[key] != 0 {
			s.t.Errorf("order %s has two movements %q of variant %s", m.OrderID, m.Kind, m.VariantID)
		}
		taken[key] = m.Delta
	}
	for _, item := range items {
		back := int64(0)
		if orders[item.OrderID].Status == store.Cancelled {
			back = item.Quantity
		} else {
			sold[item.VariantID] += item.Quantity
		}
		out := taken[taking{item.OrderID, item.VariantID, store.StockOrdered}]
		if out != -item.Quantity || taken[taking{item.OrderID, item.VariantID, store.StockCancelled}] != back {
			s.t.Errorf("an item of %d, order %s: movements %v", item.Quantity, orders[item.OrderID].Status, taken)
		}
	}
	for _, v := range variants {
		if v.Stock < 0 || v.Stock != moved[v.ID] || set[v.ID] != v.Stock+sold[v.ID] || v.InStock != (v.Stock > 0) {
			s.t.Errorf("stock %d (in stock: %v), movements %d, set %d, in orders %d", v.Stock, v.InStock, moved[v.ID], set[v.ID], sold[v.ID])
		}
	}
}

// crockford is what numbers of orders are made of: no I, L, O or U.
var crockford = regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{8}$`)

// auditSums: a line is its price times its quantity, a total the sum of its
// lines.
func (s *site) auditSums(orders []store.Order, items []store.OrderItem) {
	s.t.Helper()
	subtotal, units := map[uuid.UUID]int64{}, map[uuid.UUID]int64{}
	for _, i := range items {
		if i.LineTotalPaise != i.UnitPricePaise*i.Quantity || i.Quantity < 1 {
			s.t.Errorf("a line of %d at %d is %d", i.Quantity, i.UnitPricePaise, i.LineTotalPaise)
		}
		subtotal[i.OrderID] += i.LineTotalPaise
		units[i.OrderID] += i.Quantity
	}
	numbers := map[string]bool{}
	for _, o := range orders {
		if o.SubtotalPaise != subtotal[o.ID] || o.TotalPaise != o.SubtotalPaise+o.DeliveryFeePaise || o.ItemCount != units[o.ID] || units[o.ID] == 0 {
			s.t.Errorf("order of %d units for %d, its lines %d units for %d", o.ItemCount, o.SubtotalPaise, units[o.ID], subtotal[o.ID])
		}
		numbers[o.Number] = true
		if !crockford.MatchString(o.Number) {
			s.t.Errorf("an order has the number %q", o.Number)
		}
	}
	if len(numbers) != len(orders) {
		s.t.Errorf("%d orders have %d numbers", len(orders), len(numbers))
	}
}

// auditSlots: a slot's bookings are its orders that live, never more than fit.
func (s *site) auditSlots(orders []store.Order) {
	s.t.Helper()
	live := map[uuid.UUID]int64{}
	for _, o := range orders {
		if o.Status != store.Cancelled {
			live[o.SlotID]++
		}
	}
	var slots []store.DeliverySlot
	s.must(s.db.NewSelect().Model(&slots).Scan(context.Background()))
	for _, slot := range slots {
		if slot.Booked != live[slot.ID] || slot.Booked < 0 || slot.Booked > slot.Capacity {
			s.t.Errorf("slot %s: %d booked of %d, %d orders", slot.StartsAt, slot.Booked, slot.Capacity, live[slot.ID])
		}
		delete(live, slot.ID)
	}
	if len(live) > 0 {
		s.t.Errorf("orders in slots that are not there: %v", live)
	}
}

// all are the rows of a table, in an order.
func all[M any](s *site, order string) (rows []M) {
	s.t.Helper()
	s.must(s.db.NewSelect().Model(&rows).OrderExpr("?", bun.Safe(order)).Scan(context.Background()))
	return rows
}
