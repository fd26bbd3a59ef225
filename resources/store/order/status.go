package order

import (
	"slices"
	"time"

	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/internal/rows"
)

// A transition is a change of an order's status.
type transition struct {
	action string
	from   []Status
	to     Status
	column string // the time of it
}

var (
	confirming  = transition{"confirm", []Status{Placed}, Confirmed, "confirmed_at"}
	packing     = transition{"pack", []Status{Confirmed}, Packed, "packed_at"}
	dispatching = transition{"dispatch", []Status{Packed}, OutForDelivery, "dispatched_at"}
	delivering  = transition{"deliver", []Status{OutForDelivery}, Delivered, "delivered_at"}
	cancelling  = transition{"cancel", []Status{Placed, Confirmed}, Cancelled, "cancelled_at"}
)

// transitions are all changes of status that there are, in their order.
var transitions = []transition{confirming, packing, dispatching, delivering, cancelling}

// ReachedAt points to the time at which the order came to a status, nil as long as it
// has not. Placed has none: the time is PlacedAt.
func (o *Order) ReachedAt(status Status) **time.Time {
	switch status {
	case Confirmed:
		return &o.ConfirmedAt
	case Packed:
		return &o.PackedAt
	case OutForDelivery:
		return &o.DispatchedAt
	case Delivered:
		return &o.DeliveredAt
	case Cancelled:
		return &o.CancelledAt
	}
	return nil
}

// advance changes the status of an order that is locked, and reports whether the
// status allowed it. The statement checks the status itself, so that of two requests
// at the same time one succeeds.
func (t transition) advance(c *framework.Call, o *Order) (bool, error) {
	result, err := c.Session().Exec(c, c.DB.NewUpdate().Table("orders").
		Set("status = ?", sqldb.Param(t.to)).Set("? = ?", bun.Ident(t.column), sqldb.Param(c.Now)).
		Where("id = ?", sqldb.Param(o.ID)).Where("status IN (?)", sqldb.List(t.from)))
	if err != nil {
		return false, err
	}
	changed, err := result.RowsAffected()
	if err != nil || changed == 0 {
		return false, err
	}
	o.Status, *o.ReachedAt(t.to) = t.to, &c.Now
	return true, nil
}

// loadItems reads the items of an order.
func loadItems(c *framework.Call, o *Order) error {
	o.Items = nil
	return rows.Read(c, c.DB.NewSelect().Model(&o.Items).Where("order_id = ?", sqldb.Param(o.ID)).OrderExpr("position"), &o.Items)
}

// allowed lists the actions that staff may take with an order of a status.
func allowed(status Status) []string {
	names := []string{}
	for _, t := range transitions {
		if t.to != Cancelled && slices.Contains(t.from, status) {
			names = append(names, t.action)
		}
	}
	return names
}
