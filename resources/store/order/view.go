package order

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/delivery"
)

// OrderView is an order as its buyer sees it.
type OrderView struct {
	ID               uuid.UUID        `json:"id"`
	Number           string           `json:"number"           doc:"The number of the order for people, in digits and capital letters."`
	Status           Status           `json:"status"           doc:"How far the order has come."`
	CanCancel        bool             `json:"canCancel"        doc:"Whether its buyer may still cancel it."`
	PlacedAt         time.Time        `json:"placedAt"         doc:"When it was placed."`
	CancelledAt      *time.Time       `json:"cancelledAt"      doc:"When it was cancelled; null if it was not."`
	Items            []OrderItemView  `json:"items"            doc:"What was bought, as it was then."`
	ItemCount        int64            `json:"itemCount"        doc:"How many units all items have together." example:"2"`
	SubtotalPaise    int64            `json:"subtotalPaise"    doc:"What the items cost, in paise: 100 are 1 rupee." example:"29800"`
	SavingsPaise     int64            `json:"savingsPaise"     doc:"How much less that is than by list prices, where there were any." example:"3200"`
	DeliveryFeePaise int64            `json:"deliveryFeePaise" doc:"What delivery costs, in paise." example:"0"`
	TotalPaise       int64            `json:"totalPaise"       doc:"What the buyer pays, in paise." example:"29800"`
	DeliverySlot     OrderSlotView    `json:"deliverySlot"     doc:"When it is brought."`
	DeliveryAddress  delivery.Address `json:"deliveryAddress"  doc:"Where it is brought."`
	StatusHistory    []StatusChange   `json:"statusHistory"    doc:"When it came to each status, the first one first."`
}

// OrderItemView is one line of an order, as it was bought.
type OrderItemView struct {
	ID             uuid.UUID      `json:"id"`
	VariantID      uuid.UUID      `json:"variantId"`
	Slug           string         `json:"slug"           doc:"The product's, in addresses." example:"toor-dal"`
	Name           string         `json:"name"           doc:"The product's name." example:"Toor dal"`
	Brand          *string        `json:"brand"          doc:"The brand, or null."`
	ImageURL       *string        `json:"imageUrl"       doc:"The address of its picture, or null."`
	SKU            string         `json:"sku"            doc:"The store's code for the variant." example:"TOOR-1KG"`
	Label          string         `json:"label"          doc:"The size as customers read it." example:"1 kg"`
	Unit           catalogue.Unit `json:"unit"           doc:"What it is measured or counted in." example:"kg"`
	UnitPricePaise int64          `json:"unitPricePaise" doc:"What one cost, in paise: 100 are 1 rupee." example:"14900"`
	MRPPaise       *int64         `json:"mrpPaise"       doc:"The list price of one, in paise; null for none." example:"16500"`
	Quantity       int64          `json:"quantity"       doc:"How many units." example:"2"`
	LineTotalPaise int64          `json:"lineTotalPaise" doc:"What all of them cost, in paise." example:"29800"`
}

// OrderSlotView is the time of an order's delivery.
type OrderSlotView struct {
	ID       uuid.UUID `json:"id"`
	StartsAt time.Time `json:"startsAt" doc:"From when on it is brought."`
	EndsAt   time.Time `json:"endsAt"   doc:"Until when it is brought."`
}

// A StatusChange is when an order came to a status.
type StatusChange struct {
	Status Status    `json:"status" doc:"What the order came to."`
	At     time.Time `json:"at"     doc:"When."`
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

// history lists the statuses that the order came to, the first one first.
func (o *Order) history() []StatusChange {
	all := []StatusChange{{Placed, o.PlacedAt.UTC()}}
	for _, t := range transitions {
		if at := *o.ReachedAt(t.to); at != nil {
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
