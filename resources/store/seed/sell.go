package seed

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/delivery"
	"trestle.example/resources/store/internal/rows"
	"trestle.example/resources/store/order"
)

// sell makes the carts and the orders of the customers.
func (s *seeding) sell(ctx context.Context) error {
	if len(s.Customers) == 0 {
		return nil
	}
	baskets, err := s.openCarts(ctx)
	if err != nil {
		return err
	}
	drafts, err := s.newDrafts(ctx)
	if err != nil {
		return err
	}
	m := market{drafts: drafts}
	if m.offers, err = s.lock(ctx, append(baskets, wanted(drafts)...)); err != nil {
		return err
	}
	if m.room, err = s.lockSlots(ctx, drafts); err != nil {
		return err
	}
	m.trade(ctx)
	if err := s.fillCart(ctx, baskets, m.offers); err != nil {
		return err
	}
	return s.storeSales(ctx, &m)
}

// newDrafts lists the orders that are not stored yet.
func (s *seeding) newDrafts(ctx context.Context) (drafts []*draft, err error) {
	var ids []uuid.UUID
	for customer := range s.Customers {
		for n := range orderStatuses {
			d := s.draft(customer, n)
			drafts, ids = append(drafts, d), append(ids, d.ID)
		}
	}
	var known []*order.Order
	q := s.IDB().NewSelect().Model((*order.Order)(nil)).Column("id").Where("id IN (?)", sqldb.List(ids))
	if err := rows.ReadIn(ctx, s.Session, q, &known); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(drafts, func(d *draft) bool {
		return slices.ContainsFunc(known, func(o *order.Order) bool { return o.ID == d.ID })
	}), nil
}

// lock locks the variants of wishes, and their products.
func (s *seeding) lock(ctx context.Context, wishes []wish) (catalogue.Offers, error) {
	var ids []uuid.UUID
	for _, w := range wishes {
		ids = append(ids, w.variant)
	}
	return catalogue.LockOffers(ctx, s.Session, ids...)
}

// wanted lists the variants of drafts, each once.
func wanted(drafts []*draft) []wish {
	all := map[uuid.UUID]wish{}
	for _, d := range drafts {
		for _, w := range d.wishes {
			all[w.variant] = w
		}
	}
	return slices.Collect(maps.Values(all))
}

// lockSlots locks the slots of drafts, and returns how many places each has left.
func (s *seeding) lockSlots(ctx context.Context, drafts []*draft) (map[uuid.UUID]int64, error) {
	room := map[uuid.UUID]int64{}
	for _, d := range drafts {
		room[d.slot.ID] = d.slot.Capacity
	}
	var known []*delivery.DeliverySlot
	q := s.IDB().NewSelect().Model((*delivery.DeliverySlot)(nil)).
		Where("id IN (?)", sqldb.List(slices.Collect(maps.Keys(room)))).OrderExpr("id")
	if err := rows.ReadIn(ctx, s.Session, s.DB().Kind().ForUpdate(q), &known); err != nil {
		return nil, err
	}
	for _, slot := range known {
		room[slot.ID] = slot.Capacity - slot.Booked
	}
	return room, nil
}

// A market is the stock and the free places of slots, and what became of the drafts.
type market struct {
	drafts []*draft
	offers catalogue.Offers
	room   map[uuid.UUID]int64 // of slots

	orders    []*order.Order
	items     []*order.OrderItem
	movements []*catalogue.StockMovement
	slots     map[uuid.UUID]*delivery.DeliverySlot // with the new bookings alone
	moved     map[uuid.UUID]bool                   // variants
}

// An event is an order that was placed or cancelled.
type event struct {
	at   time.Time
	kind catalogue.MovementKind
	*draft
}

