package order

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/page"
	"trestle.example/resources/store/cart"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/delivery"
)

// A Status is how far an order has come. Only actions change it.
type Status string

// The statuses of an order, in their order. An order that is placed or confirmed may
// be cancelled instead.
const (
	Placed         Status = "placed"
	Confirmed      Status = "confirmed"
	Packed         Status = "packed"
	OutForDelivery Status = "out_for_delivery"
	Delivered      Status = "delivered"
	Cancelled      Status = "cancelled"
)

// Enum lists the statuses.
func (Status) Enum() []any {
	return []any{Placed, Confirmed, Packed, OutForDelivery, Delivered, Cancelled}
}

// settled are the statuses of orders that are no longer on their way.
var settled = []Status{Delivered, Cancelled}

// An Order is a user's purchase. Its totals, items, address and slot are copies: a
// later change of the catalogue does not change them.
type Order struct {
	bun.BaseModel `bun:"table:orders"`

	ID               uuid.UUID `bun:",pk"`
	UserID           uuid.UUID
	Number           string // unique and random: it does not reveal how many orders there are
	Status           Status
	PlacedAt         time.Time
	ConfirmedAt      *time.Time
	PackedAt         *time.Time
	DispatchedAt     *time.Time
	DeliveredAt      *time.Time
	CancelledAt      *time.Time
	ItemCount        int64 // units
	SubtotalPaise    int64
	SavingsPaise     int64
	DeliveryFeePaise int64
	TotalPaise       int64
	SlotID           uuid.UUID
	SlotStartsAt     time.Time
	SlotEndsAt       time.Time
	Address          delivery.Address `bun:"type:jsonb"`
	Notes            string           // for the delivery; the buyer does not see them

	Items []*OrderItem `bun:"rel:has-many,join:id=order_id"`
}

// An OrderItem is one line of an order.
type OrderItem struct {
	bun.BaseModel `bun:"table:order_items"`

	ID             uuid.UUID `bun:",pk"`
	OrderID        uuid.UUID
	VariantID      uuid.UUID
	ProductID      uuid.UUID
	Position       int64
	Slug           string
	Name           string
	Brand          *string
	ImageURL       *string
	SKU            string `bun:"sku"`
	Label          string
	Unit           catalogue.Unit
	UnitPricePaise int64
	MRPPaise       *int64 `bun:"mrp_paise"`
	Quantity       int64
	LineTotalPaise int64
}

// Orders serves /orders: the caller's own, for staff and superusers too.
var Orders = framework.ViewSet[Order]{
	Name: "orders",
	Doc:  "The caller's orders. A new one is made of the cart.",
	Verbs: framework.Verbs{
		List:     framework.Computes(orderView, "items"),
		Retrieve: framework.Computes(orderView, "items"),
		Create: framework.Does(place).
			Refuses(codeCartEmpty, codeCartChanged, cart.CodeInsufficientStock, cart.CodeItemUnavailable, codeSlotUnavailable, codeOrderLimit).
			Doc("Place an order of everything in the cart. All of it is done, or nothing. The body {} buys the cart at any price: " +
				"send expectedTotalPaise, so that the order is rejected if a price has changed since the customer saw it."),
	},
	Scope:      framework.Own((*Order).user),
	Relations:  framework.Relations{"items": framework.OfRow},
	Models:     []any{(*delivery.DeliverySlot)(nil), (*OrderItem)(nil)},
	Ordering:   framework.Ordering{Default: newestFirst},
	Pagination: page.Screen{},
	Slash:      framework.WithoutSlash,
	Actions: []framework.Action[Order]{
		framework.Post("cancel", cancel).Refuses(codeOrderNotCancellable).
			Doc("Cancel an order that is placed or confirmed. Its items go back to the stock."),
	},
}

const newestFirst = "-placedAt,-id"

func (o *Order) user() *uuid.UUID { return &o.UserID }
