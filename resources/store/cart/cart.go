package cart

import (
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/delivery"
	"trestle.example/resources/store/internal/rows"
)

// A Cart is a user's one cart; its key is the user's. It is made with the
// first item and emptied, never deleted.
type Cart struct {
	bun.BaseModel `bun:"table:carts"`

	UserID      uuid.UUID         `bun:",pk"`
	Version     int64             // grows with every change
	LastAddress *delivery.Address `bun:"type:jsonb"` // of the latest order
	UpdatedAt   time.Time
}

// CartView is a cart with all that the pages of the cart and of the checkout show, at
// current prices and stocks. Totals include the lines that cannot be ordered, at the
// prices that they show.
type CartView struct {
	Version          int64          `json:"version"          doc:"Grows with every change of the cart; 0 before the first." example:"3"`
	Items            []CartItemView `json:"items"            doc:"The lines, in the order in which they came."`
	TotalQuantity    int64          `json:"totalQuantity"    doc:"How many units all lines have together." example:"2"`
	SubtotalPaise    int64          `json:"subtotalPaise"    doc:"What the lines cost, in paise: 100 are 1 rupee." example:"29800"`
	SavingsPaise     int64          `json:"savingsPaise"     doc:"How much less that is than by list prices, where there are any." example:"3200"`
	DeliveryFeePaise int64          `json:"deliveryFeePaise" doc:"What delivery costs, in paise." example:"0"`
	TotalPaise       int64          `json:"totalPaise"       doc:"What an order would cost now, in paise; expectedTotalPaise of an order names it." example:"29800"`
	CanOrder         bool           `json:"canOrder"         doc:"Whether there are lines, and every one is ok."`
	Checkout         CheckoutView   `json:"checkout"         doc:"What an order needs besides the cart."`
}

// CheckoutView is what placing an order needs besides the cart.
type CheckoutView struct {
	DeliverySlots []delivery.SlotView `json:"deliverySlots" doc:"The slots that take orders now, the earliest first."`
	LastAddress   *delivery.Address   `json:"lastAddress"   doc:"Where the latest order went; null before the first."`
}

// Carts serves /cart.
var Carts = framework.ViewSet[Cart]{
	Name: "cart",
	Doc:  "The caller's one cart, with current prices and stock, and what the checkout needs.",
	Verbs: framework.Verbs{
		Retrieve: framework.Does(showCart).Doc("Get the cart, with current prices and stock, and what the checkout needs."),
		Delete:   framework.Does(emptyCart).Doc("Empty the cart. The empty cart is answered."),
	},
	Scope:  framework.Own((*Cart).user),
	Single: true,
	Slash:  framework.WithoutSlash,
}

func (k *Cart) user() *uuid.UUID { return &k.UserID }

// showCart serves GET /cart. A user without a cart sees an empty one; reading does not
// store it.
func showCart(c *framework.Call, _ framework.None) (CartView, error) {
	b, err := readBasket(c)
	if err != nil {
		return CartView{}, err
	}
	return b.view(c)
}

// emptyCart serves DELETE /cart.
func emptyCart(c *framework.Call, _ framework.None) (CartView, error) {
	b, err := lockBasket(c)
	if err != nil {
		return CartView{}, err
	}
	q := c.DB.NewDelete().Model((*CartItem)(nil)).Where("user_id = ?", sqldb.Param(c.Caller.ID))
	if _, err := c.Session().Exec(c, q); err != nil {
		return CartView{}, err
	}
	return b.view(c)
}

// A basket is the caller's cart as it is read.
type basket struct {
	version     int64
	lastAddress *delivery.Address
	lines       []*Line
}

// lockBasket locks the caller's cart until the transaction ends. It creates the cart if
// it does not exist, and increases its version. It does not read the lines.
func lockBasket(c *framework.Call) (*basket, error) {
	var carts []Cart
	err := rows.Read(c, c.DB.NewRaw(`
		INSERT INTO carts (user_id, version, updated_at) VALUES (?, 1, ?)
		ON CONFLICT (user_id) DO UPDATE SET version = carts.version + 1, updated_at = excluded.updated_at
		RETURNING version, last_address`,
		sqldb.Param(c.Caller.ID), sqldb.Param(c.Now)), &carts)
	if err != nil {
		return nil, err
	}
	return &basket{version: carts[0].Version, lastAddress: carts[0].LastAddress}, nil
}

// loadBasket is lockBasket, and reads the lines too.
func loadBasket(c *framework.Call) (*basket, error) {
	if _, err := lockBasket(c); err != nil {
		return nil, err
	}
	return readBasket(c)
}

// A basketRow is a cart with one of its lines. The columns of the line are null if the
// cart is empty.
type basketRow struct {
	Line `bun:",extend"`

	Version     int64
	LastAddress *delivery.Address `bun:"type:jsonb"`
}

// readBasket reads the caller's cart in one statement.
func readBasket(c *framework.Call) (*basket, error) {
	var found []*basketRow
	err := rows.Read(c, c.DB.NewSelect().
		TableExpr("carts AS c").
		Join("LEFT JOIN cart_items AS i ON i.user_id = c.user_id").
		Join("LEFT JOIN variants AS v ON v.id = i.variant_id").
		Join("LEFT JOIN products AS p ON p.id = v.product_id").
		ColumnExpr("c.version, c.last_address, i.id AS item_id, i.quantity, i.seen_price_paise, i.seen").
		ColumnExpr("?", catalogue.OfferColumns(c.Session().DB())).
		Where("c.user_id = ?", sqldb.Param(c.Caller.ID)).
		OrderExpr("i.id"), &found)
	b := &basket{}
	for _, row := range found {
		b.version, b.lastAddress = row.Version, row.LastAddress
		if row.ItemID == uuid.Nil {
			continue
		}
		if !row.Live {
			row.recall()
		}
		b.lines = append(b.lines, &row.Line)
	}
	return b, err
}

// view is the answer for the basket, with the slots that are open now.
func (b *basket) view(c *framework.Call) (CartView, error) {
	slots, err := delivery.ShowSlots(c)
	if err != nil {
		return CartView{}, err
	}
	items := make([]CartItemView, len(b.lines))
	for i, l := range b.lines {
		items[i] = l.view()
	}
	totals := Sum(b.lines)
	return CartView{
		Version: b.version, Items: items, TotalQuantity: totals.Quantity,
		SubtotalPaise: totals.SubtotalPaise, SavingsPaise: totals.SavingsPaise, DeliveryFeePaise: delivery.FeePaise, TotalPaise: totals.TotalPaise(),
		CanOrder: len(b.lines) > 0 && len(Problems(b.lines)) == 0,
		Checkout: CheckoutView{DeliverySlots: slots, LastAddress: b.lastAddress},
	}, nil
}
