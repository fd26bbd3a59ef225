package order

import (
	"crypto/rand"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/cart"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/delivery"
	"trestle.example/resources/store/internal/rows"
)

// PlaceOrderInput makes an order of the cart.
type PlaceOrderInput struct {
	DeliveryAddress    *delivery.Address `json:"deliveryAddress"    doc:"Defaults to that of the latest order."`
	DeliverySlotID     *uuid.UUID        `json:"deliverySlotId"     doc:"Defaults to the earliest open slot that has room. If this user has no order left in that slot, the answer is 409 order_limit; name another slot then." example:"null"`
	ExpectedTotalPaise *int64            `json:"expectedTotalPaise" validate:"min=0" doc:"The totalPaise of the cart that the customer saw. If the cart costs anything else now, nothing is ordered (cart_changed). If it is absent or null, the cart is ordered at any price." example:"29800"`
	Notes              *string           `json:"notes"              validate:"max=500" doc:"Notes for the delivery." example:"Ring twice."`
}

// CartChangedDetails are the details of the code cart_changed: what the cart costs
// now.
type CartChangedDetails struct {
	TotalPaise int64        `json:"totalPaise" doc:"What the cart costs now, in paise: 100 are 1 rupee." example:"29800"`
	Lines      []PricedLine `json:"lines"      doc:"Its lines at their prices now."`
}

// A PricedLine is a line of a cart at its current price.
type PricedLine struct {
	ItemID         uuid.UUID `json:"itemId"`
	VariantID      uuid.UUID `json:"variantId"`
	Quantity       int64     `json:"quantity"       doc:"How many units." example:"2"`
	UnitPricePaise int64     `json:"unitPricePaise" doc:"What one costs, in paise." example:"14900"`
	LineTotalPaise int64     `json:"lineTotalPaise" doc:"What all of them cost, in paise." example:"29800"`
}

// place serves POST /orders in one transaction, which locks the cart, then the
// variants, then the slot. Most orders wait for each other at the slot, so only
// statements that need it follow.
func place(c *framework.Call, in PlaceOrderInput) (OrderView, error) {
	return placeNumbered(c, in, newNumber)
}

// placeNumbered is place with a function that draws numbers until one is free.
func placeNumbered(c *framework.Call, in PlaceOrderInput, number func() string) (OrderView, error) {
	address, err := claimCart(c, in.DeliveryAddress)
	if err != nil {
		return OrderView{}, err
	}
	lines, offers, err := takeLines(c)
	if err != nil {
		return OrderView{}, err
	}
	if err := checkLines(lines, in.ExpectedTotalPaise); err != nil {
		return OrderView{}, err
	}
	o := New(c, lines)
	o.Address, o.Notes = *address, rows.OrBlank(in.Notes)
	sold, err := o.sale().ApplyUnrecorded(c, offers)
	if err != nil {
		return OrderView{}, err
	}
	slot, err := book(c, in.DeliverySlotID)
	if err != nil {
		return OrderView{}, err
	}
	o.SetSlot(slot)
	if err := storeOrder(c, o, number); err != nil {
		return OrderView{}, err
	}
	if err := rows.Insert(c, sold...); err != nil {
		return OrderView{}, err
	}
	return orderView(c, o)
}

// sale is the change of stocks by the order. A variant is in one line of a cart only.
func (o *Order) sale() catalogue.StockChange {
	sold := catalogue.StockChange{Kind: catalogue.StockOrdered, Order: &o.ID, Deltas: map[uuid.UUID]int64{}}
	for _, item := range o.Items {
		sold.Deltas[item.VariantID] = -item.Quantity
	}
	return sold
}

// SetSlot sets when the order is delivered.
func (o *Order) SetSlot(slot *delivery.DeliverySlot) {
	o.SlotID, o.SlotStartsAt, o.SlotEndsAt = slot.ID, slot.StartsAt, slot.EndsAt
}

// claimCart locks the caller's cart until the transaction ends, and returns the
// delivery address: the given one, which the cart keeps for the next order, or that of
// the latest order.
func claimCart(c *framework.Call, address *delivery.Address) (*delivery.Address, error) {
	var text *string
	if address != nil {
		encoded, err := json.Marshal(address.Tidy())
		if err != nil {
			return nil, err
		}
		asText := string(encoded)
		text = &asText
	}
	var carts []cart.Cart
	err := rows.Read(c, c.DB.NewUpdate().Model((*cart.Cart)(nil)).
		Set("version = version + 1").Set("updated_at = ?", sqldb.Param(c.Now)).
		Set("last_address = COALESCE(?, last_address)", sqldb.Param(text)).
		Where("user_id = ?", sqldb.Param(c.Caller.ID)).Returning("last_address"), &carts)
	switch {
	case err != nil:
		return nil, err
	case address == nil && (len(carts) == 0 || carts[0].LastAddress == nil):
		return nil, framework.Invalid(framework.Fault{
			Pointer: "/deliveryAddress", Code: "required", Detail: "is needed: there is no earlier order whose address could be used",
		})
	case len(carts) == 0:
		return nil, emptied()
	}
	return carts[0].LastAddress, nil
}

