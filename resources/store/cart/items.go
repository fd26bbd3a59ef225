package cart

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/framework"
	"trestle.example/framework/sqldb"
	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/internal/rows"
)

// The limits of a cart. MaxQuantity is also in the tags of the inputs and in a check
// of the table.
const (
	MaxQuantity = 50  // units of one variant
	maxLines    = 100 // variants
)

// A CartItem is one line of a cart: a variant appears in one line only.
type CartItem struct {
	bun.BaseModel `bun:"table:cart_items"`

	ID             uuid.UUID `bun:",pk"`
	UserID         uuid.UUID
	VariantID      uuid.UUID
	Quantity       int64 // 1 to 50
	SeenPricePaise int64 // the price when the user last wrote this line
	Seen           Seen  `bun:"type:jsonb"` // the rest, then
	CreatedAt      time.Time
}

// CartItemInput adds to the cart.
type CartItemInput struct {
	VariantID uuid.UUID `json:"variantId" validate:"required"                 doc:"What to add: the id of a variant."`
	Quantity  int64     `json:"quantity"  validate:"min=1,max=50" default:"1" doc:"How many units, added to those in the cart."`
}

// QuantityInput changes a line.
type QuantityInput struct {
	Quantity int64 `json:"quantity" validate:"required,min=1,max=50" doc:"How many units there shall be." example:"2"`
}

// LineDetails are the details of the codes insufficient_stock and item_unavailable.
type LineDetails struct {
	AvailableQuantity *int64        `json:"availableQuantity,omitempty" doc:"How many can be had of the line that was to be written; absent if an order was to be placed." example:"1"`
	Lines             []LineProblem `json:"lines"                       doc:"Every line that cannot be had as it is."`
}

// LimitDetails are the details of the code quantity_limit.
type LimitDetails struct {
	Limit int64 `json:"limit" doc:"The number that would be passed." example:"50"`
}

// CartItems serves /cart/items. Every write answers the whole cart.
//
// A line is locked through its cart, which every write locks first, so the
// functions begin their transactions themselves.
var CartItems = framework.ViewSet[CartItem]{
	Name:  "items",
	Under: "cart",
	Doc:   "The lines of the caller's cart. Every write answers the whole cart.",
	Verbs: framework.Verbs{
		Create: framework.Does(addItem).Answers(http.StatusCreated).
			Refuses(codeVariantNotFound, codeQuantityLimit, CodeInsufficientStock).
			Sends(framework.Header{Name: "Location", Doc: "The address of the item in the cart, for PATCH and DELETE.", Required: true}).
			Doc("Add to the cart. Of a variant that is in it already there are more then; the whole cart is answered."),
		Patch: framework.Changes(changeItem).Untransacted().Refuses(CodeInsufficientStock, CodeItemUnavailable).
			Doc("Change how many of an item are in the cart. The whole cart is answered."),
		Delete: framework.Changes(removeItem).Untransacted().
			Doc("Remove an item from the cart. The whole cart is answered."),
	},
	Scope: framework.Own((*CartItem).user),
	Slash: framework.WithoutSlash,
}

func (i *CartItem) user() *uuid.UUID { return &i.UserID }

// addItem serves POST /cart/items. If the variant is in the cart already, its quantity
// grows.
func addItem(c *framework.Call, in CartItemInput) (CartView, error) {
	b, err := loadBasket(c)
	if err != nil {
		return CartView{}, err
	}
	l, err := b.lineOf(c, in.VariantID)
	if err != nil {
		return CartView{}, err
	}
	l.Quantity += in.Quantity
	l.SeenPricePaise = l.PricePaise
	switch {
	case l.Quantity > MaxQuantity:
		return CartView{}, overLimit("A cart takes at most %d of one variant.", MaxQuantity)
	case len(b.lines) > maxLines:
		return CartView{}, overLimit("A cart takes at most %d variants.", maxLines)
	case l.Status() != LineOK:
		return CartView{}, tooMany(l)
	}
	if err := storeLine(c, l); err != nil {
		return CartView{}, err
	}
	c.Header().Set("Location", c.URL("/cart/items/"+l.ItemID.String()))
	return b.view(c)
}

