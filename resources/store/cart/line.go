package cart

import (
	"github.com/google/uuid"

	"trestle.example/resources/store/catalogue"
	"trestle.example/resources/store/delivery"
)

// A LineStatus is whether a line of a cart can be ordered.
type LineStatus string

// The statuses of a line: it can be ordered; there is too little in stock; there is
// nothing in stock; the variant is no longer sold.
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

// A Line is an item of a cart with its variant as it is now, or as the user last
// saw it if it is no longer sold.
type Line struct {
	catalogue.Offer `bun:",extend"`

	ItemID         uuid.UUID
	Quantity       int64
	SeenPricePaise int64
	Seen           *Seen `bun:"type:jsonb"`
}

// Seen is what a user saw of a variant and its product when they last wrote a
// line of it, besides the price.
type Seen struct {
	Slug     string         `json:"slug"`
	Name     string         `json:"name"`
	Brand    *string        `json:"brand"`
	Image    *string        `json:"image"`
	SKU      string         `json:"sku"`
	Label    string         `json:"label"`
	Unit     catalogue.Unit `json:"unit"`
	MRPPaise *int64         `json:"mrpPaise"`
}

// SeenNow is what a user sees of an offer now.
func SeenNow(o *catalogue.Offer) Seen {
	return Seen{
		Slug: o.Slug, Name: o.Name, Brand: o.Brand, Image: o.Image,
		SKU: o.SKU, Label: o.Label, Unit: o.Unit, MRPPaise: o.MRPPaise,
	}
}

// recall sets a line that is no longer sold to what the user last saw of it, without
// stock: later changes by staff are not public.
func (l *Line) recall() {
	s := l.Seen
	l.Slug, l.Name, l.Brand, l.Image = s.Slug, s.Name, s.Brand, s.Image
	l.SKU, l.Label, l.Unit, l.MRPPaise = s.SKU, s.Label, s.Unit, s.MRPPaise
	l.PricePaise, l.Stock, l.InStock = l.SeenPricePaise, 0, false
}

// CartItemView is a line of a cart. One that is unavailable shows its product,
// variant and price as they were when the user last wrote the line.
type CartItemView struct {
	ID                 uuid.UUID                `json:"id"`
	Quantity           int64                    `json:"quantity"                    doc:"How many units." example:"2"`
	Product            CartProductView          `json:"product"                     doc:"What it is a size of."`
	Variant            catalogue.VariantSummary `json:"variant"                     doc:"Which size."`
	UnitPricePaise     int64                    `json:"unitPricePaise"              doc:"What an order would charge for one now, in paise: 100 are 1 rupee." example:"14900"`
	PreviousPricePaise *int64                   `json:"previousPricePaise"          doc:"What one cost when the user last wrote the line; null if that is the same." example:"14500"`
	LineTotalPaise     int64                    `json:"lineTotalPaise"              doc:"What the line costs, in paise." example:"29800"`
	Status             LineStatus               `json:"status"                      doc:"Whether the line can be ordered as it is."`
	AvailableQuantity  *int64                   `json:"availableQuantity,omitempty" doc:"How many of these can be had; absent where the status is ok." example:"1"`
}

// CartProductView is a product as a line of a cart shows it.
type CartProductView struct {
	ID       uuid.UUID `json:"id"`
	Slug     string    `json:"slug"     doc:"In addresses." example:"toor-dal"`
	Name     string    `json:"name"     doc:"What the product is called." example:"Toor dal"`
	Brand    *string   `json:"brand"    doc:"The brand, or null." example:"Annam"`
	ImageURL *string   `json:"imageUrl" doc:"The address of its picture, or null." example:"https://images.example.org/toor.webp"`
}

func (l *Line) view() CartItemView {
	v := CartItemView{
		ID: l.ItemID, Quantity: l.Quantity,
		Product: CartProductView{ID: l.ProductID, Slug: l.Slug, Name: l.Name, Brand: l.Brand, ImageURL: l.Image},
		Variant: l.Summary(), UnitPricePaise: l.PricePaise, LineTotalPaise: l.TotalPaise(), Status: l.Status(),
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

// Status reports whether the line can be ordered.
func (l *Line) Status() LineStatus {
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

// available is how many of the wanted units are in stock: a larger stock is not
// shown.
func (l *Line) available() int64 {
	if !l.Live {
		return 0
	}
	return min(l.Stock, l.Quantity)
}

// TotalPaise is what the line costs, in paise.
func (l *Line) TotalPaise() int64 { return l.PricePaise * l.Quantity }

// savings is how much less the line costs than at its list price, in paise.
func (l *Line) savings() int64 {
	if l.MRPPaise == nil {
		return 0
	}
	return (*l.MRPPaise - l.PricePaise) * l.Quantity
}

// Totals are the totals of lines. The largest cart, of 100 lines of 50 units for
// 10,000,000 paise each, is far below the limit of an int64.
type Totals struct {
	Quantity      int64 // units
	SubtotalPaise int64
	SavingsPaise  int64 // below list prices
}

// Sum adds lines up, each at its current price.
func Sum(lines []*Line) (t Totals) {
	for _, l := range lines {
		t.Quantity += l.Quantity
		t.SubtotalPaise += l.TotalPaise()
		t.SavingsPaise += l.savings()
	}
	return t
}

// TotalPaise is what the lines and their delivery cost, in paise.
func (t Totals) TotalPaise() int64 { return t.SubtotalPaise + delivery.FeePaise }

// A LineProblem is why a line cannot be ordered.
type LineProblem struct {
	ItemID            *uuid.UUID `json:"itemId,omitempty"  doc:"The line; absent if it is not in the cart yet."`
	VariantID         uuid.UUID  `json:"variantId"         doc:"What the line is of."`
	Status            LineStatus `json:"status"            doc:"Why it cannot be ordered as it is." example:"insufficient_stock"`
	AvailableQuantity int64      `json:"availableQuantity" doc:"How many can be had." example:"1"`
}

func (l *Line) problem() LineProblem {
	p := LineProblem{VariantID: l.ID, Status: l.Status(), AvailableQuantity: l.available()}
	if l.ItemID != uuid.Nil {
		p.ItemID = &l.ItemID
	}
	return p
}

// Problems lists the lines that cannot be ordered as they are.
func Problems(lines []*Line) (found []LineProblem) {
	for _, l := range lines {
		if l.Status() != LineOK {
			found = append(found, l.problem())
		}
	}
	return found
}
