package catalogue

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"trestle.example/resources/store/internal/rows"
)

// A Variant is one size of a product, with a price and a stock of its own. It
// is archived, never deleted: orders and carts refer to it.
type Variant struct {
	bun.BaseModel `bun:"table:variants"`

	ID         uuid.UUID `bun:",pk"`
	ProductID  uuid.UUID
	SKU        string `bun:"sku"`
	SKUFolded  string `bun:"sku_folded"` // unique: two codes that differ in case only are equal
	Label      string
	Unit       Unit
	PricePaise int64
	MRPPaise   *int64 `bun:"mrp_paise"` // the list price, nil without one
	Stock      int64  // units that can be sold; those of placed orders are not among them
	InStock    bool   // Stock is above zero
	Position   int64
	Archived   bool
	CreatedAt  time.Time
	UpdatedAt  time.Time

	Product *Product `bun:"rel:belongs-to,join:product_id=id"` // only lists of stocks read it
}

// maxVariants is how many variants a product has at most, archived ones included:
// all of them are locked and read with every change. It is also in the tags of the inputs.
const maxVariants = 100

// A VariantSummary is a variant as customers see it: whether there is some,
// never how much.
type VariantSummary struct {
	ID         uuid.UUID `json:"id"`
	SKU        string    `json:"sku"        doc:"The store's code for it." example:"TOOR-1KG"`
	Label      string    `json:"label"      doc:"The size as customers read it." example:"1 kg"`
	Unit       Unit      `json:"unit"       doc:"What it is measured or counted in." example:"kg"`
	PricePaise int64     `json:"pricePaise" doc:"The price in paise: 100 are 1 rupee." example:"14900"`
	MRPPaise   *int64    `json:"mrpPaise"   doc:"The list price in paise; null for none." example:"16500"`
	InStock    bool      `json:"inStock"    doc:"Whether at least one is in stock. The number is not shown."`
}

// Summary is the variant as customers see it.
func (v *Variant) Summary() VariantSummary {
	return VariantSummary{
		ID: v.ID, SKU: v.SKU, Label: v.Label, Unit: v.Unit, PricePaise: v.PricePaise, MRPPaise: v.MRPPaise, InStock: v.InStock,
	}
}

// equal reports whether two variants are the same in every column.
func (v *Variant) equal(other Variant) bool {
	if v.MRPPaise != nil && other.MRPPaise != nil && *v.MRPPaise == *other.MRPPaise {
		other.MRPPaise = v.MRPPaise
	}
	return *v == other
}

// onSale lists the variants that are not archived, by position.
func onSale(variants []*Variant) []*Variant {
	live := slices.DeleteFunc(slices.Clone(variants), func(v *Variant) bool { return v.Archived })
	slices.SortFunc(live, byPosition)
	return live
}

func byPosition(a, b *Variant) int {
	return cmp.Or(cmp.Compare(a.Position, b.Position), rows.CompareIDs(a.ID, b.ID))
}

// cheapest is the variant that lists show of a product, the same one that
// ChooseCheapest chooses: the cheapest that is in stock, else the cheapest, ties by
// position and id. Archived ones come last: a product has others, unless a program past
// the API archived all.
func cheapest(variants []*Variant) *Variant {
	choice := onSale(variants)
	if len(choice) == 0 {
		choice = variants
	}
	return slices.MinFunc(choice, func(a, b *Variant) int {
		switch {
		case a.InStock && !b.InStock:
			return -1
		case b.InStock && !a.InStock:
			return 1
		}
		return cmp.Or(cmp.Compare(a.PricePaise, b.PricePaise), byPosition(a, b))
	})
}
