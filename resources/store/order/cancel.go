package order

import (
	"github.com/google/uuid"

	"trestle.example/framework"
	"trestle.example/resources/store/catalogue"
)

// CancelInput is the body of a cancellation.
type CancelInput struct {
	Reason string `json:"reason" validate:"max=500" doc:"The reason, for the store. It is stored with the stock that is returned." example:"Ordered twice"`
}

// CancelDetails are the details of the code order_not_cancellable.
type CancelDetails struct {
	Status          Status   `json:"status"          doc:"What the order's status is." example:"packed"`
	CancellableFrom []Status `json:"cancellableFrom" doc:"The statuses in which it could be."`
}

// cancel serves POST /orders/{id}/cancel: the items return to the stock, even if their
// variants are no longer sold, and the place in the slot is free again.
func cancel(c *framework.Call, o *Order, in CancelInput) (OrderView, error) {
	switch made, err := cancelling.advance(c, o); {
	case err != nil:
		return OrderView{}, err
	case !made:
		return OrderView{}, framework.Conflict(codeOrderNotCancellable, "An order in this status can no longer be cancelled.").
			With(CancelDetails{Status: o.Status, CancellableFrom: cancelling.from})
	}
	if err := loadItems(c, o); err != nil {
		return OrderView{}, err
	}
	if err := restock(c, o, in.Reason); err != nil {
		return OrderView{}, err
	}
	if err := unbook(c, o.SlotID); err != nil {
		return OrderView{}, err
	}
	return orderView(c, o)
}

// restock returns an order's items to the stock.
func restock(c *framework.Call, o *Order, reason string) error {
	back := catalogue.StockChange{Kind: catalogue.StockCancelled, Order: &o.ID, Reason: reason, Deltas: map[uuid.UUID]int64{}}
	var variants []uuid.UUID
	for _, item := range o.Items {
		variants = append(variants, item.VariantID)
		back.Deltas[item.VariantID] += item.Quantity
	}
	offers, err := catalogue.LockOffers(c, c.Session(), variants...)
	if err != nil {
		return err
	}
	return back.Apply(c, offers)
}