// lineOf is the line of a variant, a new and empty one if the cart has none.
func (b *basket) lineOf(c *framework.Call, variant uuid.UUID) (*Line, error) {
	for _, l := range b.lines {
		if l.ID == variant {
			return l, l.checkSold()
		}
	}
	var found []*Line
	err := rows.Read(c, c.DB.NewSelect().
		TableExpr("variants AS v").Join("JOIN products AS p ON p.id = v.product_id").
		ColumnExpr("?", catalogue.OfferColumns(c.Session().DB())).Where("v.id = ?", sqldb.Param(variant)), &found)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, noVariant()
	}
	b.lines = append(b.lines, found[0])
	return found[0], found[0].checkSold()
}

// checkSold is an error if the line is no longer sold.
func (l *Line) checkSold() error {
	if l.Live {
		return nil
	}
	return noVariant()
}

func noVariant() error {
	return framework.Refuse(http.StatusNotFound, codeVariantNotFound, "There is no such variant, or it is no longer sold.")
}

// storeLine writes a line as it is now.
func storeLine(c *framework.Call, l *Line) error {
	if l.ItemID != uuid.Nil {
		_, err := c.Session().Exec(c, c.DB.NewUpdate().Table("cart_items").
			Set("quantity = ?", sqldb.Param(l.Quantity)).Set("seen_price_paise = ?", sqldb.Param(l.SeenPricePaise)).
			Set("seen = ?", sqldb.Param(SeenNow(&l.Offer))).Where("id = ?", sqldb.Param(l.ItemID)))
		return err
	}
	l.ItemID = rows.NewID()
	return rows.Insert(c, &CartItem{
		ID: l.ItemID, UserID: framework.IDOf[uuid.UUID](c), VariantID: l.ID, Quantity: l.Quantity,
		SeenPricePaise: l.SeenPricePaise, Seen: SeenNow(&l.Offer), CreatedAt: c.Now,
	})
}

// changeItem serves PATCH /cart/items/{id}. A smaller quantity is always allowed, even
// if it exceeds the stock. Without a quantity nothing changes: the quantity in the
// input is then the one that was read before the cart was locked.
func changeItem(c *framework.Call, item *CartItem, in QuantityInput) (CartView, error) {
	if !c.Has("quantity") {
		return showCart(c, framework.None{})
	}
	return onItem(c, item, func(c *framework.Call, _ *basket, l *Line) error {
		more := in.Quantity > l.Quantity
		l.Quantity, l.SeenPricePaise = in.Quantity, l.PricePaise
		if more && l.Status() != LineOK {
			return tooMany(l)
		}
		return storeLine(c, l)
	})
}

// removeItem serves DELETE /cart/items/{id}.
func removeItem(c *framework.Call, item *CartItem, _ framework.None) (CartView, error) {
	return onItem(c, item, func(c *framework.Call, b *basket, l *Line) error {
		b.lines = slices.DeleteFunc(b.lines, func(other *Line) bool { return other == l })
		_, err := c.Session().Exec(c, c.DB.NewDelete().Table("cart_items").Where("id = ?", sqldb.Param(l.ItemID)))
		return err
	})
}

// onItem locks the cart, runs fn with a line of it, and answers with the cart. The item
// was read before the lock, so that another request may have removed it.
func onItem(c *framework.Call, item *CartItem, fn func(*framework.Call, *basket, *Line) error) (view CartView, err error) {
	err = c.InTx(func(c *framework.Call) error {
		b, err := loadBasket(c)
		if err != nil {
			return err
		}
		for _, l := range b.lines {
			if l.ItemID == item.ID {
				if err := fn(c, b, l); err != nil {
					return err
				}
				view, err = b.view(c)
				return err
			}
		}
		return framework.NotFound()
	})
	return view, err
}

// tooMany is the error for a line with more than the stock has, or that is
// no longer sold.
func tooMany(l *Line) error {
	available := l.available()
	details := LineDetails{AvailableQuantity: &available, Lines: []LineProblem{l.problem()}}
	return RefuseLines(details)
}

// RefuseLines is the error for lines that cannot be ordered: item_unavailable if one
// of them is no longer sold, else insufficient_stock.
func RefuseLines(details LineDetails) error {
	for _, p := range details.Lines {
		if p.Status == LineUnavailable {
			return framework.Conflict(CodeItemUnavailable, "Something is no longer sold; details names it.").With(details)
		}
	}
	return framework.Conflict(CodeInsufficientStock, "The stock is less than the requested quantity; details names the lines.").With(details)
}

func overLimit(format string, limit int64) error {
	return framework.Conflict(codeQuantityLimit, fmt.Sprintf(format, limit)).With(LimitDetails{limit})
}
