package storetest

import (
	"context"
	"regexp"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/delivery"
	"trestle.example/resources/store/order"
)

// Audit checks the invariants of the tables: of stocks and their log, of slots and of
// totals.
func (s *Site) Audit() {
	s.T.Helper()
	s.AuditRows()
	s.auditLog()
}

// auditLog: the movements of a variant, in the order of their ids, come to what
// each says.
func (s *Site) auditLog() {
	s.T.Helper()
	stock := map[uuid.UUID]int64{}
	for _, m := range StoredRows[catalogue.StockMovement](s, "id") {
		if stock[m.VariantID] += m.Delta; stock[m.VariantID] != m.StockAfter {
			s.T.Errorf("after a movement %q of %d there are %d; it says %d", m.Kind, m.Delta, stock[m.VariantID], m.StockAfter)
		}
	}
}

// AuditRows is [Site.Audit] without the log of stocks.
func (s *Site) AuditRows() {
	s.T.Helper()
	var variants []catalogue.Variant
	var movements []catalogue.StockMovement
	var orders []order.Order
	var items []order.OrderItem
	for _, rows := range []any{&variants, &movements, &orders, &items} {
		s.Must(s.DB.NewSelect().Model(rows).Scan(context.Background()))
	}
	byID := map[uuid.UUID]order.Order{}
	for _, o := range orders {
		byID[o.ID] = o
	}
	s.auditStocks(variants, movements, items, byID)
	s.auditSums(orders, items)
	s.auditSlots(orders)
	s.auditCards()
}

// A taking is what an order does to the stock of a variant.
type taking struct {
	order, variant uuid.UUID
	kind           catalogue.MovementKind
}

// auditStocks: a stock is the sum of its movements, and what was ever put there
// is there, or in an order that was not cancelled. A cancelled order gave back
// what it took, once.
func (s *Site) auditStocks(variants []catalogue.Variant, movements []catalogue.StockMovement, items []order.OrderItem, orders map[uuid.UUID]order.Order) {
	s.T.Helper()
	moved, set, sold := map[uuid.UUID]int64{}, map[uuid.UUID]int64{}, map[uuid.UUID]int64{}
	for _, m := range movements {
		moved[m.VariantID] += m.Delta
		if m.Kind == catalogue.StockSet {
			set[m.VariantID] += m.Delta
		}
	}
	taken := s.takings(movements)
	for _, item := range items {
		back := int64(0)
		if orders[item.OrderID].Status == order.Cancelled {
			back = item.Quantity
		} else {
			sold[item.VariantID] += item.Quantity
		}
		out := taken[taking{item.OrderID, item.VariantID, catalogue.StockOrdered}]
		if out != -item.Quantity || taken[taking{item.OrderID, item.VariantID, catalogue.StockCancelled}] != back {
			s.T.Errorf("an item of %d, order %s: movements %v", item.Quantity, orders[item.OrderID].Status, taken)
		}
	}
	for _, v := range variants {
		if v.Stock < 0 || v.Stock != moved[v.ID] || set[v.ID] != v.Stock+sold[v.ID] || v.InStock != (v.Stock > 0) {
			s.T.Errorf("stock %d (in stock: %v), movements %d, set %d, in orders %d", v.Stock, v.InStock, moved[v.ID], set[v.ID], sold[v.ID])
		}
	}
}

// takings returns the movements by orders; each order has one at most.
func (s *Site) takings(movements []catalogue.StockMovement) map[taking]int64 {
	s.T.Helper()
	taken := map[taking]int64{}
	for _, m := range movements {
		if m.Kind == catalogue.StockSet {
			continue
		}
		key := taking{*m.OrderID, m.VariantID, m.Kind}
		if taken[key] != 0 {
			s.T.Errorf("order %s has two movements %q of variant %s", m.OrderID, m.Kind, m.VariantID)
		}
		taken[key] = m.Delta
	}
	return taken
}

// Crockford matches the number of an order: no I, L, O or U.
var Crockford = regexp.MustCompile(`^[0-9A-HJKMNP-TV-Z]{8}$`)

// auditSums: a line is its price times its quantity, a total the sum of its
// lines.
func (s *Site) auditSums(orders []order.Order, items []order.OrderItem) {
	s.T.Helper()
	subtotal, units := map[uuid.UUID]int64{}, map[uuid.UUID]int64{}
	for _, i := range items {
		if i.LineTotalPaise != i.UnitPricePaise*i.Quantity || i.Quantity < 1 {
			s.T.Errorf("a line of %d at %d is %d", i.Quantity, i.UnitPricePaise, i.LineTotalPaise)
		}
		subtotal[i.OrderID] += i.LineTotalPaise
		units[i.OrderID] += i.Quantity
	}
	numbers := map[string]bool{}
	for _, o := range orders {
		if o.SubtotalPaise != subtotal[o.ID] || o.TotalPaise != o.SubtotalPaise+o.DeliveryFeePaise || o.ItemCount != units[o.ID] || units[o.ID] == 0 {
			s.T.Errorf("order of %d units for %d, its lines %d units for %d", o.ItemCount, o.SubtotalPaise, units[o.ID], subtotal[o.ID])
		}
		numbers[o.Number] = true
		if !Crockford.MatchString(o.Number) {
			s.T.Errorf("an order has the number %q", o.Number)
		}
	}
	if len(numbers) != len(orders) {
		s.T.Errorf("%d orders have %d numbers", len(orders), len(numbers))
	}
}

// auditSlots: a slot's bookings are its orders that live, never more than fit.
func (s *Site) auditSlots(orders []order.Order) {
	s.T.Helper()
	live := map[uuid.UUID]int64{}
	for _, o := range orders {
		if o.Status != order.Cancelled {
			live[o.SlotID]++
		}
	}
	var slots []delivery.DeliverySlot
	s.Must(s.DB.NewSelect().Model(&slots).Scan(context.Background()))
	for _, slot := range slots {
		if slot.Booked != live[slot.ID] || slot.Booked < 0 || slot.Booked > slot.Capacity {
			s.T.Errorf("slot %s: %d booked of %d, %d orders", slot.StartsAt, slot.Booked, slot.Capacity, live[slot.ID])
		}
		delete(live, slot.ID)
	}
	if len(live) > 0 {
		s.T.Errorf("orders in slots that are not there: %v", live)
	}
}

// StoredRows is the rows of a table, in an order.
func StoredRows[M any](s *Site, by string) (found []M) {
	s.T.Helper()
	s.Must(s.DB.NewSelect().Model(&found).OrderExpr("?", bun.Safe(by)).Scan(context.Background()))
	return found
}