func emptied() error {
	return framework.Conflict(codeCartEmpty, "The cart is empty; perhaps it was ordered already.")
}

// takeLines empties the cart, and locks the variants of its lines.
func takeLines(c *framework.Call) ([]*cart.Line, catalogue.Offers, error) {
	var items []*cart.CartItem
	taken := c.DB.NewDelete().Model((*cart.CartItem)(nil)).Where("user_id = ?", sqldb.Param(c.Caller.ID)).Returning("?Columns")
	if err := rows.Read(c, taken, &items); err != nil {
		return nil, nil, err
	}
	if len(items) == 0 {
		return nil, nil, emptied()
	}
	slices.SortFunc(items, func(a, b *cart.CartItem) int { return rows.CompareIDs(a.ID, b.ID) })
	ids := make([]uuid.UUID, len(items))
	for i, item := range items {
		ids[i] = item.VariantID
	}
	offers, err := catalogue.LockOffers(c, c.Session(), ids...)
	if err != nil {
		return nil, nil, err
	}
	lines := make([]*cart.Line, len(items))
	for i, item := range items {
		lines[i] = &cart.Line{Offer: *offers[item.VariantID], ItemID: item.ID, Quantity: item.Quantity, SeenPricePaise: item.SeenPricePaise}
	}
	return lines, offers, nil
}

// checkLines is an error that lists every line that cannot be ordered, or gives the
// total if it is not the one that the buyer expects.
func checkLines(lines []*cart.Line, expected *int64) error {
	if bad := cart.Problems(lines); len(bad) > 0 {
		return cart.RefuseLines(cart.LineDetails{Lines: bad})
	}
	total := cart.Sum(lines).TotalPaise()
	if expected == nil || *expected == total {
		return nil
	}
	details := CartChangedDetails{TotalPaise: total}
	for _, l := range lines {
		details.Lines = append(details.Lines, PricedLine{
			ItemID: l.ItemID, VariantID: l.ID, Quantity: l.Quantity, UnitPricePaise: l.PricePaise, LineTotalPaise: l.TotalPaise(),
		})
	}
	return framework.Conflict(codeCartChanged, "The cart comes to another total than expected; details has the current one.").With(details)
}

// New is an order of lines at their current prices, with a new id. Its number, slot
// and address are still to be set.
func New(c *framework.Call, lines []*cart.Line) *Order {
	totals := cart.Sum(lines)
	o := &Order{
		ID: rows.NewID(), UserID: framework.IDOf[uuid.UUID](c), Status: Placed, PlacedAt: c.Now,
		ItemCount: totals.Quantity, SubtotalPaise: totals.SubtotalPaise, SavingsPaise: totals.SavingsPaise,
		DeliveryFeePaise: delivery.FeePaise, TotalPaise: totals.TotalPaise(),
	}
	for i, l := range lines {
		o.Items = append(o.Items, &OrderItem{
			ID: rows.NewID(), OrderID: o.ID, VariantID: l.ID, ProductID: l.ProductID, Position: int64(i),
			Slug: l.Slug, Name: l.Name, Brand: l.Brand, ImageURL: l.Image, SKU: l.SKU, Label: l.Label, Unit: l.Unit,
			UnitPricePaise: l.PricePaise, MRPPaise: l.MRPPaise, Quantity: l.Quantity, LineTotalPaise: l.TotalPaise(),
		})
	}
	return o
}

// storeOrder stores an order and its items, under the first number that no
// other order has.
func storeOrder(c *framework.Call, o *Order, number func() string) error {
	for stored := int64(0); stored == 0; {
		o.Number = number()
		var err error
		if stored, err = rows.InsertUnless(c, "number", o); err != nil {
			return err
		}
	}
	return rows.Insert(c, o.Items...)
}

// newNumber draws eight characters of Crockford's base 32, which leaves out I, L, O and
// U, because people confuse them with others.
func newNumber() string {
	const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	number := make([]byte, 8)
	_, _ = rand.Read(number) // it does not fail
	for i, drawn := range number {
		number[i] = alphabet[drawn%32] // 32 divides 256, so all characters are equally likely
	}
	return string(number)
}