// trade places and cancels the orders, in the order of time.
func (m *market) trade(ctx context.Context) {
	m.slots, m.moved = map[uuid.UUID]*delivery.DeliverySlot{}, map[uuid.UUID]bool{}
	var events []event
	for _, d := range m.drafts {
		events = append(events, event{d.PlacedAt, catalogue.StockOrdered, d})
		if d.CancelledAt != nil {
			events = append(events, event{*d.CancelledAt, catalogue.StockCancelled, d})
		}
	}
	slices.SortFunc(events, func(a, b event) int { return cmp.Or(a.at.Compare(b.at), rows.CompareIDs(a.ID, b.ID)) })
	for _, e := range events {
		switch {
		case e.kind == catalogue.StockCancelled:
			m.move(e, 2*maxItems)
		case m.room[e.slot.ID] > 0 && e.fill(ctx, m.offers):
			m.orders, m.items = append(m.orders, e.Order), append(m.items, e.Items...)
			m.book(e)
			m.move(e, maxItems)
		}
	}
}

// book books a place in the order's slot, unless the order will be cancelled.
func (m *market) book(e event) {
	slot := m.slots[e.slot.ID]
	if slot == nil {
		slot = &e.slot
		m.slots[slot.ID] = slot
	}
	if e.Status != order.Cancelled {
		slot.Booked++
		m.room[slot.ID]--
	}
}

// move changes the stocks of an order's items. The ids of the movements count up from
// kin, so that movements are in the order of their ids.
func (m *market) move(e event, kin int) {
	for i, item := range e.Items {
		row, delta := m.offers[item.VariantID], item.Quantity
		if e.kind == catalogue.StockOrdered {
			delta = -delta
		}
		row.Stock += delta
		row.InStock = row.Stock > 0
		m.moved[row.ID] = true
		m.movements = append(m.movements, &catalogue.StockMovement{
			ID: relatedID(idAt(e.ID, e.at), kin+1+i), VariantID: row.ID, Kind: e.kind, Delta: delta, StockAfter: row.Stock,
			OrderID: &e.ID, Actor: e.UserID, Reason: e.said(), CreatedAt: e.at,
		})
	}
}

// said returns the reason of a cancellation, or "" for other events.
func (e event) said() string {
	if e.kind == catalogue.StockCancelled {
		return e.reason
	}
	return ""
}

// storeSales stores what became of the drafts.
func (s *seeding) storeSales(ctx context.Context, m *market) error {
	slots := slices.SortedFunc(maps.Values(m.slots), func(a, b *delivery.DeliverySlot) int { return rows.CompareIDs(a.ID, b.ID) })
	const more = " ON CONFLICT (id) DO UPDATE SET booked = delivery_slots.booked + excluded.booked"
	if err := rows.InsertIn(ctx, s.Session, more, slots...); err != nil {
		return err
	}
	if err := rows.InsertIn(ctx, s.Session, "", m.orders...); err != nil {
		return err
	}
	if err := rows.InsertIn(ctx, s.Session, "", m.items...); err != nil {
		return err
	}
	if err := rows.InsertIn(ctx, s.Session, "", m.movements...); err != nil {
		return err
	}
	return s.storeStocks(ctx, m)
}

// storeStocks stores the changed stocks, and the columns that products copy of them.
func (s *seeding) storeStocks(ctx context.Context, m *market) error {
	if len(m.moved) == 0 {
		return nil
	}
	ids := slices.SortedFunc(maps.Keys(m.moved), rows.CompareIDs)
	products := map[uuid.UUID]bool{}
	for _, id := range ids {
		products[m.offers[id].ProductID] = true
	}
	q := s.IDB().NewUpdate().Table("variants").Where("id IN (?)", sqldb.List(ids))
	q = q.Set("stock = ?", sqldb.Choose("stock", "id", ids, func(id uuid.UUID) any { return m.offers[id].Stock }))
	q = q.Set("in_stock = ?", sqldb.Choose("in_stock", "id", ids, func(id uuid.UUID) any { return m.offers[id].InStock }))
	if _, err := s.Exec(ctx, q); err != nil {
		return err
	}
	return catalogue.ChooseCheapest(ctx, s.Session, slices.Collect(maps.Keys(products))...)
}
