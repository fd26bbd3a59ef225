package store

import "github.com/google/uuid"

// deliveryFeePaise is what delivery costs: nothing.
const deliveryFeePaise = 0

// A LineStatus says whether a line of a cart can be ordered.
type LineStatus string

// A line is ok; or there is some stock, but not enough; or none; or the product
// is no longer sold.
const (
	LineOK                LineStatus = "ok"
	LineInsufficientStock LineStatus = "insufficient_stock"
	LineOutOfStock        LineStatus = "out_of_stock"
	LineUnavailable       LineStatus = "unavailable"
)

// Enum lists the statuses.
func (LineStatus) Enum() []any {
	return []any{LineOK, LineInsufficientStock, LineOutOfStock, LineUnavailable}
}

// A line is an item of a cart with what it asks for, as it is now, or as the
// user last saw it if it is no longer sold.
type line struct {
	offer `bun:",extend"`

	ItemID         uuid.UUID
	Quantity       int64
	SeenPricePaise int64
	Seen           *Seen `bun:"type:jsonb"`
}

// Seen is what a user saw of a variant and its product when they last wrote a
// line of it, besides the price.
type Seen struct {
	Slug     string  `json:"slug"`
	Name     string  `json:"name"`
	Brand    *string `json:"brand"`
	Image    *string `json:"image"`
	SKU      string  `json:"sku"`
	Label    string  `json:"label"`
	Unit     Unit    `json:"unit"`
	MRPPaise *int64  `json:"mrpPaise"`
}

// sight is what a user sees of a variant now.
func (o *offer) sight() Seen {
	return Seen{
		Slug: o.Slug, Name: o.Name, Brand: o.Brand, Image: o.Image,
		SKU: o.SKU, Label: o.Label, Unit: o.Unit, MRPPaise: o.MRPPaise,
	}
}

// recall makes a line that is no longer sold what the user saw of it, without
// stock: what staff change meanwhile is not public.
func (l *line) recall() {
	s := l.Seen
	l.Slug, l.Name, l.Brand, l.Image = s.Slug, s.Name, s.Brand, s.Image
	l.SKU, l.Label, l.Unit, l.MRPPaise = s.SKU, s.Label, s.Unit, s.MRPPaise
	l.PricePaise, l.Stock, l.InStock = l.SeenPricePaise, 0, false
}

// CartItemView is a line of a cart. One that is unavailable shows its product,
// variant and price as they were when the user last wrote the line.
type CartItemView struct {
	ID                 uuid.UUID       `json:"id"`
	Quantity           int64           `json:"quantity"                    doc:"How many units." example:"2"`
	Product            CartProductView `json:"product"                     doc:"What it is a size of."`
	Variant            VariantSummary  `json:"variant"                     doc:"Which size."`
	UnitPricePaise     int64           `json:"unitPricePaise"              doc:"What an order would charge for one now, in paise: 100 are 1 rupee." example:"14900"`
	PreviousPricePaise *int64          `json:"previousPricePaise"          doc:"What one cost when the user last wrote the line; null if that is the same." example:"14500"`
	LineTotalPaise     int64           `json:"lineTotalPaise"              doc:"What the line costs, in paise." example:"29800"`
	Status             LineStatus      `json:"status"                      doc:"Whether the line can be ordered as it is."`
	AvailableQuantity  *int64          `json:"availableQuantity,omitempty" doc:"How many of these can be had; absent where the status is ok." example:"1"`
}

// CartProductView is a product as a line of a cart shows it.
type CartProductView struct {
	ID       uuid.UUID `json:"id"`
	Slug     string    `json:"slug"     doc:"In addresses." example:"toor-dal"`
	Name     string    `json:"name"     doc:"What the product is called." example:"Toor dal"`
	Brand    *string   `json:"brand"    doc:"Who makes it; null for nobody in particular." example:"Annam"`
	ImageURL *string   `json:"imageUrl" doc:"Where its picture lies; null for none." example:"https://images.example.org/toor.webp"`
}

func (l *line) view() CartItemView {
	v := CartItemView{
		ID: l.ItemID, Quantity: l.Quantity,
		Product: CartProductView{ID: l.ProductID, Slug: l.Slug, Name: l.Name, Brand: l.Brand, ImageURL: l.Image},
		Variant: l.summary(), UnitPricePaise: l.PricePaise, LineTotalPaise: l.total(), Status: l.status(),
	}
	if l.SeenPricePaise != l.PricePaise {
		v.PreviousPricePaise = &l.SeenPricePaise
	}
	if v.Status != LineOK {
		available := l.available()
		v.AvailableQuantity = &available
	}
	return v
}

func (l *line) status() LineStatus {
	switch {
	case !l.Live:
		return LineUnavailable
	case l.Stock == 0:
		return LineOutOfStock
	case l.Stock < l.Quantity:
		return LineInsufficientStock
	}
	return LineOK
}

// available is how many of those that were asked for can be had: more of the
// stock is not told.
func (l *line) available() int64 {
	if !l.Live {
		return 0
	}
	return min(l.Stock, l.Quantity)
}

func (l *line) total() int64 { return l.PricePaise * l.Quantity }

// savings are what the line costs less than by its list price.
func (l *line) savings() int64 {
	if l.MRPPaise == nil {
		return 0
	}
	return (*l.MRPPaise - l.PricePaise) * l.Quantity
}

// sums are what lines come to. The largest cart, of 100 lines of 50 for
// 10,000,000 paise each, is far below what an int64 holds.
type sums struct{ quantity, subtotal, savings int64 }

func sum(lines []*line) (s sums) {
	for _, l := range lines {
		s.quantity += l.Quantity
		s.subtotal += l.total()
		s.savings += l.savings()
	}
	return s
}

func (s sums) total() int64 { return s.subtotal + deliveryFeePaise }

// A LineProblem says why a line cannot be ordered.
type LineProblem struct {
	ItemID            *uuid.UUID `json:"itemId,omitempty"  doc:"The line; absent if it is not in the cart yet."`
	VariantID         uuid.UUID  `json:"variantId"         doc:"What the line is of."`
	Status            LineStatus `json:"status"            doc:"Why it cannot be ordered as it is." example:"insufficient_stock"`
	AvailableQuantity int64      `json:"availableQuantity" doc:"How many can be had." example:"1"`
}

func (l *line) problem() LineProblem {
	p := LineProblem{VariantID: l.ID, Status: l.status(), AvailableQuantity: l.available()}
	if l.ItemID != uuid.Nil {
		p.ItemID = &l.ItemID
	}
	return p
}

// problems are those of all lines.
func problems(lines []*line) (found []LineProblem) {
	for _, l := range lines {
		if l.status() != LineOK {
			found = append(found, l.problem())
		}
	}
	return found
}
