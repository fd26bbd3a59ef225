package store

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
)

// OrderView is an order as its buyer sees it.
type OrderView struct {
	ID               uuid.UUID       `json:"id"`
	Number           string          `json:"number"` // to tell on the telephone: digits and capitals
	Status           Status          `json:"status"`
	CanCancel        bool            `json:"canCancel"`
	PlacedAt         time.Time       `json:"placedAt"`
	CancelledAt      *time.Time      `json:"cancelledAt"`
	Items            []OrderItemView `json:"items"`
	ItemCount        int64           `json:"itemCount"` // units
	SubtotalPaise    int64           `json:"subtotalPaise"`
	SavingsPaise     int64           `json:"savingsPaise"`
	DeliveryFeePaise int64           `json:"deliveryFeePaise"`
	TotalPaise       int64           `json:"totalPaise"`
	DeliverySlot     OrderSlotView   `json:"deliverySlot"`
	DeliveryAddress  Address         `json:"deliveryAddress"`
	StatusHistory    []StatusChange  `json:"statusHistory"` // the first one first
}

// OrderItemView is one line of an order, as it was bought.
type OrderItemView struct {
	ID             uuid.UUID `json:"id"`
	VariantID      uuid.UUID `json:"variantId"`
	Slug           string    `json:"slug"`
	Name           string    `json:"name"`
	Brand          *string   `json:"brand"`
	ImageURL       *string   `json:"imageUrl"`
	SKU            string    `json:"sku"`
	Label          string    `json:"label"`
	Unit           Unit      `json:"unit"`
	UnitPricePaise int64     `json:"unitPricePaise"`
	MRPPaise       *int64    `json:"mrpPaise"`
	Quantity       int64     `json:"quantity"`
	LineTotalPaise int64     `json:"lineTotalPaise"`
}

// OrderSlotView is when an order is brought.
type OrderSlotView struct {
	ID       uuid.UUID `json:"id"`
	StartsAt time.Time `json:"startsAt"`
	EndsAt   time.Time `json:"endsAt"`
}

// A StatusChange tells when an order came to a status.
type StatusChange struct {
	Status Status    `json:"status"`
	At     time.Time `json:"at"`
}

// orderView shows an order whose items are loaded.
func orderView(_ *framework.Call, o *Order) (OrderView, error) {
	slices.SortFunc(o.Items, func(a, b *OrderItem) int { return cmp.Compare(a.Position, b.Position) })
	items := make([]OrderItemView, len(o.Items))
	for i, item := range o.Items {
		items[i] = item.view()
	}
	return OrderView{
		ID: o.ID, Number: o.Number, Status: o.Status, CanCancel: slices.Contains(cancelling.from, o.Status),
		PlacedAt: o.PlacedAt.UTC(), CancelledAt: utc(o.CancelledAt), Items: items,
		ItemCount: o.ItemCount, SubtotalPaise: o.SubtotalPaise, SavingsPaise: o.SavingsPaise,
		DeliveryFeePaise: o.DeliveryFeePaise, TotalPaise: o.TotalPaise,
		DeliverySlot:    OrderSlotView{ID: o.SlotID, StartsAt: o.SlotStartsAt.UTC(), EndsAt: o.SlotEndsAt.UTC()},
		DeliveryAddress: o.Address, StatusHistory: o.history(),
	}, nil
}

func (i *OrderItem) view() OrderItemView {
	return OrderItemView{
		ID: i.ID, VariantID: i.VariantID, Slug: i.Slug, Name: i.Name, Brand: i.Brand, ImageURL: i.ImageURL,
		SKU: i.SKU, Label: i.Label, Unit: i.Unit, UnitPricePaise: i.UnitPricePaise, MRPPaise: i.MRPPaise,
		Quantity: i.Quantity, LineTotalPaise: i.LineTotalPaise,
	}
}

// history is what the order's times tell.
func (o *Order) history() []StatusChange {
	all := []StatusChange{{Placed, o.PlacedAt.UTC()}}
	for _, t := range transitions {
		if at := *t.time(o); at != nil {
			all = append(all, StatusChange{t.to, at.UTC()})
		}
	}
	return all
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	in := t.UTC()
	return &in
}
